"""What commands write: JSON for machines, tables for people."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import typer

WIDEST = 10_000
"""Columns that a row may take where no terminal limits it."""


def write_json(data: Any) -> None:
    """Writes one JSON document to stdout. Infinities and NaN, which JSON lacks, become text."""
    typer.echo(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(data: Any) -> Any:
    match data:
        case dict():
            return {key: _finite(value) for key, value in data.items()}
        case list() | tuple():
            return [_finite(value) for value in data]
        case float() if not math.isfinite(data):
            return str(data)
    return data


def write_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a table to stdout; cells are plain text, whatever brackets they contain.

    A pipe or a file gets one line for each row, as wide as it needs to be, unless ``COLUMNS`` is set.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = console.measure(table, options=console.options.update(max_width=WIDEST)).maximum
    console.print(table)
