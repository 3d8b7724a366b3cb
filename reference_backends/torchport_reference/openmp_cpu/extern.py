"""Operators that generated loops do not cover: run by ATen and oneDNN, into buffers that exist already.

``extern_call(node)`` gives an :class:`ExternCall` with two ways to run: ``into`` writes into given buffers
and ``fresh`` returns new tensors, for a caller that can adopt them instead of copying. How an operator
reaches given buffers is read from PyTorch's registry (the native out-variant of its schema); ``ROUTES`` lists
the few that have a better way. Weights are arguments like any other: read on every call, never packed ahead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from torchport.contract.graph import Node
from torchport.contract.spec import resolve
from torchport.errors import CompileError
from torchport_reference.openmp_cpu import repairs

Tensors = Sequence[torch.Tensor | None]
Into = Callable[[Sequence[Any], Mapping[str, Any], Tensors], None]

CONTRACTIONS = ("aten.mm.default", "aten.addmm.default", "aten.bmm.default", "aten.baddbmm.default")
CONVOLUTIONS = ("aten.convolution.default", "aten.convolution_backward.default")
ATTENTION = (
    "aten._scaled_dot_product_flash_attention_for_cpu.default",
    "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
)
POOLING = (
    "aten.max_pool2d_with_indices.default",
    "aten.max_pool2d_with_indices_backward.default",
    "aten.avg_pool2d.default",
    "aten.avg_pool2d_backward.default",
    "aten._adaptive_avg_pool2d.default",
    "aten._adaptive_avg_pool2d_backward.default",
)
INDEXED = (
    "aten.embedding_dense_backward.default",
    "aten.index_put.default",
    "aten.index_add.default",
    "aten.scatter.src",
    "aten.scatter.value",
    "aten.scatter_add.default",
    "aten.scatter_reduce.two",
)
ORDERED = (
    "aten.sort.default",
    "aten.sort.stable",
    "aten.topk.default",
    "aten.cumsum.default",
    "aten.cumprod.default",
)
EXTERN_OPS = frozenset((*CONTRACTIONS, *CONVOLUTIONS, *ATTENTION, *POOLING, *INDEXED, *ORDERED))
"""Operators that the backend claims and runs here."""


@dataclass(frozen=True, slots=True)
class ExternCall:
    """One operator, ready to run.

    ``into(positional, keywords, outs)`` writes the results into ``outs`` (``None`` skips one);
    ``fresh(positional, keywords)`` returns new tensors. ``direct`` tells whether ``into`` has the library
    write there, without a copy.
    """

    op: str
    into: Into
    fresh: Callable[[Sequence[Any], Mapping[str, Any]], tuple[torch.Tensor | None, ...]]
    direct: bool


@dataclass(frozen=True, slots=True)
class Route:
    """A better way than the operator's own for the nodes where ``applies`` holds.

    ``inplace`` names an in-place twin: the first argument is copied into the buffer and updated there.
    ``function`` is called in the operator's place.
    """

    applies: Callable[[Node], bool]
    function: Callable[..., Any] | None = None
    inplace: str = ""


def extern_call(node: Node) -> ExternCall:
    """How ``node`` runs on this machine.

    Raises:
        CompileError: PyTorch has no such operator.
    """
    for route in ROUTES.get(node.op, ()):
        if route.applies(node):
            return _routed(node.op, route)
    return _registered(node.op)


def _routed(name: str, route: Route) -> ExternCall:
    if route.function is not None:
        return _functional(name, route.function)
    update = _resolve(route.inplace)

    def into(positional: Sequence[Any], keywords: Mapping[str, Any], outs: Tensors) -> None:
        target = outs[0]
        if target is not None:
            target.copy_(positional[0])
            update(target, *positional[1:], **keywords)

    return ExternCall(name, into, _functional(name, _resolve(name)).fresh, direct=True)


@lru_cache(maxsize=256)
def _registered(name: str) -> ExternCall:
    op = _resolve(name)
    functional = _functional(name, op)
    found = _out_variant(op)
    if found is None:
        return functional
    out, names = found

    def into(positional: Sequence[Any], keywords: Mapping[str, Any], outs: Tensors) -> None:
        if any(out is None for out in outs):
            functional.into(positional, keywords, outs)
        else:
            out(*positional, **keywords, **dict(zip(names, outs, strict=True)))

    return ExternCall(name, into, functional.fresh, direct=True)


def _functional(name: str, function: Callable[..., Any]) -> ExternCall:
    def fresh(positional: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[torch.Tensor | None, ...]:
        result = function(*positional, **keywords)
        return (result,) if isinstance(result, torch.Tensor) else tuple(result)

    def into(positional: Sequence[Any], keywords: Mapping[str, Any], outs: Tensors) -> None:
        for out, result in zip(outs, fresh(positional, keywords), strict=True):
            if out is not None and result is not None:
                out.copy_(result)

    return ExternCall(name, into, fresh, direct=False)


def _out_variant(op: torch._ops.OpOverload) -> tuple[torch._ops.OpOverload, tuple[str, ...]] | None:
    """The overload of the same arguments that writes into its ``out`` arguments, and their names.

    Generated out-variants are left aside: they run the functional operator and copy.
    """
    wanted = [(a.name, str(a.type)) for a in op._schema.arguments]
    packet = op.overloadpacket
    for overload in packet.overloads():
        candidate = getattr(packet, overload)
        arguments = candidate._schema.arguments
        outs = tuple(a.name for a in arguments if a.is_out)
        if len(outs) != len(op._schema.returns) or torch.Tag.generated in candidate.tags:
            continue
        if [(a.name, str(a.type)) for a in arguments if not a.is_out] == wanted:
            return candidate, outs
    return None


def _resolve(name: str) -> torch._ops.OpOverload:
    try:
        return resolve(name)
    except (AttributeError, ValueError) as error:
        raise CompileError(
            "PyTorch has no such operator", op=name, hint="is this the PyTorch that was captured with?"
        ) from error


# --- float32 products ------------------------------------------------------------------------------------


def onednn_products_preferred() -> bool:
    """Whether float32 products are faster in oneDNN than in the BLAS behind ``torch.mm`` on this processor.

    MKL keeps its fastest float32 kernels to Intel's processors; there the two are within 5 %, and the BLAS
    can write into a given buffer. On AMD's, oneDNN is the faster one. The choice depends on
    the machine alone, so that results repeat.
    """
    return torch._C.has_mkl and torch._C._has_mkldnn and _cpu_vendor() == "AuthenticAMD"


@lru_cache(maxsize=1)
def _cpu_vendor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    match = re.search(r"^vendor_id\s*:\s*(\S+)", text, re.MULTILINE)
    return match.group(1) if match else ""


MIN_MACS = 1 << 16
"""Products of fewer multiply-adds than this gain nothing from oneDNN: its call costs about 20 µs more."""


def _suits_onednn(node: Node) -> bool:
    """Whether a float32 product is one that oneDNN computes faster: plain, and large or of unknown size."""
    if not onednn_products_preferred():
        return False
    is_addmm = node.op == "aten.addmm.default"
    left, right = (node.arg("mat1"), node.arg("mat2")) if is_addmm else (node.arg("self"), node.arg("mat2"))
    if left.tensor.dtype != torch.float32 or right.tensor.dtype != torch.float32:
        return False
    if is_addmm:
        bias = node.arg("self").tensor
        plain = node.arg("beta") == 1 and node.arg("alpha") == 1
        if (
            not plain
            or bias.rank != 1
            or bias.dtype != torch.float32
            or bias.shape[0] != right.tensor.shape[1]
        ):
            return False
    sizes = (*left.tensor.shape, right.tensor.shape[1])
    return not all(isinstance(n, int) for n in sizes) or sizes[0] * sizes[1] * sizes[2] >= MIN_MACS


def _onednn_mm(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(left, right.t(), None, "none", [], "")
    return product


def _onednn_addmm(bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(left, right.t(), bias, "none", [], "")
    return product


ROUTES: Mapping[str, tuple[Route, ...]] = {
    ATTENTION[0]: (Route(lambda node: True, function=repairs.attention_of_any_values(ATTENTION[0])),),
    ATTENTION[1]: (
        Route(lambda node: True, function=repairs.attention_gradients_of_any_values(ATTENTION[1])),
    ),
    **{
        name: (Route(repairs.in_sixteen_bits, function=repairs.exact_where_not_finite(name)),)
        for name in CONVOLUTIONS
    },
    **{
        name: (Route(repairs.has_fractions_for_integers, function=repairs.whole_factors(name)),)
        for name in ("aten.baddbmm.default",)
    },
    "aten.max_pool2d_with_indices.default": (
        Route(repairs.counts_in_narrow_integers, function=repairs.pooled_in_int64),
    ),
    "aten._adaptive_avg_pool2d_backward.default": (
        Route(repairs.may_be_empty, function=repairs.zero_where_empty),
    ),
    "aten.mm.default": (Route(_suits_onednn, function=_onednn_mm),),
    "aten.addmm.default": (Route(_suits_onednn, function=_onednn_addmm),),
    "aten.index_put.default": (Route(lambda node: True, inplace="aten.index_put_.default"),),
}
"""Better ways than the registered one, by operator; the first that applies is taken."""
