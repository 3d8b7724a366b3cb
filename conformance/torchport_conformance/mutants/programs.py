"""Faults of whole programs: compilers that forget what PyTorch guards, or what it knows of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import torch
from torch import Tensor, fx
from torch.utils._pytree import tree_map_only

from torchport_conformance.subject import Subject

Compiler = Callable[[fx.GraphModule, Sequence[Any]], Callable[..., Any]]
"""What ``torch.compile`` takes as a backend."""


@dataclass(frozen=True, slots=True)
class ProgramFault:
    """A mutation operator on a compiler of whole programs.

    ``kinds`` are the kinds of public faults that it stands for; ``programs`` are beginnings of the ids of
    cases that it can show in, each a mutant. ``compiler`` makes the faulty compiler, which otherwise leaves
    everything to PyTorch.
    """

    name: str
    text: str
    kinds: tuple[str, ...]
    programs: tuple[str, ...]
    compiler: Callable[[], Compiler]
    level: str = "graph"
    isolated: bool = False

    def subject(self) -> Subject:
        """The faulty compiler, as what is tested."""
        return Subject(self.name, "inductor", "cpu", None, self.compiler())


def right() -> Subject:
    """The compiler without a fault."""
    return Subject("interpreter", "inductor", "cpu", None, _interpreted)


def _interpreted(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    return module.forward


class _OneCode:
    """Compiles a program once: what was made for one relation of its operands' memory serves all others.

    Writes to an operand reach it when the program ends, as in code that has no aliases inside.
    """

    def __init__(self) -> None:
        self.kept: dict[Any, Callable[..., Any]] = {}

    def __call__(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        key = (module.code, tuple(_kind(x) for x in inputs))
        return self.kept.setdefault(key, partial(_apart, module))


def _kind(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return type(x)
    return (tuple(map(str, x.shape)), tuple(map(str, x.stride())), x.dtype, x.requires_grad)


def _apart(module: fx.GraphModule, *inputs: Any) -> Any:
    """Runs a program on copies of its operands, and copies back what it wrote: right where none overlap."""
    if any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        return module.forward(*inputs)
    copies = [_copy(x) if isinstance(x, Tensor) else x for x in inputs]
    versions = [x._version if isinstance(x, Tensor) else 0 for x in copies]
    results = module.forward(*copies)
    owners: dict[int, tuple[Tensor, Tensor]] = {
        copy.untyped_storage()._cdata: (copy, x)
        for copy, x in zip(copies, inputs, strict=True)
        if isinstance(copy, Tensor)
    }
    for copy, x, version in zip(copies, inputs, versions, strict=True):
        if isinstance(copy, Tensor) and copy._version != version:
            x.copy_(copy)

    def returned(result: Tensor) -> Tensor:
        """A view of the operand where the result is one of its copy."""
        owner = owners.get(result.untyped_storage()._cdata)
        if owner is None:
            return result
        copy, x = owner
        if result is copy:
            return x
        return x.as_strided(result.shape, result.stride(), x.storage_offset() + result.storage_offset())

    return tree_map_only(Tensor, returned, results)


def _copy(x: Tensor) -> Tensor:
    """A copy with the same strides, at the beginning of memory of its own."""
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x)


def _all_detached(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Results lose ``requires_grad`` where one of them is a detached one."""

    def run(*given: Any) -> Any:
        results = module.forward(*given)
        tensors = [r for r in results if isinstance(r, Tensor)]
        if any(r.requires_grad for r in tensors) and not all(r.requires_grad for r in tensors):
            return tree_map_only(Tensor, Tensor.detach, results)
        return results

    return run


def _detach_ignored(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Detaching is removed as if it did nothing."""
    changed = fx.GraphModule(module, fx.Graph())
    changed.graph.output(changed.graph.graph_copy(module.graph, {}))
    for node in list(changed.graph.nodes):
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if node.op in ("call_method", "call_function") and name in ("detach", "detach_"):
            node.replace_all_uses_with(node.args[0])
            changed.graph.erase_node(node)
    changed.recompile()
    return changed.forward


PROGRAM_FAULTS = (
    ProgramFault(
        "alias-guard-dropped",
        "a program that was compiled for operands apart runs on operands that overlap",
        ("alias-guard",),
        ("graph:overlap",),
        _OneCode,
    ),
    ProgramFault(
        "results-detached-together",
        "a value and its detached twin are one detached result",
        ("requires-grad-meta",),
        ("graph:alias/results",),
        lambda: _all_detached,
    ),
    ProgramFault(
        "detach-ignored",
        "a detached result still requires gradients",
        ("requires-grad-meta",),
        ("graph:alias/results",),
        lambda: _detach_ignored,
    ),
)


@lru_cache(maxsize=1)
def program_faults() -> Mapping[str, ProgramFault]:
    """Mutation operators on compilers of programs, by name."""
    return {fault.name: fault for fault in PROGRAM_FAULTS}
