"""What around torchport changes what it does: toolchains that have to work, devices, variables, PyTorch's
settings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torchport.tools.finding import Finding

PROBE = """\
#include <omp.h>
#include <cmath>
int main() {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < 1000; ++i) total += std::sqrt(double(i) * i);
  return total == 499500.0 && omp_get_max_threads() > 0 ? 0 : 3;
}
"""
SECONDS = 60

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "TORCHPORT_CACHE_DIR": "where compiled code is kept",
        "TORCHPORT_CACHE_LIMIT_MB": "most MiB that it may take",
        "TORCHPORT_DEBUG": "tracebacks instead of messages",
        "TORCHPORT_DUMP": "stages whose results are written as text; nothing is cached then",
        "TORCHPORT_DUMP_DIR": "where they are written",
        "TORCHPORT_SHAPE_RULES_H": "the header that the build of shape rules reads",
    }
)
"""Environment variables that torchport reads."""

SILENCING: Mapping[str, str] = MappingProxyType(
    {
        "TORCHDYNAMO_DISABLE": "torch.compile does nothing",
        "TORCH_COMPILE_DISABLE": "torch.compile does nothing",
        "TORCHDYNAMO_SUPPRESS_ERRORS": "errors of a backend become silent fallbacks to eager PyTorch",
        "TORCH_CACHING_PRECOMPILE": "PyTorch ignores which backend compiled an artifact: one backend may be "
        "handed the code of another",
    }
)
"""Variables of PyTorch that hide what a backend does."""


def toolchains() -> Iterator[Finding]:
    """The C++ compiler, by a program that it has to compile and that has to run; build tools; device
    compilers.
    """
    yield from _cxx()
    yield tool("cmake", "cmake", "pip install cmake")
    yield tool("ninja", "ninja", "pip install ninja")
    yield tool("CUDA compiler", "nvcc", "only needed for kernels in CUDA")
    yield tool("HIP compiler", "hipcc", "only needed for kernels in HIP")
    try:
        yield Finding("triton", "ok", metadata.version("triton"))
    except metadata.PackageNotFoundError:
        yield Finding("triton", "missing", "not installed", "only needed for kernels in Triton")


def tool(what: str, command: str, hint: str) -> Finding:
    """A program that has to be there and to say its version."""
    path = shutil.which(command)
    if path is None:
        return Finding(what, "missing", f"{command} is not on PATH", hint)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(what, "broken", f"{path}: {error}", hint)
    lines = [line for line in answer.stdout.splitlines() if line.strip()]
    named = next((line for line in lines if "release" in line), lines[0] if lines else "")
    return Finding(what, "ok", f"{named.strip()} ({path})")


def _cxx() -> Iterator[Finding]:
    command = os.environ.get("CXX") or next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), "c++")
    hint = "install a C++17 compiler, or name one in CXX"
    found = tool("C++ compiler", command, hint)
    yield found
    if found.state != "ok":
        return
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "probe.cpp", Path(folder) / "probe"
        source.write_text(PROBE)
        arguments = [command, "-std=c++17", "-O2", "-fopenmp", str(source), "-o", str(program)]
        problem = _run(arguments) or _run([str(program)])
    if problem:
        yield Finding("C++ with OpenMP", "broken", problem, "repair the compiler or its OpenMP runtime")
    else:
        yield Finding("C++ with OpenMP", "ok", "compiles and runs")


def _run(arguments: list[str]) -> str:
    """What went wrong; empty when nothing did."""
    try:
        ran = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if ran.returncode == 0:
        return ""
    said = (ran.stderr or ran.stdout).strip().partition("\n")[0]
    return f"{Path(arguments[0]).name} ended with {ran.returncode}: {said}"


def devices() -> Iterator[Finding]:
    """The accelerators that PyTorch can use. One that the system has and PyTorch cannot open is broken."""
    import torch

    builds = {"cuda": torch.version.cuda or torch.version.hip, "xpu": getattr(torch.version, "xpu", None)}
    for kind, version in builds.items():
        module: Any = getattr(torch, kind)
        if module.is_available():
            names = ", ".join(str(module.get_device_name(i)) for i in range(module.device_count()))
            yield Finding(kind, "ok", f"{names}; runtime {version}{_driver(kind)}")
        elif version and Path("/dev/nvidiactl" if kind == "cuda" else "/dev/dri/renderD128").exists():
            yield Finding(
                kind,
                "broken",
                f"PyTorch was built for {version}, and cannot open the device that is there",
                "install a driver that is new enough for this PyTorch",
            )
        else:
            built = f"PyTorch was built for {version}" if version else "PyTorch was built without it"
            yield Finding(kind, "missing", f"no device; {built}")
    if torch.backends.mps.is_available():
        yield Finding("mps", "ok", "available")


def _driver(kind: str) -> str:
    if kind != "cuda" or shutil.which("nvidia-smi") is None:
        return ""
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ", driver unknown"
    return f", driver {answer.stdout.partition(chr(10))[0].strip()}"


def variables() -> Iterator[Finding]:
    """Variables of torchport that are set, unknown ones among them, and those of PyTorch that hide faults."""
    for name, value in sorted(os.environ.items()):
        if name.startswith("TORCHPORT_"):
            if name in VARIABLES:
                yield Finding(name, "ok", f"{value!r}: {VARIABLES[name]}")
            else:
                yield Finding(name, "warning", repr(value), f"torchport reads {', '.join(VARIABLES)}")
    for name, effect in SILENCING.items():
        value = os.environ.get(name, "")
        if value not in ("", "0"):
            yield Finding(name, "warning", f"{value!r}: {effect}", f"unset {name}")


def settings() -> Iterator[Finding]:
    """Settings of Dynamo and AOTAutograd that differ from PyTorch's defaults in this process."""
    import torch._dynamo.config
    import torch._functorch.config

    dynamo, functorch = torch._dynamo.config, torch._functorch.config
    for config in (dynamo, functorch):
        for line in config.codegen_config().splitlines():
            name, _, value = line.partition(" = ")
            yield Finding(name, "warning", value, "not PyTorch's default")
    if dynamo.caching_precompile:
        effect = SILENCING["TORCH_CACHING_PRECOMPILE"]
        yield Finding("torch._dynamo.config.caching_precompile", "warning", f"True: {effect}", "leave it off")
