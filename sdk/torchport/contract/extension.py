"""A vendor's or customer's own operators in the contract: what :meth:`OpSet.extend` is made of.

An operator of an extension is an ordinary custom operator of PyTorch with an ordinary contract entry. Where
the entry has no rules for its results, its fake function says what they are: on the sizes of a call, or on
the example values of the symbols in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch

from torchport.contract.gradients import differentiate_by
from torchport.contract.graph import Node, Symbol, TensorSpec, Value, describe, dtype_name
from torchport.contract.scope import JUDGED, NAMESPACES
from torchport.contract.spec import Category, DtypeRule, Numerics, Operand, OpSpec, Tier, parsed, resolve
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError, VerifierError

_LIBRARIES: dict[str, torch.library.Library] = {}
"""Operators defined here live as long as the process."""

ANY = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "bool"),
)


def custom_entry(
    namespace: str,
    schema: str,
    fake: Callable[..., Any] | None,
    mutates: Collection[str],
    decomposition: Callable[..., Any] | None,
    *,
    since: str,
    dtypes: DtypeRule | None = None,
    shape: tuple[str, ...] | None = None,
    layout: tuple[str, ...] | None = None,
    numerics: Numerics | None = None,
    operands: Mapping[str, Operand] | None = None,
    **fields: Any,
) -> OpSpec:
    """The entry of a custom operator, which is defined where it does not exist; see :meth:`OpSet.extend`.

    Raises:
        ContractError: see :meth:`OpSet.extend`.
    """
    signature = _read(namespace, schema)
    name = f"{namespace}.{signature.name.partition('::')[2]}.{signature.overload_name or 'default'}"
    _check_mutation(name, signature, mutates)
    _define(name, signature, fake, decomposition)
    functional = _functional_form(name, signature, decomposition) if mutates else name
    shown = resolve(functional)._schema
    if (shape is None) != (dtypes is None):
        raise ContractError("shape and dtypes are given together, or neither", op=name)
    return OpSpec(
        name=functional,
        tier=Tier.ATEN,
        schema=str(shown),
        category=fields.pop("category", Category.CUSTOM),
        dtypes=dtypes or DtypeRule(_accepted(shown), ()),
        shape=shape or (),
        layout=layout or ("eager",) * len(shape or ()),
        numerics=numerics or Numerics("law", special=("unstated",)),
        operands=dict(operands or {}),
        since=since,
        decomposition=decomposition,
        fake=None if shape else resolve(functional),
        **fields,
    )


def _read(namespace: str, schema: str) -> torch.FunctionSchema:
    taken = {*JUDGED, "torchport", *(name for _, names in NAMESPACES.values() for name in names)}
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", namespace) or namespace in taken:
        raise ContractError(
            "not a namespace for a custom operator", got=repr(namespace), hint="use a name of your own"
        )
    try:
        return parsed(f"{namespace}::{schema}")
    except RuntimeError as error:
        raise ContractError(
            "the schema cannot be read",
            got=str(error).strip().splitlines()[0],
            hint='write it as PyTorch prints one: "swiglu(Tensor x, Tensor gate) -> Tensor"',
        ) from error


def _check_mutation(name: str, signature: torch.FunctionSchema, mutates: Collection[str]) -> None:
    written = {a.name for a in signature.arguments if a.alias_info and a.alias_info.is_write}
    if written != set(mutates):
        raise ContractError(
            "mutates is not what the schema says",
            op=name,
            got=f"mutates {sorted(mutates)}, the schema writes to {sorted(written)}",
            hint='an argument that is written to is "Tensor(a!) cache" in the schema, and is in mutates',
        )
    if any(r.alias_info is not None for r in signature.returns):
        raise ContractError("a result of a custom operator may not share memory with an argument", op=name)


def _define(
    name: str,
    signature: torch.FunctionSchema,
    fake: Callable[..., Any] | None,
    decomposition: Callable[..., Any] | None,
) -> None:
    """Registers the operator, or checks the one that is registered."""
    namespace, op, overload = name.split(".")
    registered = f"{namespace}::{op}" + ("" if overload == "default" else f".{overload}")
    try:
        existing = resolve(name)
    except AttributeError:
        existing = None
    if existing is None and decomposition is None:
        raise ContractError(
            "the operator does not exist and has no decomposition to run",
            op=name,
            hint="define it with torch.library.custom_op, or give a decomposition",
        )
    library = _LIBRARIES.get(namespace)
    if library is None:
        library = _LIBRARIES[namespace] = torch.library.Library(namespace, "FRAGMENT")
    if existing is None:
        library.define(str(signature).partition("::")[2], tags=(torch.Tag.pt2_compliant_tag,))
        library.impl(
            registered.partition("::")[2], _in_place(signature, decomposition), "CompositeExplicitAutograd"
        )
        if decomposition is not None and not signature.is_mutable:
            differentiate_by(decomposition, registered, library)
    elif str(existing._schema) != str(signature):
        raise ContractError(
            "the operator exists with another schema",
            op=name,
            got=str(signature),
            hint=f"give the schema that it has, {existing._schema}, or take another name",
        )
    if fake is not None and not _has_fake(registered):
        torch.library.register_fake(registered, fake, lib=library)
    if not _has_fake(registered):
        raise ContractError(
            "nothing says what the operator returns",
            op=name,
            hint="give fake=, a function of the arguments that returns tensors of the right shape and dtype",
        )


def _has_fake(registered: str) -> bool:
    definition = torch._library.custom_ops._maybe_get_opdef(registered)
    if definition is not None:  # torch.library.custom_op registers a kernel that raises where it has none
        return definition._abstract_fn is not None
    if torch._C._dispatch_has_kernel_for_dispatch_key(registered, "CompositeExplicitAutograd"):
        return True
    return torch._library.simple_registry.singleton.find(registered).fake_impl.kernel is not None


def _in_place(
    signature: torch.FunctionSchema, decomposition: Callable[..., Any] | None
) -> Callable[..., Any]:
    """An eager implementation from the decomposition; new values are copied into what is written to."""
    assert decomposition is not None
    names = [a.name for a in signature.arguments]
    written = [a.name for a in signature.arguments if a.alias_info and a.alias_info.is_write]
    if not written:
        return decomposition

    def implementation(*args: Any, **kwargs: Any) -> Any:
        bound = {**dict(zip(names, args, strict=False)), **kwargs}
        results = decomposition(*args, **kwargs)
        flat = list(results) if isinstance(results, tuple | list) else [results]
        for argument, value in zip(written, flat[len(signature.returns) :], strict=True):
            bound[argument].copy_(value)
        returned = flat[: len(signature.returns)]
        return None if not returned else returned[0] if len(returned) == 1 else tuple(returned)

    return implementation


def functional_name(name: str) -> str:
    """The name of the functional form of an operator that writes to its arguments."""
    namespace, op, overload = name.split(".")
    return f"{namespace}.{op}_functional.{overload}"


def _functional_form(
    name: str, signature: torch.FunctionSchema, decomposition: Callable[..., Any] | None
) -> str:
    """Defines the form that graphs hold: results first, then new values of what is written to."""
    functional = functional_name(name)
    written = [i for i, a in enumerate(signature.arguments) if a.alias_info and a.alias_info.is_write]
    namespace, op, overload = functional.split(".")
    suffix = "" if overload == "default" else f".{overload}"
    arguments = re.sub(r"\([a-z]!\)", "", str(signature).partition("(")[2].rpartition(" -> ")[0])
    returns = ", ".join([*(str(r.type) for r in signature.returns), *("Tensor" for _ in written)])
    try:
        resolve(functional)
        return functional
    except AttributeError:
        pass
    mutable = resolve(name)

    def implementation(*args: Any, **kwargs: Any) -> Any:
        values = list(args)
        for index in written:
            values[index] = values[index].clone()
        results = mutable(*values, **kwargs)
        flat = [] if results is None else list(results) if isinstance(results, tuple | list) else [results]
        flat += [values[index] for index in written]
        return flat[0] if len(flat) == 1 else tuple(flat)

    library = _LIBRARIES[namespace]
    library.define(f"{op}{suffix}({arguments} -> ({returns})", tags=(torch.Tag.pt2_compliant_tag,))
    library.impl(f"{op}{suffix}", implementation, "CompositeExplicitAutograd")
    return functional


def _accepted(signature: torch.FunctionSchema) -> dict[str, tuple[str, ...]]:
    return {a.name: ANY for a in signature.arguments if "Tensor" in str(a.type)}


def verify_results(node: Node, spec: OpSpec, symbols: Mapping[str, Symbol]) -> None:
    """Checks the results of a call against what the fake function returns for its arguments.

    Sizes that are symbols are compared at the symbols' example values; a call with a symbol that has none is
    not compared.

    Raises:
        VerifierError: a result has another shape or dtype, or the fake function refuses the arguments.
    """
    example = {name: symbol.hint for name, symbol in symbols.items() if symbol.hint is not None}
    if any(s not in example for v in (*node.inputs, *node.results) for s in _symbols(v)):
        return
    label = spec.name.removesuffix(".default")
    arguments = [_concrete(argument, example) for _, argument in node.args]
    keywords = [a.name for a in spec.signature.arguments if a.kwarg_only]
    positional = arguments[: len(arguments) - len(keywords)]
    assert spec.fake is not None
    try:
        results = spec.fake(*positional, **dict(zip(keywords, arguments[len(positional) :], strict=True)))
    except (RuntimeError, ValueError, TypeError) as error:
        raise VerifierError(
            "the operator's fake function refuses the arguments",
            node=node.name,
            op=node.op,
            label=f"{label}.S1",
            got=str(error).strip().splitlines()[0],
        ) from error
    flat = list(results) if isinstance(results, tuple | list) else [results]
    if len(flat) != len(node.outputs):
        raise VerifierError(
            "the number of outputs is not the operator's",
            node=node.name,
            op=node.op,
            label=f"{label}.S1",
            got=f"{len(node.outputs)} outputs, the fake function returns {len(flat)}",
        )
    for i, (value, wanted) in enumerate(zip(node.outputs, flat, strict=True), 1):
        if value is None or not isinstance(value.spec, TensorSpec):
            continue
        shape = tuple(_number(d, example) for d in value.spec.shape)
        if shape == tuple(wanted.shape) and value.spec.dtype == wanted.dtype:
            continue
        kind, word = ("S", "shape") if shape != tuple(wanted.shape) else ("D", "dtype")
        raise VerifierError(
            f"output {i} has the wrong {word}",
            node=node.name,
            op=node.op,
            label=f"{label}.{kind}{i}",
            got=describe(value.spec),
            hint=f"the fake function returns {dtype_name(wanted.dtype)}{list(wanted.shape)}",
        )


def _symbols(value: Value) -> Collection[str]:
    return value.spec.symbols if isinstance(value.spec, TensorSpec) else ()


def _number(dim: Any, example: Mapping[str, int]) -> Any:
    return dim.evaluate(example) if isinstance(dim, SymExpr) else dim


def _concrete(argument: Any, example: Mapping[str, int]) -> Any:
    """The argument on the meta device."""
    if isinstance(argument, Value) and isinstance(argument.spec, TensorSpec):
        sizes, strides = (
            [_number(d, example) for d in dims] for dims in (argument.spec.shape, argument.spec.stride)
        )
        return torch.empty_strided(sizes, strides, dtype=argument.spec.dtype, device="meta")
    if isinstance(argument, tuple):
        return [_concrete(a, example) for a in argument]
    return _number(argument, example)
