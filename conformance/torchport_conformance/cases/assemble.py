"""From a choice on every axis (a :class:`Recipe`) to a case that the contract allows, or to none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchport.contract import shape_rules
from torchport.contract.dtype_rules import computable, dtype_from_name
from torchport.contract.spec import Operand, OpSpec, Tier
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import (
    bindings_of,
    choice_argument,
    choice_text,
    evaluated,
    in_order,
    is_expression,
    names_in,
    reads,
)
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS, extent
from torchport_conformance.cases.patterns import dims_of, letters_in, sizes_of
from torchport_conformance.cases.sizes import SizeClass, alternatives

LIST_LENGTH = 3
"""How many tensors a list operand gets."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One choice on every axis.

    ``dtypes``, ``layouts``, ``broadcasts`` and ``choices`` are per argument; ``fill`` names one argument and
    what is put in it (``("self", "nan@first")``), or the argument ``""`` for all; ``absent`` are optional
    tensors left at None.
    """

    dtypes: Mapping[str, str]
    ranks: Mapping[str, int]
    size: SizeClass
    layouts: Mapping[str, str] = field(default_factory=dict)
    broadcasts: Mapping[str, str] = field(default_factory=dict)
    fill: tuple[str, str] = ("", "random")
    choices: Mapping[str, int] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Signature:
    """An operator's arguments: schema types by name, in order, and which of them conformance fills."""

    spec: OpSpec
    types: Mapping[str, str]

    @property
    def tensors(self) -> tuple[str, ...]:
        """Tensor arguments, list arguments included, that have a shape pattern."""
        return tuple(n for n, o in self.operands.items() if o.pattern is not None)

    @property
    def operands(self) -> Mapping[str, Operand]:
        """Operands in schema order."""
        return {n: self.spec.operands[n] for n in self.types if n in self.spec.operands}

    @property
    def choosable(self) -> tuple[str, ...]:
        """Arguments with more than one choice."""
        return tuple(n for n, o in self.operands.items() if o.pattern is None and len(o.choices) > 1)

    @property
    def patterns(self) -> tuple[str, ...]:
        """Shape patterns, in schema order."""
        return tuple(element_pattern(self.operands[n]) for n in self.tensors)


def is_list(operand: Operand) -> bool:
    """Whether an operand is a list of tensors."""
    return (operand.pattern or "").startswith("list(")


def element_pattern(operand: Operand) -> str:
    """The shape pattern of an operand; of its elements, where it is a list."""
    pattern = operand.pattern or "[]"
    return pattern[len("list(") : -1] if is_list(operand) else pattern


def signature(spec: OpSpec) -> Signature:
    """The signature of a contract entry."""
    return Signature(spec, {a.name: str(a.real_type) for a in spec.overload._schema.arguments})


def letters_of(sig: Signature, ranks: Mapping[str, int]) -> tuple[str, ...]:
    """Letters of all patterns at these ranks, in order of appearance."""
    found: dict[str, None] = {}
    for pattern in sig.patterns:
        if pattern.startswith("="):
            continue
        for dim in dims_of(pattern, ranks):
            found.update(dict.fromkeys(sorted(letters_in((dim,)))))
    return tuple(found)


def assemble(sig: Signature, recipe: Recipe, layout_text: str) -> Case | None:
    """The case of a recipe, with sizes for which the contract's constraints and shape rules hold; None if
    there are none.

    ``layout_text`` is the layout part of the id.
    """
    for sizes in alternatives(recipe.size.sizes):
        arguments = _arguments(sig, recipe, sizes)
        if arguments is not None and _allowed(sig.spec, arguments, sizes):
            used = frozenset[str]().union(
                *(letters_in(p.dims) for _, p in _plans(arguments)), *map(reads, arguments.values())
            )
            kept = tuple((letter, size) for letter, size in sizes.items() if letter in used)
            return Case(
                _identify(sig, recipe, arguments, layout_text), sig.spec.name, tuple(arguments.items()), kept
            )
    return None


def _plans(arguments: Mapping[str, Argument]) -> list[tuple[str, TensorPlan]]:
    return list(Case("", "", tuple(arguments.items())).tensors())


def _arguments(sig: Signature, recipe: Recipe, sizes: Mapping[str, int]) -> dict[str, Argument] | None:
    """Arguments in schema order; None where an expression does not apply to the others."""
    found: dict[str, Argument] = {}
    try:
        for name in in_order({name: _needs(sig, recipe, name) for name in sig.operands}):
            found[name] = _argument(sig, recipe, name, sizes, found)
        for name in sig.tensors:
            found[name] = _with_bound(found[name], sig.operands[name].values, found, sizes)
    except ContractError:
        return None
    return {name: found[name] for name in sig.operands}


def _needs(sig: Signature, recipe: Recipe, name: str) -> frozenset[str]:
    operand = sig.operands[name]
    if name in recipe.absent:
        return frozenset()
    if operand.pattern is not None:
        pattern = element_pattern(operand)
        return names_in(pattern[1:]) if pattern.startswith("=") else frozenset()
    choice = _choice(sig, recipe, name)
    return names_in(choice) if is_expression(choice, sig.types[name]) else frozenset()


def _choice(sig: Signature, recipe: Recipe, name: str) -> Any:
    choices = sig.operands[name].choices
    if not choices:
        raise ContractError("conformance has nothing to put in an argument", op=sig.spec.name, got=name)
    return choices[recipe.choices.get(name, 0) % len(choices)]


def _argument(
    sig: Signature, recipe: Recipe, name: str, sizes: Mapping[str, int], known: Mapping[str, Argument]
) -> Argument:
    if name in recipe.absent:
        return None
    if sig.operands[name].pattern is None:
        seen = bindings_of(known, sizes)
        return choice_argument(_choice(sig, recipe, name), sig.types[name], seen)
    pattern = element_pattern(sig.operands[name])
    if "List" in sig.types[name] and pattern.startswith("="):
        shapes = evaluated(pattern[1:], bindings_of(known, sizes))
        if not shapes or isinstance(shapes[0], tuple | list):
            # A rule that gives a list of shapes: one tensor for each.
            parts = [f"=({pattern[1:]})[{i}]" for i in range(len(shapes))]
            return tuple(_tensor(sig, recipe, name, sizes, known, part) for part in parts)
    plan = _tensor(sig, recipe, name, sizes, known, pattern)
    return (plan,) * LIST_LENGTH if "List" in sig.types[name] else plan


def _tensor(
    sig: Signature,
    recipe: Recipe,
    name: str,
    sizes: Mapping[str, int],
    known: Mapping[str, Argument],
    pattern: str,
) -> TensorPlan:
    operand = sig.operands[name]
    dims: tuple[str | int, ...] | str
    if pattern.startswith("="):
        dims = pattern[1:]
        shape = evaluated(dims, bindings_of(known, sizes))
    else:
        # Sizes 0 and 1 are fixed in a compiled region, as torch.compile fixes them.
        fixed = {letter: size for letter, size in sizes.items() if size < 2}
        texts = dims_of(pattern, recipe.ranks, recipe.broadcasts.get(name, "full"))
        dims = tuple(fixed[d] if d in fixed else int(d) if d.isdigit() else d for d in texts)
        shape = sizes_of(dims, sizes)
    if any(size < 0 for size in shape):
        raise ContractError("a size is negative", op=sig.spec.name, got=f"{name}: {shape}")
    layout = recipe.layouts.get(name, "contiguous")
    if not LAYOUTS[layout].applies(len(shape)):
        layout = "contiguous"
    target, fill = recipe.fill
    return TensorPlan(
        dims,
        tuple(shape),
        dtype_from_name(recipe.dtypes[name]),
        layout,
        operand.values,
        fill if target in ("", name) else "random",
    )


def _with_bound(
    argument: Argument, values: str, known: Mapping[str, Argument], sizes: Mapping[str, int]
) -> Argument:
    """The operand with ``index(EXPR)``, ``ends(EXPR)`` or ``offsets(EXPR)`` replaced by its bound.

    Raises:
        ContractError: there is nothing to index.
    """
    kind, _, expression = values.partition("(")
    if argument is None or kind not in ("index", "ends", "offsets"):
        return argument
    bound = evaluated(expression[:-1], bindings_of(known, sizes))
    plans = argument if isinstance(argument, tuple) else (argument,)
    if bound < 1 and any(0 not in p.shape for p in plans):
        raise ContractError("there is nothing to index", got=values)
    resolved = tuple(replace(p, values=f"{kind}:{bound}") for p in plans)
    return resolved if isinstance(argument, tuple) else resolved[0]


def _rules(spec: OpSpec) -> tuple[shape_rules.ShapeRule, ...]:
    return tuple(shape_rules.parse(c.text) for c in spec.constraints if c.tier in (None, Tier.ATEN))


def _allowed(spec: OpSpec, arguments: Mapping[str, Argument], sizes: Mapping[str, int]) -> bool:
    """Whether the contract's constraints, shape and dtype rules hold; absent ones are at their defaults."""
    defaults = {a.name: a.default_value for a in spec.overload._schema.arguments if a.has_default_value()}
    bindings = bindings_of({**defaults, **arguments}, {})
    try:
        if not all(rule.holds(bindings) for rule in _rules(spec)):
            return False
        for text in spec.shape:
            shape_rules.parse(text).raw(bindings)
    except ContractError:
        return False
    if spec.dtypes.computes and not computable(spec.dtypes, {n: _meta(a) for n, a in arguments.items()}):
        return False
    if any(a.name == "storage_offset" for a in spec.overload._schema.arguments):
        # An operator that addresses the storage means something else for every layout.
        return all(plan.layout == "contiguous" for _, plan in _plans(arguments))
    return "view" not in spec.layout or _views(spec, arguments)


def _meta(argument: Argument) -> Any:
    """The argument as PyTorch takes it, tensors without data."""
    if isinstance(argument, TensorPlan):
        strides, offset = strides_of(argument)
        whole = torch.empty((extent(argument.shape, strides) + offset,), dtype=argument.dtype, device="meta")
        return whole.as_strided(argument.shape, strides, offset)
    if isinstance(argument, tuple):
        return [_meta(a) for a in argument]
    return argument.value if isinstance(argument, SizeExpr) else argument


def _views(spec: OpSpec, arguments: Mapping[str, Argument]) -> bool:
    """Whether PyTorch can express the result as a view of operands with these strides."""
    if all(plan.layout == "contiguous" for _, plan in _plans(arguments)):
        return True
    try:
        spec.overload(**{name: _meta(argument) for name, argument in arguments.items()})
    except (RuntimeError, ValueError, IndexError):
        return False
    return True


def _identify(sig: Signature, recipe: Recipe, arguments: Mapping[str, Argument], layout_text: str) -> str:
    dtypes = list(dict.fromkeys(recipe.dtypes[n] for n in sig.tensors if n not in recipe.absent))
    parts = [",".join(dtypes) or "none", _shape_text(recipe)]
    if layout_text != "contiguous":
        parts.append(layout_text)
    target, fill = recipe.fill
    if fill != "random":
        special, _, position = fill.partition("@")
        name = f"special:{special}" if position else special
        parts.append(f"{name}@{target}.{position}" if position else f"{name}@{target}")
    parts += [f"{name}={choice_text(arguments[name])}" for name in sig.choosable if name in arguments]
    parts += [f"{name}=None" for name in sorted(recipe.absent)]
    return f"{sig.spec.name}[{'-'.join(parts)}]"


def _shape_text(recipe: Recipe) -> str:
    ranks = "".join(f"{rank}d." for rank in recipe.ranks.values())
    varied = [f"{how}({name})" for name, how in recipe.broadcasts.items() if how != "full"]
    return ranks + ".".join([recipe.size.name, *varied])
