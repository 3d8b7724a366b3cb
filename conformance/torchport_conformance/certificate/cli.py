"""``torchport verify-certificate`` and ``torchport certificate-key``, found through the entry-point group
``torchport.commands``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from platformdirs import user_config_path
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from torchport.errors import TorchportError
from torchport_conformance.certificate.challenge import Challenge, challenge
from torchport_conformance.certificate.comparison import compare
from torchport_conformance.certificate.signature import (
    CertificateError,
    key_id,
    new_private_key,
    public_key,
    public_pem,
)
from torchport_conformance.certificate.verification import Verified, verify

KEYS = user_config_path("torchport") / "keys"
"""Folder of public keys (``*.pem``) that this user trusts."""


def verify_certificate(
    certificate: Annotated[Path, typer.Argument(help="The certificate.")],
    key: Annotated[
        list[Path] | None,
        typer.Option(help="The vendor's public key (PEM); may be repeated. Default: the keys of this user."),
    ] = None,
    challenge_seed: Annotated[
        str | None,
        typer.Option(
            "--challenge", help="Run a sample of the certified cases here, with values of this seed."
        ),
    ] = None,
    sample: Annotated[float, typer.Option(help="Share of the certified cases that a challenge runs.")] = 0.02,
    jobs: Annotated[int, typer.Option(help="Worker processes of a challenge.")] = 1,
    diff: Annotated[Path | None, typer.Option(help="An earlier certificate, to list what changed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Verifies a certificate: its signature and that it agrees with itself; with --challenge also its claims.

    Exit status: 0 it holds, 1 it does not, 2 usage.
    """
    console, out = Console(stderr=True), Console()
    try:
        trusted = _trusted(key)
        found = verify(_read(certificate), trusted)
        earlier = None if diff is None else verify(_read(diff), trusted)
        tried = None
        if challenge_seed is not None:
            tried = challenge(found.payload, challenge_seed, sample=sample, jobs=jobs)
    except TorchportError as error:
        console.print(f"[red]not verified[/red] {escape(str(error))}", highlight=False)
        raise typer.Exit(1) from error
    changes = () if earlier is None else compare(earlier.payload, found.payload)
    if as_json:
        out.print_json(json.dumps(_as_json(found, tried, changes)))
    else:
        _show(found, tried, changes, out, compared=earlier is not None)
    raise typer.Exit(0 if tried is None or tried.holds else 1)


def certificate_key(
    path: Annotated[Path, typer.Argument(help="Where the private key goes; FILE.pub gets the public one.")],
) -> None:
    """Makes an Ed25519 key that signs certificates. Keep FILE secret; hand FILE.pub to your customers."""
    try:
        made = new_private_key(path)
    except OSError as error:
        Console(stderr=True).print(f"[red]error[/red] {escape(str(error))}", highlight=False)
        raise typer.Exit(2) from error
    public = path.with_name(path.name + ".pub")
    public.write_bytes(public_pem(made))
    Console().print(f"key {key_id(made)}\nprivate: {path}\npublic: {public}", highlight=False, soft_wrap=True)


def _trusted(paths: Sequence[Path] | None) -> list[Ed25519PublicKey]:
    return [public_key(path) for path in (sorted(KEYS.glob("*.pem")) if paths is None else paths)]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CertificateError("the certificate cannot be read", got=str(error)) from error


def _as_json(found: Verified, tried: Challenge | None, changes: Sequence[str]) -> dict[str, object]:
    return {
        "verified": True,
        "key": found.key,
        "remarks": list(found.remarks),
        "subject": found.payload["subject"],
        "scope": found.payload["scope"],
        "totals": found.payload["totals"],
        "denominators": found.payload["denominators"],
        "changes": list(changes),
        "challenge": None
        if tried is None
        else {
            "holds": tried.holds,
            "cases": len(tried.results),
            "broken": [{"id": r.id, "status": str(r.status), "message": r.message} for r in tried.broken],
        },
    }


def _show(
    found: Verified, tried: Challenge | None, changes: Sequence[str], out: Console, *, compared: bool
) -> None:
    payload = found.payload
    subject, scope, totals = payload["subject"], payload["scope"], payload["totals"]
    title = f"{subject['backend']} {subject['version']}, certified {payload['issued']}"
    table = Table("", "", title=title, show_header=False)
    package = subject["distribution"]
    rows = [
        ("signed by key", found.key),
        ("package", "none" if package is None else f"{package['name']} {package['version']}"),
        ("contract", f"{payload['contract']['version']} ({payload['contract']['sha256'][:16]}…)"),
        ("profile", f"{scope['profile']}, seed {scope['seed']}"),
        ("passed", f"{totals['passed']} of {totals['claimed']} claimed cases"),
        *((f"claimed {name}", f"{part} of {all_}") for name, (part, all_) in payload["denominators"].items()),
        ("waived", str(totals["waived"])),
        ("as wrong as eager PyTorch", str(totals["eager_defects"])),
        *(
            (f"planted faults found, {p}", f"{k} of {n}")
            for p, (k, n) in payload["suite"]["kill_rate"].items()
        ),
        *sorted(payload["environment"].items()),
    ]
    for name, value in rows:
        table.add_row(name, escape(value))
    out.print(table)
    for remark in found.remarks:
        out.print(f"[yellow]remark[/yellow] {escape(remark)}", highlight=False)
    if compared:
        for line in changes or ("no difference",):
            out.print(escape(line), highlight=False)
    if tried is not None:
        for result in tried.broken[:10]:
            out.print(
                f"[red]{result.status}[/red] {escape(result.id)}\n  {escape(result.message)}", highlight=False
            )
        verdict = "[green]holds[/green]" if tried.holds else "[red]does not hold[/red]"
        count = len(tried.results)
        out.print(
            f"the challenge {verdict}: {count - len(tried.broken)} of {count} cases passed", highlight=False
        )
