"""Dtype rules: promotion is PyTorch's, and every form of a rule means what it says."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from torchport.contract.dtype_rules import (
    accepted,
    accepted_names,
    complex_of,
    dtype_from_name,
    join,
    promote,
    result_dtypes,
)
from torchport.contract.graph import ScalarSpec, TensorSpec, Value
from torchport.contract.spec import DtypeRule
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
    torch.float32, torch.float64, torch.complex32, torch.complex64, torch.complex128,
]  # fmt: skip


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_join_is_promote_types(a: torch.dtype) -> None:
    for b in DTYPES:
        assert join(a, b) == torch.promote_types(a, b), b


def settled(dtype: torch.dtype) -> torch.dtype:
    """Where PyTorch has complex numbers of bfloat16 parts, the contract has complex64."""
    return torch.complex64 if dtype is getattr(torch, "bcomplex32", None) else dtype


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_complex_of_is_to_complex_where_that_is_settled(dtype: torch.dtype) -> None:
    assert complex_of(dtype) == settled(dtype.to_complex())
    assert promote([torch.empty(2, dtype=dtype), 1j]) == complex_of(dtype)
    with pytest.raises(ContractError, match="no complex dtype"):
        complex_of(torch.int64)


@pytest.mark.parametrize("default", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_promotion_of_tensors_zero_dimensional_tensors_and_scalars(default: torch.dtype) -> None:
    before = torch.get_default_dtype()
    torch.set_default_dtype(default)
    try:
        # Tensors of complex32 warn that they are experimental; test_join covers the dtype.
        usable = [d for d in DTYPES if d is not torch.complex32]
        for a, b in itertools.product(usable, usable):
            for left, right in (((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())):
                x, y = torch.empty(left, dtype=a), torch.empty(right, dtype=b)
                assert promote([x, y], default) == settled(torch.result_type(x, y)), (a, left, b, right)
            for scalar in (True, 2, 2.5, 1j):
                for shape in ((2,), ()):
                    x = torch.empty(shape, dtype=a)
                    theirs = settled(torch.result_type(x, scalar))
                    assert promote([x, scalar], default) == theirs, (a, shape, scalar)
    finally:
        torch.set_default_dtype(before)


def rule(result: str, **accepts: tuple[str, ...]) -> DtypeRule:
    return DtypeRule(accepts or {"self": ("float32",)}, (result,))


X = torch.empty(2, dtype=torch.bfloat16)
I = torch.empty(2, dtype=torch.int16)  # noqa: E741
Z = torch.empty(2, dtype=torch.complex64)


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("bool", {}, torch.bool),
        ("default", {}, torch.float32),
        ("arg:dtype|same:self", {"self": X, "dtype": None}, torch.bfloat16),
        ("arg:dtype|same:self", {"self": X, "dtype": torch.float64}, torch.float64),
        ("same:weight|same:self", {"self": X, "weight": None}, torch.bfloat16),
        ("widen:self", {"self": I}, torch.int64),
        ("widen:self", {"self": X}, torch.bfloat16),
        ("real:self", {"self": Z}, torch.float32),
        ("real:dtype|real:self", {"self": Z, "dtype": torch.complex128}, torch.float64),
        ("real:dtype|real:self", {"self": Z, "dtype": None}, torch.float32),
        ("truth:self", {"self": X}, torch.bool),
        ("truth:self", {"self": X.to(torch.uint8)}, torch.uint8),
        ("complex_real:self|promote_float:self", {"self": Z}, torch.float32),
        ("complex_real:self|promote_float:self", {"self": X}, torch.bfloat16),
        ("promote:self,other", {"self": I, "other": 2.5}, torch.float32),
        ("promote:self,other", {"self": X, "other": 2.5}, torch.bfloat16),
        ("promote:self,other", {"self": I, "other": None}, torch.int16),
        ("promote_float:self", {"self": I}, torch.float32),
        ("promote_float:self", {"self": X}, torch.bfloat16),
        ("promote", {"self": X}, torch.bfloat16),
        ("promote:tensors", {"tensors": [X, I, Z]}, torch.complex64),
        ("scalar:value", {"value": True}, torch.bool),
        ("scalar:value", {"value": 3}, torch.int64),
        ("scalar:value", {"value": 3.0}, torch.float32),
        ("range:start,end", {"start": 0, "end": 4}, torch.int64),
        ("range:start,end", {"start": 0, "end": 4.0}, torch.float32),
    ],
)
def test_result_forms(text: str, arguments: dict[str, Any], expected: torch.dtype) -> None:
    assert result_dtypes(rule(text), arguments, torch.float32) == (expected,)


def test_specs_and_symbols_are_operands_too() -> None:
    wide = Value("x", TensorSpec((2, 3), (3, 1), torch.int64))
    number = Value("n", ScalarSpec("float", SymExpr("float(s0)")))
    assert promote([wide, number]) == torch.float32
    assert promote([wide, SymExpr("s0*2")]) == torch.int64


def test_accepting() -> None:
    r = rule("same:self", self=("float32", "int64"), other=("same:self",))
    arguments = {"self": torch.ones(1)}
    assert accepted(r, "self", torch.int64, arguments)
    assert not accepted(r, "self", torch.float16, arguments)
    assert accepted(r, "other", torch.float32, arguments)
    assert not accepted(r, "other", torch.int64, arguments)
    assert accepted(r, "unlisted", torch.float16, arguments)
    assert accepted_names(r, "other") == ("float32", "int64")


@pytest.mark.parametrize("text", ["nonsense:self", "float33", "arg:dtype"])
def test_what_is_not_a_rule(text: str) -> None:
    with pytest.raises(ContractError):
        result_dtypes(rule(text), {"self": X})


def test_unknown_dtype_name() -> None:
    with pytest.raises(ContractError, match="not a dtype"):
        dtype_from_name("Tensor")
