"""Integer division without the one quotient that ends a process.

The least number of a dtype divided by -1 is out of its range; the contract has it wrap around, as other
integer arithmetic does. PyTorch's CPU kernels leave it to the processor, whose division of 32 and 64 bits
traps (SIGFPE): https://github.com/pytorch/pytorch/issues/138425, https://github.com/pytorch/pytorch/issues/190041,
https://github.com/pytorch/pytorch/issues/190042.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

_QUOTIENTS = ("aten.div.Tensor_mode", "aten.div.Scalar_mode", "aten.floor_divide.default")
_REMAINDERS = tuple(f"aten.{name}.{form}" for name in ("fmod", "remainder") for form in ("Tensor", "Scalar"))
_TRAPPING = (torch.int32, torch.int64)


def divides(op: str) -> bool:
    """Whether an operator, by qualified name, divides integers where it is given them."""
    return op in _QUOTIENTS or op in _REMAINDERS


def without_traps(op: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of the same result, no divisor of which is -1; ``arguments`` where none can trap.

    Args:
        op: qualified name of an operator.
        arguments: by name.
    """
    if not divides(op):
        return arguments
    dividend, divisor = arguments["self"], arguments["other"]
    dtype = torch.result_type(dividend, divisor)
    if dtype not in _TRAPPING or arguments.get("rounding_mode", "") is None:
        return arguments
    # In the dtype of the result: the negated least number of a narrower one is in range there.
    dividend, divisor = (torch.as_tensor(x, dtype=dtype) for x in (dividend, divisor))
    traps = divisor == -1
    found = {**arguments, "other": torch.where(traps, 1, divisor)}
    if op in _QUOTIENTS:
        found["self"] = torch.where(traps, -dividend, dividend)
    if not isinstance(arguments["other"], torch.Tensor):
        found["other"] = int(found["other"])
    return found
