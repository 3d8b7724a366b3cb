"""The dtype rules: which dtypes an argument accepts, and which dtypes the results have.

``DtypeRule.accepts`` maps a tensor argument to dtype names, or to ``("same:ARG",)``. ``DtypeRule.results``
has one expression per output; alternatives are separated by ``|`` and the first that applies counts:

    NAME                  a dtype name, such as bool or int64
    default               PyTorch's default float dtype
    arg:ARG               the dtype argument ARG, when it is given
    same:ARG              the dtype of a tensor argument, when it is given
    real:ARG              the same, with a complex dtype replaced by its real one; ARG may be a dtype argument
    complex_real:ARG      the real dtype of a complex argument; nothing where it is real
    complex:ARG           the dtype of a tensor argument, with a real one replaced by its complex one
    truth:ARG             bool, but uint8 where ARG is uint8
    widen:ARG             the same, with bool and narrow integers replaced by int64 (sums)
    promote:A,B           PyTorch's type promotion over tensor and scalar arguments
    promote_float:A,B     the same, with an integral result replaced by the default float dtype
    opmath:ARG            the dtype that ARG is computed in: float32 for float16 and bfloat16, else its own
    float32_if:ARG        float32, when the boolean argument ARG is true
    int32_if:ARG          int32, when the boolean argument ARG is true
    complex_if:A,B        the default complex dtype, when one of these arguments is complex
    scalar:ARG            what a tensor made of a Python scalar has: bool, int64 or the default float
    range:A,B,C           int64 when every given scalar is integral, else the default float (arange)
    each:RULE             RULE at each position of the lists it names: one dtype per tensor of a list

``promote`` without names takes every argument of ``accepts``. Promotion ranks tensors with dimensions above
zero-dimensional tensors above Python scalars: a lower class only decides the result when its kind (bool <
integral < floating < complex) is higher.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch

from torchport.contract.graph import ScalarSpec, TensorSpec, Value, dtype_name
from torchport.contract.spec import DtypeRule
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError


def dtype_from_name(name: str) -> torch.dtype:
    """``torch.float32`` for ``"float32"``.

    Raises:
        ContractError: PyTorch has no such dtype.
    """
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise ContractError("not a dtype", got=name)
    return dtype


_WIDTH = {
    torch.bool: 0,
    torch.uint8: 1,
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.float16: 1,
    torch.bfloat16: 1,
    torch.float32: 2,
    torch.float64: 3,
    torch.complex32: 1,
    torch.complex64: 2,
    torch.complex128: 3,
}
"""Rank of each dtype within its kind; two dtypes of one rank have a join above both."""
_BY_WIDTH = {
    1: (torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64),
    2: (torch.bool, torch.float16, torch.float32, torch.float64),
    3: (torch.bool, torch.complex32, torch.complex64, torch.complex128),
}


def join(a: torch.dtype, b: torch.dtype) -> torch.dtype:
    """``torch.promote_types(a, b)``, without a call that a trace would record.

    Raises:
        ContractError: the dtypes have no common one (uint16 and int32, say).
    """
    if a == b:
        return a
    if a not in _WIDTH or b not in _WIDTH:
        try:
            return torch.promote_types(a, b)
        except RuntimeError:
            raise ContractError("no dtype is common to the operands", got=f"{a}, {b}") from None
    if _kind(a) < _kind(b):
        a, b = b, a
    if _kind(a) == _kind(b) or (a.is_complex and b.is_floating_point):
        same = _WIDTH[a] == _WIDTH[b] and (_kind(a) == _kind(b) or b is torch.bfloat16)
        width = max(_WIDTH[a], _WIDTH[b]) + same
        if not same and _kind(a) == _kind(b):
            return a if _WIDTH[a] > _WIDTH[b] else b
        return _BY_WIDTH[_kind(a)][width]
    return a


_COMPLEX = {
    torch.float16: torch.complex32,
    torch.bfloat16: torch.complex64,
    torch.float32: torch.complex64,
    torch.float64: torch.complex128,
}


def complex_of(dtype: torch.dtype) -> torch.dtype:
    """The complex dtype of a floating one, the same on every PyTorch.

    ``to_complex`` of bfloat16 is complex64 up to PyTorch 2.13, and then a dtype that has no kernels.

    Raises:
        ContractError: no complex dtype has parts of this one.
    """
    if dtype not in _COMPLEX:
        raise ContractError("no complex dtype has such parts", got=str(dtype))
    return _COMPLEX[dtype]


def _kind(dtype: torch.dtype) -> int:
    if dtype is torch.bool:
        return 0
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 1


def promote(operands: list[Any], default: torch.dtype = torch.float32) -> torch.dtype:
    """PyTorch's result dtype over tensors (or specs) and Python scalars; None operands are skipped.

    Written out rather than asked of ``torch.result_type`` because operands may be specs or symbols.
    """
    classes: list[list[torch.dtype]] = [[], [], []]
    for operand in operands:
        if operand is None:
            continue
        spec: Any = operand.spec if isinstance(operand, Value) else operand
        if isinstance(spec, tuple | list):
            for item in spec:
                member: Any = item.spec if isinstance(item, Value) else item
                classes[0 if len(member.shape) else 1].append(member.dtype)
        elif isinstance(spec, TensorSpec | torch.Tensor):
            classes[0 if len(spec.shape) else 1].append(spec.dtype)
        else:
            classes[2].append(scalar_dtype(spec, default))
    result: torch.dtype | None = None
    for dtypes in reversed(classes):
        merged: torch.dtype | None = None
        for dtype in dtypes:
            merged = dtype if merged is None else join(merged, dtype)
        result = _yield_to(merged, result)
    if result is None:
        raise ContractError("promotion needs an operand")
    return result


def _yield_to(high: torch.dtype | None, low: torch.dtype | None) -> torch.dtype | None:
    """The higher class's dtype, raised to the lower class's kind where that is higher."""
    if high is None or low is None or _kind(low) <= _kind(high):
        return low if high is None else high
    if high.is_floating_point:
        return complex_of(high)
    return join(high, low) if high is torch.bool else low


def scalar_dtype(value: Any, default: torch.dtype = torch.float32) -> torch.dtype:
    """The dtype a Python (or symbolic) scalar has in promotion."""
    if isinstance(value, ScalarSpec):
        return {"bool": torch.bool, "int": torch.int64, "float": default}[value.kind]
    if isinstance(value, bool | torch.SymBool):
        return torch.bool
    if isinstance(value, int | torch.SymInt):
        return torch.int64
    if isinstance(value, complex):
        return complex_of(default)
    if isinstance(value, SymExpr):
        return default if any(mark in value.text for mark in ("float", "sqrt", " / ", ".")) else torch.int64
    return default


def _dtype_of(value: Any) -> torch.dtype | None:
    if isinstance(value, Value):
        value = value.spec
    if isinstance(value, tuple | list):
        return next((d for d in map(_dtype_of, value) if d is not None), None)
    return value.dtype if isinstance(value, TensorSpec | torch.Tensor) else None


def accepted(rule: DtypeRule, name: str, dtype: torch.dtype, arguments: Mapping[str, Any]) -> bool:
    """Whether argument ``name`` may have ``dtype``, beside the other ``arguments``."""
    names = rule.accepts.get(name)
    if names is None:
        return True
    if names and names[0].startswith("same:"):
        other = _dtype_of(arguments.get(names[0].removeprefix("same:")))
        return other is None or other == dtype
    return dtype_name(dtype) in names


def computable(rule: DtypeRule, arguments: Mapping[str, Any], default: torch.dtype | None = None) -> bool:
    """Whether the operands together are in a dtype that the operator computes in."""
    base = torch.get_default_dtype() if default is None else default
    try:
        return all(
            dtype_name(found) in names
            for text, names in rule.computes.items()
            for found in _results(rule, text, arguments, base)
        )
    except ContractError:
        return False


def accepted_names(rule: DtypeRule, name: str) -> tuple[str, ...]:
    """The dtype names argument ``name`` accepts on its own; ``same:`` ties are followed."""
    names = rule.accepts.get(name, ())
    if names and names[0].startswith("same:"):
        return accepted_names(rule, names[0].removeprefix("same:"))
    return names


def result_dtypes(
    rule: DtypeRule, arguments: Mapping[str, Any], default: torch.dtype | None = None
) -> tuple[torch.dtype, ...]:
    """The dtype of each output, for arguments given as tensors, specs, graph values and scalars.

    An output that is a list has one dtype here for all its tensors, or with ``each:`` one for each of them.

    Raises:
        ContractError: no alternative of a rule applies, or a rule is not in the language above.
    """
    base = torch.get_default_dtype() if default is None else default
    return tuple(dtype for text in rule.results for dtype in _results(rule, text, arguments, base))


def _results(
    rule: DtypeRule, text: str, arguments: Mapping[str, Any], default: torch.dtype
) -> list[torch.dtype]:
    if not text.startswith("each:"):
        return [_result(rule, text, arguments, default)]
    inner = text.removeprefix("each:")
    named = [n for part in inner.split("|") for n in re.split("[:,]", part)[1:]]
    lists = {n: v for n, v in arguments.items() if n in named and isinstance(v, tuple | list)}
    if not lists:
        raise ContractError("the dtype rule names no list", got=text)
    count = len(next(iter(lists.values())))
    return [
        _result(rule, inner, {**arguments, **{n: v[i] for n, v in lists.items()}}, default)
        for i in range(count)
    ]


def _result(rule: DtypeRule, text: str, arguments: Mapping[str, Any], default: torch.dtype) -> torch.dtype:
    for alternative in text.split("|"):
        found = _alternative(rule, alternative.strip(), arguments, default)
        if found is not None:
            return found
    raise ContractError("no alternative of the dtype rule applies", got=text)


def _alternative(
    rule: DtypeRule, text: str, arguments: Mapping[str, Any], default: torch.dtype
) -> torch.dtype | None:
    head, _, rest = text.partition(":")
    names = [n.strip() for n in rest.split(",")] if rest else list(rule.accepts)
    match head:
        case "default":
            return default
        case "arg":
            return arguments.get(rest)
        case "same":
            return _dtype_of(arguments.get(rest))
        case "real":
            value = arguments.get(rest)
            dtype = value if isinstance(value, torch.dtype) else _dtype_of(value)
            return dtype.to_real() if dtype is not None and dtype.is_complex else dtype
        case "complex":
            dtype = _dtype_of(arguments.get(rest))
            return dtype if dtype is None or dtype.is_complex else complex_of(dtype)
        case "truth":
            return torch.uint8 if _dtype_of(arguments.get(rest)) is torch.uint8 else torch.bool
        case "complex_real":
            dtype = _dtype_of(arguments.get(rest))
            return dtype.to_real() if dtype is not None and dtype.is_complex else None
        case "widen":
            dtype = _dtype_of(arguments.get(rest))
            return torch.int64 if dtype is not None and _kind(dtype) < 2 else dtype
        case "promote":
            return promote([arguments.get(n) for n in names], default)
        case "promote_float":
            dtype = promote([arguments.get(n) for n in names], default)
            return default if _kind(dtype) < 2 else dtype
        case "opmath":
            dtype = _dtype_of(arguments.get(rest))
            return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
        case "float32_if":
            return torch.float32 if arguments.get(rest) is True else None
        case "int32_if":
            return torch.int32 if arguments.get(rest) is True else None
        case "complex_if":
            given = [arguments.get(n) for n in names]
            kinds = [_kind(_dtype_of(v) or scalar_dtype(v, default)) for v in given if v is not None]
            return complex_of(default) if 3 in kinds else None
        case "scalar":
            value = arguments.get(rest)
            return None if value is None else scalar_dtype(value, default)
        case "range":
            given = [arguments.get(n) for n in names]
            kinds = [_kind(scalar_dtype(v, default)) for v in given if v is not None]
            return default if max(kinds) == 2 else torch.int64
        case _:
            if rest:
                raise ContractError("not a dtype rule", got=text)
            return dtype_from_name(head)
