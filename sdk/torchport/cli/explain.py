"""``torchport explain``: what of a program runs on a backend, what does not, and why."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from torchport.cli.output import write_json


def command(
    target: Annotated[
        str, typer.Argument(help="mlp, attention, convnet, or your factory as module:function.")
    ],
    backend: Annotated[str, typer.Option("--backend", "-b", help="Name of an installed backend.")],
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Explain how a backend serves a program. A factory returns a callable and its arguments."""
    from torchport.compile.registry import load_backend
    from torchport.tools.examples import example

    load_backend(backend)  # the cheaper error first
    fn, args = example(target, search=os.getcwd())
    import torchport as tp

    explanation = tp.explain(fn, args, backend)
    if json:
        write_json(explanation.to_dict())
    else:
        typer.echo(str(explanation))
