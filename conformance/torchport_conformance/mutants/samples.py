"""Kill runs under the samples and tolerances of PyTorch's own operator tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from torchport_conformance.mutants.mutant import Mutant
from torchport_conformance.mutants.opinfo import SampleFate, fate_under_samples, infos_reaching
from torchport_conformance.mutants.programs import ProgramFault
from torchport_conformance.mutants.table import Fate, KillTable

OPINFO = "opinfo"
NOT_REACHED = "no sample of an OpInfo calls the operator"


def run_samples(
    chosen: Sequence[Mutant],
    *,
    infos: Mapping[str, Sequence[str]] | None = None,
    seconds: float | None = None,
    on_fate: Callable[[Fate], None] | None = None,
) -> KillTable:
    """Runs mutants under OpInfo's samples, in this process.

    Args:
        chosen: the mutants.
        infos: for operators, the OpInfos that reach them; found out where None, which takes a minute.
        seconds: begin no mutant later than this.
        on_fate: called with each fate as it comes.
    """
    started, fates = time.monotonic(), list[Fate]()
    reach = infos_reaching() if infos is None else infos
    for mutant in chosen:
        begun = time.monotonic()
        if seconds is not None and begun - started > seconds:
            break
        names = () if isinstance(mutant.planted, ProgramFault) else reach.get(mutant.op, ())
        found = fate_under_samples(mutant, names) if names else SampleFate(mutant.id, 0, 0, 0)
        fates.append(fate_of_samples(found, time.monotonic() - begun))
        if on_fate is not None:
            on_fate(fates[-1])
    return KillTable(OPINFO, 0, tuple(fates), time.monotonic() - started)


def fate_of_samples(found: SampleFate, seconds: float) -> Fate:
    """A fate in a kill table: ``cases`` are samples, ``available`` are calls of the faulty kernel."""
    return Fate(
        found.mutant,
        OPINFO,
        killer=found.killer,
        layer="op" if found.killer else "",
        cases=found.samples,
        available=found.calls,
        seconds=seconds,
        unjudged="" if found.calls else NOT_REACHED,
    )
