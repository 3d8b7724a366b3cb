"""The cases of a layer for many operators, made in several processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import torch

from torchport.contract.spec import OpSpec
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.profiles import Profile, profile_named
from torchport_conformance.layers import Layer, Request, layer_named
from torchport_conformance.specs import spec_of

_OPERATORS = 12
"""Operators of one task."""
_WORTHWHILE = 8
"""Tasks, below which starting processes takes longer than the tasks."""


def cases_of_operators(
    layer: Layer, profile: Profile, specs: Sequence[OpSpec], jobs: int
) -> Iterator[AnyCase]:
    """The layer's cases for operators, in the order of the operators, however many processes make them.

    With more than one job this process is forked. Threads that it has, such as those of a backend that was
    loaded, are not there in its children, which make cases on one thread and call no backend.
    """
    names = [spec.name for spec in specs]
    tasks = [names[i : i + _OPERATORS] for i in range(0, len(names), _OPERATORS)]
    if jobs < 2 or len(tasks) < _WORTHWHILE:
        yield from layer.cases(Request(profile, specs))
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for found in pool.map(partial(_made, layer.name, profile.name), tasks):
            yield from found


def _made(layer: str, profile: str, names: Sequence[str]) -> list[AnyCase]:
    specs = tuple(map(spec_of, names))
    return list(layer_named(layer).cases(Request(profile_named(profile), specs)))
