"""Commands that other distributions add through the entry-point group ``torchport.commands``.

An entry point names a :class:`typer.Typer` or a function annotated as Typer expects. It is loaded when its
command is called, so that a slow or broken plugin costs nothing to the other commands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import metadata
from typing import Any

import typer

from torchport.errors import RegistrationError

GROUP = "torchport.commands"
PANEL = "Commands of other packages"
# Everything after the command's name, --help included, belongs to the plugin.
PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def add_plugin_commands(app: typer.Typer, taken: Collection[str]) -> None:
    """Adds one command per entry-point name. A name that is ``taken`` stays with torchport."""
    by_name: dict[str, list[metadata.EntryPoint]] = {}
    for entry in metadata.entry_points(group=GROUP):
        by_name.setdefault(entry.name, []).append(entry)
    for name in sorted(by_name.keys() - set(taken)):
        entries = by_name[name]
        package = entries[0].module.partition(".")[0]
        summary = f"See torchport {name} --help ({package})."
        app.command(name, help=summary, context_settings=PASS_THROUGH, rich_help_panel=PANEL)(
            _runner(name, entries)
        )


def load_command(name: str, entries: list[metadata.EntryPoint]) -> Callable[..., Any]:
    """The plugin's command, ready to be called with ``args`` and ``prog_name``.

    Raises:
        RegistrationError: it cannot be loaded, is no command, or two distributions claim the name.
    """
    if len(entries) > 1:
        claimants = ", ".join(f"{e.value} ({e.dist.name})" if e.dist else e.value for e in entries)
        raise RegistrationError(
            f"two packages provide the command {name!r}", got=claimants, hint="uninstall one of them"
        )
    (entry,) = entries
    try:
        target = entry.load()
    except (ImportError, AttributeError, SyntaxError) as error:
        raise RegistrationError(
            f"the command {name!r} cannot be loaded",
            got=f"{entry.value}: {type(error).__name__}: {error}",
            hint="repair or uninstall the package that provides it",
        ) from error
    if isinstance(target, typer.Typer):
        return typer.main.get_command(target)
    if not callable(target):
        raise RegistrationError(
            f"the command {name!r} is not a Typer application or function",
            got=f"{entry.value}: {type(target).__name__}",
        )
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name)(target)
    return typer.main.get_command(app)


def _runner(name: str, entries: list[metadata.EntryPoint]) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        load_command(name, entries)(args=list(context.args), prog_name=f"torchport {name}")

    return run
