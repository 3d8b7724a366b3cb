"""Whether a compiled public architecture computes what eager computes, in one of four modes.

Every tensor that a run produces is judged by the rule of :mod:`torchport_conformance.parity`: outputs, and in
training the loss, every gradient and every buffer. A parameter without gradient counts as one with zeros:
AOTAutograd gives zeros where a result of the model does not enter the loss. With dynamic shapes a second call
with other sizes is judged as well, and it must not compile anything.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import torch._dynamo
from torch import nn

from torchport.compile.backend import Backend
from torchport.compile.reports import Reports
from torchport.dynamo import DynamoBackend
from torchport.errors import TorchportError
from torchport_conformance.obligation import fell_back
from torchport_conformance.parity import LOSS, Allowance, StepParity, judge
from torchport_conformance.public_models.entry import (
    FIRST,
    SECOND,
    Batch,
    PublicModel,
    Sizes,
    TrainedModel,
    tensors_of,
)
from torchport_conformance.public_models.reference import in_float64
from torchport_conformance.public_models.results import Mode, ModeResult, Phase, Shapes, Verdict

Tensors = Mapping[str, torch.Tensor]
_MESSAGE = 600
"""Characters of an error that a result keeps."""


class SubjectError(TorchportError):
    """An architecture cannot be judged: eager itself fails on it, or has no float64 run."""

    stage = "models"


@dataclass(frozen=True, slots=True)
class Expected:
    """What eager and float64 make of one batch, and what the rule allows."""

    eager: Tensors
    exact: Tensors
    allowance: Allowance


class Subject:
    """One architecture with its weights, and what is expected of it in each phase and for each size."""

    def __init__(self, entry: PublicModel, seed: int = 0) -> None:
        self.entry, self.seed = entry, seed
        self.model = entry.build(seed)
        self.expected = cache(self._expected)

    def batch(self, phase: Phase, sizes: Sizes) -> Batch:
        """The arguments of a call; inference takes no labels."""
        found = self.entry.batch(sizes, self.seed)
        return {n: t for n, t in found.items() if phase is Phase.TRAINING or n != "labels"}

    def copy(self, phase: Phase) -> TrainedModel:
        """A model with the weights, in the mode of the phase."""
        return copy.deepcopy(self.model).train(phase is Phase.TRAINING)

    def _expected(self, phase: Phase, sizes: Sizes) -> Expected:
        batch = self.batch(phase, sizes)
        wide = {name: t.double() if t.is_floating_point() else t for name, t in batch.items()}
        eager, watched, reference = (self.copy(phase) for _ in range(3))

        def outputs() -> list[torch.Tensor]:
            return [tensor for _, tensor in tensors_of(watched(**batch))]

        terms = max((t.numel() for t in outputs()), default=1)
        allowance = Allowance.of(watched, outputs, terms)
        reference.double()
        with in_float64():
            exact = run_once(reference, reference, phase, wide)
        return Expected(run_once(eager, eager, phase, batch), exact, allowance)


def run_once(
    model: nn.Module, call: Callable[..., Any], phase: Phase, batch: Batch
) -> dict[str, torch.Tensor]:
    """Every tensor of one inference, or of one forward and backward; ``call`` runs ``model``."""
    if phase is Phase.INFERENCE:
        with torch.no_grad():
            return {name: tensor.clone() for name, tensor in tensors_of(call(**batch))}
    model.zero_grad(set_to_none=True)
    loss, result = call(**batch)
    loss.backward()
    found = {LOSS: loss.detach()}
    found |= {name: tensor.detach().clone() for name, tensor in tensors_of(result)}
    for name, parameter in model.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        found[f"grad of {name}"] = gradient.clone()
    return found | {f"buffer {name}": buffer.clone() for name, buffer in model.named_buffers()}


@dataclass(slots=True)
class Attempt:
    """What came of compiling a subject with one Dynamo backend: the judged calls, and what went wrong."""

    steps: list[StepParity]
    graphs: int = 0
    problem: str = ""


def judge_mode(subject: Subject, mode: Mode, backend: Backend) -> ModeResult:
    """Compiles and judges one architecture in one mode.

    Where that fails, ``torch.compile(backend="eager")`` is tried in the same way: if it fails too, the result
    is excused.

    Raises:
        SubjectError: eager itself fails.
    """
    started = time.perf_counter()
    for sizes in (FIRST, SECOND):
        _check(subject, mode.phase, sizes)
    entry = DynamoBackend((backend,))
    attempt = _attempt(subject, mode, entry)
    verdict, reason = Verdict.RIGHT, attempt.problem
    if not reason and not any(graph.claimed for graph in entry.reports.graphs):
        verdict, reason = Verdict.WRONG, "nothing ran on the backend"
    elif reason:
        excuse = _attempt(subject, mode, torch._dynamo.lookup_backend("eager")).problem
        verdict = Verdict.EXCUSED if excuse else Verdict.WRONG
        reason = f'backend="eager": {excuse}' if excuse else reason
    return _result(mode, verdict, reason, attempt, entry.reports, time.perf_counter() - started)


def _check(subject: Subject, phase: Phase, sizes: Sizes) -> None:
    try:
        expected = subject.expected(phase, sizes)
        own = judge(0, (expected.eager, expected.eager, expected.exact), expected.allowance)
    except Exception as error:
        raise SubjectError(f"eager fails: {error}", got=f"{subject.entry.name}, {phase}") from error
    if own.wrong:
        raise SubjectError("eager is not a number where float64 is", got=str(own.worst))


def _result(
    mode: Mode, verdict: Verdict, reason: str, attempt: Attempt, reports: Reports, seconds: float
) -> ModeResult:
    tensors = [tensor for step in attempt.steps for tensor in step.tensors]
    worst = max((step.worst for step in attempt.steps), key=lambda t: t.ratio, default=None)
    return ModeResult(
        mode=mode,
        verdict=verdict,
        reason=reason,
        tensors=len(tensors),
        worst="" if worst is None else worst.name,
        ratio=None if worst is None else worst.ratio,
        graphs=attempt.graphs,
        claimed=sum(graph.claimed for graph in reports.graphs),
        fallback=dict(reports.fallback_ops),
        refused=fell_back(reports.rejections),
        seconds=round(seconds, 2),
    )


def _attempt(subject: Subject, mode: Mode, compiler: Callable[..., Any]) -> Attempt:
    found = Attempt([])
    model = subject.copy(mode.phase)
    start = copy.deepcopy(dict(model.named_buffers()))

    def counting(gm: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        found.graphs += 1
        return compiler(gm, inputs)  # type: ignore[no-any-return]

    torch._dynamo.reset()
    dynamic = mode.shapes is Shapes.DYNAMIC
    compiled = torch.compile(model, backend=counting, dynamic=None if dynamic else False)
    for sizes in (FIRST, SECOND) if dynamic else (FIRST,):
        batch, before = subject.batch(mode.phase, sizes), found.graphs
        if dynamic:
            _mark(batch, subject.batch(mode.phase, SECOND))
        with torch.no_grad():
            for name, buffer in model.named_buffers():
                buffer.copy_(start[name])
        try:
            ours = run_once(model, compiled, mode.phase, batch)
        except Exception as error:  # noqa: BLE001 - a compiler may raise anything, and the result says what
            found.problem = f"{type(error).__name__}: {error}"[:_MESSAGE]
            return found
        expected = subject.expected(mode.phase, sizes)
        step = judge(0, (ours, expected.eager, expected.exact), expected.allowance)
        found.steps.append(step)
        if step.wrong:
            found.problem = f"{len(step.wrong)} of {len(step.tensors)} tensors are wrong: {step.worst}"
            return found
        if sizes is SECOND and found.graphs > before:
            found.problem = f"the second size compiles again: {found.graphs - before} more graphs"
    return found


def _mark(batch: Batch, other: Batch) -> None:
    """Marks the dimensions in which two batches differ."""
    for name, tensor in batch.items():
        for dim, size in enumerate(other[name].shape):
            if tensor.shape[dim] != size:
                torch._dynamo.maybe_mark_dynamic(tensor, dim)
