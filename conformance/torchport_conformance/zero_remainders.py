"""The sign of a remainder that is zero.

PyTorch documents it as the divisor's, as in Python, and its CPU kernel gives the dividend's, as C's ``fmod``
does, so that the contract leaves it open. It is one of the two, though, and the same one everywhere: a kernel
that loses the sign gives zeros that are neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch


def wrong_zero(op: str, arguments: Mapping[str, Any], got: torch.Tensor) -> str:
    """What is wrong with the signs of zero remainders; empty where nothing is, and for other operators.

    Args:
        op: name of the operator.
        arguments: its arguments, tensors in their own dtypes.
        got: the result.
    """
    if not op.startswith("aten.remainder.") or not got.is_floating_point():
        return ""
    zeros = got == 0
    negative = got.signbit()[zeros]
    follows = {
        name: bool((negative == _negative(arguments[name], got)[zeros]).all()) for name in ("self", "other")
    }
    if any(follows.values()):
        return ""
    return (
        f"{int(zeros.sum())} remainders are zero, and the signs of these zeros are neither those of the "
        "divisors nor those of the dividends"
    )


def _negative(operand: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(operand, dtype=like.dtype).signbit().expand(like.shape)
