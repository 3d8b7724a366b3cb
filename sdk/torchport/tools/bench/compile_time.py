"""Compile times, each measured in a fresh process with caches of its own.

The process imports PyTorch and Dynamo and compiles one trivial function on the backend, reported as start-up:
imports, compiler discovery. Then it times the first call of every case, less the first call of the same
case with ``backend="eager"``, which is Dynamo's own share. Cold: the caches were empty. Warm: a second
process finds them filled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from torchport.errors import RunError
from torchport.tools.bench.cases import SUITES

PROBE_TIMEOUT = 1800
DYNAMO_ALONE = "eager"
CACHE_VARIABLES = ("TORCHPORT_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class CompileTimes:
    """Seconds that compiling took beyond Dynamo's own time: of the start-up function, and by case name.

    A case that failed has its error in ``failures`` instead.
    """

    startup: float
    by_case: dict[str, float]
    failures: dict[str, str]


def compile_times(backend: str, suite: str, names: Sequence[str]) -> tuple[CompileTimes, CompileTimes]:
    """Cold and warm compile times of the named cases of a suite.

    Raises:
        RunError: the measuring process failed as a whole.
    """
    with tempfile.TemporaryDirectory(prefix="torchport-bench-") as root:
        environment = {**os.environ, **{v: str(Path(root) / v.lower()) for v in CACHE_VARIABLES}}
        request = json.dumps({"backend": backend, "suite": suite, "names": list(names)})
        return _probe(request, environment), _probe(request, environment)


def _probe(request: str, environment: dict[str, str]) -> CompileTimes:
    command = [sys.executable, "-m", "torchport.tools.bench.compile_time"]
    try:
        done = subprocess.run(
            command, input=request, env=environment, capture_output=True, text=True, timeout=PROBE_TIMEOUT
        )
    except subprocess.TimeoutExpired as error:
        raise RunError(f"compile times were not ready after {PROBE_TIMEOUT} s", got=request) from error
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise RunError(
            "the process that measures compile times failed", got=done.stderr[-2000:], hint=" ".join(command)
        )
    data = json.loads(lines[-1])
    return CompileTimes(data["startup"], data["by_case"], data["failures"])


def _startup(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def _first_call(backend: str, suite: str, name: str) -> float:
    from torchport.tools.bench.contestant import contestant

    [case] = [c for c in SUITES[suite] if c.name == name]
    torch._dynamo.reset()
    call = contestant(case, backend)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _measure(backend: str, suite: str, names: Sequence[str]) -> dict[str, Any]:
    torch.compile(_startup, backend="eager")(torch.ones(3))
    torch._dynamo.reset()
    start = time.perf_counter()
    torch.compile(_startup, backend=backend)(torch.ones(3))
    startup = time.perf_counter() - start
    by_case, failures = {}, {}
    for name in names:
        try:
            dynamo = _first_call(DYNAMO_ALONE, suite, name)
            by_case[name] = max(_first_call(backend, suite, name) - dynamo, 0.0)
        except Exception as error:  # noqa: BLE001 - a rival may fail in any way, and the report says how
            failures[name] = f"{type(error).__name__}: {error}"
    return {"startup": startup, "by_case": by_case, "failures": failures}


if __name__ == "__main__":
    wanted = json.loads(sys.stdin.read())
    sys.stdout.write("\n" + json.dumps(_measure(wanted["backend"], wanted["suite"], wanted["names"])) + "\n")
