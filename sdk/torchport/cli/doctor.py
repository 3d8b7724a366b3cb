"""``torchport doctor``: what this installation has, and what is wrong with it."""

from __future__ import annotations

from typing import Annotated

import typer

from torchport.cli.output import write_json, write_table


def command(
    cache: Annotated[
        bool, typer.Option("--cache", help="Look at the cache instead, entry by entry; nothing is changed.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Check versions, compiler, plugins and the cache directory. Exit code 1 when something is broken."""
    from torchport.tools.cache_health import examine_cache
    from torchport.tools.doctor import examine

    findings = examine_cache() if cache else examine()
    if json:
        write_json([finding.to_dict() for finding in findings])
    else:
        write_table(
            f"torchport doctor{' --cache' if cache else ''}",
            ("what", "state", "found", "to do"),
            [(f.what, f.state, f.found, f.hint) for f in findings],
        )
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)
