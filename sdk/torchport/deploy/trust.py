"""What a file may not do: names and expressions of a program become Python source when it is linked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torchport.compile.package import GraphPackage
from torchport.contract.graph import Symbol, TensorSpec, Value
from torchport.contract.symbols import SymExpr
from torchport.deploy import trees
from torchport.errors import ArtifactError, ContractError
from torchport.run.program import OpStep, RestrideStep

_SYMBOL = re.compile(r"(?!arg\d)[a-z]+\d+\Z", re.ASCII)
_EXPRESSION = re.compile(r"[A-Za-z0-9_ ()+\-*/%.,<>=!]*\Z", re.ASCII)


def check_package(package: GraphPackage, path: Any) -> None:
    """Looks at everything of a program that is written into generated source.

    Raises:
        ArtifactError: something there is not a plain name, number or size expression.
    """
    symbols = [*package.symbols, *(s for part in package.regions for s in part.region.symbols)]
    try:
        for symbol in symbols:
            _check_symbol(symbol)
        for expression in _expressions(package):
            if not _EXPRESSION.match(expression.text):
                raise ContractError("not a size expression", got=expression.text)
    except (ContractError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"{path} holds a program that cannot be trusted", got=str(error), hint="export the program again"
        ) from error


def check_manifest(data: Mapping[str, Any], package: GraphPackage, path: Any) -> None:
    """Whether a manifest describes the program beside it.

    Raises:
        ArtifactError: it does not.
    """
    names = [a.name if isinstance(a, Value) else None for a in package.arguments]
    said = [entry["name"] for entry in data["arguments"]]
    users = sum(entry["origin"] == "user" for entry in data["arguments"])
    if (
        len(names) != len(said)
        or any(name not in (None, other) for name, other in zip(names, said, strict=True))
        or trees.leaf_count(data["in_tree"]) != users
        or trees.leaf_count(data["out_tree"]) != len(data["outputs"])
        or len(data["outputs"]) > len(package.outputs)
    ):
        raise ArtifactError(
            f"{path} holds a manifest of another program",
            got=f"{len(said)} arguments and {len(data['outputs'])} results are described",
            hint="export the program again",
        )


def _check_symbol(symbol: Symbol) -> None:
    if not _SYMBOL.match(symbol.name):
        raise ContractError("not the name of a symbol", got=symbol.name)
    _check_source(symbol.source)


def _check_source(source: tuple[Any, ...]) -> None:
    match source:
        case () | ("argument", int()) | ("scalar", str()):
            return
        case ("size" | "stride", str(), int()):
            return
        case ("solve", list() | tuple() as inner, str() as text) if _EXPRESSION.match(text):
            SymExpr(text)
            _check_source(tuple(inner))
            return
    raise ContractError("not a source of a symbol", got=repr(source))


def _expressions(package: GraphPackage) -> Iterator[SymExpr]:
    yield from _in((package.arguments, package.outputs))
    for part in package.parts:
        match part:
            case OpStep(node):
                yield from _in(tuple(a for _, a in node.args))
                values: Iterable[Value] = node.results
            case RestrideStep(source, target):
                values = (source, target)
            case _:
                values = (*part.region.input_values, *part.region.output_values)
        for value in values:
            yield from _in(value)


def _in(argument: Any) -> Iterator[SymExpr]:
    if isinstance(argument, SymExpr):
        yield argument
    elif isinstance(argument, tuple):
        for item in argument:
            yield from _in(item)
    elif isinstance(argument, Value) and isinstance(argument.spec, TensorSpec):
        spec = argument.spec
        yield from _in((*spec.shape, *spec.stride, spec.storage_offset))
