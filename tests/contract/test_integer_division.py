"""Integer division of the least number by -1 wraps around, and does not end the process."""

from __future__ import annotations

import pytest
import torch

import torchport as tp
from torchport.contract.adapters import call
from torchport.contract.integer_division import divides, without_traps
from torchport.contract.opset import opset
from torchport.contract.reference import reference

PAIRS = [(7, -1), (-7, -1), (7, 2), (-7, 2), (0, -1), (-7, -3)]


def wrapped(value: int, bits: int) -> int:
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    ("op", "exact", "more"),
    [
        ("aten.div.Tensor_mode", lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1), "trunc"),
        ("aten.div.Tensor_mode", lambda a, b: a // b, "floor"),
        ("aten.floor_divide.default", lambda a, b: a // b, None),
        ("aten.remainder.Tensor", lambda a, b: a % b, None),
        ("aten.fmod.Tensor", lambda a, b: a - b * (abs(a) // abs(b) * (1 if a * b >= 0 else -1)), None),
    ],
)
def test_the_least_number_divided_by_minus_one_wraps(
    op: str, exact: object, more: str | None, bits: int
) -> None:
    dtype = getattr(torch, f"int{bits}")
    pairs = [*PAIRS, (-(2 ** (bits - 1)), -1)]
    a, b = (torch.tensor(column, dtype=dtype) for column in zip(*pairs, strict=True))
    arguments = {"self": a, "other": b, **({"rounding_mode": more} if more else {})}
    wanted = [wrapped(exact(x, y), bits) for x, y in pairs]  # type: ignore[operator]
    result = call(opset().ops[op], arguments)
    assert result.dtype is dtype and result.tolist() == wanted
    (exactly,) = reference(opset().ops[op], arguments)
    assert exactly is not None and exactly.tolist() == wanted


def test_a_wider_divisor_decides_the_dtype_in_which_a_quotient_wraps() -> None:
    arguments = {
        "self": torch.tensor([-(2**31)], dtype=torch.int32),
        "other": torch.tensor([-1], dtype=torch.int64),
        "rounding_mode": "trunc",
    }
    assert call(opset().ops["aten.div.Tensor_mode"], arguments).tolist() == [2**31]
    number = {"self": torch.tensor([-(2**31)], dtype=torch.int32), "other": -1}
    assert call(opset().ops["aten.remainder.Scalar"], number).tolist() == [0]


def test_other_calls_are_left_as_they_are() -> None:
    x = torch.tensor([1.0, -2.0])
    for op, arguments in (
        ("aten.div.Tensor_mode", {"self": x, "other": -x, "rounding_mode": "trunc"}),
        ("aten.div.Tensor_mode", {"self": x.int(), "other": x.int(), "rounding_mode": None}),
        ("aten.add.Tensor", {"self": x.int(), "other": x.int()}),
    ):
        assert without_traps(op, arguments) is arguments
    assert divides("aten.fmod.Scalar") and not divides("aten.add.Tensor")


def test_the_null_device_does_not_trap() -> None:
    def both(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.div(a, b, rounding_mode="trunc"), torch.fmod(a, b)

    a = torch.tensor([-(2**31), 9], dtype=torch.int32)
    b = torch.tensor([-1, -2], dtype=torch.int32)
    quotient, rest = torch.compile(both, backend=tp.EagerBackend())(a, b)
    assert quotient.tolist() == [-(2**31), -4] and rest.tolist() == [0, 1]
