"""Backends that do to their process what real ones have done, each on one case of a run."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from planted_faults import Clean

import torchport as tp
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case


def signature(op: str, operands: list[torch.Tensor]) -> str:
    """What tells a case from every other inside of a kernel: the operator and its operands' values."""
    digest = hashlib.sha256(op.encode())
    for tensor in operands:
        plain = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
        digest.update(f"{plain.dtype}{list(plain.shape)}".encode())
        digest.update(plain.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def on(actions: Mapping[Case, str], seed: int = 0) -> dict[str, str]:
    """The actions by the signatures of their cases."""
    found = {}
    for case, action in actions.items():
        values = oracle.operands(case, seed)
        found[signature(case.op, [values[name] for name, _ in case.tensors()])] = action
    return found


class Disastrous(Clean):
    """Runs a few operators right, and does something else where a case is in ``actions``.

    ``notes`` is a folder that a kernel can write to, whatever becomes of its process.
    """

    ops = (
        *("aten.mul.Tensor", "aten.sub.Tensor", "aten.add.Tensor", "aten.div.Tensor"),
        *("aten.maximum.default", "aten.minimum.default"),
    )

    def __init__(self, actions: Mapping[str, str], notes: str = "") -> None:
        self.actions, self.notes, self.poisoned = dict(actions), notes, False

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess | tp.Refusal:
        made = super().compile(region, target, options)
        kernel, op = made.fn, region.nodes[0].op

        def run(args, outs, stream=None, *, symbols=()):
            action = self.actions.get(signature(op, list(args)))
            if action is not None:
                ACTIONS[action](self)
            kernel(args, outs, stream, symbols=symbols)

        return tp.InProcess(run, destination=True)

    def reset_device(self, target: tp.Target) -> None:
        if self.notes:
            with (Path(self.notes) / "resets").open("a") as file:
                file.write("reset\n")


def segfault(backend: Disastrous) -> None:
    ctypes.string_at(0)


def hang(backend: Disastrous) -> None:
    time.sleep(3600)


def hang_with_the_interpreter(backend: Disastrous) -> None:
    """Ignores what asks it to stop, and lets no other thread of Python run."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ctypes.PyDLL(None).sleep(3600)


def overflow(backend: Disastrous) -> None:
    sys.setrecursionlimit(10**7)

    def down(depth: int) -> list[object]:
        return list(map(down, [depth + 1]))

    down(0)


def want_too_much(backend: Disastrous) -> None:
    bytearray(2**33)


def hoard(backend: Disastrous) -> None:
    """Comes to hold memory that no limit of the process counts."""
    backend.hoarded = mmap.mmap(-1, 3 * 2**29)
    for start in range(0, 3 * 2**29, 2**26):
        backend.hoarded[start : start + 2**26] = bytes(2**26)
    time.sleep(3600)


def close_everything(backend: Disastrous) -> None:
    os.closerange(3, 1024)
    time.sleep(3600)


def write_everywhere(backend: Disastrous) -> None:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\xff" * 64)
        except OSError:
            continue
    time.sleep(3600)


def flood(backend: Disastrous) -> None:
    for _ in range(64):
        os.write(1, b"x" * 2**20)
        os.write(2, b"y" * 2**20)


def leave_a_child(backend: Disastrous) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
    (Path(backend.notes) / "child").write_text(str(child.pid))


def delete_the_directory(backend: Disastrous) -> None:
    try:
        shutil.rmtree(os.getcwd())
    except FileNotFoundError:  # a case may be run again, and the directory is gone by then
        return


def crash_elsewhere(backend: Disastrous) -> None:
    threading.Thread(target=segfault, args=[backend]).start()


def poison(backend: Disastrous) -> None:
    backend.poisoned = True


def trip(backend: Disastrous) -> None:
    if backend.poisoned:
        segfault(backend)


ACTIONS: Mapping[str, Callable[[Disastrous], None]] = {
    "segfault": segfault,
    "hang": hang,
    "hold": hang_with_the_interpreter,
    "exit": lambda backend: os._exit(0),
    "abort": lambda backend: os.abort(),
    "leave": lambda backend: sys.exit(3),
    "overflow": overflow,
    "want": want_too_much,
    "hoard": hoard,
    "close": close_everything,
    "write": write_everywhere,
    "flood": flood,
    "child": leave_a_child,
    "delete": delete_the_directory,
    "thread": crash_elsewhere,
    "poison": poison,
    "trip": trip,
}
