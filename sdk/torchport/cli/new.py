"""``torchport new``: writes a backend package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchport.cli.output import write_json


def command(
    name: Annotated[
        str, typer.Argument(help="Name of the backend, the package and the distribution: myaccel.")
    ],
    level: Annotated[str, typer.Option(help="Where the backend plugs into PyTorch: dynamo.")] = "dynamo",
    kernels: Annotated[str, typer.Option(help="Language of the kernels: python or cpp.")] = "python",
    directory: Annotated[Path, typer.Option(help="Where the new directory NAME is made.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Say what was written as JSON.")] = False,
) -> None:
    """Write a backend package that installs, passes its tests and trains a model, ready for your kernels."""
    from torchport.tools.scaffold import new

    written = new(name, level=level, kernels=kernels, directory=directory)
    if json:
        write_json(written.to_dict())
        return
    typer.echo(f"{written.directory}")
    for file in written.files:
        typer.echo(f"  {file}")
    typer.echo(
        f"\nNext:\n  pip install --no-build-isolation -e {written.directory}\n"
        f"  pytest {written.directory}\n  torchport conformance {written.name}"
    )
