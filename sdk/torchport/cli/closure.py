"""``torchport opset closure``: the contract against PyTorch's own operator tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from torchport.cli.output import write_json, write_table
from torchport.contract.version import CURRENT

if TYPE_CHECKING:
    from torchport.tools.closure.report import ClosureReport


def command(
    version: Annotated[str, typer.Option("--opset", help="Contract version.")] = CURRENT,
    select: Annotated[
        list[str] | None, typer.Option(help="Only entries whose name matches this glob; may be repeated.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples of an entry and dtype class.")] = 3,
    classes: Annotated[str, typer.Option(help="Dtype classes, by commas.")] = "float,complex,int,bool",
    dynamic: Annotated[bool, typer.Option("--dynamic", help="Trace with symbolic sizes.")] = False,
    jobs: Annotated[int, typer.Option(min=0, help="Worker processes; 0 is one for each core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Lower PyTorch's operator tests to primitives, forward and backward; verify, execute and judge them by
    float64. Exit code 1 if an entry stays open.
    """
    from torchport.tools.closure import closure, entry_names

    names = entry_names(select or ())
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("closure", total=len(names))
        report = closure(
            select or (),
            samples=samples,
            classes=[c.strip() for c in classes.split(",")],
            dynamic=dynamic,
            jobs=jobs or os.cpu_count() or 1,
            version=version,
            progress=lambda result: progress.update(task, advance=1, description=result.entry[:40]),
        )
    if json:
        write_json(report.to_dict())
    else:
        _write(report)
    for shortcoming in report.shortcomings():
        typer.echo(f"not closed: {shortcoming}", err=True)
    if report.shortcomings():
        raise typer.Exit(1)


def _write(report: ClosureReport) -> None:
    rows = [(o.entry, o.dtype, str(o.sample), o.stage, o.text.splitlines()[0]) for o in report.open]
    if rows:
        write_table(f"{len(rows)} open samples", ("entry", "dtype", "sample", "stage", "why"), rows)
    if report.excluded:
        excluded = [(e.entry, e.kind, e.reason) for e in report.excluded]
        write_table(f"{len(excluded)} excluded entries", ("entry", "kind", "reason"), excluded)
    if report.outside:
        outside = [(f"{e.entry} {e.dtype} {e.sample}", e.kind, e.reason) for e in report.outside]
        write_table(
            f"{len(outside)} excluded samples of other entries", ("sample", "kind", "reason"), outside
        )
    typer.echo(
        f"opset {report.opset}, torch {report.torch}: {report.closed} of {report.entries} entries closed, "
        f"{len({o.entry for o in report.open})} open, {len(report.excluded)} excluded; "
        f"{report.samples} samples, {report.gradients} with gradients, "
        f"{report.unjudged} random or uninitialised; "
        f"{report.distinct_prims} primitives; worst error {report.worst_ratio:.2f} of its limit; "
        f"rules held on {report.rules.python} calls ({report.rules.strides} strides, "
        f"{report.rules.symbolic} with symbolic sizes, {report.rules.cpp} "
        f"different calls in C++, {len(report.rules.cpp_differences)} of them differ); "
        f"lowering {report.lower_microseconds_per_node:.0f} µs a node; {report.seconds:.0f} s"
    )


def lowering_command(
    repeats: Annotated[int, typer.Option(min=1, help="How often each way is measured.")] = 5,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Measure what lowering to primitives costs a node, and what re-tracing would."""
    from torchport.tools.bench.lowering import lowering_costs

    costs = lowering_costs(repeats)
    if json:
        write_json([cost.to_dict() for cost in costs])
        return
    rows = [
        (c.case, str(c.captured), str(c.primitives), f"{c.cold:.0f}", f"{c.warm:.0f}", f"{c.retraced:.0f}")
        for c in costs
    ]
    columns = ("case", "captured", "primitives", "cold µs/node", "warm µs/node", "re-traced µs/node")
    write_table("lowering to primitives", columns, rows)
