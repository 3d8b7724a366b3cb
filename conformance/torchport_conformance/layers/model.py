"""Public architectures as cases: inference and training through ``torch.compile``, judged against float64.

The quick profile has two tiny ones, inference and training profiles a declared few, full some more; all of
the table runs with ``torchport conformance --models``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from torchport_conformance.execution import describe
from torchport_conformance.layers import Request
from torchport_conformance.layers.calls import Breadth, breadth
from torchport_conformance.layers.named import NamedCase
from torchport_conformance.obligation import FELL_BACK
from torchport_conformance.public_models.judge import Subject as Architecture, SubjectError, judge_mode
from torchport_conformance.public_models.results import MODES, Mode, ModeResult, Phase, Shapes, Verdict
from torchport_conformance.public_models.table import public_model
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject

LAYER = "model"
QUICK = {"gpt2": Phase.TRAINING, "resnet": Phase.INFERENCE}
"""Architectures of the quick profile, and what each is used for."""
USUAL = ("gpt2", "bert", "llama", "resnet", "vit", "t5")
"""Architectures of the inference and training profiles."""
ALL = (*USUAL, "qwen3", "phi", "convnext", "whisper", "clip", "mamba")
"""Architectures of the full profile."""
_STATUS: Mapping[Verdict, Status] = {
    Verdict.RIGHT: Status.PASSED,
    Verdict.WRONG: Status.FAILED,
    Verdict.EXCUSED: Status.EAGER_DEFECT,
    Verdict.SHORT: Status.SUITE,
}


def cases(request: Request) -> Iterator[NamedCase]:
    """Each architecture in the modes of the profile."""
    wide = breadth(request.profile)
    if wide is Breadth.FEW:
        for name, phase in QUICK.items():
            yield _case(name, Mode(phase, Shapes.STATIC))
        return
    for name in ALL if wide is Breadth.ALL else USUAL:
        for mode in MODES:
            if mode.phase is Phase.INFERENCE or request.profile.gradients:
                yield _case(name, mode)


def _case(name: str, mode: Mode) -> NamedCase:
    text = f"{mode.phase} of {name} with {mode.shapes} shapes"
    return NamedCase(LAYER, name, text, f"{mode.phase}-{mode.shapes}")


@cache
def _architecture(name: str, seed: int) -> Architecture:
    return Architecture(public_model(name), seed)


class Runner:
    """Judges architectures by the rule of :mod:`torchport_conformance.public_models.judge`."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed

    def run(self, case: NamedCase) -> CaseResult:
        """The result of one architecture in one mode."""
        if self.subject.backend is None:
            return result_of(
                case, Status.UNCLAIMED, f"not run at the level {self.subject.level}", cause="level"
            )
        mode = next(m for m in MODES if f"{m.phase}-{m.shapes}" == case.variant)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = judge_mode(_architecture(case.name, self.seed), mode, self.subject.backend)
        except (SubjectError, ImportError) as error:
            return result_of(case, Status.SUITE, describe(error), cause="no reference")
        return self._result(case, found)

    def _result(self, case: NamedCase, found: ModeResult) -> CaseResult:
        status = _STATUS[found.verdict]
        if status is Status.FAILED and found.claimed == 0 and found.tensors:
            status = Status.UNCLAIMED
        if status is Status.PASSED and found.refused:
            return result_of(case, Status.UNCLAIMED, found.refused, cause=FELL_BACK)
        on_it = f"{found.claimed} of {found.claimed + sum(found.fallback.values())} nodes ran on the backend"
        text = f"{found.reason}\n{on_it}" if found.reason else on_it if found.fallback else ""
        cause = "" if status is Status.PASSED else "wrong tensors" if "wrong" in found.reason else "exception"
        return replace(result_of(case, status, text, cause=cause), bound_ratio=found.ratio)
