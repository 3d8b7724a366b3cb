"""``torchport conformance``: a command that torchport finds through the entry-point group
``torchport.commands``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from torchport.errors import OptionError, TorchportError
from torchport_conformance.cases.profiles import PROFILES, profile_named
from torchport_conformance.certificate.document import issue
from torchport_conformance.certificate.signature import private_key
from torchport_conformance.isolation.limits import Limits
from torchport_conformance.layers import LAYERS
from torchport_conformance.merging import merge as merge_journals
from torchport_conformance.progress import RunProgress
from torchport_conformance.public_models.results import ModelResult
from torchport_conformance.public_models.run import run_public_models
from torchport_conformance.report.model import CaseResult, Report, Status, denominators
from torchport_conformance.report.write import to_json
from torchport_conformance.running import started_nursery, workers
from torchport_conformance.selection import shard_of
from torchport_conformance.subject import subject_of
from torchport_conformance.suite import plan, run_plan

EXIT_USAGE = 2
_SHOWN = 2


def conformance(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="An installed backend, or module:Class; with --merge, journals of shards."
        ),
    ],
    profile: Annotated[str, typer.Option(help=f"One of: {', '.join(PROFILES)}.")] = "quick",
    select: Annotated[
        list[str] | None,
        typer.Option(help="An operator, with or without overload, or the id of a case; may be repeated."),
    ] = None,
    jobs: Annotated[
        str, typer.Option(help="Worker processes, or auto; 0 runs in this process, without isolation.")
    ] = "1",
    shard: Annotated[str, typer.Option(help="i/n: the i-th of n parts of the run.")] = "1/1",
    sample: Annotated[float, typer.Option(help="Share of the cases to run, chosen by their ids.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Changes every value of every case.")] = 0,
    report: Annotated[Path | None, typer.Option(help="Folder for the HTML, JUnit and JSON reports.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for the JSON report alone.")] = None,
    layer: Annotated[
        list[str] | None, typer.Option(help=f"Only these layers; may be repeated: {', '.join(LAYERS)}.")
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            help="dynamo; inductor: NAME is any backend of torch.compile; device: NAME is an eager device."
        ),
    ] = "dynamo",
    certificate: Annotated[
        Path | None, typer.Option(help="File for a certificate of a run that passed; needs --sign.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(help="The private key (PEM) that signs it: torchport certificate-key.")
    ] = None,
    models: Annotated[
        bool, typer.Option(help="Judge public architectures of transformers instead of operators.")
    ] = False,
    fuzz: Annotated[
        int, typer.Option(help="Run this many generated graphs of --seed instead, in this process.")
    ] = 0,
    journal: Annotated[
        Path | None,
        typer.Option(help="File that results are written to as they come; by default beside the report."),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Run what the journal lacks; with --models what the --json file lacks.")
    ] = False,
    merge: Annotated[
        bool, typer.Option(help="Runs nothing: the report of a whole run from the journals of its shards.")
    ] = False,
    waivers: Annotated[Path | None, typer.Option(help="TOML file of failures that are known.")] = None,
    case_seconds: Annotated[
        float | None, typer.Option(help="Time limit of one case; by default that of the profile.")
    ] = None,
    memory: Annotated[
        float | None, typer.Option(help="GiB that one worker may hold; by default its share of the machine.")
    ] = None,
) -> None:
    """Runs the conformance suite on a backend.

    Exit status: 0 pass, 1 failures, or waivers and declarations that are wrong, 2 usage, 3 the suite is short
        (too few cases, some without a result, none that the backend claims, or some that the suite could not
        judge).
    """
    console = Console(stderr=True)
    name = names[0]
    try:
        count = workers(jobs)
        if len(names) > 1 and not merge:
            raise OptionError("one backend at a time", got=", ".join(names))
        if level != "dynamo" and (models or fuzz):
            raise OptionError("--models and --fuzz are of Dynamo-level backends", got=f"--level {level}")
        if merge:
            found = merge_journals(list(map(Path, names)), report=report, waivers=waivers)
            name = found.backend
    except TorchportError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        raise typer.Exit(EXIT_USAGE) from error
    if models:
        target = json_file or (None if report is None else report / "models.json")
        raise typer.Exit(_judge_models(name, select, count, target, resume, console))
    if fuzz:
        raise typer.Exit(_fuzz(name, fuzz, seed, console))
    try:
        signing = _signing(certificate, sign)
        if not merge:
            opened = subject_of(name, in_process=count == 0, level=level)  # the cheaper error first
            limits = _limits(case_seconds or profile_named(profile).case_seconds, memory)
            with started_nursery(opened.source, jobs=count, seed=seed, memory=limits.memory) as nursery:
                planned = plan(
                    profile, select=select, layers=layer, shard=shard_of(shard), sample=sample, jobs=count
                )
                with RunProgress(console, f"conformance of {name}", len(planned.cases)) as progress:
                    found = run_plan(
                        opened,
                        planned,
                        jobs=count,
                        seed=seed,
                        report=report,
                        limits=limits,
                        journal=journal,
                        resume=resume,
                        waivers=waivers,
                        on_result=progress.advance,
                        nursery=nursery,
                    )
    except TorchportError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        raise typer.Exit(EXIT_USAGE) from error
    if json_file is not None:
        json_file.write_text(to_json(found))
    _summarize(found, Console(), report)
    if signing is not None and found.ok:
        file, key = signing
        issue(found, name, key, file)
        console.print(f"certificate: {file}", highlight=False, soft_wrap=True)
    raise typer.Exit(found.exit_code)


def _fuzz(name: str, graphs: int, seed: int, console: Console) -> int:
    """Runs generated graphs; prints a reproducer of each kind of failure; returns the exit code."""
    from torchport_conformance.fuzz import run

    try:
        with RunProgress(console, f"generated graphs on {name}", graphs) as progress:
            found = run(name, graphs=graphs, seed=seed, on_graph=lambda _, failed: progress.count(failed))
    except TorchportError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        return EXIT_USAGE
    out = Console()
    for failure in found.failures:
        out.print(escape(failure.reproducer), highlight=False, soft_wrap=True)
    out.print(escape(str(found)), highlight=False, soft_wrap=True)
    return 1 if found.failures else 0 if found.ok else 3


def _limits(case_seconds: float, memory: float | None) -> Limits:
    return Limits(case_seconds, memory=None if memory is None else int(memory * 2**30))


def _signing(certificate: Path | None, sign: Path | None) -> tuple[Path, Ed25519PrivateKey] | None:
    """Where the certificate goes and what signs it; a key that cannot be read is told before the run."""
    if (certificate is None) != (sign is None):
        raise OptionError(
            "a certificate needs a file and a key", hint="give both --certificate FILE and --sign KEY"
        )
    return None if certificate is None or sign is None else (certificate, private_key(sign))


def _judge_models(
    name: str, select: list[str] | None, jobs: int, target: Path | None, resume: bool, console: Console
) -> int:
    """Runs the table of public architectures, a line for each as it comes; returns the exit code."""
    out = Console()

    def show(result: ModelResult) -> None:
        verdicts = ", ".join(f"{mode.mode}: {mode.verdict}" for mode in result.modes)
        out.print(f"{result.name}: {verdicts}", highlight=False, soft_wrap=True)
        for mode in result.modes:
            if mode.reason:
                out.print(f"  {mode.mode}: {escape(mode.reason)}", highlight=False, soft_wrap=True)

    try:
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
        found = run_public_models(
            name, select=select, jobs=jobs, json_file=target, resume=resume, on_result=show
        )
    except TorchportError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        return EXIT_USAGE
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.counts.items()))
    out.print(f"{len(found.models)} architectures; modes: {counts}", highlight=False)
    return found.exit_code


def _list_failures(report: Report, console: Console) -> None:
    """At most two failures of each operator and cause, and how many there are of each."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for failure in report.failures:
        groups.setdefault((failure.op, failure.cause), []).append(failure)
    for (op, cause), found in groups.items():
        for failure in found[:_SHOWN]:
            text = f"[red]{failure.status}[/red] {escape(failure.id)}\n  {escape(failure.message)}"
            console.print(text, highlight=False)
        if len(found) > _SHOWN:
            left = f"… and {len(found) - _SHOWN} more of {op}: {cause or 'no known cause'}"
            console.print(escape(left), highlight=False)
    causes = Counter(failure.cause or "no known cause" for failure in report.failures)
    for cause, count in causes.most_common():
        console.print(f"{count} failed: {escape(cause)}", highlight=False)


def _summarize(report: Report, console: Console, folder: Path | None) -> None:
    table = Table(
        "operator",
        "claimed",
        "passed",
        "failed",
        "unclaimed",
        "error / bound",
        title=f"{report.backend}: conformance",
    )
    for op, tally in report.by_op.items():
        if tally.claimed:
            style = "red" if tally.failed else "green"
            ratio = "" if tally.bound_ratio is None else f"{tally.bound_ratio:.3g}"
            counts = (str(n) for n in (tally.claimed, tally.passed, tally.failed, tally.unclaimed))
            table.add_row(op, *counts, ratio, style=style)
    console.print(table)
    _list_failures(report, console)
    for error in [r for r in report.remarks if r.status is Status.SUITE][:5]:
        console.print(
            f"[yellow]{error.status}[/yellow] {escape(error.id)}\n  {escape(error.message)}", highlight=False
        )
    for waiver in report.waivers:
        style = "red" if waiver["fails"] else "yellow"
        text = f"{waiver['owner']}, until {waiver['expires']}: {waiver['reason']}; {waiver['cases']} cases"
        console.print(
            f"[{style}]{waiver['name']}: {waiver['state']}[/{style}] {escape(text)}", highlight=False
        )
    for breach in report.breaches:
        style = "red" if breach["owed"] else "yellow"
        console.print(f"[{style}]the backend {escape(breach['text'])}[/{style}]", highlight=False)
    if report.missing:
        console.print(f"[yellow]{report.missing} cases have no result[/yellow]: shards are missing")
    if report.claimed == 0:
        console.print("[yellow]nothing ran on the backend[/yellow]: it claims none of the cases")
    elif report.cases < report.floor:
        console.print(
            f"[yellow]too few cases[/yellow]: {report.cases}, and the profile's floor is {report.floor}"
        )
    parts = [f"{report.passed} passed, {report.failed} failed of {report.claimed} claimed cases"]
    parts += [f"{report.eager_defects} as wrong as eager PyTorch"] if report.eager_defects else []
    parts += [f"{report.total.waived} waived"] if report.total.waived else []
    parts += [f"{report.suite_errors} errors of the suite itself"] if report.suite_errors else []
    for reason, count in Counter(report.excluded.values()).items():
        console.print(f"{count} operators have no cases: {escape(reason)}", highlight=False)
    parts += [f"{report.unclaimed} of {report.cases} unclaimed", f"{report.seconds:.1f} s"]
    console.print("; ".join(parts), highlight=False)
    shares = (f"{part} of {entire} {name}" for name, (part, entire) in denominators(report.results).items())
    console.print(f"claimed: {', '.join(shares)}", highlight=False)
    if folder is not None:
        console.print(f"report: {folder / 'index.html'}", highlight=False, soft_wrap=True)
