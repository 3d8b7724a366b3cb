"""Gradients whose terms cancel may lose what their terms lose, and no more."""

from __future__ import annotations

import pytest
import torch

from torchport_conformance.layers.closeness import closeness


@pytest.mark.parametrize("factor, right", [(0.5, True), (100.0, False)])
def test_terms_that_cancel_leave_their_roundings(factor: float, right: bool) -> None:
    exact = torch.tensor([1e-3], dtype=torch.float64)
    eager = exact.float()
    off = (exact + factor * 4 * 2.0**-24).float()
    assert not closeness(off, eager, exact, 3).ratio <= 1.0
    assert (closeness(off, eager, exact, 3, size=1.0).ratio <= 1.0) is right
