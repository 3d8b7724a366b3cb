"""Gradients of operators from what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch._functorch._aot_autograd.graph_capture_wrappers import set_partitioner_tag_must_be_in_backward
from torch.fx.traceback import has_preserved_node_meta

from torchport.contract.composites import gradients, tensors_in


def in_backward() -> AbstractContextManager[Any]:
    """Keeps what is traced inside out of the forward graph, where autograd's partitioner could move it."""
    return set_partitioner_tag_must_be_in_backward() if has_preserved_node_meta() else nullcontext()


def differentiate_by(
    decomposition: Callable[..., Any], registered: str, library: torch.library.Library
) -> None:
    """Gives an operator the gradient of its decomposition, in eager mode and wherever autograd is traced.

    Args:
        decomposition: a function of the operator's arguments.
        registered: the operator, ``namespace::name.overload``.
        library: what it was defined with.
    """

    def remember(
        ctx: Any, inputs: Sequence[Any], keyword_only_inputs: Any = None, output: Any = None
    ) -> None:
        tensors = tuple(tensors_in(inputs))
        ctx.save_for_backward(*tensors)
        ctx.wanted = tuple(t.requires_grad for t in tensors)
        ctx.constants = [_placed(value) for value in inputs]
        ctx.keywords = dict(keyword_only_inputs or {})

    def backward(ctx: Any, *grads: Any) -> Any:
        tensors = iter(ctx.saved_tensors)
        values = [_filled(value, tensors) for value in ctx.constants]
        flat = [g for item in grads for g in (item if isinstance(item, tuple | list) else (item,))]
        with in_backward():
            found = iter(gradients(lambda *v: decomposition(*v, **ctx.keywords), values, ctx.wanted, flat))
        wanted = iter(ctx.wanted)
        return tuple(_returned(value, wanted, found) for value in ctx.constants)

    torch.library.register_autograd(registered, backward, setup_context=remember, lib=library)


class _Place:
    """Where a tensor was among the arguments."""


_TENSOR = _Place()


def _placed(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return _TENSOR
    return [_placed(v) for v in value] if isinstance(value, tuple | list) else value


def _filled(value: Any, tensors: Any) -> Any:
    if value is _TENSOR:
        return next(tensors)
    return [_filled(v, tensors) for v in value] if isinstance(value, list) else value


def _returned(value: Any, wanted: Any, found: Any) -> Any:
    """The gradient in the place of an argument: a list of them for a list of tensors."""
    if value is _TENSOR:
        return next(found) if next(wanted) else None
    if isinstance(value, list) and _TENSOR in value:
        return [_returned(v, wanted, found) for v in value]
    return None
