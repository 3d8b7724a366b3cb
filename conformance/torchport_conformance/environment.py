"""What a run stood on: versions, machine, compiler, device, driver, precision switches. It is in every report
and certificate.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch

from torchport.contract.opset import opset
from torchport.tools.environment import devices, tool
from torchport.version import __version__
from torchport_conformance.precision_switches import switches
from torchport_conformance.specs import VERSION
from torchport_conformance.subject import Subject


def environment(subject: Subject) -> Mapping[str, str]:
    """The environment of a run of ``subject``, by name."""
    return dict(_facts(subject))


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    yield "torchport", __version__
    yield "torch", torch.__version__
    yield "python", platform.python_version()
    yield "platform", platform.platform()
    yield "processor", _processor()
    compiler = tool("C++ compiler", os.environ.get("CXX") or "c++", "")
    if compiler.state == "ok":
        yield "compiler", compiler.found.rpartition(" (")[0]
    yield "level", subject.level
    yield "device", subject.device
    for found in devices():
        if found.state == "ok":
            yield found.what, found.found
    if subject.backend is not None:
        target = subject.backend.targets()[0]
        yield "target", " ".join((target.arch, *target.features))
    yield from switches(subject.device)
    yield "contract sha256", opset(VERSION).sha256


def _processor() -> str:
    """The processor's name, and how many of it this process may use."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{next(names, platform.processor() or platform.machine())}, {usable} usable"
