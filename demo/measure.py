"""Times of compiled models: the first call, and interleaved medians of later ones."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from torchport_conformance.models import Architecture
from torchport_conformance.models.architecture import inputs_of

EAGER, INDUCTOR = "eager", "inductor"
Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds. ``compile`` is the first inference and the first training step, less a later one of each."""

    compile: float
    inference: float
    training: float


def measure(architecture: Architecture, backends: tuple[str, ...], rounds: int) -> dict[str, Times]:
    """Times of eager and of every backend on the same weights and the same batch.

    All candidates take turns in each round, so that a slow moment of the machine meets them alike. A
    training step is forward, backward and the optimizer's update.
    """
    torch.compiler.reset()
    batch = architecture.batches(1)[0]
    inputs = inputs_of(batch)
    model = architecture.model()
    inference: dict[str, Call] = {}
    training: dict[str, Call] = {}
    for name in (EAGER, *backends):
        own = copy.deepcopy(model)
        evaluated, trained = own.eval(), copy.deepcopy(model).train()
        run_inference = _compiled(evaluated, name)
        run_training = _compiled(trained, name)
        optimizer = architecture.optimizer(trained.parameters())

        def infer(run: Callable[..., torch.Tensor] = run_inference) -> None:
            with torch.no_grad():
                run(**inputs)

        def step(
            run: Callable[..., torch.Tensor] = run_training, optimizer: torch.optim.Optimizer = optimizer
        ) -> None:
            optimizer.zero_grad()
            run(**batch).backward()
            optimizer.step()

        inference[name], training[name] = infer, step
    first = {name: _seconds(inference[name]) + _seconds(training[name]) for name in inference}
    inferences, trainings = interleaved(inference, rounds), interleaved(training, rounds)
    torch.compiler.reset()
    return {
        name: Times(first[name] - inferences[name] - trainings[name], inferences[name], trainings[name])
        for name in inference
    }


def interleaved(calls: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """The median seconds of each call over ``rounds`` turns, after two that are not counted."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(-2, rounds):
        for name, call in calls.items():
            seconds = _seconds(call)
            if turn >= 0:
                found[name].append(seconds)
    return {name: statistics.median(values) for name, values in found.items()}


def _compiled(model: torch.nn.Module, name: str) -> Callable[..., torch.Tensor]:
    return model if name == EAGER else torch.compile(model, backend=name)


def _seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
