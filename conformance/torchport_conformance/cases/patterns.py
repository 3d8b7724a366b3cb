"""Shape patterns of the contract: parsing, and instantiation with ranks and sizes.

``"[n, k]"`` has a size for each letter, an integer or an expression of letters for a derived one; ``"*S"`` is
any number of dimensions, alone or among others (``"[*B, n, k]"``); ``"~S"`` is broadcastable to ``*S``;
``"1d(k)"`` is ``"[k]"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError

BROADCASTS = ("full", "unit", "lead", "scalar", "outer", "ones")
"""How an operand that is broadcastable to S relates to it: equal, a last dimension of size 1, fewer
dimensions, none, a first dimension of size 1, all dimensions of size 1.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a pattern: ``kind`` is ``size`` (an expression), ``rest`` (any dimensions) or
    ``broadcast``.
    """

    kind: str
    text: str


@lru_cache(maxsize=1024)
def parse(pattern: str) -> tuple[Item, ...]:
    """The items of a pattern, outermost dimension first.

    Raises:
        ContractError: the text is not a pattern.
    """
    text = pattern.strip()
    if text.startswith("1d(") and text.endswith(")"):
        text = f"[{text[3:-1]}]"
    if not text.startswith("["):
        text = f"[{text}]"
    if not text.endswith("]"):
        raise ContractError("not a shape pattern", got=pattern)
    return tuple(_item(part.strip()) for part in _split(text[1:-1]) if part.strip())


def _split(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def _item(part: str) -> Item:
    if part[0] in "*~":
        if not part[1:].isidentifier():
            raise ContractError("not a shape pattern item", got=part)
        return Item("rest" if part[0] == "*" else "broadcast", part[1:])
    SymExpr(part)  # raises what is not a size expression
    return Item("size", part)


def variadic(patterns: Sequence[str]) -> tuple[str, ...]:
    """Names of the parts of any rank (``S`` in ``*S`` and ``~S``), in order of appearance."""
    return tuple(
        dict.fromkeys(i.text for p in patterns if not p.startswith("=") for i in parse(p) if i.kind != "size")
    )


@lru_cache(maxsize=1 << 14)
def _dims_of(pattern: str, ranks: tuple[tuple[str, int], ...], broadcast: str) -> tuple[str, ...]:
    rank_of = dict(ranks)
    dims: list[str] = []
    for item in parse(pattern):
        if item.kind == "size":
            dims.append(item.text)
            continue
        dims += _broadcast([f"{item.text}{i}" for i in range(rank_of[item.text])], broadcast)
    return tuple(dims)


def dims_of(pattern: str, ranks: Mapping[str, int], broadcast: str = "full") -> tuple[str, ...]:
    """Expressions of the sizes: each dimension of ``*S`` gets a letter (``S0``, ``S1`` …); ``broadcast`` is
    how ``*S`` and ``~S`` relate to the whole of S.
    """
    return _dims_of(pattern, tuple(ranks.items()), broadcast)


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of one shape broadcasts to another."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def _broadcast(names: list[str], how: str) -> list[str]:
    match how:
        case "unit":
            return [*names[:-1], "1"] if names else []
        case "lead":
            return names[1:]
        case "scalar":
            return []
        case "outer":
            return ["1", *names[1:]] if names else []
        case "ones":
            return ["1"] * len(names)
    return names


def letters_in(dims: Sequence[str | int]) -> frozenset[str]:
    """Letters that size expressions use; a shape rule over other arguments uses none of its own."""
    return frozenset() if isinstance(dims, str) else _letters_in(tuple(dims))


@lru_cache(maxsize=1 << 14)
def _letters_in(dims: tuple[str | int, ...]) -> frozenset[str]:
    return frozenset[str]().union(*(SymExpr(d).symbols for d in dims if isinstance(d, str)))


def sizes_of(dims: Sequence[str | int], bindings: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sizes under ``bindings`` of letters to ints or SymInts."""
    return tuple(
        (bindings[d] if d in bindings else SymExpr(d).evaluate(bindings)) if isinstance(d, str) else d
        for d in dims
    )
