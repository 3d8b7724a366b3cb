"""What a backend does to its process: threads, determinism, memory, exit, global state, caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torchport_conformance.layers.system.memory as memory
import torchport_conformance.layers.system.processes as processes
import torchport_conformance.layers.system.state as state
import torchport_conformance.layers.system.threads as threads
from torchport_conformance.execution import describe
from torchport_conformance.layers import Request
from torchport_conformance.layers.calls import Breadth, breadth
from torchport_conformance.layers.named import NamedCase
from torchport_conformance.layers.system.workload import Finding, Trial
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject

LAYER = "system"
Check = Callable[[Trial], Finding]
CHECKS: Mapping[str, tuple[str, Check, Breadth]] = {
    "threads.one_object": (
        "one compiled function, called from four threads at once",
        threads.one_object,
        Breadth.FEW,
    ),
    "threads.many_compilations": (
        "four threads that each compile and run",
        threads.many_compilations,
        Breadth.SOME,
    ),
    "threads.two_backends": (
        "this backend and PyTorch's own in turn in one process",
        threads.two_backends,
        Breadth.FEW,
    ),
    "determinism.repeated": ("the same inputs twenty times", threads.repeated, Breadth.FEW),
    "determinism.thread_counts": (
        "the same inputs on one thread and on several",
        threads.thread_counts,
        Breadth.SOME,
    ),
    "memory.growth": (
        "many calls; memory of the process and of tensors stays",
        memory.growth,
        Breadth.FEW,
    ),
    "memory.past_2_31_bytes": (
        "an elementwise operator on a tensor of more than 2**31 bytes",
        memory.past_2_31_bytes,
        Breadth.ALL,
    ),
    "state.restored": ("global settings before and after compiling and running", state.restored, Breadth.FEW),
    "state.inputs": ("inputs before and after a call", state.inputs_kept, Breadth.FEW),
    "process.exit": (
        "a process that has compiled and run ends by itself with status 0",
        processes.ends,
        Breadth.SOME,
    ),
    "process.cache": (
        "a second process with other constants after a first one, over one cache",
        processes.stale_cache,
        Breadth.SOME,
    ),
    "process.loader": ("a DataLoader with worker processes after a call", processes.loader, Breadth.SOME),
}
"""Every check by name: what it does, the function, and the narrowest profiles that have it."""


def cases(request: Request) -> Iterator[NamedCase]:
    """The checks of the profile."""
    wide = breadth(request.profile)
    for name, (text, _, least) in CHECKS.items():
        if wide >= least:
            yield NamedCase(LAYER, name, text)


class Runner:
    """Runs each check on a small program of operators that most backends claim."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed

    def run(self, case: NamedCase) -> CaseResult:
        """The result of one check."""
        _, check, _ = CHECKS[case.name]
        trial = Trial(self.subject, case.seed(self.seed))
        try:
            found = check(trial)
        except Exception as error:  # noqa: BLE001 - what a backend raises here is its result
            return result_of(case, Status.FAILED, f"raised {describe(error)}", cause="exception")
        if found.not_run:
            return result_of(case, Status.UNCLAIMED, f"not run: {found.not_run}", cause="not run")
        if found.cause:
            return result_of(case, Status.FAILED, found.text, cause=found.cause)
        if trial.claims_nothing:
            text = "nothing of the program ran on the backend"
            return result_of(case, Status.UNCLAIMED, text, cause="fallback")
        return result_of(case, Status.PASSED, found.text)
