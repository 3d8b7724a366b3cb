"""Frozen contract versions as canonical JSON: written by ``python -m torchport.contract.snapshot``.

``snapshots/opset-VERSION.json`` is the truth for readers that are not Python; it follows
``schemas/opset.schema.json``. The text is canonical (sorted keys, fixed separators, one entry a line), so
the running Python regenerates it byte for byte, and its SHA-256 identifies the version.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from torchport.contract.graph import dtype_name
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Constraint, OpSpec
from torchport.contract.version import LOG
from torchport.errors import ContractError

FOLDER = Path(__file__).parent / "snapshots"
FORMAT_VERSION = 1


def path_of(version: str) -> Path:
    """Where the snapshot of a version lies."""
    return FOLDER / f"opset-{version}.json"


def entry_to_json(spec: OpSpec) -> dict[str, Any]:
    """One entry as JSON: everything but the decomposition itself."""
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
        "decomposes": spec.decomposition is not None,
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


def render(version: OpSet) -> str:
    """The canonical snapshot text of a version."""
    head = {
        "format": "torchport-opset",
        "format_version": FORMAT_VERSION,
        "version": version.version,
        "status": version.status,
        "log": LOG[version.version],
        "counts": {"prims": len(version.prims), "aten": len(version.aten), "core": len(version.core)},
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


def drift(version: str) -> str:
    """What differs between a version and its snapshot on disk, entry by entry; empty when nothing does."""
    path = path_of(version)
    fresh = render(opset(version))
    if not path.exists():
        return f"{path.name} does not exist"
    stored = path.read_text(encoding="utf-8")
    if stored == fresh:
        return ""
    try:
        before = {e["name"]: e for e in json.loads(stored)["ops"]}
    except (ValueError, KeyError, TypeError) as error:
        return f"{path.name} is damaged: {error}"
    after = {name: json.loads(_dump(entry_to_json(spec))) for name, spec in opset(version).ops.items()}
    lines = [f"+ {n}" for n in sorted(after.keys() - before.keys())]
    lines += [f"- {n}" for n in sorted(before.keys() - after.keys())]
    for name in sorted(after.keys() & before.keys()):
        fields = [k for k in after[name] if after[name][k] != before[name].get(k)]
        if fields:
            lines.append(f"~ {name}: {', '.join(fields)}")
    return "\n".join(lines) or f"{path.name} differs outside of the entries"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: writes the snapshots, or with ``--check`` reports drift; 0 when nothing drifted, else
    1.
    """
    parser = argparse.ArgumentParser(prog="python -m torchport.contract.snapshot", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and name what drifted")
    options = parser.parse_args(arguments)
    failed = False
    for version in LOG:
        found = drift(version)
        if options.check:
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
