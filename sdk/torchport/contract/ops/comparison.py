"""Comparisons, logic and bits, elementwise."""

from __future__ import annotations

from torchport.contract.decompositions import elementwise as decompose
from torchport.contract.ops.builders import (
    ANY,
    INTEGRAL,
    INTS,
    NUMBERS,
    WRAPS,
    elementwise_binary,
)
from torchport.contract.spec import OpSpec


def _comparison(name: str) -> tuple[OpSpec, OpSpec]:
    """A comparison: the Tensor overload is a prim, the Scalar overload compares in the promoted dtype."""
    dtypes = ANY if name in ("eq", "ne") else NUMBERS
    tensor = elementwise_binary(
        f"aten.{name}.Tensor", dtypes=dtypes, result="bool", values="small", prim=True
    )
    scalar = elementwise_binary(
        f"aten.{name}.Scalar",
        dtypes=dtypes,
        result="bool",
        values="small",
        scalars=(0, 1, 0.5),
        decomposition=decompose.through(tensor.overload),
    )
    return tensor, scalar


COMPARISONS = tuple(spec for name in ("eq", "ne", "lt", "le", "gt", "ge") for spec in _comparison(name))


def _bitwise(name: str) -> tuple[OpSpec, OpSpec]:
    tensor = elementwise_binary(f"aten.{name}.Tensor", dtypes=INTEGRAL, prim=True)
    scalar = elementwise_binary(
        f"aten.{name}.Scalar",
        dtypes=INTEGRAL,
        scalars=(1, 6),
        decomposition=decompose.through(tensor.overload),
    )
    return tensor, scalar


def _shift(name: str) -> tuple[OpSpec, OpSpec]:
    tensor = elementwise_binary(
        f"aten.{name}.Tensor", dtypes=INTS, other_values="index(8)", numerics=WRAPS, prim=True
    )
    scalar = elementwise_binary(
        f"aten.{name}.Tensor_Scalar",
        dtypes=INTS,
        scalars=(0, 3),
        numerics=WRAPS,
        decomposition=decompose.through(tensor.overload),
    )
    return tensor, scalar


LOGIC = (
    *(spec for name in ("bitwise_and", "bitwise_or", "bitwise_xor") for spec in _bitwise(name)),
    *(spec for name in ("bitwise_left_shift", "bitwise_right_shift") for spec in _shift(name)),
    elementwise_binary(
        "aten.logical_and.default",
        dtypes=NUMBERS,
        result="bool",
        values="small",
        decomposition=decompose.logical_and,
    ),
    elementwise_binary(
        "aten.logical_or.default",
        dtypes=NUMBERS,
        result="bool",
        values="small",
        decomposition=decompose.logical_or,
    ),
    elementwise_binary(
        "aten.logical_xor.default",
        dtypes=NUMBERS,
        result="bool",
        values="small",
        decomposition=decompose.logical_xor,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*COMPARISONS, *LOGIC)
