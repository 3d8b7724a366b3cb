"""Elementwise operators over the full cross of dtypes, tensors with and without dimensions and Python
scalars: the contract accepts what eager PyTorch accepts, and promises the dtype that eager returns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from torchport.contract.adapters import call
from torchport.contract.dtype_rules import accepted, computable, promote, result_dtypes
from torchport.contract.graph import dtype_name
from torchport.contract.opset import opset
from torchport.contract.reference import flatten
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Category, OpSpec, Tier
from torchport.errors import ContractError

NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128"
)
DTYPES = tuple(getattr(torch, name) for name in NAMES.split())
FEW = (torch.bool, torch.uint8, torch.int64, torch.uint32, torch.bfloat16, torch.float32, torch.complex64)
"""A dtype of each kind and width class, where three operands are crossed."""
SCALARS = (True, 2, 0.5, 1j)
SPECS = [
    pytest.param(spec, id=name)
    for name, spec in opset("1.0").ops.items()
    if spec.category is Category.ELEMENTWISE
    and spec.tier is not Tier.MACRO
    and all(o.pattern in ("*S", "~S", None) for o in spec.operands.values())
    and "[]" not in spec.schema
    and any(
        torch._C._dispatch_has_kernel_for_dispatch_key(spec.overload.name(), key)
        for key in ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
    )
]


def crossed(spec: OpSpec) -> dict[str, bool]:
    """The arguments whose dtypes are crossed, and whether each is a tensor."""
    rules = (*spec.dtypes.results, *spec.dtypes.computes)
    named = {n for text in rules for part in text.split("|") for n in part.partition(":")[2].split(",")}
    found = {}
    for a in spec.signature.arguments:
        if "Tensor" in str(a.real_type):
            found[a.name] = True
        elif a.name in named and not a.kwarg_only:
            found[a.name] = False
    return found


def fixed(spec: OpSpec, skip: dict[str, bool]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for a in spec.signature.arguments:
        if a.name in skip:
            continue
        choices = spec.operands[a.name].choices if a.name in spec.operands else ()
        first = choices[0] if choices else a.default_value
        values[a.name] = parse(first).value({"self": (2,)}) if isinstance(first, str) else first
    return values


def calls(spec: OpSpec) -> Iterator[dict[str, Any]]:
    names = crossed(spec)
    rest = fixed(spec, names)
    many = sum(names.values()) > 2
    tensors = [
        torch.ones(shape, dtype=dtype)
        for dtype in (FEW if many else DTYPES)
        for shape in (((2,),) if many else ((2,), ()))
    ]
    for values in itertools.product(*(tensors if tensor else SCALARS for tensor in names.values())):
        yield {**rest, **dict(zip(names, values, strict=True))}


PARTIAL = {
    "aten.pow.Tensor_Scalar": "eager returns x ** True and x ** 1 without computing, for any dtype",
    "aten.ldexp.Tensor": "eager looks at each operand's dtype beside the common one",
    "aten._add_relu.Tensor": "eager picks its kernel by the first operand only",
}
"""Operators that accept more in eager than the contract says."""


def is_complete(spec: OpSpec) -> bool:
    """Whether the contract accepts all that eager does. Gradients have one dtype by contract, as autograd
    makes them.
    """
    promotes = bool(spec.dtypes.computes) or sum(crossed(spec).values()) == 1
    return promotes and spec.name not in PARTIAL


def experimental(arguments: dict[str, Any]) -> bool:
    """Whether the operands meet in complex32, which PyTorch calls experimental; or uint8 is a condition,
    which it calls deprecated.
    """
    condition = arguments.get("condition")
    if condition is not None and condition.dtype is torch.uint8:
        return True
    values = [v for v in arguments.values() if isinstance(v, torch.Tensor | complex)]
    try:
        return promote(values) is torch.complex32
    except ContractError:
        return False


def without_kernels(arguments: dict[str, Any]) -> bool:
    """Whether bfloat16 meets complex numbers and PyTorch has a dtype for that, without kernels as yet."""
    values = list(arguments.values())
    dtypes = {v.dtype if isinstance(v, torch.Tensor) else type(v) for v in values}
    return (
        hasattr(torch, "bcomplex32")
        and torch.bfloat16 in dtypes
        and bool(dtypes & {complex, torch.complex64, torch.complex128})
    )


def promised(spec: OpSpec, arguments: dict[str, Any]) -> list[torch.dtype] | None:
    """Result dtypes by the contract; None where it does not accept the operands."""
    rule = spec.dtypes
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor) and not accepted(rule, name, value.dtype, arguments):
            return None
    bound = bind(arguments)
    if not computable(rule, arguments) or not all(
        parse(c.text).holds(bound) for c in spec.constraints if c.tier is None
    ):
        return None
    return list(result_dtypes(rule, arguments))


@pytest.mark.filterwarnings("ignore::UserWarning")  # of complex32, and of results resized by eager
@pytest.mark.parametrize("spec", SPECS)
def test_dtypes_are_eagers(spec: OpSpec) -> None:
    """What the contract accepts has eager's result dtypes; of operators that promote, it accepts all."""
    wrong, agreed = [], 0
    for arguments in calls(spec):
        want = promised(spec, arguments)
        if experimental(arguments) or (want is None and not is_complete(spec)):
            continue
        if want is not None and torch.complex32 in want:
            continue
        try:
            got = [t.dtype for t in flatten(call(spec, arguments))]
        except NotImplementedError:
            if without_kernels(arguments):
                continue
            got = None
        except (RuntimeError, TypeError, ValueError):
            got = None
        agreed += want == got is not None
        if want != got:
            wrong.append(f"{shown(arguments)}: contract {want}, eager {got}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:8])
    assert agreed


def shown(arguments: dict[str, Any]) -> str:
    parts = {
        n: f"{dtype_name(v.dtype)}[{v.dim()}]" if isinstance(v, torch.Tensor) else v
        for n, v in arguments.items()
    }
    return ", ".join(f"{n}={v}" for n, v in parts.items())
