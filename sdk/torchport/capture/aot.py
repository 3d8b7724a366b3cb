"""Stage 1, capture: a Dynamo graph through AOTAutograd to functional contract graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from functorch.compile import min_cut_rematerialization_partition
from torch._functorch import config as functorch_config
from torch._functorch.aot_autograd import aot_module_simplified
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import unset_fake_temporarily

from torchport.capture.aot_cache import Keeper
from torchport.capture.bag_sizes import correct_bag_sizes
from torchport.capture.eager_layouts import as_eager_returns
from torchport.capture.lazy_bits import resolved
from torchport.capture.offering.twins import restore
from torchport.capture.roles import InputMeaning, dynamo_inputs, placeholder_specs
from torchport.capture.tracing import silent
from torchport.capture.writes import OutputUse, output_uses, split_writes
from torchport.contract.fx_import import import_fx
from torchport.contract.graph import Graph

Runner = Callable[[list[Any]], Sequence[Any]]
"""A compiled graph: takes the argument list, which it empties, and returns the outputs."""


@dataclass(frozen=True, eq=False)
class CapturedGraph:
    """One graph from AOTAutograd. ``phase`` is "inference", "forward" or "backward"; ``arguments`` is the
    calling order.

    ``writes`` are the inputs that the program writes to: the graph's last outputs are their final values.
    ``uses`` says what the caller does with each output before those (``kept`` where it is shorter).
    """

    phase: str
    graph: Graph
    arguments: tuple[Any, ...]
    fakes: Mapping[str, Any]
    writes: tuple[str, ...] = ()
    uses: tuple[OutputUse, ...] = ()

    def __str__(self) -> str:
        return str(self.graph)


def capture(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    compile_graph: Callable[[CapturedGraph], Runner],
    offering: AbstractContextManager[None] | None = None,
    keeper: Keeper | None = None,
) -> Callable[..., Any]:
    """Traces ``gm`` with autograd and hands each functional graph to ``compile_graph``.

    Args:
        gm: what Dynamo captured.
        example_inputs: the fake or real inputs Dynamo gave.
        compile_graph: called with the inference graph, or with the forward and then (lazily) the backward
            graph.
        offering: in which composites are offered (:func:`torchport.capture.offering.offer.offering`).
        keeper: receives what AOTAutograd built, for a cache; the backward is compiled at once then.

    Returns:
        A callable with Dynamo's calling convention.
    """
    meanings = dynamo_inputs(gm)

    def compiler(phase: str) -> Any:
        def compile_aot(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Runner:
            if phase == "forward":
                keep_saved()
            captured = import_captured(gm, phase, meanings)
            # AOTAutograd's fake mode is active, and backends need real tensors; what they trace is theirs
            with unset_fake_temporarily(), silent():
                return unwatched(boxed(compile_graph(captured)), phase)

        return torch._dynamo.disable(compile_aot)

    kept = keeper.compiler if keeper else _as_it_is
    with backward_after_autocast(), offering or nullcontext(), keeper.tracing() if keeper else nullcontext():
        compiled = aot_module_simplified(
            gm,
            list(example_inputs),
            fw_compiler=kept(compiler("forward")),
            bw_compiler=kept(compiler("backward")),
            inference_compiler=kept(compiler("inference")),
            partition_fn=_partition,
            decompositions={},
            keep_inference_input_mutations=True,  # as copies at the end of the graph, see capture.writes
        )
    if keeper:
        keeper.keep(compiled)
    disabled: Callable[..., Any] = torch._dynamo.disable(compiled)
    return disabled


def backward_after_autocast() -> AbstractContextManager[Any]:
    """In which AOTAutograd traces a backward as users run it: after autocast was left."""
    settings: AbstractContextManager[Any] = functorch_config.patch(backward_pass_autocast="off")
    return settings


def keep_saved() -> None:
    """Takes back that the backward may overwrite what was saved for it, so that it can run again.

    Must be called inside AOTAutograd's forward compiler: the list is shared by all that refer to it.
    """
    context = TracingContext.try_get()
    donated = context.fw_metadata.bw_donated_idxs if context and context.fw_metadata else None
    if donated:
        donated.clear()


def import_captured(
    graph_module: torch.fx.GraphModule,
    phase: str,
    meanings: Sequence[InputMeaning],
    *,
    to_run: bool = True,
) -> CapturedGraph:
    """The contract graph of an AOTAutograd graph; inputs carry role, name, mutation and requires_grad, and
    writes to them are outputs. In a graph that is going to run, pending conjugations and negations are
    carried out before anything reads the memory.
    """
    restore(graph_module)
    correct_bag_sizes(graph_module)
    specs = placeholder_specs(graph_module, meanings, phase)
    imported = import_fx(graph_module, specs=specs)
    fakes = imported.fakes
    graph = as_eager_returns(imported.graph, graph_module, fakes)
    graph, writes = split_writes(resolved(graph, fakes) if to_run else graph, fakes)
    return CapturedGraph(phase, graph, imported.arguments, fakes, writes, output_uses(graph_module))


def _partition(joint: torch.fx.GraphModule, inputs: Sequence[Any], **options: Any) -> Any:
    """Forward and backward: what one saves has the size that the other is told."""
    correct_bag_sizes(joint)
    return min_cut_rematerialization_partition(joint, inputs, **options)


def _as_it_is(compiler: Any) -> Any:
    return compiler


def boxed(runner: Runner) -> Runner:
    """Marks a function as taking one argument list that it may empty."""
    runner.__dict__["_boxed_call"] = True
    return runner


def unwatched(runner: Runner, phase: str) -> Runner:
    """A runner that Dynamo does not look into: autograd's engine runs the backward in the middle of the
    user's code, where Dynamo still watches. Other phases are called from code that it leaves alone.
    """
    return torch._dynamo.disable(runner) if phase == "backward" else runner


def with_graph(captured: CapturedGraph, graph: Graph) -> CapturedGraph:
    """The same capture with another graph."""
    return replace(captured, graph=graph)
