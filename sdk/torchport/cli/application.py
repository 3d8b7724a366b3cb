"""The Typer application, its plugins, and what happens to an error."""

from __future__ import annotations

import os
import sys

import typer

from torchport.cli import backends, doctor, explain, new, opset
from torchport.cli.plugins import add_plugin_commands
from torchport.errors import TorchportError
from torchport.version import __version__

DEBUG_VARIABLE = "TORCHPORT_DEBUG"

app = typer.Typer(
    name="torchport",
    help="Vendor backend integration SDK for PyTorch 2.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"torchport {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


app.command("new")(new.command)
app.command("backends")(backends.command)
app.add_typer(opset.app, name="opset")
app.command("explain")(explain.command)

app.command("doctor")(doctor.command)
add_plugin_commands(app, taken={"new", "backends", "opset", "explain", "bench", "doctor"})


def main() -> None:
    """Runs the command line. A :class:`TorchportError` is one message on stderr and exit code 2.

    ``TORCHPORT_DEBUG=1`` in the environment asks for the traceback.
    """
    try:
        app(prog_name="torchport")
    except TorchportError as error:
        if os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0"):
            raise
        typer.echo(f"torchport: {error}", err=True)
        sys.exit(2)
