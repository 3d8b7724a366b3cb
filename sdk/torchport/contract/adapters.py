"""Where PyTorch versions of the window differ in an operator that the contract has.

The contract has one schema for each operator. For most it is that of every PyTorch version in the window;
those that a version lacks or spells in another way are pinned in ``adapters.json``, so that entries load,
snapshots stay byte-identical and graphs read alike on all of them. Which versions differ was read off the
schemas of 2.11, 2.12, 2.13 and 2.14; ``torchport opset check`` tells where the running PyTorch says
otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import torch

from torchport.contract.integer_division import without_traps
from torchport.contract.spec import OpSpec, parsed, resolve
from torchport.errors import ContractError

Bound = tuple[tuple[str, Any], ...]
"""Arguments of a call by name, in schema order."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The contract's ``schema`` of an operator that is not the same on all PyTorch versions.

    ``first`` and ``last`` bound the minor versions that have it (empty: no bound); ``others`` are the schemas
    under which further versions have it. ``meta_first`` is the first minor version whose meta function
    returns what the kernels return, where older ones do not.
    """

    schema: str
    first: str = ""
    last: str = ""
    others: tuple[str, ...] = ()
    meta_first: str = ""

    def expected(self, version: str) -> bool:
        """Whether PyTorch ``version`` has the operator."""
        minor = minor_of(version)
        return (not self.first or minor_of(self.first) <= minor) and (
            not self.last or minor <= minor_of(self.last)
        )


@cache
def pins() -> Mapping[str, Pinned]:
    """The operators that PyTorch versions disagree about, by qualified name: ``adapters.json``."""
    data = json.loads(resources.files("torchport.contract").joinpath("adapters.json").read_text("utf-8"))
    return {
        name: Pinned(
            row["schema"],
            row.get("first", ""),
            row.get("last", ""),
            tuple(row.get("others", ())),
            row.get("meta_first", ""),
        )
        for name, row in data.items()
    }


def minor_of(version: str) -> tuple[int, int]:
    """``(2, 13)`` of ``"2.13.0+cpu"``."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def schema_of(name: str) -> torch.FunctionSchema:
    """The contract's schema of an operator, whether or not the running PyTorch has it.

    Raises:
        AttributeError: nothing is pinned and PyTorch has no such operator.
    """
    pinned = pins().get(name)
    return resolve(name)._schema if pinned is None else parsed(pinned.schema)


def is_present(name: str) -> bool:
    """Whether the running PyTorch has the operator."""
    try:
        resolve(name)
    except AttributeError:
        return False
    return True


def to_contract(name: str, bound: Bound) -> Bound:
    """Arguments bound by the running PyTorch's schema, under the names of the contract's.

    An argument that only the running version has is dropped where it has its default; a call that gives it
    another value is returned as it is, and does not keep the contract.
    """
    pinned = pins().get(name)
    if pinned is None or tuple(k for k, _ in bound) == _names(pinned.schema):
        return bound
    ours, theirs = parsed(pinned.schema).arguments, resolve(name)._schema.arguments
    if len(ours) == len(theirs):
        return tuple((a.name, value) for a, (_, value) in zip(ours, bound, strict=True))
    values = dict(bound)
    known = {a.name for a in ours}
    if any(a.name not in known and values[a.name] != a.default_value for a in theirs):
        return bound
    return tuple((a.name, values.get(a.name, a.default_value)) for a in ours)


def to_running(name: str, args: Bound) -> Bound:
    """The inverse of :func:`to_contract`: the arguments of a node as the running PyTorch takes them.

    Raises:
        ContractError: the running PyTorch lacks the operator, or an argument with another value than its
            default.
    """
    pinned = pins().get(name)
    if pinned is None:
        return args
    if not is_present(name):
        raise ContractError(
            f"PyTorch {torch.__version__} has no such operator",
            op=name,
            hint=f"it exists from {pinned.first or 'before the window'} to {pinned.last or 'today'}",
        )
    ours, theirs = parsed(pinned.schema).arguments, resolve(name)._schema.arguments
    if len(ours) == len(theirs):
        return tuple((a.name, value) for a, (_, value) in zip(theirs, args, strict=True))
    values = dict(args)
    known = {a.name for a in theirs}
    for argument in ours:
        if argument.name not in known and values[argument.name] != argument.default_value:
            raise ContractError(
                f"PyTorch {torch.__version__} has no argument {argument.name!r}",
                op=name,
                got=repr(values[argument.name]),
            )
    return tuple((a.name, values.get(a.name, a.default_value)) for a in theirs)


def call(spec: OpSpec, arguments: Mapping[str, Any]) -> Any:
    """Calls an entry's operator with arguments under the contract's names, those that would end the process
    replaced (:mod:`torchport.contract.integer_division`).

    Raises:
        ContractError: see :func:`to_running`.
    """
    safe = without_traps(spec.name, arguments)
    return spec.overload(**dict(to_running(spec.name, tuple(safe.items()))))


def _names(schema: str) -> tuple[str, ...]:
    return tuple(a.name for a in parsed(schema).arguments)
