"""``torchport opset list | show | diff``: the operators of the contract and of its versions."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from torchport.cli.output import write_json, write_table
from torchport.contract.version import CURRENT
from torchport.errors import UsageError

app = typer.Typer(help="The operators of the contract: list, show and check them.", no_args_is_help=True)

Version = Annotated[str, typer.Option("--opset", help="Contract version.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@app.command("list")
def list_operators(
    version: Version = CURRENT,
    tier: Annotated[str, typer.Option(help="Only this tier, such as prim or aten.")] = "",
    json: Json = False,
) -> None:
    """List the operators of a contract version."""
    from torchport.contract.opset import opset

    found = opset(version)
    specs = [spec for _, spec in sorted(found.ops.items()) if tier in ("", spec.tier.value)]
    if not specs:
        tiers = ", ".join(sorted({spec.tier.value for spec in found.ops.values()}))
        raise UsageError(f"opset {version} has no operators of tier {tier!r}", hint=f"tiers: {tiers}")
    columns = ("name", "tier", "category", "since")
    rows = [(s.name, s.tier.value, s.category.value, s.since) for s in specs]
    if json:
        operators = [
            {**dict(zip(columns, row, strict=True)), "core": s.core}
            for row, s in zip(rows, specs, strict=True)
        ]
        write_json({"opset": version, "status": found.status, "sha256": found.sha256, "operators": operators})
    else:
        title = f"opset {version} ({found.status}), {len(rows)} operators, sha256 {found.sha256[:16]}…"
        write_table(title, columns, rows)


@app.command("show")
def show(
    operator: Annotated[str, typer.Argument(help="Qualified name, such as aten.add.Tensor.")],
    version: Version = CURRENT,
    json: Json = False,
) -> None:
    """Show what the contract says about one operator."""
    from torchport.contract.opset import opset
    from torchport.contract.snapshot import entry_to_json

    ops = opset(version).ops
    wanted = operator.replace("::", ".")
    name = wanted if wanted in ops else f"{wanted}.default"
    if name not in ops:
        named = [known for known in ops if wanted in known.split(".")]
        close = named[:5] or difflib.get_close_matches(wanted, ops, n=5)
        hint = f"did you mean {', '.join(close)}?" if close else "`torchport opset list` names them all"
        raise UsageError(f"opset {version} has no operator {operator!r}", hint=hint)
    entry = entry_to_json(ops[name])
    if json:
        write_json(entry)
        return
    for line in _lines(entry):
        typer.echo(line)


@app.command("diff")
def diff(
    older: Annotated[str, typer.Argument(help="Contract version, such as 1.0.")],
    newer: Annotated[str, typer.Argument(help="Contract version, such as 1.1.")],
    json: Json = False,
) -> None:
    """Show what a contract version adds, retires and changes against another one."""
    from torchport.contract.opset import opset

    before, after = opset(older), opset(newer)
    found = before.diff(after)
    if json:
        write_json(
            {
                "older": {"opset": older, "sha256": before.sha256},
                "newer": {"opset": newer, "sha256": after.sha256},
                "added": found.added,
                "removed": found.removed,
                "changed": found.changed,
            }
        )
    else:
        typer.echo(str(found))


def _lines(entry: dict[str, Any], indent: str = "") -> Iterator[str]:
    """An entry as indented text; what says nothing is left out."""
    for key, value in entry.items():
        match value:
            case None | "" | []:
                continue
            case dict():
                nested = list(_lines(value, indent + "  "))
                if nested:
                    yield f"{indent}{key}:"
                    yield from nested
            case [{"label": _}, *_]:
                yield f"{indent}{key}:"
                for rule in value:
                    where = f" [{rule['tier']}]" if rule["tier"] else ""
                    yield f"{indent}  {rule['label']}{where}: {rule['text']}  # {rule['prose']}"
            case list():
                yield f"{indent}{key}: {', '.join(_literal(v) for v in value)}"
            case _:
                yield f"{indent}{key}: {value}"


def _literal(value: Any) -> str:
    """An item of a list; of a one-key object, such as ``{"expression": "'none'"}``, what it holds."""
    match value:
        case dict():
            (value,) = value.values()
            return _literal(value)
        case list():
            return f"[{', '.join(_literal(v) for v in value)}]"
    return str(value)
