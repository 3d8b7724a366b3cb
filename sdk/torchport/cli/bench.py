"""``torchport bench``: a backend against its rivals, measured in one run."""

from __future__ import annotations

from typing import Annotated

import typer

from torchport.cli.output import write_json, write_table


def command(
    backend: Annotated[str, typer.Argument(help="A backend that torch.compile knows.")],
    vs: Annotated[
        str, typer.Option(help="Rivals, separated by commas; eager is PyTorch itself.")
    ] = "inductor,eager",
    suite: Annotated[str, typer.Option(help="micro or models.")] = "micro",
    select: Annotated[str, typer.Option(help="Only cases whose name contains this text.")] = "",
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a case is timed.")] = 2.0,
    compile_time: Annotated[bool, typer.Option(help="Measure cold and warm compile times too.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Measure a backend against rivals: times, compile times, errors. Exit code 1 if it cannot run a case."""
    from torchport.tools.bench import run_bench
    from torchport.tools.bench.report import COLUMNS

    report = run_bench(
        backend,
        [name.strip() for name in vs.split(",") if name.strip()],
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
