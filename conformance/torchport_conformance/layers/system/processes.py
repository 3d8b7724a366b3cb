"""Processes that use a backend: how they end, what they find in caches, and what their children do."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader

from torchport_conformance.backend_source import BackendSource
from torchport_conformance.layers.system.workload import Finding, Trial
from torchport_conformance.own_processes import python_command

EXIT_SECONDS = 120.0
"""How long a process may take from its start, PyTorch's import included, to its end."""
_SCRIPT = """
import torch
from torchport_conformance.subject import load_subject
subject = load_subject(given)
factor = float(sys.argv[2])
compiled = subject.compile(lambda x: torch.relu(x) * factor + 1.0, dynamic=False)
x = torch.arange(-4.0, 4.0, device=subject.device)
print("result", *compiled(x).tolist())
"""


def source_of(trial: Trial) -> BackendSource | None:
    """What another process can load the subject from; None where it cannot."""
    backend = trial.subject.backend
    if backend is None:
        return BackendSource(trial.subject.text, level=trial.subject.level)
    try:
        return BackendSource(trial.subject.text, pickle.dumps(backend))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


def _process(trial: Trial, factor: float, environment: dict[str, str]) -> tuple[Finding | None, list[float]]:
    source = source_of(trial)
    if source is None:
        return Finding(not_run="the backend cannot be handed to another process"), []
    try:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*python_command(_SCRIPT, source, folder), str(factor)],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                timeout=EXIT_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return Finding("process does not end", f"a process is not over after {EXIT_SECONDS:g} s"), []
    if done.returncode:
        how = (
            f"signal {signal.Signals(-done.returncode).name}"
            if done.returncode < 0
            else f"status {done.returncode}"
        )
        tail = " | ".join(done.stderr.strip().splitlines()[-3:])
        when = "after its result" if "result" in done.stdout else "before its result"
        return Finding("process ends badly", f"a process ended with {how} {when}: {tail}"), []
    line = next((text for text in done.stdout.splitlines() if text.startswith("result ")), "result")
    return None, [float(x) for x in line.split()[1:]]


def _expected(factor: float) -> list[float]:
    return [max(x, 0.0) * factor + 1.0 for x in range(-4, 4)]


def ends(trial: Trial) -> Finding:
    """A process that has compiled and run has status 0, and its result is right."""
    trial.compile()(*trial.inputs())
    failed, got = _process(trial, 2.0, {})
    if failed is not None:
        return failed
    return Finding() if got == _expected(2.0) else Finding("wrong result", f"a process computed {got}")


def stale_cache(trial: Trial) -> Finding:
    """The same program with another constant in a second process, over the cache of the first."""
    trial.compile()(*trial.inputs())
    with tempfile.TemporaryDirectory() as folder:
        environment = {"TORCHPORT_CACHE_DIR": str(Path(folder) / "cache")}
        for factor in (2.0, 3.0, 2.0):
            failed, got = _process(trial, factor, environment)
            if failed is not None:
                return failed
            if got != _expected(factor):
                text = f"with the factor {factor:g} a process computed {got}, not {_expected(factor)}"
                return Finding("stale cache", text)
    return Finding()


def _collate(items: Sequence[Any]) -> torch.Tensor:
    return torch.stack([torch.full((3,), float(item)) for item in items]).relu().sum(1)


def loader(trial: Trial) -> Finding:
    """Forked workers of a DataLoader compute after the backend was used, and calls go on."""
    compiled = trial.compile()
    compiled(*trial.inputs())
    data: DataLoader[Any] = DataLoader(
        range(8),  # type: ignore[arg-type]
        batch_size=4,
        num_workers=2,
        collate_fn=_collate,
        multiprocessing_context="fork",
        timeout=60,
    )
    try:
        got = [batch.tolist() for batch in data]
    except RuntimeError as error:
        return Finding("worker processes fail", f"a DataLoader with forked workers: {error}")
    if got != [[0.0, 3.0, 6.0, 9.0], [12.0, 15.0, 18.0, 21.0]]:
        return Finding("worker processes compute wrongly", f"forked workers gave {got}")
    text = trial.wrong(compiled(*trial.inputs()))
    return Finding("disturbed by worker processes", text) if text else Finding()
