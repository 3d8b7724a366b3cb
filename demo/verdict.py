"""What the demo says about one model on one backend, and the table of all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch
from measure import EAGER, INDUCTOR, Times
from rich.table import Table
from rich.text import Text

import torchport as tp
from torchport_conformance.models import Architecture
from torchport_conformance.models.architecture import inputs_of
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
    """Judges inference and single steps of a 20-step training, and explains what ran where."""
    torch.compiler.reset()
    compile = partial(torch.compile, backend=backend, fullgraph=True)
    batch = architecture.batches(1)[0]
    inference = inference_parity(architecture, compile, batch=batch)
    training = training_parity(architecture, compile, check_at=CHECKED_STEPS)
    torch.compiler.reset()
    model = architecture.model().eval()
    with torch.no_grad():
        explained = tp.explain(model, (), backend, kwargs=inputs_of(batch))
    trained = tp.explain(model.train(), (), backend, kwargs=batch)
    wrong = [f"inference: {tensor}" for tensor in inference.wrong]
    wrong += training.wrong
    for graph in (*explained.graphs, *trained.graphs):
        if graph.fallback and not graph.claimed:
            wrong.append(f"the {graph.phase} graph ran entirely in fallback")
    claimed, fallback = explained.claimed + trained.claimed, explained.fallback + trained.fallback
    return Verdict(
        architecture.name,
        backend,
        tuple(wrong),
        max(inference.worst.ratio, training.worst.ratio),
        training.losses,
        training.eager_losses,
        claimed,
        fallback,
        explained.claimed_time_share or 0.0,
        trained.claimed_time_share or 0.0,
        dict(explained.fallback_ops + trained.fallback_ops),
        times[backend],
        {name: found for name, found in times.items() if name in (EAGER, INDUCTOR)},
    )


def table(verdicts: list[Verdict]) -> Table:
    """All verdicts; ratios of times are the rival's over the backend's."""
    shown = Table(title="Models through torchport backends", title_justify="left")
    for column in ("model", "backend", "numerics", "loss in 20 steps"):
        shown.add_column(column, no_wrap=True)
    for column in ("nodes", "time", "compile (Inductor)", "ms", "vs eager", "vs Inductor"):
        shown.add_column(column, justify="right", no_wrap=True)
    for v in verdicts:
        shown.add_row(
            v.model,
            v.backend,
            Text("WRONG", "bold red") if v.wrong else Text(f"right {v.worst:.2f}", "green"),
            f"{v.losses[0]:.3f} → {v.losses[-1]:.3f}",
            f"{v.node_share:.0%} of {v.claimed + v.fallback}",
            f"{v.inference_time_share:.0%} / {v.training_time_share:.0%}",
            _compile_times(v),
            f"{v.times.inference * 1e3:.2f} / {v.times.training * 1e3:.2f}",
            _ratios(v, EAGER),
            _ratios(v, INDUCTOR),
        )
    return shown


def _compile_times(v: Verdict) -> str:
    rival = v.rivals.get(INDUCTOR)
    return f"{v.times.compile:.1f} s" + (f" ({rival.compile:.1f} s)" if rival else "")


def _ratios(v: Verdict, rival: str) -> str:
    if rival not in v.rivals:
        return "—"
    other = v.rivals[rival]
    return f"{other.inference / v.times.inference:.2f}× / {other.training / v.times.training:.2f}×"
