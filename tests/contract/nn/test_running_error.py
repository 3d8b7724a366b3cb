"""Bounds derived from decompositions: by hand, and for kernels that are right and wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from torchport.contract.numerics import judge
from torchport.contract.opset import opset
from torchport.contract.running_error import NARROW, running_error
from torchport.errors import ContractError

OPS = opset("1.0").ops
SOFTMAX = OPS["aten._softmax.default"]
LAYER_NORM = OPS["aten.native_layer_norm.default"]


def derived_from(decomposition):
    """An entry whose bound comes from ``decomposition`` of the argument ``self``."""
    return replace(SOFTMAX, decomposition=decomposition)


def test_charges_of_single_operators():
    x = torch.tensor([2.0, -3.0], dtype=torch.float64)

    def error(f, charges=None):
        return running_error(
            derived_from(lambda self: f(self)), {"self": x}, *([] if charges is None else [charges])
        )[0]

    assert torch.equal(error(lambda x: x * 3.0), torch.tensor([6.0, 9.0], dtype=torch.float64))
    assert torch.equal(error(lambda x: x - 1.0), torch.tensor([3.0, 4.0], dtype=torch.float64))
    assert torch.equal(error(lambda x: x - 1.0, NARROW), torch.tensor([1.0, 4.0], dtype=torch.float64))
    assert torch.equal(error(lambda x: -x), torch.zeros(2, dtype=torch.float64))
    # a product of two inexact factors: |a| e_b + |b| e_a + |ab|
    assert torch.equal(error(lambda x: (x * 3.0) * (x * 3.0)), 3 * (9 * x * x))


def test_a_sum_is_charged_for_its_terms():
    x = torch.ones(3, 4, dtype=torch.float64)
    error = running_error(derived_from(lambda self: self.sum([1])), {"self": x})[0]
    assert torch.equal(error, torch.full((3,), 4.0 * 4.0 + 4.0, dtype=torch.float64))


def test_infinite_intermediates_do_not_hide_errors():
    x = torch.tensor([[0.0, 1.0, -torch.inf]], dtype=torch.float64)
    error = running_error(SOFTMAX, {"self": x, "dim": 1, "half_to_float": False})[0]
    assert error.isfinite().all() and (error[0, :2] > 0.5).all() and error[0, 2] == 0


def test_primitives_and_unknown_operators_are_refused():
    with pytest.raises(ContractError, match="no decomposition"):
        running_error(OPS["aten.neg.default"], {"self": torch.ones(1)})
    with pytest.raises(ContractError, match="no running error rule"):
        running_error(derived_from(lambda self: torch.special.bessel_j0(self)), {"self": torch.ones(1)})


def rows(mean: float) -> Tensor:
    return torch.randn(64, 256, generator=torch.Generator().manual_seed(0)) + mean


def layer_norm(x: Tensor, *, epsilon: float = 1e-5, one_pass: bool = False) -> list[Tensor]:
    mean = x.mean(1, keepdim=True)
    variance = (
        (x * x).mean(1, keepdim=True) - mean * mean if one_pass else (x - mean).square().mean(1, keepdim=True)
    )
    rstd = (variance + epsilon).rsqrt()
    return [(x - mean) * rstd, mean, rstd]


ARGUMENTS = {"normalized_shape": [256], "weight": None, "bias": None, "eps": 1e-5}


def test_a_wrong_epsilon_is_caught():
    arguments = {"input": rows(0.0), **ARGUMENTS}
    assert judge(LAYER_NORM, arguments, layer_norm(rows(0.0))).ok
    assert not judge(LAYER_NORM, arguments, layer_norm(rows(0.0), epsilon=1e-4)).ok


def test_a_one_pass_variance_is_caught_where_it_cancels():
    arguments = {"input": rows(1000.0), **ARGUMENTS}
    assert judge(LAYER_NORM, arguments, layer_norm(rows(1000.0))).ok
    assert not judge(LAYER_NORM, arguments, layer_norm(rows(1000.0), one_pass=True)).ok


def test_16_bit_rounding_on_the_way_is_allowed_only_where_it_is_stated():
    x = rows(0.0).bfloat16()
    arguments = {"self": x, "dim": 1, "half_to_float": False}
    e = torch.exp(x - x.amax(1, keepdim=True))
    rounded = [e / e.float().sum(1, keepdim=True).bfloat16()]
    assert judge(SOFTMAX, arguments, rounded).ok
    strict = replace(SOFTMAX, numerics=replace(SOFTMAX.numerics, special=()))
    assert not judge(strict, arguments, rounded).ok
    assert not judge(SOFTMAX, arguments, [rounded[0] * 1.25]).ok


def test_dropout_is_judged_by_its_law():
    spec = OPS["aten.native_dropout.default"]
    x = rows(3.0)
    arguments = {"input": x, "p": 0.25, "train": True}
    mask = torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < 0.75
    good = torch.where(mask, x / 0.75, 0.0)
    assert judge(spec, arguments, [good, mask]).ok
    assert not judge(spec, arguments, [x * mask, mask]).ok
    assert not judge(spec, arguments, [torch.zeros_like(x), torch.zeros_like(mask)]).ok
    assert not judge(spec, arguments, [good, ~mask]).ok
