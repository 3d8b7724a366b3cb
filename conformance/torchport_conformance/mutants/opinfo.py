"""The same mutants under the samples and tolerances that PyTorch tests devices with.

For each mutant, the OpInfos whose samples reach its operator are run as the tests of a device would: every
sample contiguous and non-contiguous, forward and, where the OpInfo has gradients, backward, each compared
with the unmutated run by ``torch.testing.assert_close`` under its default tolerances or, where that is wider,
the OpInfo's own override. Random operators are seeded alike for both runs. That is more than PyTorch's own
tests do, which skip several of these for many OpInfos.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves

from torchport.contract.dtype_rules import dtype_from_name
from torchport_conformance.mutants.dispatch import Planted, reached
from torchport_conformance.mutants.kernel import ANY_DTYPE
from torchport_conformance.mutants.mutant import Mutant

REFUSALS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AttributeError, KeyError)
_UNUSABLE = (*REFUSALS, AssertionError)
_RECORDED = 12
_INFOS = 16
_FIRST = (torch.float32, torch.int64, torch.bool, torch.complex64)


@dataclass(frozen=True, slots=True)
class SampleFate:
    """What became of a mutant under OpInfo's samples.

    ``infos`` are the OpInfos that reach the operator, ``samples`` how many were run, ``calls`` how many calls
    ran the faulty kernel; ``killer`` names the OpInfo whose sample failed first.
    """

    mutant: str
    infos: int
    samples: int
    calls: int
    killer: str = ""


def infos_reaching(record: Callable[[str, int], None] | None = None) -> Mapping[str, Sequence[str]]:
    """For each operator, the OpInfos whose first samples call it, in the order of PyTorch's list.

    Args:
        record: called with each OpInfo's name and how many operators its samples call.
    """
    found: dict[str, list[str]] = {}
    for info in op_db:
        names: set[str] = set()
        dtype = next((d for d in _FIRST if d in info.dtypes), None)
        if dtype is not None:
            for sample in _samples(info, dtype, gradients=False, limit=_RECORDED):
                names |= _reached(_forward, info, sample)
            for sample in _samples(info, dtype, gradients=info.supports_autograd, limit=2):
                names |= _reached(_with_gradients, info, sample)
        for name in names:
            found.setdefault(name, []).append(_name(info))
        if record is not None:
            record(_name(info), len(names))
    return found


def _reached(run: Callable[[Any, Any], Any], info: Any, sample: Any) -> frozenset[str]:
    try:
        return reached(lambda: run(info, sample))
    except _UNUSABLE:
        return frozenset()


def fate_under_samples(mutant: Mutant, infos: Sequence[str]) -> SampleFate:
    """Runs one mutant under the samples of these OpInfos, those named like its operator first."""
    stem = mutant.op.split(".")[1]
    ordered = sorted(infos, key=lambda name: (_stem(name) != stem, _stem(name) not in stem))
    samples = calls = 0
    for name in ordered[:_INFOS]:
        info = _by_name()[name]
        for dtype in _dtypes(info, mutant):
            for gradients in (False, True):
                if gradients and not (
                    info.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
                ):
                    continue
                for sample in _samples(info, dtype, gradients=gradients, limit=400):
                    samples += 1
                    killed, ran = _kills(info, sample, dtype, mutant, gradients=gradients)
                    calls += ran
                    if killed:
                        return SampleFate(mutant.id, len(infos), samples, calls, name)
    return SampleFate(mutant.id, len(infos), samples, calls)


def _kills(
    info: Any, sample: Any, dtype: torch.dtype, mutant: Mutant, *, gradients: bool
) -> tuple[bool, int]:
    """Whether a sample fails on the mutant where it passes on the right kernel, and how often it was run."""
    calls = 0
    for given in _forms(sample):
        run = _with_gradients if gradients else _forward
        try:
            wanted = _seeded(run, info, given, nullcontext())
        except _UNUSABLE:
            continue
        mode = Planted(mutant)
        try:
            got = _seeded(run, info, given, mode)
        except (AssertionError, *REFUSALS):
            return bool(mode.calls), calls + mode.calls
        finally:
            calls += mode.calls
        if not _is_close(info, dtype, got, wanted):
            return bool(mode.calls), calls
    return False, calls


def _forms(sample: Any) -> Iterable[Any]:
    """The sample, and its non-contiguous form where PyTorch can make one: not of sparse operands."""
    yield sample
    try:
        yield sample.noncontiguous()
    except REFUSALS:
        return


def _seeded(run: Callable[[Any, Any], Any], info: Any, sample: Any, context: Any) -> Any:
    torch.manual_seed(0)
    with warnings.catch_warnings(), context:
        warnings.simplefilter("ignore")
        return run(info, sample)


def _forward(info: Any, sample: Any) -> list[Any]:
    with torch.no_grad():
        return list(tree_leaves(info(sample.input, *sample.args, **sample.kwargs)))


def _with_gradients(info: Any, sample: Any) -> list[Any]:
    leaves = [x for x in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(x, Tensor)]
    wanted = [x for x in leaves if x.requires_grad]
    results = list(tree_leaves(info(sample.input, *sample.args, **sample.kwargs)))
    losses = [r for r in results if isinstance(r, Tensor) and r.requires_grad]
    if not wanted or not losses:
        return results
    total = torch.stack([(r.abs() if r.is_complex() else r).sum().double() for r in losses]).sum()
    return [*results, *torch.autograd.grad(total, wanted, allow_unused=True)]


def _is_close(info: Any, dtype: torch.dtype, got: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether results differ by no more than PyTorch's tests allow."""
    if len(got) != len(wanted):
        return False
    for actual, expected in zip(got, wanted, strict=True):
        if not isinstance(expected, Tensor) or not isinstance(actual, Tensor):
            if actual != expected and actual == actual:
                return False
            continue
        if expected.layout is not torch.strided:
            continue
        rtol, atol = _tolerances(info, dtype, expected.dtype)
        try:
            torch.testing.assert_close(
                actual.detach(), expected.detach(), rtol=rtol, atol=atol, equal_nan=True, check_stride=False
            )
        except AssertionError:
            return False
    return True


def _tolerances(info: Any, dtype: torch.dtype, result: torch.dtype) -> tuple[float, float]:
    rtol, atol = torch.testing._comparison.default_tolerances(result)
    for decorator in info.decorators:
        for wrapped in getattr(decorator, "decorators", ()):
            override = getattr(wrapped, "d", {}).get(dtype)
            if isinstance(override, float):  # precisionOverride gives the absolute one alone
                atol = max(atol, override)
            elif override is not None:
                rtol, atol = max(rtol, override.rtol), max(atol, override.atol)
    return rtol, atol


def _dtypes(info: Any, mutant: Mutant) -> list[torch.dtype]:
    """The mutant's dtype where the OpInfo has it, else what it has first: other operands may have it."""
    first = next((d for d in _FIRST if d in info.dtypes), None)
    own = None if mutant.dtype == ANY_DTYPE else dtype_from_name(mutant.dtype)
    if own is not None and own in info.dtypes:
        return [own]
    return [] if first is None else [first]


def _samples(info: Any, dtype: torch.dtype, *, gradients: bool, limit: int) -> list[Any]:
    torch.manual_seed(0)
    try:
        return list(islice(info.sample_inputs("cpu", dtype, requires_grad=gradients), limit))
    except REFUSALS:
        return []


def _name(info: Any) -> str:
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else str(info.name)


def _stem(name: str) -> str:
    return name.rpartition(".")[2]


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, Any]:
    return {_name(info): info for info in op_db}
