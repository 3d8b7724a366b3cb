"""``torchport minify``: from a program that crashes or is wrong on a backend to a script of few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchport.cli.output import write_json

if TYPE_CHECKING:
    from torchport.tools.minify import Progress


def command(
    target: Annotated[
        str,
        typer.Argument(
            help="A factory as module:function, an example (mlp, attention, convnet), or a region's JSON."
        ),
    ],
    backend: Annotated[str, typer.Option("--backend", "-b", help="A backend's name, or module:attribute.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The script to write.")] = Path(
        "minified.py"
    ),
    dynamic: Annotated[
        bool | None, typer.Option("--dynamic/--static", help="Symbolic or fixed sizes, as torch.compile.")
    ] = None,
    isolate: Annotated[
        bool | None,
        typer.Option("--isolate/--in-process", help="Where candidates run; by default isolated if possible."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds after which a candidate hangs.")] = 120.0,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Find a crash or a wrong result of a program on a backend, and reduce it to the nodes that show it.

    Results are judged by eager PyTorch and float64. Exit code 0 when a fault was found and reduced, 1 when
    nothing is wrong.
    """
    from torchport.tools.minify import minify
    from torchport.tools.minify.spelling import named

    with _shown() as progress:
        named(backend)  # the cheaper error first
        program, args = _program(target)
        found = minify(
            program,
            args,
            backend,
            dynamic=dynamic,
            output=output,
            isolate=isolate,
            timeout=timeout,
            progress=progress,
        )
    if json:
        write_json(found.to_dict())
    else:
        typer.echo(str(found))
    if found.fault is None:
        raise typer.Exit(1)


def _program(target: str) -> tuple[Any, Any]:
    from torchport.compile.region import Region
    from torchport.errors import UsageError
    from torchport.tools.examples import example

    if not target.endswith(".json"):
        return example(target)
    try:
        return Region.from_json(Path(target).read_text()), None
    except OSError as error:
        raise UsageError("the region cannot be read", got=str(error)) from error


@contextmanager
def _shown() -> Iterator[Callable[[Progress], None]]:
    """A line on stderr that says what is tested, how much is left and for how long."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def show(step: Progress) -> None:
            left = f"{step.nodes} node{'' if step.nodes == 1 else 's'} left"
            text = f"{step.step}: {left}, {step.tests} tested, {step.seconds:.0f} s"
            live.update(Text(f"{text}, about {step.seconds_left:.0f} s to go"), refresh=True)

        yield show
