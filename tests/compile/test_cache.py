"""The artifact cache: round trip, damage, foreign entries, unwritable directories, and no vendor call in a
second process.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.compile.cache import ArtifactCache, region_key
from torchport.contract.graph import Graph, Node, TensorSpec, Value

ARTIFACT = tp.Artifact("demo", b"\x00\x01payload", 64, {0: 1}, {"compiler": "demo 1"})


def region(size: int = 4, op: str = "aten.exp.default") -> tp.Region:
    spec = TensorSpec((size,), (1,), torch.float32)
    x, y = Value("x", spec), Value("y", spec)
    return tp.Region("r", Graph((x,), (Node("n", op, (("self", x),), (y,)),), (y,)), "inference", "1.0")


class Compiling(tp.EagerBackend):
    """A backend whose regions are artifacts."""

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Any: ...


def key(**changes: Any) -> str:
    backend = changes.pop("backend", Compiling())
    what = changes.pop("region", region())
    options = changes.pop("options", tp.Options({"a": 1}))
    found = region_key(backend, what, changes.pop("target", tp.Target()), options, changes.pop("sha", "0"))
    assert found is not None
    return found


def test_round_trip(tmp_path: Path) -> None:
    cache = ArtifactCache(tmp_path)
    assert cache.get("ab" * 32) is None
    cache.put("ab" * 32, ARTIFACT)
    assert cache.get("ab" * 32) == ARTIFACT
    path = cache.path("ab" * 32)
    assert path.stat().st_mode & 0o077 == 0 and [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "foreign", "garbage"])
def test_a_damaged_entry_is_a_miss_and_is_removed(tmp_path: Path, damage: str) -> None:
    cache = ArtifactCache(tmp_path)
    cache.put("ab" * 32, ARTIFACT)
    path = cache.path("ab" * 32)
    raw = bytearray(path.read_bytes())
    raw[-3] ^= 1
    contents = {"flip": bytes(raw), "truncate": bytes(raw[:-5]), "empty": b"", "garbage": os.urandom(300)}
    if damage == "foreign":
        cache.put("cd" * 32, ARTIFACT)
        contents["foreign"] = cache.path("cd" * 32).read_bytes()
    path.write_bytes(contents[damage])
    assert cache.get("ab" * 32) is None and not path.exists()


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    cache = ArtifactCache(blocker / "below")
    cache.put("ab" * 32, ARTIFACT)
    assert cache.get("ab" * 32) is None


def test_the_key_holds_everything_that_identifies_a_region() -> None:
    class Other(Compiling):
        name = "other"

    class Newer(Compiling):
        version = "2"

    keys = {
        "same": key(),
        "backend": key(backend=Other()),
        "version": key(backend=Newer()),
        "override": key(backend=Compiling({"aten.exp.default": torch.exp})),
        "size": key(region=region(5)),
        "op": key(region=region(op="aten.sin.default")),
        "phase": key(region=replace(region(), phase="forward")),
        "options": key(options=tp.Options({"a": 2})),
        "mode": key(options=tp.Options({"a": 1}, "max-autotune")),
        "target": key(target=tp.Target(arch="v2")),
        "contract": key(sha="1"),
    }
    assert len(set(keys.values())) == len(keys)
    assert key() == key(region=replace(region(), name="another name")) == keys["same"]


def test_no_key_is_made_for_a_backend_without_artifacts() -> None:
    assert region_key(tp.EagerBackend(), region(), tp.Target(), tp.Options({}), "0") is None


SECOND_PROCESS = """
import sys, torch, torchport as tp
class Counting(tp.EagerBackend):
    name = "counting"
    calls = 0
    def compile(self, region, target, options):
        Counting.calls += 1
        return tp.Artifact("json", region.to_json().encode())
    def load(self, artifact, target, weights):
        region = tp.Region.from_json(artifact.payload.decode())
        inner = tp.EagerBackend().compile(region, target, None)
        class Loaded:
            def run(self, args, outs, stream=None, *, workspace=None, symbols=()):
                for out, value in zip(outs, inner.fn(tuple(symbols), *args), strict=True):
                    out.copy_(value)
            def update_weights(self, names):
                pass
        return Loaded()
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2))
backend = Counting()
x = torch.randn(3, 4)
loss = torch.compile(model, backend=backend, dynamic=sys.argv[1] == "dynamic")(x).square().sum()
loss.backward()
twin = model(x).square().sum()
torch.testing.assert_close(loss, twin)
print(Counting.calls, sum(r.from_cache for g in tp.reports(backend).graphs for r in g.regions))
"""


@pytest.mark.parametrize("shapes", ["static", "dynamic"])
def test_a_second_process_calls_no_compiler(tmp_path: Path, shapes: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(SECOND_PROCESS)
    environment = {**os.environ, "TORCHPORT_CACHE_DIR": str(tmp_path / "cache")}
    found = []
    for _ in range(2):
        command = [sys.executable, str(script), shapes]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append(tuple(map(int, done.stdout.split())))
    assert found == [(2, 0), (0, 2)]  # a forward and a backward region
