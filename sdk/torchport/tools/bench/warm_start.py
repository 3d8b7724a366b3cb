"""The first call of a training step in a new process: with an empty cache, with a filled one, and with no
backend at all.

The floor is Dynamo and AOTAutograd alone, with compilers that return the graphs they are given. A backend
whose compiler sleeps for some seconds a region stands for a slow one. Each run is a process of its own; what
is timed begins after imports and ends with the gradients.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._functorch.aot_autograd import aot_module_simplified

from torchport.compile.artifact import Artifact, Executable, InProcess, WeightSource
from torchport.compile.capabilities import Target
from torchport.compile.eager_backend import EagerBackend
from torchport.compile.options import Options
from torchport.compile.reason import Claim
from torchport.compile.region import Region
from torchport.contract.graph import Node
from torchport.contract.graph_json import graph_from_json
from torchport.errors import ToolchainError

FLOOR = "floor (Dynamo and AOTAutograd)"
SLEEPER = "sleeping compiler"
COLUMNS = ("backend", "cache", "first call", "over the floor", "vendor calls", "regions compiled")
"""Titles of :meth:`WarmStart.row`."""


class SleepingBackend(EagerBackend):
    """A compiler that takes ``TORCHPORT_BENCH_SLEEP`` seconds a region; its code is eager PyTorch."""

    name = SLEEPER
    asked = compiled = 0

    def claims(self, node: Node, target: Target) -> Claim:
        """What eager PyTorch runs."""
        SleepingBackend.asked += 1
        return super().claims(node, target)

    def compile(self, region: Region, target: Target, options: Options) -> Any:
        """The region as JSON, after the wait."""
        SleepingBackend.asked += 1
        SleepingBackend.compiled += 1
        time.sleep(float(os.environ["TORCHPORT_BENCH_SLEEP"]))
        return Artifact("json", region.to_json().encode())

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """Links the region for eager PyTorch."""
        data = json.loads(artifact.payload)
        region = Region(data["name"], graph_from_json(data["graph"]), data["phase"], data["opset"])
        linked = EagerBackend().compile(region, target, Options({}))
        assert isinstance(linked, InProcess)
        return _Copying(linked)


class _Copying:
    def __init__(self, linked: InProcess) -> None:
        self.fn = linked.fn

    def run(
        self, args: Any, outs: Any, stream: int | None = None, *, workspace: Any = None, symbols: Any = ()
    ) -> None:
        for out, value in zip(outs, self.fn(tuple(symbols), *args), strict=True):
            out.copy_(value)

    def update_weights(self, names: Any) -> None:
        """Nothing is derived from weights."""


@dataclass(frozen=True, slots=True)
class WarmStart:
    """Seconds of first calls of one contestant; ``floor`` is the floor's median."""

    backend: str
    cache: str
    seconds: tuple[float, ...]
    floor: float
    vendor_calls: int | None
    compiled: int

    @property
    def median(self) -> float:
        """Median of the first calls, in seconds."""
        return statistics.median(self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "median": self.median, "over_floor": self.median / self.floor}

    def row(self) -> tuple[str, ...]:
        """Text under :data:`COLUMNS`."""
        calls = "" if self.vendor_calls is None else str(self.vendor_calls)
        share = f"{self.median / self.floor:.2f}"
        return self.backend, self.cache, f"{self.median:.2f} s", share, calls, str(self.compiled)


def warm_starts(
    backend: str,
    *,
    sleep: float = 10.0,
    repeats: int = 3,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[WarmStart, ...]:
    """First calls of the floor, of ``backend`` and of the sleeping compiler, cold and warm.

    Args:
        backend: a name that torch.compile knows.
        sleep: seconds that the sleeping compiler takes for each region.
        repeats: runs of the floor and of each warm start; floor and warm alternate.
        progress: called with one line for each run.

    Raises:
        ToolchainError: a run failed.
    """
    with tempfile.TemporaryDirectory() as cache:
        os.chmod(cache, 0o700)

        def run(name: str) -> dict[str, Any]:
            found = _in_process(name, cache, sleep)
            progress(f"{name}: {found['seconds']:.2f} s")
            return found

        cold = {name: run(name) for name in (backend, SLEEPER)}
        floors, warm = [], {name: list[dict[str, Any]]() for name in cold}
        for _ in range(repeats):
            floors.append(run(FLOOR)["seconds"])
            for name, runs in warm.items():
                runs.append(run(name))
    floor = statistics.median(floors)
    found = [WarmStart(FLOOR, "", tuple(floors), floor, None, 0)]
    for name, first in cold.items():
        for cache_state, runs in (("empty", [first]), ("filled", warm[name])):
            times = tuple(r["seconds"] for r in runs)
            last = runs[-1]
            found.append(WarmStart(name, cache_state, times, floor, last["asked"], last["compiled"]))
    return tuple(found)


def _in_process(name: str, cache: str, sleep: float) -> dict[str, Any]:
    settings = {"TORCHPORT_CACHE_DIR": cache, "TORCHPORT_BENCH_SLEEP": str(sleep)}
    command = [sys.executable, "-m", "torchport.tools.bench.warm_start", name]
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ToolchainError(f"a first call with {name} failed", got=done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _floor(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    def returned(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Any:
        return make_boxed_func(graph.forward)

    as_it_is: Any = returned
    compiled: Callable[..., Any] = torch._dynamo.disable(
        aot_module_simplified(
            gm,
            list(example_inputs),
            fw_compiler=as_it_is,
            bw_compiler=as_it_is,
            inference_compiler=as_it_is,
            partition_fn=min_cut_rematerialization_partition,
            decompositions={},
        )
    )
    return compiled


def _first_call(name: str) -> dict[str, Any]:
    """One training step of a transformer of four layers, and its seconds."""
    from torchport.dynamo import dynamo_backend

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True, activation="gelu")
    model, x = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), torch.randn(2, 32, 128)
    backend: Any = _floor
    if name != FLOOR:
        backend = dynamo_backend(SleepingBackend() if name == SLEEPER else name)
    torch.compile(lambda x: x + 1, backend="eager")(x)  # imports are not what is measured
    begin = time.perf_counter()
    torch.compile(model, backend=backend)(x).square().sum().backward()
    seconds = time.perf_counter() - begin
    compiled = 0 if name == FLOOR else backend.reports.compiled_regions
    return {
        "seconds": seconds,
        "asked": SleepingBackend.asked if name == SLEEPER else None,
        "compiled": compiled,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_first_call(sys.argv[1])) + "\n")
