"""Frozen contract versions as canonical JSON: written by ``python -m torchport.contract.snapshot``.

``snapshots/opset-VERSION.json`` is the truth for readers that are not Python; it follows
``schemas/opset.schema.json``. The text is canonical (sorted keys, fixed separators, one entry a line), so
the running Python regenerates it byte for byte, and its SHA-256 identifies the version.

A released version is pinned: :data:`torchport.contract.version.PINS` holds the SHA-256 of its snapshot, so
that neither an edited entry (or decomposition) nor an edited snapshot passes ``--check``. ``--release
VERSION`` releases a draft: it writes the snapshot and the pin.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from torchport.contract import version as versions
from torchport.contract.fingerprint import fingerprint
from torchport.contract.graph import dtype_name
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Category, Constraint, OpSpec, Tier
from torchport.contract.version import LOG, PINS
from torchport.errors import ContractError

FOLDER = Path(__file__).parent / "snapshots"
SCHEMA = Path(__file__).parent / "schemas" / "opset.schema.json"
FORMAT_VERSION = 1


def path_of(version: str) -> Path:
    """Where the snapshot of a version lies."""
    return FOLDER / f"opset-{version}.json"


def entry_to_json(spec: OpSpec) -> dict[str, Any]:
    """One entry as JSON; of the decomposition the fingerprint."""
    return {
        "name": spec.name,
        "tier": spec.tier.value,
        "schema": spec.schema,
        "category": spec.category.value,
        "since": spec.since,
        "until": spec.until,
        "core": spec.core,
        "deterministic": spec.deterministic,
        "dtypes": {
            "accepts": {k: list(v) for k, v in spec.dtypes.accepts.items()},
            "results": list(spec.dtypes.results),
            "computes": {k: list(v) for k, v in spec.dtypes.computes.items()},
        },
        "shape": list(spec.shape),
        "layout": list(spec.layout),
        "numerics": {
            "kind": spec.numerics.kind,
            "ulps": dict(spec.numerics.ulps),
            "length": spec.numerics.length,
            "magnitude": spec.numerics.magnitude,
            "special": list(spec.numerics.special),
        },
        "operands": {
            name: {
                "pattern": operand.pattern,
                "values": operand.values,
                "choices": [_choice(c) for c in operand.choices],
                "optional": operand.optional,
            }
            for name, operand in spec.operands.items()
        },
        "constraints": [_constraint(c) for c in spec.constraints],
        "errors": [_constraint(c) for c in spec.errors],
        "decomposition": None if spec.decomposition is None else fingerprint(spec.decomposition),
    }


def _constraint(constraint: Constraint) -> dict[str, Any]:
    tier = None if constraint.tier is None else constraint.tier.value
    return {"label": constraint.label, "text": constraint.text, "prose": constraint.prose, "tier": tier}


def _choice(value: Any) -> Any:
    """Literals as themselves; expressions, dtypes and non-finite numbers as one-key objects."""
    if isinstance(value, torch.dtype):
        return {"dtype": dtype_name(value)}
    if isinstance(value, torch.memory_format | torch.layout | torch.device):
        return {"torch": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"float": str(value)}
    if isinstance(value, str):
        return {"expression": value}
    if isinstance(value, list | tuple):
        return [_choice(v) for v in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ContractError("an operand's choice has no JSON form", got=repr(value))


def render(version: OpSet, *, status: str | None = None) -> str:
    """The canonical snapshot text of a version; ``status`` stands in for the version's own."""
    head = {
        "format": "torchport-opset",
        "format_version": FORMAT_VERSION,
        "version": version.version,
        "status": status or version.status,
        "log": LOG.get(version.base, ""),
        "extensions": sorted(version.extensions),
        "counts": {
            "prims": len(version.prims),
            "aten": len(version.aten),
            "macro": len(version.macros),
            "core": len(version.core),
        },
    }
    lines = [f"{_dump(key)}: {_dump(value)}," for key, value in sorted(head.items())]
    entries = [_dump(entry_to_json(spec)) for _, spec in sorted(version.ops.items())]
    return "{\n" + "\n".join(lines) + '\n"ops": [\n' + ",\n".join(entries) + "\n]\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@lru_cache(maxsize=16)
def digest(version: OpSet) -> str:
    """SHA-256 of :func:`render`, in hexadecimal."""
    return hashlib.sha256(render(version).encode()).hexdigest()


def render_schema() -> str:
    """The published JSON Schema, its lists of tiers and categories as the code has them."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    entry = definitions["entry"]["properties"]
    entry["tier"]["enum"] = [tier.value for tier in Tier]
    entry["category"]["enum"] = [category.value for category in Category]
    definitions["constraint"]["properties"]["tier"]["enum"] = [*(tier.value for tier in Tier), None]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def drift(version: str) -> str:
    """What differs between a version, its snapshot on disk and its pin, entry by entry; empty when nothing
    does.
    """
    path = path_of(version)
    if not path.exists():
        return f"{path.name} does not exist"
    stored = path.read_text(encoding="utf-8")
    lines = []
    pin = PINS.get(version)
    if pin is not None and hashlib.sha256(stored.encode()).hexdigest() != pin:
        lines.append(f"{path.name} is not the file that was released: its SHA-256 is not the pin {pin}")
    if stored != render(opset(version)):
        lines += _changes(path, stored, opset(version))
    return "\n".join(lines)


def _changes(path: Path, stored: str, running: OpSet) -> list[str]:
    try:
        before = {e["name"]: e for e in json.loads(stored)["ops"]}
    except (ValueError, KeyError, TypeError) as error:
        return [f"{path.name} is damaged: {error}"]
    after = {name: json.loads(_dump(entry_to_json(spec))) for name, spec in running.ops.items()}
    lines = [f"+ {n}" for n in sorted(after.keys() - before.keys())]
    lines += [f"- {n}" for n in sorted(before.keys() - after.keys())]
    for name in sorted(after.keys() & before.keys()):
        fields = [k for k in after[name] if after[name][k] != before[name].get(k)]
        if fields:
            lines.append(f"~ {name}: {', '.join(fields)}")
    return lines or [f"{path.name} differs outside of the entries"]


def release(version: str) -> str:
    """Writes the snapshot of a draft as released, and its pin into ``version.py``; returns the pin.

    Raises:
        ContractError: the version does not exist, is released already, or an older one is still a draft.
    """
    running = opset(version)
    if version in PINS:
        raise ContractError("this contract version is released already", got=version)
    older = [v for v in LOG if versions.ordered(v) < versions.ordered(version) and v not in PINS]
    if older:
        raise ContractError("an older contract version is still a draft", got=", ".join(older))
    text = render(running, status="released")
    pin = hashlib.sha256(text.encode()).hexdigest()
    source = Path(versions.__file__)
    known = "".join(f'    "{v}": "{p}",\n' for v, p in {**PINS, version: pin}.items())
    changed, count = re.subn(
        r"^(PINS: .*= )\{[^}]*\}$",
        lambda found: f"{found[1]}{{\n{known}}}",
        source.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    if count != 1:
        raise ContractError("no PINS to write to", got=str(source))
    path_of(version).write_text(text, encoding="utf-8")
    source.write_text(changed, encoding="utf-8")
    return pin


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: writes the snapshots of drafts and the schema, or with ``--check`` reports drift; 0 when
    nothing drifted, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m torchport.contract.snapshot", description=__doc__)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="write nothing; exit 1 and name what drifted")
    action.add_argument(
        "--release", metavar="VERSION", help="release a draft: write its snapshot and its pin"
    )
    options = parser.parse_args(arguments)
    if options.release:
        sys.stdout.write(f"opset {options.release}: released, sha256 {release(options.release)}\n")
        return 0
    failed = False
    schema = render_schema()
    stale = schema != SCHEMA.read_text(encoding="utf-8")
    if options.check:
        sys.stdout.write(f"{SCHEMA.name}: {'differs' if stale else 'up to date'}\n")
        failed = stale
    elif stale:
        SCHEMA.write_text(schema, encoding="utf-8")
        sys.stdout.write(f"wrote {SCHEMA.name}\n")
    for version in LOG:
        found = drift(version)
        if options.check or (found and version in PINS):
            sys.stdout.write(f"opset {version}: {found or 'as in the snapshot'}\n")
            failed = failed or bool(found)
        elif found:
            FOLDER.mkdir(exist_ok=True)
            path_of(version).write_text(render(opset(version)), encoding="utf-8")
            sys.stdout.write(
                f"opset {version}: wrote {path_of(version).name}, sha256 {digest(opset(version))}\n{found}\n"
            )
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
