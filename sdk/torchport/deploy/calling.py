"""The call of a loaded program: from the user's arguments to the graph's, checked, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.compile.package import GraphPackage
from torchport.contract.graph import Symbol, TensorSpec, Value, dtype_name
from torchport.contract.symbols import SymExpr, evaluate
from torchport.deploy import trees
from torchport.errors import RunError
from torchport.run.program import restride


class Signature:
    """The structure of a model's arguments: how a call's arguments become leaves.

    Args:
        in_tree: of ``(args, kwargs)``.
        names: of the positional parameters, as far as they are known.
    """

    def __init__(self, in_tree: trees.Tree, names: Sequence[str]) -> None:
        positional, keywords = in_tree["items"]
        self._positional, self._names = positional["items"], list(names[: len(positional["items"])])
        self._keywords = dict(zip(keywords["keys"], keywords["items"], strict=True))

    def leaves(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The leaves of a call, in the order of the exported program.

        Raises:
            RunError: an argument is missing, too many, or has another structure.
        """
        given, rest = list(args), dict(kwargs)
        for name in self._names[len(given) : len(self._positional)]:
            if name not in rest:
                break
            given.append(rest.pop(name))
        if len(given) != len(self._positional):
            raise RunError(
                f"the program takes {len(self._positional)} positional arguments",
                got=str(len(given)),
                hint=f"they are: {', '.join(self._names)}" if self._names else "",
            )
        if rest.keys() != self._keywords.keys():
            missing, unknown = self._keywords.keys() - rest.keys(), rest.keys() - self._keywords.keys()
            raise RunError(
                "the program takes the keyword arguments it was exported with",
                got="; ".join(
                    f"{what} {', '.join(sorted(names))}"
                    for what, names in (("missing", missing), ("unknown", unknown))
                    if names
                ),
                hint=f"they are: {', '.join(self._keywords) or 'none'}",
            )
        found: list[Any] = []
        for index, (item, value) in enumerate(zip(self._positional, given, strict=True)):
            name = self._names[index] if index < len(self._names) else f"argument {index}"
            found += trees.flatten(item, value, name)
        for name, item in self._keywords.items():
            found += trees.flatten(item, rest[name], name)
        return found


@dataclass(frozen=True, slots=True)
class _Check:
    """One leaf of the arguments: its place among the graph's arguments, and what it must be."""

    place: int
    path: str
    wanted: Any
    aliased: bool
    device: torch.device | None
    static: bool

    @property
    def mutated(self) -> bool:
        """Whether the program writes to it."""
        return isinstance(self.wanted, TensorSpec) and self.wanted.mutated


class Arguments:
    """Checks the leaves of a call and puts them in the graph's order.

    Args:
        package: the graph.
        entries: the manifest's ``arguments``.
        aliased: names of inputs whose memory results may share.
    """

    def __init__(
        self, package: GraphPackage, entries: Sequence[Mapping[str, Any]], aliased: frozenset[str]
    ) -> None:
        self._symbols = {s.name: s for s in package.symbols}
        self._template: list[Any] = [None] * len(entries)
        self.places = {entry["name"]: i for i, entry in enumerate(entries)}
        self._checks: list[_Check] = []
        for place, (entry, argument) in enumerate(zip(entries, package.arguments, strict=True)):
            if entry["origin"] != "user":
                continue
            wanted = argument.spec if isinstance(argument, Value) else argument
            spec = wanted if isinstance(wanted, TensorSpec) else None
            device = None if spec is None else torch.device(spec.device)
            static = spec is not None and spec.is_static
            aliases = entry["name"] in aliased
            self._checks.append(_Check(place, entry["path"], wanted, aliases, device, static))
        self._written = [check for check in self._checks if check.mutated]
        self._solved: list[tuple[Symbol, int, int, SymExpr]] = []
        for symbol in package.symbols:
            match symbol.source:
                case ("solve", ("size", str(name), int(axis)), str(text)) if name in self.places:
                    self._solved.append((symbol, self.places[name], axis, SymExpr(text)))

    def fill(self, values: Mapping[str, torch.Tensor]) -> None:
        """Weights and constants, by name of the graph's input: the same in every call."""
        for name, tensor in values.items():
            self._template[self.places[name]] = tensor

    def of(self, leaves: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The graph's arguments as they were given, and as the program reads them: a tensor with other
        strides than the program was compiled for is copied.

        Raises:
            RunError: a leaf has another type, dtype, device, size or value than the program was exported for.
        """
        found = list(self._template)
        bound: dict[str, int] = {}
        later: list[tuple[_Check, Any]] = []
        for check, leaf in zip(self._checks, leaves, strict=True):
            wanted = check.wanted
            if isinstance(wanted, TensorSpec):
                self._tensor(check, wanted, leaf, bound)
                if not check.static or leaf.stride() != wanted.stride or leaf.is_neg() or leaf.is_conj():
                    later.append((check, leaf))
            elif isinstance(wanted, SymExpr):
                self._number(check, wanted, leaf, bound)
            elif type(leaf) is not type(wanted) or leaf != wanted:
                raise RunError(f"{check.path} is {wanted!r} in this program", got=repr(leaf))
            found[check.place] = leaf
        for symbol, place, axis, text in self._solved:
            value = text.evaluate({"observed": int(found[place].shape[axis])})
            self._bind(symbol, value, f"symbol {symbol.name}", bound)
        read = list(found)
        for check, leaf in later:
            read[check.place] = self._laid_out(check, leaf, bound)
        if self._written:
            self._check_apart(found)
        return found, read

    def write_back(self, given: Sequence[Any], read: Sequence[Any]) -> None:
        """What the program wrote to a copy that was made for its strides goes to the user's tensor."""
        for check in self._written:
            if read[check.place] is not given[check.place]:
                given[check.place].copy_(read[check.place])

    def _check_apart(self, found: Sequence[Any]) -> None:
        """Nothing shares memory with an argument that is written to: the program was traced without that."""
        extents = [
            (check, _extent(found[check.place]))
            for check in self._checks
            if isinstance(check.wanted, TensorSpec)
        ]
        for check in self._written:
            start, end = _extent(found[check.place])
            for other, (low, high) in extents:
                if other is not check and low < end and start < high:
                    raise RunError(
                        f"{check.path}, which the program writes to, shares memory with {other.path}",
                        hint="pass a copy of one of them",
                    )

    def _tensor(self, check: _Check, spec: TensorSpec, leaf: Any, bound: dict[str, int]) -> None:
        if not isinstance(leaf, torch.Tensor):
            raise RunError(f"{check.path} must be a tensor", got=type(leaf).__name__)
        if (
            leaf.dtype != spec.dtype
            or leaf.device != check.device
            or leaf.dim() != spec.rank
            or leaf.layout is not torch.strided
        ):
            raise RunError(
                f"{check.path} must be {dtype_name(spec.dtype)}, {spec.rank}-dimensional, on {spec.device}",
                got=f"{dtype_name(leaf.dtype)}{list(leaf.shape)}, {leaf.layout}, on {leaf.device}",
            )
        if leaf.requires_grad and torch.is_grad_enabled():
            raise RunError(
                f"{check.path} requires a gradient, and an exported program computes none",
                hint="call it under torch.no_grad(), or detach the argument",
            )
        for axis, (have, want) in enumerate(zip(leaf.shape, spec.shape, strict=True)):
            if isinstance(want, int):
                if have != want:
                    raise _wrong_size(check, axis, have, want)
            elif want.text in self._symbols:
                self._bind(self._symbols[want.text], have, f"size {axis} of {check.path}", bound)

    def _number(self, check: _Check, wanted: SymExpr, leaf: Any, bound: dict[str, int]) -> None:
        if type(leaf) is not int:
            raise RunError(f"{check.path} must be an int", got=type(leaf).__name__)
        if wanted.text in self._symbols:
            self._bind(self._symbols[wanted.text], leaf, check.path, bound)

    @staticmethod
    def _bind(symbol: Symbol, value: int, where: str, bound: dict[str, int]) -> None:
        if value < symbol.low or (symbol.high is not None and value > symbol.high):
            high = "any" if symbol.high is None else symbol.high
            raise RunError(f"{where} must be from {symbol.low} to {high}", got=str(value))
        if bound.setdefault(symbol.name, value) != value:
            raise RunError(f"{where} must be {bound[symbol.name]}, as elsewhere in the call", got=str(value))

    def _laid_out(self, check: _Check, leaf: torch.Tensor, bound: Mapping[str, int]) -> torch.Tensor:
        """The tensor with the strides that the program was compiled for: itself, or a copy."""
        spec, plain = check.wanted, leaf.resolve_conj().resolve_neg()
        for axis, (have, want) in enumerate(zip(leaf.shape, spec.shape, strict=True)):
            if have != evaluate(want, bound):
                raise _wrong_size(check, axis, have, want)
        stride = [evaluate(d, bound) for d in spec.stride]
        found = restride(plain, tuple(leaf.shape), stride)
        if found is not leaf and check.aliased:
            raise RunError(
                f"{check.path} must have strides {tuple(stride)}, since a result shares its memory",
                got=f"{leaf.stride()}{'' if plain is leaf else ', conjugated or negated lazily'}",
            )
        return found


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The addresses that a tensor's elements lie between."""
    if not tensor.numel():
        return 0, 0
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _wrong_size(check: _Check, axis: int, have: int, want: Any) -> RunError:
    return RunError(
        f"{check.path} must have size {want} in dimension {axis}",
        got=str(have),
        hint="export with dynamic_shapes to leave sizes open" if isinstance(want, int) else "",
    )


class Results:
    """From the graph's results to the user's: what was written to is the user's own tensor, the rest gets the
    model's structure.

    Args:
        same_as: for each result the name of the input that it is, or "".
        places: of the graph's arguments, by name.
        out_tree: structure of the results.
    """

    def __init__(self, same_as: Sequence[str], places: Mapping[str, int], out_tree: trees.Tree) -> None:
        self._sources = [places[name] if name else None for name in same_as]
        self._build: Callable[[Iterator[Any]], Any] = trees.builder(out_tree)

    def of(self, results: Sequence[Any], given: Sequence[Any]) -> Any:
        """The user's results; ``given`` are the graph's arguments as the user gave them."""
        pairs = zip(self._sources, results, strict=False)
        return self._build(iter([result if place is None else given[place] for place, result in pairs]))
