"""``torchport explain``: what of one or many programs runs on a backend, what does not, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from torchport.cli.output import write_json, write_table


def command(
    targets: Annotated[
        list[str], typer.Argument(help="mlp, attention, convnet, or your factories as module:function.")
    ],
    backend: Annotated[str, typer.Option("--backend", "-b", help="A backend's name, or module:attribute.")],
    dynamic: Annotated[
        bool | None, typer.Option("--dynamic/--static", help="Symbolic or fixed sizes, as torch.compile.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Explain how a backend serves programs. A factory returns a callable and its arguments.

    Shows graph breaks with the line that causes them, the shares of nodes, time and bytes that the backend
    runs, reasons for the rest, recompilations, and which operators would unlock most.
    """
    from torchport.compile.registry import load_backend
    from torchport.tools.examples import example
    from torchport.tools.minify.spelling import named

    chosen = named(backend)  # the cheaper errors first
    if isinstance(chosen, str):
        load_backend(chosen)
    programs = {target: example(target) for target in targets}
    import torchport as tp
    from torchport.tools.explain_report import summary, tables, unlock_table

    if len(programs) == 1:
        fn, args = programs[targets[0]]
        found = tp.explain(fn, args, chosen, dynamic=dynamic)
        if json:
            write_json(found.to_dict())
            return
        typer.echo(summary(found))
        for title, columns, rows in tables(found):
            write_table(title, columns, rows)
        return
    survey = tp.explain(programs, backend=chosen, dynamic=dynamic)
    if json:
        write_json(survey.to_dict())
        return
    for name, one in survey.programs.items():
        typer.echo(f"{name}: {summary(one)}")
        for title, columns, rows in tables(one)[:-1] if one.unlocks else tables(one):
            write_table(title, columns, rows)
    title, columns, rows = unlock_table(survey.unlocks)
    write_table(f"{title}, over all programs", columns, rows)
