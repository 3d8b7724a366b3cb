"""What the demo says about one model on one backend, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from measure import EAGER, INDUCTOR, Times
from rich.table import Table
from rich.text import Text

import torchport as tp
from torchport.dynamo import recording
from torchport.tools.explain import time_share
from torchport_conformance.models import Architecture
from torchport_conformance.parity import CHECKED_STEPS, inference_parity, training_parity


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row of the table. ``wrong`` has one line for each thing that is wrong.

    ``worst`` is the largest error over the allowed error, of all judged tensors. Shares are of nodes that
    compute something, and of the time spent in the steps of the compiled program, inference and training
    together.
    """

    model: str
    backend: str
    wrong: tuple[str, ...]
    worst: float
    losses: tuple[float, ...]
    eager_losses: tuple[float, ...]
    claimed: int
    fallback: int
    inference_time_share: float
    training_time_share: float
    fallback_ops: dict[str, int]
    times: Times
    rivals: dict[str, Times]

    @property
    def node_share(self) -> float:
        """Share of the nodes that run on the backend."""
        return self.claimed / (self.claimed + self.fallback)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {**asdict(self), "node_share": self.node_share}


def judge(architecture: Architecture, backend: str, times: dict[str, Times]) -> Verdict:
    """Judges inference and single steps of a 20-step training, and records what ran where."""
    torch.compiler.reset()
    inferred, inference_steps = recording(backend)
    inference = inference_parity(architecture, _compile(inferred), batch=architecture.batches(1)[0])
    trained, training_steps = recording(backend)
    training = training_parity(architecture, _compile(trained), check_at=CHECKED_STEPS)
    graphs = (*inferred.reports.graphs, *trained.reports.graphs)
    wrong = [f"inference: {tensor}" for tensor in inference.wrong]
    wrong += training.wrong
    wrong += [
        f"the {graph.phase} graph ran entirely in fallback"
        for graph in graphs
        if graph.fallback and not graph.claimed
    ]
    return Verdict(
        architecture.name,
        backend,
        tuple(wrong),
        max(inference.worst.ratio, training.worst.ratio),
        training.losses,
        training.eager_losses,
        sum(graph.claimed for graph in graphs),
        sum(graph.fallback for graph in graphs),
        time_share(inference_steps) or 0.0,
        time_share(training_steps) or 0.0,
        dict(inferred.reports.fallback_ops + trained.reports.fallback_ops),
        times[backend],
        {name: found for name, found in times.items() if name in (EAGER, INDUCTOR)},
    )


def _compile(backend: tp.DynamoBackend) -> Callable[[torch.nn.Module], Callable[..., torch.Tensor]]:
    return lambda model: torch.compile(model, backend=backend, fullgraph=True)


def table(verdicts: list[Verdict]) -> Table:
    """All verdicts; ratios of times are the rival's over the backend's."""
    shown = Table(title="Models through torchport backends", title_justify="left")
    for column in ("model", "backend", "numerics", "loss"):
        shown.add_column(column, no_wrap=True)
    for column in ("nodes", "time", "compile s", "ms", "vs eager", "vs Inductor"):
        shown.add_column(column, justify="right", no_wrap=True)
    for v in verdicts:
        shown.add_row(
            v.model,
            v.backend,
            Text("WRONG", "bold red") if v.wrong else Text(f"right {v.worst:.2f}", "green"),
            f"{v.losses[0]:.2f} → {v.losses[-1]:.2f}",
            f"{v.node_share:.0%}",
            f"{v.inference_time_share:.0%} / {v.training_time_share:.0%}",
            " / ".join(f"{t.compile:.1f}" for t in (v.times, v.rivals.get(INDUCTOR)) if t),
            f"{v.times.inference * 1e3:.1f} / {v.times.training * 1e3:.1f}",
            _ratios(v, EAGER),
            _ratios(v, INDUCTOR),
        )
    return shown


def _ratios(v: Verdict, rival: str) -> str:
    if rival not in v.rivals:
        return "—"
    other = v.rivals[rival]
    return f"{other.inference / v.times.inference:.2f} / {other.training / v.times.training:.2f}"
