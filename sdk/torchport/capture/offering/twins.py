"""Twins: opaque operators that stand for claimed composites while a graph is traced.

A twin has the schema of its composite and the traced results of the composite's own rule. Autograd sees one
node; the gradient is the composite's backward operator where a backend claims that, else what autograd makes
of the rule. Captured graphs hold the composite in the twin's place: no twin outlives the trace.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.capture.offering import recurrent
from torchport.capture.tracing import apart, silent, without_autocast
from torchport.contract.composites import backward_name, form_of, gradients, tensors_in, with_tensors
from torchport.contract.fx_import import bind_arguments
from torchport.contract.gradients import in_backward
from torchport.contract.spec import call_bound, qualified_name, resolve

LIBRARY = torch.library.Library("torchport_twin", "DEF")
_LOCK = threading.Lock()
_TWINS: dict[torch._ops.OpOverload, torch._ops.OpOverload] = {}
_ORIGINALS: dict[torch._ops.OpOverload, torch._ops.OpOverload] = {}


def twin_of(op: torch._ops.OpOverload) -> torch._ops.OpOverload:
    """The twin of a composite, which is defined on first use."""
    with _LOCK:
        if op not in _TWINS:
            _TWINS[op] = twin = _define(op)
            _ORIGINALS[twin] = op
        return _TWINS[op]


def _define(op: torch._ops.OpOverload) -> torch._ops.OpOverload:
    name = op._schema.name.partition("::")[2]
    label = name if op._overloadname == "default" else f"{name}.{op._overloadname}"
    text = str(op._schema)
    LIBRARY.define(label + text[text.index("(") :], tags=(torch.Tag.pt2_compliant_tag,))

    def rule(*args: Any, **kwargs: Any) -> Any:
        with silent():
            return op(*args, **kwargs)

    def fake(*args: Any, **kwargs: Any) -> Any:
        values = [v for _, v in bind_arguments(op, args, kwargs)]
        shaped = recurrent.results(qualified_name(op), values)
        return rule(*args, **kwargs) if shaped is None else shaped

    LIBRARY.impl(label, rule, "CompositeExplicitAutograd")
    torch.library.register_fake(f"torchport_twin::{label}", fake, lib=LIBRARY)
    return resolve(f"torchport_twin.{name}.{op._overloadname}")


def restore(gm: torch.fx.GraphModule) -> bool:
    """Puts composites back in the place of their twins; whether there were any."""
    found = [n for n in gm.graph.nodes if n.op == "call_function" and n.target in _ORIGINALS]
    for node in found:
        node.target = _ORIGINALS[node.target]
    if found:
        gm.recompile()
    return bool(found)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimedCall:
    """A call of a composite that a backend runs whole.

    ``values`` are its arguments in schema order. ``own_backward`` has, for each tensor among them, whether
    the backend's own backward operator gives its gradient; it is None where autograd differentiates the rule.
    """

    op: torch._ops.OpOverload
    values: tuple[Any, ...]
    own_backward: tuple[bool, ...] | None

    def __call__(self) -> Any:
        """The results, differentiable where gradients are wanted."""
        leaves = tuple(tensors_in(self.values))
        if torch.is_grad_enabled() and any(t.requires_grad for t in leaves):
            return _Claimed.apply(self, *leaves)  # type: ignore[no-untyped-call]
        return self.run(twin_of(self.op), self.values)

    def run(self, op: Any, values: Sequence[Any]) -> Any:
        """``op``, which has the composite's schema, called with ``values``."""
        names = [a.name for a in self.op._schema.arguments]
        return call_bound(op, dict(zip(names, values, strict=True)))

    def differentiate(
        self, leaves: Sequence[torch.Tensor], wanted: Sequence[bool], grads: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None]:
        """Gradients in the wanted leaves by autograd, through the composite's own rule."""
        values = with_tensors(self.values, iter(leaves))
        with in_backward(), without_autocast(), apart(self.op):
            return gradients(self.rule, values, wanted, grads)

    def rule(self, *values: Any) -> Any:
        """The composite's parts."""
        return self.run(self.op, recurrent.as_loop(qualified_name(self.op), values))

    def backward(
        self, leaves: Sequence[torch.Tensor], wanted: Sequence[bool], grads: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        """Gradients in the wanted leaves by the backend's operator."""
        names = [a.name for a in self.op._schema.arguments]
        given: Mapping[str, Any] = {
            **dict(zip(form_of(self.op).gradients, grads, strict=True)),
            **dict(zip(names, with_tensors(self.values, iter(leaves)), strict=True)),
            "wanted": list(wanted),
        }
        with in_backward(), without_autocast():
            return list(call_bound(resolve(backward_name(qualified_name(self.op))), given))


class _Claimed(torch.autograd.Function):
    """A claimed composite as a node of autograd's graph."""

    @staticmethod
    def forward(ctx: Any, call: ClaimedCall, *leaves: torch.Tensor) -> Any:
        ctx.call = call
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*leaves)
        results = call.run(twin_of(call.op), with_tensors(call.values, iter(leaves)))
        flat = results if isinstance(results, tuple | list) else (results,)
        ctx.shapes = [(r.shape, r.dtype) for r in flat]
        ctx.mark_non_differentiable(*(r for r in flat if not (r.is_floating_point() or r.is_complex())))
        return tuple(results) if isinstance(results, list) else results

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        wanted = tuple(ctx.needs_input_grad[1:])
        given = next((g for g in grads if g is not None), None)
        if given is None:
            return (None,) * (1 + len(wanted))
        found: Sequence[torch.Tensor | None]
        if ctx.call.own_backward == wanted:
            filled = [
                given.new_zeros(shape, dtype=dtype) if g is None else g.contiguous()
                for g, (shape, dtype) in zip(grads, ctx.shapes, strict=True)
            ]
            found = ctx.call.backward(ctx.saved_tensors, wanted, filled)
        else:
            found = ctx.call.differentiate(ctx.saved_tensors, wanted, grads)
        gradient = iter(found)
        return (None, *(next(gradient) if flag else None for flag in wanted))
