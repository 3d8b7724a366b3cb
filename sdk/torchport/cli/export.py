"""``torchport export`` and ``torchport manifest``: compiled programs as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchport.cli.output import write_json

KeyFile = Annotated[
    Path | None, typer.Option("--key-file", help="File whose bytes are the key of the signature.")
]


def command(
    target: Annotated[
        str, typer.Argument(help="mlp, attention, convnet, or your factory as module:function.")
    ],
    backend: Annotated[str, typer.Option("--backend", "-b", help="Name of an installed backend.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    weights: Annotated[str, typer.Option("--weights", help="embed, external or none.")] = "embed",
    dynamic: Annotated[
        bool, typer.Option("--dynamic/--static", help="Leave sizes open where the model allows it.")
    ] = False,
    key_file: KeyFile = None,
) -> None:
    """Compile a program ahead of time into one file. A factory returns a callable and its arguments.

    The file runs with tp.load(FILE) where the same backend is installed, without compiling.
    """
    from torchport.compile.registry import load_backend
    from torchport.tools.examples import example

    load_backend(backend)  # the cheaper error first
    fn, args = example(target)
    import torch
    from torch.utils._pytree import tree_map

    import torchport as tp

    def open_sizes(leaf: object) -> object:
        return (
            dict.fromkeys(range(leaf.dim()), torch.export.Dim.AUTO)
            if isinstance(leaf, torch.Tensor)
            else None
        )

    shapes = tree_map(open_sizes, tuple(args)) if dynamic else None
    key = None if key_file is None else key_file.read_bytes()
    manifest = tp.export(
        fn, args, backend=backend, path=output, dynamic_shapes=shapes, weights=weights, key=key
    )
    typer.echo(str(manifest))


def manifest(
    file: Annotated[Path, typer.Argument(help="A file that was exported.")],
    key_file: KeyFile = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Check an exported file and show what it holds; the backend need not be installed."""
    from torchport.deploy.manifest import Manifest

    found = Manifest.read(file, key=None if key_file is None else key_file.read_bytes())
    if json:
        write_json({"signed": found.signed, **found.data})
    else:
        typer.echo(str(found))
