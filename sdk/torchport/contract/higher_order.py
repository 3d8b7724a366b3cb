"""Higher-order operators: what becomes of each of PyTorch's on the way to a backend.

A higher-order operator takes functions (sub-graphs) or state that no schema describes, so it has no contract
entry. Each has a row here instead, and :func:`check` compares the rows with the running PyTorch.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch


class Treatment(enum.StrEnum):
    """``inlined``: gone before a backend sees the graph. ``claimable``: offered to backends as the node
    ``higher_order.NAME``, its sub-graphs as opaque arguments. ``fallback``: runs whole in PyTorch.
    """

    INLINED = "inlined"
    CLAIMABLE = "claimable"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class HigherOrder:
    """One row. ``since`` is the first PyTorch minor version that has the operator ("" before the window);
    ``late`` marks operators that exist only once Inductor has run.
    """

    treatment: Treatment
    reason: str
    since: str = ""
    late: bool = False


def _inlined(reason: str, since: str = "") -> HigherOrder:
    return HigherOrder(Treatment.INLINED, reason, since)


def _claimable(reason: str, since: str = "") -> HigherOrder:
    return HigherOrder(Treatment.CLAIMABLE, reason, since)


def _fallback(reason: str, since: str = "") -> HigherOrder:
    return HigherOrder(Treatment.FALLBACK, reason, since)


_REGION = "marks a region of the Dynamo graph; AOTAutograd traces through its body"
_RNG = "carries generator state across a recomputation; the state is PyTorch's own"
_DELEGATE = "calls code that another compiler has produced already"
_EFFECT = "an effect on the host, ordered by a token"

ROWS: Mapping[str, HigherOrder] = {
    "_export_tracepoint": _inlined("a mark for torch.export; removed with the export's metadata"),
    "aoti_call_delegate": _fallback(_DELEGATE),
    "associative_scan": _claimable("a scan with an associative body; hardware runs it as a tree"),
    "auto_functionalized": _fallback("calls an operator that writes to its arguments on copies of them"),
    "auto_functionalized_v2": _fallback("calls an operator that writes to its arguments on copies of them"),
    "autograd_function_apply": _inlined("a torch.autograd.Function; AOTAutograd traces both of its bodies"),
    "call_torchbind": _fallback("calls a method of a C++ object"),
    "cond": _claimable("a branch on a value known at run time, with a sub-graph for each side"),
    "control_deps": HigherOrder(
        Treatment.FALLBACK, "orders nodes that no data flow orders; Inductor's own passes make it", late=True
    ),
    "custom_function_call": _inlined("functorch's form of a torch.autograd.Function"),
    "dynamo_bypassing_wrapper": _inlined(_REGION),
    "executorch_call_delegate": _fallback(_DELEGATE),
    "flat_apply": _inlined("calls a function on flattened arguments; traced through"),
    "flex_attention": _claimable("attention with a user's score function as a sub-graph"),
    "flex_attention_backward": _claimable("gradient of flex_attention, with the score function's gradient"),
    "flex_gemm": _claimable("a matrix product with a user's epilogue as a sub-graph", "2.14"),
    "foreach_map": _inlined("one function over lists of tensors; traced as a call per item"),
    "graphsafe_run_with_rng_state": _fallback(_RNG),
    "hints_wrapper": _inlined(_REGION),
    "inductor_compiled_code": _fallback(_DELEGATE),
    "inline_asm_elementwise": _claimable("assembly text for one target, element by element", "2.12"),
    "invoke_leaf_function": _fallback("calls a Python function that is not traced"),
    "invoke_quant": _inlined("marks a quantized sub-graph; traced through unless a pass packs it"),
    "invoke_quant_packed": _claimable("a quantized sub-graph packed by a pass"),
    "invoke_subgraph": _claimable("a sub-graph compiled once and called from several places"),
    "local_map_hop": _inlined("a function over the local shards of distributed tensors; traced through"),
    "map_impl": _claimable("one sub-graph over the leading dimension of its inputs"),
    "out_dtype": _claimable("an operator with a result dtype wider than its own"),
    "print": _fallback(_EFFECT),
    "register_hook": _inlined("a tensor hook; its body becomes part of the backward graph", "2.13"),
    "run_and_save_rng_state": _fallback(_RNG),
    "run_const_graph": _fallback("a sub-graph of constants, folded by Inductor"),
    "run_dtensor_rng_op": _fallback(_RNG, "2.12"),
    "run_with_rng_state": _fallback(_RNG),
    "scan": _claimable("a loop with carried values and stacked outputs"),
    "strict_mode": _inlined(_REGION),
    "switch": _claimable("a branch among several sub-graphs by an integer", "2.14"),
    "tag_activation_checkpoint": _inlined("marks what is recomputed; AOTAutograd's partitioner obeys it"),
    "trace_wrapped": _inlined("lets compiled autograd call a Python function while it traces"),
    "triton_kernel_wrapper_functional": _claimable(
        "a user's Triton kernel with its grid; outputs are copies"
    ),
    "triton_kernel_wrapper_mutation": _inlined("functionalized into triton_kernel_wrapper_functional"),
    "while_loop": _claimable("a loop with carried values and a condition known at run time"),
    "while_loop_stack_output": _claimable(
        "a while_loop that keeps every iteration's values, for its gradient"
    ),
    "with_effects": _fallback(_EFFECT),
    "wrap": _inlined(_REGION),
    "wrap_activation_checkpoint": _inlined("marks what is recomputed; AOTAutograd's partitioner obeys it"),
    "wrap_with_autocast": _inlined(_REGION),
    "wrap_with_set_grad_enabled": _inlined(_REGION),
}
"""Every higher-order operator of the PyTorch versions in the window, by name."""


@dataclass(frozen=True, slots=True)
class HigherOrderCheck:
    """``unknown``: the running PyTorch has it and no row does. ``missing``: a row whose operator is gone."""

    present: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the rows of what is present, and what does not agree."""
        rows = {
            name: {"treatment": ROWS[name].treatment.value, "reason": ROWS[name].reason}
            for name in self.present
            if name in ROWS
        }
        return {"rows": rows, "unknown": list(self.unknown), "missing": list(self.missing)}


def present() -> frozenset[str]:
    """Names of the higher-order operators of the running PyTorch; loads the modules that define them."""
    package = importlib.import_module("torch._higher_order_ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    importlib.import_module("torch._dynamo._trace_wrapped_higher_order_op")
    return frozenset(torch._ops._higher_order_ops)


def check(running: frozenset[str] | None = None, version: str = torch.__version__) -> HigherOrderCheck:
    """Compares :data:`ROWS` with the higher-order operators of the running PyTorch (or those given)."""
    found = present() if running is None else running
    minor = _minor(version)
    expected = {n for n, r in ROWS.items() if not r.late and (not r.since or _minor(r.since) <= minor)}
    return HigherOrderCheck(
        tuple(sorted(found)), tuple(sorted(found - ROWS.keys())), tuple(sorted(expected - found))
    )


def _minor(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
