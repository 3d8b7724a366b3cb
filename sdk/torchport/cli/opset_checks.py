"""``torchport opset check | scope | profile``: the contract beside the running PyTorch and beside models."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from torchport.cli.opset import Json, Version
from torchport.cli.output import write_json, write_table
from torchport.contract.version import CURRENT
from torchport.errors import UsageError


def check(
    version: Version = CURRENT,
    calls: Annotated[
        int, typer.Option(min=0, help="Calls drawn for each operator; 0 compares schemas and tables only.")
    ] = 1,
    json: Json = False,
) -> None:
    """Compare a contract version with the running PyTorch: schemas, meta results, decompositions down to
    primitives, higher-order operators. Exit code 1 when something differs.
    """
    from torchport.tools.opset_check import check_version

    with Console(stderr=True).status("checking") as status:
        found = check_version(version, calls=calls, progress=status.update)
    if json:
        write_json(found.to_dict())
    else:
        if found.drifts:
            rows = [(d.kind.value, d.op, d.contract, d.running or "no such operator") for d in found.drifts]
            write_table(f"{len(rows)} drifts", ("kind", "operator", "contract", "running"), rows)
        typer.echo(
            f"opset {version} and PyTorch {found.torch}: "
            f"{found.compared} schemas ({len(found.adapted)} adapted), {found.meta} meta results, "
            f"{found.decomposed} decompositions, {found.higher_order} higher-order operators; "
            f"{len(found.drifts)} drifts"
        )
    if found.drifts:
        raise typer.Exit(1)


def scope(
    version: Version = CURRENT,
    reason: Annotated[str, typer.Option(help="List the overloads of one reason, such as sparse.")] = "",
    json: Json = False,
) -> None:
    """Account for every operator overload of the running PyTorch, and for every higher-order operator. Exit
    code 1 when one is not accounted for.
    """
    from torchport.contract import higher_order
    from torchport.contract.opset import opset
    from torchport.contract.scope import reasons, scope as account

    found, orders = account(opset(version)), higher_order.check()
    if json:
        write_json({**found.to_dict(), "reasons": reasons(), "higher_order": orders.to_dict()})
    elif reason:
        names = [row.name for row in found.rows if row.reason == reason]
        if not names:
            known = ", ".join(sorted({row.reason for row in found.rows}))
            raise UsageError(f"no overload has the reason {reason!r}", hint=f"one of: {known}")
        for name in names:
            typer.echo(name)
    else:
        title = f"opset {version} and PyTorch {found.torch}: {len(found.rows)} overloads"
        prose = reasons()
        rows = [
            (standing, key, str(count), prose.get(key, ""))
            for standing, counted in found.counts.items()
            for key, count in counted.items()
        ]
        write_table(title, ("standing", "reason", "overloads", "meaning"), rows)
        kept = [(name, higher_order.ROWS[name]) for name in orders.present if name in higher_order.ROWS]
        columns = ("higher-order operator", "treatment", "reason")
        write_table(
            f"{len(orders.present)} higher-order operators",
            columns,
            ((name, row.treatment.value, row.reason) for name, row in kept),
        )
        for name in (*found.open, *orders.unknown):
            typer.echo(f"not accounted for: {name}")
    if found.open or orders.unknown or orders.missing:
        raise typer.Exit(1)


def profile(
    name: Annotated[str, typer.Argument(help="Such as transformer-inference; none lists them.")] = "",
    json: Json = False,
) -> None:
    """Show the operators that a kind of model needs, with how often they are called: a work plan."""
    from torchport.contract.profiles import profile_named, profile_names

    if not name:
        names = profile_names()
        if json:
            write_json({"profiles": names})
        else:
            for known in names:
                typer.echo(known)
        return
    found = profile_named(name)
    if json:
        write_json(found.to_dict())
        return
    for uses, kind in ((found.ops, "operators as captured"), (found.prims, "primitives, lowered")):
        rows = [
            (op, use.tier, str(use.calls), f"{use.share:.2%}", f"{use.models} of {len(found.models)}")
            for op, use in uses.items()
        ]
        title = f"{name}: {len(rows)} {kind}, opset {found.opset}, over {', '.join(found.models)}"
        write_table(title, ("operator", "tier", "calls", "share", "models"), rows)
