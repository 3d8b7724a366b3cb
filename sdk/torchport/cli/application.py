"""The Typer application, its plugins, and what happens to an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer

from torchport.cli import backends, bench, closure, doctor, explain, export, minify, new, opset, opset_checks
from torchport.cli.plugins import add_plugin_commands
from torchport.errors import TorchportError
from torchport.version import __version__

DEBUG_VARIABLE = "TORCHPORT_DEBUG"
COMMANDS: dict[str, Callable[..., None]] = {
    "new": new.command,
    "backends": backends.command,
    "explain": explain.command,
    "export": export.command,
    "manifest": export.manifest,
    "minify": minify.command,
    "bench": bench.command,
    "doctor": doctor.command,
}
GROUPS: dict[str, typer.Typer] = {"opset": opset.app}


opset.app.command("check")(opset_checks.check)
opset.app.command("scope")(opset_checks.scope)
opset.app.command("profile")(opset_checks.profile)
opset.app.command("closure")(closure.command)
opset.app.command("lowering")(closure.lowering_command)


def application() -> typer.Typer:
    """The command line with the commands of every plugin that is installed now."""
    app = typer.Typer(
        name="torchport",
        help="Vendor backend integration SDK for PyTorch 2.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, command in COMMANDS.items():
        app.command(name)(command)
    for name, group in GROUPS.items():
        app.add_typer(group, name=name)
    add_plugin_commands(app, taken=COMMANDS.keys() | GROUPS.keys())
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits. A :class:`TorchportError` is one message on stderr and exit code 2.

    Commands import the caller's own modules from the current directory too, and so do processes that they
    start. Installed modules of the same name go first: sources of PyTorch in that directory hide nothing.
    Where Python is told to leave it out (``PYTHONSAFEPATH``), it is left out.

    ``TORCHPORT_DEBUG=1`` in the environment asks for the traceback.
    """
    try:
        with _importable(os.getcwd()):
            application()(args=None if arguments is None else list(arguments), prog_name="torchport")
    except TorchportError as error:
        if os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0"):
            raise
        typer.echo(f"torchport: {error}", err=True)
        sys.exit(2)


@contextmanager
def _importable(directory: str) -> Iterator[None]:
    """While this is open modules of a directory can be imported."""
    before = list(sys.path)
    if not sys.flags.safe_path:
        sys.path.append(directory)
    try:
        yield
    finally:
        sys.path[:] = before


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"torchport {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass
