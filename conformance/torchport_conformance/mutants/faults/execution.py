"""Kernels that raise, crash, hang, refuse, answer differently from run to run, or never check."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterable

import torch

from torchport.contract.spec import OpSpec
from torchport_conformance.mutants.fault import Fault, computes_values, floats_of, tensors_of
from torchport_conformance.mutants.faults.extent import any_values
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call


def _raises(call: Call, variant: str) -> None:
    raise KernelError("no such instruction")


def _raises_if_strided(call: Call, variant: str) -> None:
    if not all(x.is_contiguous() for _, x in call.tensors()):
        raise KernelError("view size is not compatible with the operand's size and stride")
    call.write(call.right())


def _segfaults(call: Call, variant: str) -> None:
    ctypes.string_at(0)


def _segfaults_on_empty(call: Call, variant: str) -> None:
    if any(not x.numel() for _, x in call.tensors()):
        ctypes.string_at(0)
    call.write(call.right())


def _exits(call: Call, variant: str) -> None:
    os._exit(0)


def _hangs(call: Call, variant: str) -> None:
    time.sleep(3600)


def _differs(call: Call, variant: str) -> None:
    """A race: in one call of three, half of the results are those of an operand not yet written."""
    calls = call.cache.setdefault("calls", [0])
    calls[0] += 1
    results = call.right()
    if calls[0] % 3 == 0:
        results = [
            torch.where(torch.arange(r.numel()).reshape(r.shape) % 2 == 0, r, torch.zeros_like(r))
            for r in results
        ]
    call.write(results)


def _last_bits_differ(call: Call, variant: str) -> None:
    """Sums in the order in which threads end: other last bits in every run."""
    calls = call.cache.setdefault("calls", [0])
    calls[0] += 1
    results = []
    for r in call.right():
        turned = r.is_floating_point() and calls[0] % 2 == 0
        results.append(torch.nextafter(r, torch.full_like(r, torch.inf)) if turned else r)
    call.write(results)


def _shared_scratch(call: Call, variant: str) -> None:
    """One scratch buffer for all threads."""
    results = call.right()
    for i, (out, result) in enumerate(zip(call.outs, results, strict=True)):
        key = (i, tuple(result.shape), result.dtype)
        scratch = call.cache.setdefault(key, torch.empty_like(result, memory_format=torch.contiguous_format))
        scratch.copy_(result)
        if threading.active_count() > 1:
            time.sleep(0.001)
        out.copy_(scratch)


def _unchecked(call: Call, variant: str) -> None:
    """Whatever PyTorch refuses is answered with zeros."""
    try:
        call.write(call.right())
    except (RuntimeError, IndexError, ValueError, TypeError):
        for out in call.outs:
            out.zero_()


def _refusing(spec: OpSpec) -> Iterable[str]:
    return ("",) if spec.errors and tensors_of(spec) else ()


def _computed(spec: OpSpec) -> Iterable[str]:
    return ("",) if tensors_of(spec) and computes_values(spec) and list(any_values(spec)) else ()


def _deterministic(spec: OpSpec) -> Iterable[str]:
    sums = spec.numerics.kind in ("reduction", "dot", "ulp") and spec.deterministic
    return ("",) if sums and tensors_of(spec) else ()


FAULTS = (
    Fault("raises", "the kernel raises", ("crash", "missing-validation"), _raises, any_values),
    Fault(
        "strided-refused",
        "an operand that is not row-major is refused",
        ("memory-format",),
        _raises_if_strided,
        _computed,
    ),
    Fault("crashes", "the kernel reads address 0", ("crash",), _segfaults, any_values, isolated=True),
    Fault(
        "crashes-on-empty",
        "the kernel reads address 0 where an operand is empty",
        ("empty-tensor", "crash"),
        _segfaults_on_empty,
        _computed,
        isolated=True,
    ),
    Fault("exits", "the kernel ends the process", ("crash",), _exits, any_values, isolated=True),
    Fault("hangs", "the kernel does not end", ("crash",), _hangs, any_values, isolated=True),
    Fault("answers-differ", "a race spoils one call of three", (), _differs, _computed),
    Fault(
        "last-bits-differ",
        "the last bits differ from run to run",
        (),
        _last_bits_differ,
        _deterministic,
        floats_of,
    ),
    Fault("scratch-shared", "threads share a scratch buffer", (), _shared_scratch, _computed),
    Fault(
        "unchecked",
        "what PyTorch refuses is answered with zeros",
        ("missing-validation", "float-to-int-overflow"),
        _unchecked,
        _refusing,
    ),
)
