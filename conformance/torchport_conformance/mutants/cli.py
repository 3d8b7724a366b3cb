"""``torchport mutants``: how many planted faults the suite finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from torchport.errors import OptionError, TorchportError
from torchport_conformance.cases.profiles import PROFILES
from torchport_conformance.corpus import frozen as frozen_corpus
from torchport_conformance.environment import environment
from torchport_conformance.mutants.kill import run
from torchport_conformance.mutants.mutant import Mutant, frozen
from torchport_conformance.mutants.programs import right
from torchport_conformance.mutants.results import published
from torchport_conformance.mutants.samples import OPINFO, run_samples
from torchport_conformance.mutants.table import Fate, KillTable
from torchport_conformance.mutants.trial import OP_LAYERS
from torchport_conformance.progress import RunProgress
from torchport_conformance.selection import shard_of

EXIT_USAGE = 2


def mutants(
    profile: Annotated[
        str,
        typer.Option(help=f"One of: {', '.join(PROFILES)}; or {OPINFO}, PyTorch's samples and tolerances."),
    ] = "quick",
    select: Annotated[
        list[str] | None,
        typer.Option(help="A mutation operator, an operator, or the id of a mutant; may be repeated."),
    ] = None,
    layer: Annotated[
        list[str] | None, typer.Option(help=f"Only these layers; may be repeated: {', '.join(OP_LAYERS)}.")
    ] = None,
    all_cases: Annotated[
        bool, typer.Option(help="Run every case, also when one has failed: tells which cases kill nothing.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Mutants that are tried at the same time.")] = 1,
    shard: Annotated[str, typer.Option(help="i/n: the i-th of n parts of the mutants.")] = "1/1",
    seed: Annotated[int, typer.Option(help="Changes every value of every case.")] = 0,
    seconds: Annotated[float | None, typer.Option(help="Begin no trial later than this.")] = None,
    journal: Annotated[Path | None, typer.Option(help="File that fates are written to as they come.")] = None,
    resume: Annotated[bool, typer.Option(help="Run what the journal lacks.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for the kill table.")] = None,
) -> None:
    """Runs the suite on kernels with planted faults, the published list of mutants.

    Exit status: 0 every mutant was killed or is known to be equivalent, 1 some survive, 2 usage, 3 some were
        not tried, or could not be judged.
    """
    console = Console(stderr=True)
    try:
        chosen = selected(select)
        part = index, count = shard_of(shard)
        mine = chosen[index - 1 :: count]
        with RunProgress(console, f"mutants under {profile}", len(mine)) as progress:

            def show(fate: Fate) -> None:
                progress.count(not fate.killed)
                console.print(escape(_line(fate)), highlight=False, soft_wrap=True)

            if profile == OPINFO:
                table = run_samples(mine, seconds=seconds, on_fate=show)
            else:
                table = run(
                    profile,
                    chosen=chosen,
                    layers=OP_LAYERS if layer is None else layer,
                    stop_at_first=not all_cases,
                    seed=seed,
                    shard=part,
                    jobs=jobs,
                    journal=journal,
                    resume=resume,
                    seconds=seconds,
                    hints=_known_killers(),
                    on_fate=show,
                )
    except TorchportError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        raise typer.Exit(EXIT_USAGE) from error
    table = replace(table, environment=_environment(profile))
    if json_file is not None:
        json_file.write_text(table.to_json(), "utf-8")
    missing = len(mine) - len(table.fates)
    raise typer.Exit(_summarize(table, missing, Console()))


def selected(texts: list[str] | None) -> tuple[Mutant, ...]:
    """The mutants of the published list that texts name.

    Raises:
        OptionError: a text names none.
    """
    if texts is None:
        return frozen()
    unknown = [t for t in texts if not any(t in (m.fault, m.op, m.id) for m in frozen())]
    if unknown:
        hint = "a mutation operator, an operator with overload, or a line of mutants/frozen.txt"
        raise OptionError("no mutant of the published list is called so", got=unknown[0], hint=hint)
    return tuple(m for m in frozen() if {m.fault, m.op, m.id} & set(texts))


def _known_killers() -> dict[str, list[str]]:
    """The cases that killed a mutant in the published results, tried first."""
    found: dict[str, list[str]] = {}
    for table in published().tables.values():
        for fate in table.fates:
            if fate.killed:
                found.setdefault(fate.mutant, []).append(fate.killer)
    return found


def _environment(profile: str) -> dict[str, str]:
    """What the figures depend on."""
    facts = environment(right())
    kept = {name: facts[name] for name in ("torchport", "torch", "python", "processor", "contract sha256")}
    return kept if profile == OPINFO else {**kept, "corpus": frozen_corpus(profile).digest}


def _line(fate: Fate) -> str:
    if fate.killed:
        return f"{fate.mutant}: killed by {fate.killer} ({fate.cause or 'no known cause'})"
    return f"{fate.mutant}: {f'not judged: {fate.unjudged}' if fate.unjudged else 'survives'}"


def _summarize(table: KillTable, missing: int, console: Console) -> int:
    """Prints the figures; returns the exit code."""
    unjudged = sum(bool(f.unjudged) for f in table.fates)
    console.print(
        f"{table.profile}: {table.killed} of {len(table.judged)} mutants killed ({table.rate:.1%}), "
        f"{unjudged} not judged, {missing} not tried, {table.seconds:.0f} s",
        highlight=False,
        soft_wrap=True,
    )
    return 3 if unjudged or missing else 1 if table.survivors else 0
