"""Compares a contract version with the running PyTorch: ``torchport opset check``.

Four comparisons, each of which names what drifted: the frozen schemas with the registered ones; the shape and
dtype rules with PyTorch's meta results, on drawn operands; the decompositions with the primitives that they
have to reach; the table of higher-order operators with those that exist.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch

from torchport.contract import higher_order
from torchport.contract.adapters import pins
from torchport.contract.opset import OpSet, opset
from torchport.contract.snapshot import path_of
from torchport.contract.spec import resolve
from torchport.contract.version import LOG
from torchport.errors import ContractError
from torchport.tools.meta_results import MetaCheck
from torchport.tools.reach import Reach

Progress = Callable[[str], None]


class Kind(enum.StrEnum):
    """What a drift is about."""

    SCHEMA = "schema"
    REMOVED = "removed"
    APPEARED = "appeared"
    CORE = "core"
    META = "meta"
    CLOSURE = "closure"
    HIGHER_ORDER = "higher-order"


@dataclass(frozen=True, slots=True)
class Drift:
    """One thing on which the contract and the running PyTorch differ."""

    op: str
    kind: Kind
    contract: str
    running: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome for one contract version.

    ``compared`` counts schemas, ``adapted`` those that this PyTorch lacks or spells in its own way as
    :mod:`torchport.contract.adapters` says; ``meta`` counts calls whose results were compared; ``unasked``
    names operators that PyTorch has no meta result for, ``by_kernel`` those whose kernel agrees with the
    contract and whose meta function does not; ``decomposed`` counts calls followed down to primitives.
    """

    opset: str
    torch: str
    compared: int
    adapted: tuple[str, ...]
    meta: int
    unasked: tuple[str, ...]
    by_kernel: tuple[str, ...]
    decomposed: int
    higher_order: int
    drifts: tuple[Drift, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "drifts": [asdict(drift) for drift in self.drifts]}


def check_version(version: str, *, calls: int = 2, progress: Progress = lambda name: None) -> Check:
    """All comparisons for ``version``.

    Args:
        version: the contract version; its schemas are those of the snapshot.
        calls: calls to draw for each operator and dtype tried; 0 compares schemas and tables only.
        progress: is told each operator's name before its calls are made.

    Raises:
        ContractError: there is no such version, or its snapshot is missing or damaged.
    """
    schemas = snapshot_schemas(version)
    contract = opset(version)
    drifts = [*check_schemas(schemas), *check_core(contract), *check_higher_order()]
    metas, reach = MetaCheck(), Reach(contract)
    for name, spec in contract.ops.items() if calls else ():
        if not _is_registered(name):
            continue
        progress(name)
        drifts += [Drift(name, Kind.META, *found) for found in metas.check(spec, calls)]
        drifts += [Drift(name, Kind.CLOSURE, *found) for found in reach.check(spec, calls)]
    return Check(
        version,
        torch.__version__,
        len(schemas),
        tuple(name for name in schemas if _adapted(name)),
        metas.compared,
        tuple(metas.unasked),
        tuple(metas.by_kernel),
        reach.followed,
        len(higher_order.present()),
        tuple(drifts),
    )


def snapshot_schemas(version: str) -> dict[str, str]:
    """Schema text by operator name in the snapshot of ``version``.

    Raises:
        ContractError: there is no such version, or its snapshot is missing or damaged.
    """
    if version not in LOG:
        raise ContractError(
            "unknown contract version", got=repr(version), hint=f"known versions: {', '.join(LOG)}"
        )
    path = path_of(version)
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["ops"]
        return {entry["name"]: entry["schema"] for entry in entries}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ContractError(
            f"the snapshot of opset {version} cannot be read",
            got=f"{path}: {type(error).__name__}: {error}",
            hint="reinstall torchport",
        ) from error


def check_schemas(schemas: Mapping[str, str]) -> Iterator[Drift]:
    """Which of ``schemas`` (schema text by qualified name) are not those of the running PyTorch."""
    for name, text in schemas.items():
        running, pinned = _running_schema(name), pins().get(name)
        allowed = {text} if pinned is None else {text, pinned.schema, *pinned.others}
        expected = pinned is None or pinned.expected(torch.__version__)
        if running is None and expected:
            yield Drift(name, Kind.REMOVED, text, None)
        elif running is not None and not expected:
            yield Drift(name, Kind.APPEARED, f"not in PyTorch {torch.__version__}", running)
        elif running is not None and running not in allowed:
            yield Drift(name, Kind.SCHEMA, text, running)


def check_core(contract: OpSet) -> Iterator[Drift]:
    """Entries whose Core ATen mark is not the running PyTorch's."""
    for name, spec in contract.ops.items():
        if _is_registered(name) and spec.core != (torch.Tag.core in resolve(name).tags):
            yield Drift(name, Kind.CORE, _marked(spec.core), _marked(not spec.core))


def check_higher_order() -> Iterator[Drift]:
    """Higher-order operators without a row, and rows without an operator."""
    found = higher_order.check()
    for name in found.unknown:
        yield Drift(f"higher_order.{name}", Kind.HIGHER_ORDER, "no row", "exists")
    for name in found.missing:
        yield Drift(f"higher_order.{name}", Kind.HIGHER_ORDER, higher_order.ROWS[name].reason, None)


def _marked(core: bool) -> str:
    return "Core ATen" if core else "not Core ATen"


def _adapted(name: str) -> bool:
    pinned = pins().get(name)
    return pinned is not None and _running_schema(name) != pinned.schema


def _running_schema(name: str) -> str | None:
    return str(resolve(name)._schema) if _is_registered(name) else None


def _is_registered(name: str) -> bool:
    try:
        return isinstance(resolve(name), torch._ops.OpOverload)
    except AttributeError:
        return False
