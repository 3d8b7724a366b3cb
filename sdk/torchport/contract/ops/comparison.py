"""Comparisons, logic and bits, elementwise."""

from __future__ import annotations

from torchport.contract.decompositions import elementwise as decompose
from torchport.contract.ops.builders import (
    ANY,
    INTEGRAL,
    INTS,
    NUMBERS,
    UNSIGNED,
    WRAPS,
    elementwise_binary,
)
from torchport.contract.spec import OpSpec


def _comparison(name: str) -> tuple[OpSpec, OpSpec]:
    """A comparison: the Tensor overload is a prim, the Scalar overload compares in the promoted dtype."""
    dtypes = (*ANY, *UNSIGNED) if name in ("eq", "ne") else NUMBERS
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


def _bitwise(name: str) -> tuple[OpSpec, ...]:
    dtypes = (*INTEGRAL, *UNSIGNED)
    tensor = elementwise_binary(f"aten.{name}.Tensor", dtypes=dtypes, prim=True)
    through = decompose.through(tensor.overload)
    mixed = (
        elementwise_binary(f"aten.{name}.{overload}", dtypes=dtypes, scalars=(1, 6), decomposition=through)
        for overload in ("Scalar", "Scalar_Tensor")
    )
    return tensor, *mixed


def _shift(name: str, spelling: str) -> tuple[OpSpec, ...]:
    """Shifts of either direction; ``spelling`` is the Python operator's name for the same function."""
    tensor = elementwise_binary(
        f"aten.{name}.Tensor", dtypes=INTS, other_values="index(8)", numerics=WRAPS, prim=True
    )
    through = decompose.through(tensor.overload)
    mixed = (
        elementwise_binary(
            f"aten.{overload}",
            dtypes=INTS,
            scalars=(1, 3),
            other_values="index(8)",
            numerics=WRAPS,
            decomposition=through,
        )
        for overload in (
            f"{name}.Tensor_Scalar",
            f"{name}.Scalar_Tensor",
            f"{spelling}.Tensor",
            f"{spelling}.Scalar",
        )
    )
    return tensor, *mixed


LOGIC = (
    *(spec for name in ("bitwise_and", "bitwise_or", "bitwise_xor") for spec in _bitwise(name)),
    *_shift("bitwise_left_shift", "__lshift__"),
    *_shift("bitwise_right_shift", "__rshift__"),
    *(
        elementwise_binary(
            f"aten.{name}.default", dtypes=ANY, result="bool", values="small", decomposition=function
        )
        for name, function in (
            ("logical_and", decompose.logical_and),
            ("logical_or", decompose.logical_or),
            ("logical_xor", decompose.logical_xor),
        )
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*COMPARISONS, *LOGIC)
