"""``torchport bench``: a backend against its rivals, measured in one run."""

from __future__ import annotations

from typing import Annotated

import typer

from torchport.cli.output import write_json, write_table
from torchport.errors import UsageError


def command(
    backend: Annotated[str, typer.Argument(help="A backend that torch.compile knows.")],
    vs: Annotated[
        str, typer.Option(help="Rivals, separated by commas; eager is PyTorch itself.")
    ] = "inductor,eager",
    suite: Annotated[str, typer.Option(help="micro or models.")] = "micro",
    select: Annotated[str, typer.Option(help="Only cases whose name contains this text.")] = "",
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a case is timed.")] = 2.0,
    compile_time: Annotated[bool, typer.Option(help="Measure cold and warm compile times too.")] = True,
    overhead: Annotated[
        bool,
        typer.Option("--overhead", help="Measure what a call costs, beside the floor."),
    ] = False,
    scale: Annotated[
        bool, typer.Option("--scale", help="Measure lowering and partition of graphs of up to 40,000 nodes.")
    ] = False,
    warm: Annotated[
        bool, typer.Option("--warm", help="Measure first calls in new processes, cache empty and filled.")
    ] = False,
    writes: Annotated[
        bool, typer.Option("--writes", help="Measure one-token writes into key-value caches.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Measure a backend against rivals: times, compile times, errors. Exit code 1 if it cannot run a case."""
    from torchport.tools.bench import run_bench
    from torchport.tools.bench.report import COLUMNS

    rivals = [name.strip() for name in vs.split(",") if name.strip()]
    modes = (("--overhead", overhead), ("--scale", scale), ("--warm", warm), ("--writes", writes))
    wanted = [name for name, on in modes if on]
    if len(wanted) > 1:
        raise UsageError("one thing at a time", got=" and ".join(wanted))
    if overhead:
        return _overhead(backend, rivals, seconds, json)
    if scale:
        return _scale(backend, json)
    if warm:
        return _warm(backend, json)
    if writes:
        return _writes(backend, rivals, seconds, json)
    report = run_bench(
        backend,
        rivals,
        suite,
        select=select,
        seconds_per_case=seconds,
        compile_time=compile_time,
        progress=lambda line: typer.echo(line, err=True),
    )
    if json:
        write_json(report.to_dict())
    else:
        write_table(f"{report.backend} against {', '.join(report.vs) or 'nobody'}", COLUMNS, report.rows())
    if report.failures:
        raise typer.Exit(1)


def _overhead(backend: str, rivals: list[str], seconds: float, json: bool) -> None:
    from torchport.tools.bench.overhead import COLUMNS, overhead
    from torchport.tools.bench.runner import check_names

    check_names(backend, rivals)
    report = overhead(backend, rivals, seconds_per_case=seconds)
    if json:
        write_json(report.to_dict())
    else:
        write_table(f"what a call of {backend} costs", COLUMNS, report.rows())


def _writes(backend: str, rivals: list[str], seconds: float, json: bool) -> None:
    from torchport.tools.bench.cache_writes import COLUMNS, cache_writes
    from torchport.tools.bench.runner import check_names

    check_names(backend, rivals)
    costs = cache_writes(backend, rivals, seconds_per_case=seconds)
    if json:
        write_json({"backend": backend, "cases": [c.to_dict(backend) for c in costs]})
    else:
        rows = [row for c in costs for row in c.rows(backend)]
        write_table("one token into two caches of 16.8 MB", COLUMNS, rows)


def _scale(backend: str, json: bool) -> None:
    from torchport.tools.bench.scale import COLUMNS, scale_costs

    costs = scale_costs(backend, progress=lambda line: typer.echo(line, err=True))
    if json:
        write_json({"backend": backend, "cases": [c.to_dict() for c in costs]})
    else:
        write_table("large graphs, from the captured graph to its regions", COLUMNS, [c.row() for c in costs])


def _warm(backend: str, json: bool) -> None:
    from torchport.tools.bench.warm_start import COLUMNS, warm_starts

    starts = warm_starts(backend, progress=lambda line: typer.echo(line, err=True))
    if json:
        write_json({"backend": backend, "starts": [s.to_dict() for s in starts]})
    else:
        write_table("first call of a training step in a new process", COLUMNS, [s.row() for s in starts])
