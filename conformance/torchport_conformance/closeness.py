"""Whether two results are the same, bit for bit or up to some rounding. Decides what a failure is called,
never whether there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch


def same(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> bool:
    """Whether outputs are the same bit for bit; any NaN is as good as another."""
    return len(a) == len(b) and all(map(_same, a, b))


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    x, y = a.contiguous().view(-1), b.contiguous().view(-1)
    mine, theirs = x.view(torch.uint8), y.view(torch.uint8)
    if torch.equal(mine, theirs):
        return True
    if not (a.is_floating_point() or a.is_complex()):
        return False
    differ = (mine != theirs).view(x.numel(), -1).any(1)
    return bool((x[differ].isnan() & y[differ].isnan()).all())


def close_elements(actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Which elements of a result are what is expected, up to some rounding in the result's dtype."""
    if not actual.is_floating_point() and not actual.is_complex():
        return actual == expected.to(actual.dtype)
    wide = actual.to(torch.complex128 if actual.is_complex() else torch.float64)
    exact = expected.to(wide.dtype)
    eps = torch.finfo(actual.dtype).eps
    tolerance = 64 * eps if eps < 1e-5 else 2 * eps
    largest = float(exact.abs().nan_to_num(0.0, 0.0, 0.0).max()) if exact.numel() else 0.0
    return torch.isclose(wide, exact, rtol=tolerance, atol=tolerance * min(1.0, largest), equal_nan=True)


def close(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two results are the same up to some rounding, NaN included."""
    if actual.shape != expected.shape:
        return False
    return bool(close_elements(actual, expected).all())
