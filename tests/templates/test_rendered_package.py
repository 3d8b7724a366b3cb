"""The rendered packages as a vendor gets them: built, installed, tested, conformance included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from torchport.tools.scaffold import Scaffolded, new
from torchport.tools.templates import discover

pytestmark = pytest.mark.slow


class Environment:
    """A fresh virtual environment that also sees what is installed here; nothing is installed here."""

    def __init__(self, directory: Path) -> None:
        venv.create(directory, with_pip=False, symlinks=True)
        self.python = directory / "bin" / "python"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        ours = directory / "lib" / version / "site-packages" / "outer.pth"
        # addsitedir, unlike a plain path, reads the .pth files there: torchport may be installed editable.
        ours.write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")

    def run(self, *arguments: str, cwd: Path, codes: tuple[int, ...] = (0,)) -> str:
        """Runs python with arguments; returns stdout, fails the test on another exit code."""
        scripts = sysconfig.get_path("scripts")
        environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        environment["TORCHPORT_CACHE_DIR"] = str(self.python.parents[1] / "cache")
        command = [str(self.python), *arguments]
        ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
        assert ran.returncode in codes, f"{command}\n{ran.stdout[-6000:]}\n{ran.stderr[-6000:]}"
        return ran.stdout

    def install(self, package: Scaffolded, *options: str) -> None:
        pip = (
            "-m",
            "pip",
            "install",
            "-q",
            "--no-build-isolation",
            "--no-deps",
            "--disable-pip-version-check",
        )
        self.run(*pip, *options, str(package.directory), cwd=package.directory)

    def torchport(self, *arguments: str, cwd: Path, codes: tuple[int, ...] = (0,)) -> str:
        return self.run("-c", "from torchport.cli import main; main()", *arguments, cwd=cwd, codes=codes)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "venv")


@pytest.mark.parametrize(("level", "kernels"), [(t.level, t.kernels) for t in discover().templates])
def test_builds_installs_and_passes_its_own_tests(
    level: str, kernels: str, environment: Environment, tmp_path: Path
) -> None:
    package = new("probe_accel", level=level, kernels=kernels, directory=tmp_path)
    environment.install(package)
    listed = json.loads(environment.torchport("backends", "--json", cwd=tmp_path, codes=(0, 1)))
    (entry,) = [b for b in listed if b["name"] == "probe_accel"]
    assert entry["error"] is None and entry["version"] == "0.1.0"
    assert entry["abi"] == ("1.0" if kernels == "cpp" else None)
    out = environment.run("-m", "pytest", "-q", "-W", "error", str(package.directory), cwd=tmp_path)
    assert " passed" in out and "skipped" not in out and "failed" not in out


def test_an_editable_cpp_package_finds_its_library_and_its_faults_are_reported(
    environment: Environment, tmp_path: Path
) -> None:
    package = new("probe_accel", kernels="cpp", directory=tmp_path)
    environment.install(package, "--editable")
    code = (
        "import probe_accel.kernels as k, torch\n"
        "print(k.__file__); print(*k.library.kernel_names)\n"
        "x, y = torch.randn(3, 4), torch.empty(4)\n"
        "k.library.kernel('sum')((x,), (y,), ((0,), False, None))\n"
        "print(torch.allclose(y, x.sum(0)))"
    )
    origin, names, right = environment.run("-c", code, cwd=tmp_path).splitlines()
    assert Path(origin) == package.directory / "src" / "probe_accel" / "kernels.py"
    assert names.split() == ["gelu", "add", "mul", "softmax", "sum"]
    assert right == "True"

    source = package.directory / "native" / "kernels.cpp"
    healthy = source.read_text()
    planted = (
        "void gelu(const tp_run_args* args) {\n  if (args->inputs[0]->dl.ndim == 1) *(volatile int*)0 = 0;"
    )
    source.write_text(healthy.replace("void gelu(const tp_run_args* args) {", planted, 1))
    environment.install(package, "--editable")
    select = ("--select", "aten.gelu.default", "--select", "aten.mul.Tensor")
    command = ("conformance", "probe_accel", *select, "--jobs", "2", "--json", "report.json")
    environment.torchport(*command, cwd=tmp_path, codes=(1,))
    report = json.loads((tmp_path / "report.json").read_text())
    crashes = [case for case in report["cases"] if case["status"] == "crashed"]
    assert crashes and all(case["id"].startswith("aten.gelu.default[") for case in crashes)
    assert all("SIGSEGV" in case["message"] for case in crashes)
    tally = report["by_op"]["aten.mul.Tensor"]
    assert tally["passed"] > 0 and tally["failed"] == 0  # the run went on

    source.write_text(healthy.replace("TP_ABI_MAJOR", "TP_ABI_MAJOR + 1"))
    environment.install(package, "--editable")
    listed = json.loads(environment.torchport("backends", "--json", cwd=tmp_path, codes=(1,)))
    errors = {entry["name"]: entry["error"] for entry in listed}
    assert "kernel ABI" in errors["probe_accel"]
    assert errors["torchport_openmp"] is None
