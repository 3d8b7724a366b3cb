"""Sums of the sizes of the terms of a polynomial: what its rounding errors are relative to where it cancels.

The Hermite polynomials alternate in sign, so ``H_n(x)`` may be much smaller than its terms. With positive
coefficients throughout, their recurrences (DLMF 18.9.1) give the sums of the terms' sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchport.errors import ContractError

_STEPS: Mapping[str, Callable[[Tensor, int], tuple[Tensor, float]]] = {
    "hermite_polynomial_h": lambda x, k: (2.0 * x, 2.0 * k),
    "hermite_polynomial_he": lambda x, k: (x, 1.0 * k),
}
"""Factors of ``p_k`` and ``p_(k-1)`` in ``p_(k+1)``, by the operator's name."""
_HIGHEST = 64


def term_sizes(op: str, arguments: Mapping[str, Any]) -> Tensor:
    """The sum of the sizes of the polynomial's terms at ``arguments`` x and n, float64; n is at most 64.

    Raises:
        ContractError: the operator is not a polynomial known here.
    """
    family = next((f for f in _STEPS if op.split(".")[1] == f"special_{f}"), None)
    if family is None:
        raise ContractError("the terms of this operator are not known", op=op)
    x = torch.as_tensor(arguments["x"], dtype=torch.float64).abs()
    x, n = torch.broadcast_tensors(x, torch.as_tensor(arguments["n"], dtype=torch.float64).trunc())
    before, current = torch.zeros_like(x), torch.ones_like(x)
    found = torch.where(n == 0, current, 0.0)
    for k in range(_HIGHEST):
        first, second = _STEPS[family](x, k)
        before, current = current, first * current + second * before
        found = torch.where(n == k + 1, current, found)
    return found
