"""Cases are the same, and in the same order, however many processes make them."""

from __future__ import annotations

from torchport_conformance.cases.profiles import PROFILES
from torchport_conformance.layers import LAYERS
from torchport_conformance.planning import cases_of_operators
from torchport_conformance.specs import selected


def test_two_processes_make_the_cases_that_one_makes() -> None:
    specs = selected(None)[:100]
    one, two = (
        list(cases_of_operators(LAYERS["metadata"], PROFILES["quick"], specs, jobs)) for jobs in (1, 2)
    )
    assert len({case.op for case in one}) > 5
    assert two == one
