"""``tp.update_weights``: tells what was compiled with frozen weights that they changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from torchport.compile.backend import Backend
from torchport.compile.freezing import FrozenGraph, frozen_graphs
from torchport.deploy.load import LoadedProgram
from torchport.dynamo import DynamoBackend, dynamo_backend


def update_weights(target: Any, names: Iterable[str] | None = None) -> int:
    """Frozen weights are taken anew: at once by a loaded program, at the next call by ``torch.compile``.

    Call it after anything that changes the weights of a model compiled with ``options={"freeze": True}``:
    ``load_state_dict``, an optimizer step, a write to ``p.data``. Live weights, the default, need no call.

    Args:
        target: the model or what ``torch.compile`` made of it, a backend (everything that was compiled with
            it), or a program from ``tp.load``. A function stands for all frozen graphs of the process.
        names: qualified names of the weights that changed; all when ``None``.

    Returns:
        How many weights are taken anew.

    Raises:
        RegistrationError: ``target`` is the name of a backend that is not installed.
    """
    wanted = None if names is None else frozenset(names)
    if isinstance(target, LoadedProgram):
        return target.update_weights(names=wanted)
    return sum(graph.mark_stale(wanted) for graph in _graphs_of(target))


def _graphs_of(target: Any) -> tuple[FrozenGraph, ...]:
    if isinstance(target, torch.nn.Module):
        members = {n.removeprefix("_orig_mod.") for n, _ in target.named_parameters(remove_duplicate=False)}
        members |= {n.removeprefix("_orig_mod.") for n, _ in target.named_buffers(remove_duplicate=False)}
        return tuple(g for g in frozen_graphs() if not members.isdisjoint(g.names))
    if isinstance(target, str | Backend | DynamoBackend) or (
        isinstance(target, type) and issubclass(target, Backend)
    ):
        return frozen_graphs(dynamo_backend(target).backends)
    return frozen_graphs()
