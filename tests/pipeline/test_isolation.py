"""Backends in one process share nothing, and nothing of PyTorch is changed by compiling."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
import torch._inductor.config
from torch._decomp import decomposition_table, global_decomposition_table
from torch._inductor import lowering
from torch._inductor.codegen import common

import torchport as tp


def torch_globals() -> dict[str, Any]:
    """Everything process-wide in PyTorch that a backend could be tempted to change."""
    common.init_backend_registration()
    gelu = torch.ops.aten.gelu.default
    return {
        "inductor config": copy.deepcopy(torch._inductor.config.save_config_portable()),
        "dynamo config": copy.deepcopy(torch._dynamo.config.save_config_portable()),
        "functorch config": copy.deepcopy(torch._functorch.config.save_config_portable()),
        "decompositions": dict(decomposition_table),
        "all decompositions": {k: dict(v) for k, v in global_decomposition_table.items()},
        "inductor lowerings": dict(lowering.lowerings),
        "inductor devices": dict(common.device_codegens),
        "python kernels": dict(gelu.py_kernels),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "default dtype": torch.get_default_dtype(),
        "random state": torch.get_rng_state().tolist(),
    }


def test_two_backends_give_their_own_results_and_leave_torch_alone(selective: Any) -> None:
    before = torch_globals()
    doubled = selective(overrides={"aten.gelu.default": lambda x, **_: torch.nn.functional.gelu(x) * 2})
    plain = selective()

    def fn(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x) + 1

    x = torch.linspace(-3, 3, 40)
    first, second = torch.compile(fn, backend=doubled), torch.compile(fn, backend=plain)
    wanted = torch.nn.functional.gelu(x)
    for _ in range(2):
        torch.testing.assert_close(first(x), wanted * 2 + 1)
        torch.testing.assert_close(second(x), wanted + 1)
    assert (len(doubled.compiled), len(plain.compiled)) == (1, 1)
    assert tp.reports(doubled) is not tp.reports(plain)
    assert torch_globals() == before


def test_openmp_and_inductor_beside_each_other(network: Any) -> None:
    before = torch_globals()
    x = torch.randn(6, 8)
    ours = torch.compile(copy.deepcopy(network), backend="torchport_openmp")(x)
    theirs = torch.compile(copy.deepcopy(network), backend="aot_eager")(x)
    ours.sum().backward()
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    assert tp.reports("torchport_openmp").claimed_share > 0.5
    changed = {name for name, value in torch_globals().items() if value != before[name]} - {"random state"}
    assert changed == set()


RUN_REGION = """
import sys, torch, torchport as tp
region = tp.Region.from_json(open(sys.argv[1]).read())
data = torch.load(sys.argv[2])
backend = tp.load_backend("torchport_openmp") if sys.argv[3] == "openmp" else tp.EagerBackend()
target = backend.targets()[0]
options = tp.Options({name: option.default for name, option in backend.options.items()})
loaded = tp.load_region(backend, region, backend.compile(region, target, options), target)
got = loaded(*data["args"])
for mine, theirs in zip(got, data["outs"], strict=True):
    assert mine.stride() == theirs.stride() and mine.dtype == theirs.dtype
    torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)
assert "transformers" not in sys.modules
print(region.phase, len(region.nodes), len(got))
"""


class Recorder(tp.EagerBackend):
    """Writes each region and one set of its inputs and outputs."""

    name = "recorder"

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.directory, self.count = directory, 0

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        inner = super().compile(region, target, options)
        number, self.count = self.count, self.count + 1
        (self.directory / f"{number}.json").write_text(region.to_json())

        def run(symbols: tuple[int, ...], *args: torch.Tensor) -> Any:
            outs = inner.fn(symbols, *args)
            data = {"args": [a.detach() for a in args], "outs": [o.detach() for o in outs]}
            torch.save(data, self.directory / f"{number}.pt")
            return outs

        return tp.InProcess(run, wants_symbols=True)


def test_a_region_runs_in_a_process_that_never_saw_the_model(network: Any, tmp_path: Path) -> None:
    backend = Recorder(tmp_path)
    compiled = torch.compile(network, backend=backend, dynamic=True)
    for rows in (4, 9):
        compiled(torch.randn(rows, 8))[:, 0].sum().backward()
    assert backend.count == 2
    script = tmp_path / "run.py"
    script.write_text(RUN_REGION)
    for number, phase in ((0, "forward"), (1, "backward")):
        for kind in ("eager", "openmp"):
            command = [
                sys.executable,
                str(script),
                f"{tmp_path}/{number}.json",
                f"{tmp_path}/{number}.pt",
                kind,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert done.stdout.split()[0] == phase
