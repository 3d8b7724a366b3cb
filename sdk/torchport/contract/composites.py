"""Composites that the contract has no entry for, and their backward operators.

The former have the name ``aten.NAME.OVERLOAD``, the latter ``torchport_backward.NAME.OVERLOAD``. PyTorch
breaks a composite up by its own rule. A backend may claim it whole, and its gradient too: the backward
operator takes the gradients of the results, then the composite's arguments, then ``wanted``, one flag for
each tensor among the arguments, in order; it returns the gradients of the wanted ones::

    torchport_backward.matmul(Tensor grad_output, Tensor self, Tensor other, *, bool[] wanted) -> Tensor[]

A composite with several results has ``grad_output_0``, ``grad_output_1`` and so on in the place of
``grad_output``; the gradient of a result that nothing depends on is zeros. Gradients have the strides of
``torch.empty_like`` of their tensor. Run by PyTorch, a backward operator is autograd's gradient of the
composite.

Backward operators are defined when they are first read from ``torch.ops.torchport_backward``, which exists
once this module is imported (:func:`torchport.contract.spec.resolve` does that), so a graph that holds one
runs in any process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

NAMESPACE = "torchport_backward"
LIBRARY = torch.library.Library(NAMESPACE, "DEF")
_OUT_OF_SCOPE = ("sparse", "quantized", "mkldnn", "fbgemm", "nested", "_test_", "_batch_dim")


def backward_name(composite: str) -> str:
    """The backward operator of ``aten.NAME.OVERLOAD``."""
    return f"{NAMESPACE}.{composite.partition('.')[2]}"


@cache
def composites() -> frozenset[str]:
    """Names of the composites that may be offered: functional on dense tensors, their results own their
    memory as far as the schema says.
    """
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
    return frozenset(_named(name) for name in registered if _may_be_offered(name))


def _named(registered: str) -> str:
    name, _, overload = registered.partition("::")[2].partition(".")
    return f"aten.{name}.{overload or 'default'}"


def _may_be_offered(registered: str) -> bool:
    if not registered.startswith("aten::") or any(word in registered for word in _OUT_OF_SCOPE):
        return False
    name, _, overload = registered.partition(".")
    schema = torch._C._get_schema(name, overload)
    if schema.is_mutable or any(
        word in str(schema) for word in ("Dimname", "Generator", "Storage", "Stream")
    ):
        return False
    results = [str(r.type) for r in schema.returns]
    return (
        bool(results)
        and all(kind == "Tensor" for kind in results)
        and not any(a.alias_info for a in (*schema.arguments, *schema.returns))
        and any("Tensor" in str(a.type) for a in schema.arguments)
    )


@dataclass(frozen=True, slots=True)
class Form:
    """The arguments of a backward operator: gradients of the results, those of the composite, ``wanted``."""

    gradients: tuple[str, ...]
    positional: tuple[str, ...]
    keywords: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All, in order."""
        return (*self.gradients, *self.positional, *self.keywords, "wanted")


@cache
def form_of(composite: torch._ops.OpOverload) -> Form:
    """The arguments of the backward operator of a composite."""
    arguments, count = composite._schema.arguments, len(composite._schema.returns)
    gradients = ("grad_output",) if count == 1 else tuple(f"grad_output_{i}" for i in range(count))
    return Form(
        gradients,
        tuple(a.name for a in arguments if not a.kwarg_only),
        tuple(a.name for a in arguments if a.kwarg_only),
    )


def tensors_in(arguments: Sequence[Any]) -> Iterator[torch.Tensor]:
    """Tensors among arguments, those in lists too, in order."""
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            yield argument
        elif isinstance(argument, tuple | list):
            yield from tensors_in(argument)


def with_tensors(arguments: Sequence[Any], tensors: Iterator[torch.Tensor]) -> list[Any]:
    """The arguments with other tensors in the place of theirs."""
    found: list[Any] = []
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            found.append(next(tensors))
        elif isinstance(argument, tuple | list):
            found.append(with_tensors(argument, tensors))
        else:
            found.append(argument)
    return found


def gradients(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    wanted: Sequence[bool],
    grads: Sequence[torch.Tensor | None],
) -> list[torch.Tensor | None]:
    """Autograd's gradients of ``function(*arguments)`` in its wanted tensors; None where nothing depends on
    one.
    """
    leaves = [t.detach().requires_grad_(flag) for t, flag in zip(tensors_in(arguments), wanted, strict=True)]
    with torch.enable_grad():
        results = function(*with_tensors(arguments, iter(leaves)))
    results = results if isinstance(results, tuple | list) else (results,)
    pairs = [(r, g) for r, g in zip(results, grads, strict=True) if r.requires_grad and g is not None]
    chosen = [leaf for leaf, flag in zip(leaves, wanted, strict=True) if flag]
    if not pairs:
        return [None] * len(chosen)
    return list(torch.autograd.grad([r for r, _ in pairs], chosen, [g for _, g in pairs], allow_unused=True))


class _Backwards(torch._ops._OpNamespace):
    """The namespace of the backward operators; each is defined, in all overloads, when it is first read."""

    __module__ = torch._ops.__name__  # FX writes operators of namespaces that live there as ``torch.ops.…``

    def __getattr__(self, op: str) -> Any:
        with _LOCK:
            if op in _overloads() and op not in _DEFINED:
                _DEFINED.add(op)  # first, since defining an operator looks it up
                for overload in _overloads()[op]:
                    _define(op, overload)
        return super().__getattr__(op)


_LOCK = threading.RLock()
_DEFINED: set[str] = set()


setattr(torch.ops, NAMESPACE, _Backwards(NAMESPACE))


@cache
def _overloads() -> dict[str, list[str]]:
    """Overloads of the composites, by operator."""
    found: dict[str, list[str]] = {}
    for name in sorted(composites()):
        _, op, overload = name.split(".")
        found.setdefault(op, []).append(overload)
    return found


def _define(op: str, overload: str) -> None:
    composite = getattr(getattr(torch.ops.aten, op), overload)
    form, text = form_of(composite), str(composite._schema)
    arguments = text[text.index("(") + 1 : text.rindex(") -> ")]
    given = ", ".join(f"Tensor {g}" for g in form.gradients)
    mark = "" if form.keywords else "*, "
    label = op if overload == "default" else f"{op}.{overload}"
    LIBRARY.define(
        f"{label}({given}, {arguments}, {mark}bool[] wanted) -> Tensor[]", tags=(torch.Tag.pt2_compliant_tag,)
    )
    count = len(form.gradients)
    keyword = form.keywords

    def function(*args: Any) -> Any:
        split = len(args) - len(keyword)
        return composite(*args[:split], **dict(zip(keyword, args[split:], strict=True)))

    def implementation(*args: Any, wanted: Sequence[bool], **kwargs: Any) -> list[torch.Tensor]:
        defaults = {a.name: a.default_value for a in composite._schema.arguments if a.has_default_value()}
        values = {**defaults, **dict(zip(form.positional, args[count:], strict=False)), **kwargs}
        arguments = [values[n] for n in (*form.positional, *keyword)]
        found = gradients(function, arguments, wanted, args[:count])
        like = [t for t, flag in zip(tensors_in(arguments), wanted, strict=True) if flag]
        return [
            torch.zeros_like(t) if g is None else torch.empty_like(t).copy_(g)
            for g, t in zip(found, like, strict=True)
        ]

    def fake(*args: Any, wanted: Sequence[bool], **kwargs: Any) -> list[torch.Tensor]:
        positional = list(args[count:])
        arguments = [*positional, *(kwargs[n] for n in (*form.positional, *keyword) if n in kwargs)]
        flags = zip(tensors_in(arguments), wanted, strict=True)
        return [torch.empty_like(t) for t, flag in flags if flag]

    LIBRARY.impl(label, implementation, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{label}", fake, lib=LIBRARY)
