"""Every known fault, planted in a right backend, is found by profile ``full`` and named; the backend without
it passes the same cases.
"""

from __future__ import annotations

import pytest

from torchport_conformance.known_faults import known_faults
from torchport_conformance.known_faults.catching import cases_for, caught
from torchport_conformance.layers import LAYERS

FAULTS = known_faults()


def test_ids_layers_and_texts() -> None:
    assert len(FAULTS) == 91
    assert list(FAULTS) == [fault.id for fault in FAULTS.values()]
    assert {fault.layer for fault in FAULTS.values()} <= set(LAYERS)
    assert all(fault.text.endswith(".") and fault.kind for fault in FAULTS.values())
    assert all((fault.kernel is None) != (fault.compiler is None) for fault in FAULTS.values())


@pytest.mark.parametrize("name", FAULTS)
def test_a_known_fault_is_found_and_named(name: str) -> None:
    catch = caught(FAULTS[name])
    failures = [(result.id, result.cause) for result in catch.failed]
    assert catch.named is not None, failures
    assert catch.is_clean, [(result.id, result.status, result.message) for result in catch.right]


def test_an_unlikely_order_of_cases_changes_nothing_but_the_time() -> None:
    fault = FAULTS["b218"]
    assert {case.id for case in cases_for(fault)} >= {result.id for result in caught(fault).failed}
