"""Arguments that follow from an entry's rules and siblings, beside those that it chooses."""

from __future__ import annotations

import math

from torchport_conformance.cases.signature import signature
from torchport_conformance.specs import spec_of


def test_a_probability_is_also_0_and_1() -> None:
    assert signature(spec_of("aten.bernoulli.p")).choices["p"] == (0.5, 0.1, 0.0, 1.0)


def test_a_number_is_also_what_a_tensor_in_its_place_may_hold() -> None:
    assert signature(spec_of("aten.mul.Scalar")).choices["other"] == (0.5, -2, 3, 0, math.inf)
    assert 0 not in signature(spec_of("aten.div.Scalar")).choices["other"]  # the tensor may hold no 0


def test_sizes_to_resample_from_are_also_1() -> None:
    choices = signature(spec_of("aten.upsample_bilinear2d_backward.default")).choices["input_size"]
    assert choices[1:] == ("grad_output[:2] + [1, 2]", "grad_output[:2] + [3, 1]")
