"""From a choice on every axis (a :class:`Recipe`) to a case that the contract allows, or to none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from torchport.contract import shape_rules
from torchport.contract.dtype_rules import dtype_from_name
from torchport.contract.spec import Operand, OpSpec, Tier
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import bindings_of, choice_argument, choice_text, evaluated
from torchport_conformance.cases.case import Argument, Case, TensorPlan
from torchport_conformance.cases.layouts import LAYOUTS
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
            used = frozenset[str]().union(*(letters_in(p.dims) for _, p in _plans(arguments)))
            kept = tuple((letter, size) for letter, size in sizes.items() if letter in used)
            return Case(
                _identify(sig, recipe, arguments, layout_text), sig.spec.name, tuple(arguments.items()), kept
            )
    return None


def _plans(arguments: Mapping[str, Argument]) -> list[tuple[str, TensorPlan]]:
    return list(Case("", "", tuple(arguments.items())).tensors())


def _arguments(sig: Signature, recipe: Recipe, sizes: Mapping[str, int]) -> dict[str, Argument] | None:
    """Arguments in schema order; tensors first, since the others may be expressions over them."""
    tensors: dict[str, Argument] = {}
    for name in sig.tensors:
        if name in recipe.absent:
            tensors[name] = None
            continue
        plan = _tensor(sig, recipe, name, sizes)
        if plan is None:
            return None
        tensors[name] = plan if not is_list(sig.operands[name]) else (plan,) * LIST_LENGTH
    if not _resolve_values(tensors, sig, sizes):
        return None
    found: dict[str, Argument] = {}
    for name, operand in sig.operands.items():
        if name in tensors:
            found[name] = tensors[name]
        elif operand.choices:
            choice = operand.choices[recipe.choices.get(name, 0) % len(operand.choices)]
            try:
                found[name] = choice_argument(
                    choice, sig.types[name], bindings_of({**tensors, **found}, sizes)
                )
            except ContractError:
                return None
    return found


def _tensor(sig: Signature, recipe: Recipe, name: str, sizes: Mapping[str, int]) -> TensorPlan | None:
    operand = sig.operands[name]
    assert operand.pattern is not None
    dims = dims_of(element_pattern(operand), recipe.ranks, recipe.broadcasts.get(name, "full"))
    # Sizes 0 and 1 are fixed in a compiled region, as torch.compile fixes them.
    fixed = {letter: size for letter, size in sizes.items() if size < 2}
    dims = tuple(fixed[d] if d in fixed else int(d) if d.isdigit() else d for d in dims)  # type: ignore[misc]
    shape = sizes_of(dims, sizes)
    if any(size < 0 for size in shape):
        return None
    layout = recipe.layouts.get(name, "contiguous")
    if not LAYOUTS[layout].applies(len(shape)):
        layout = "contiguous"
    target, fill = recipe.fill
    return TensorPlan(
        dims,
        shape,
        dtype_from_name(recipe.dtypes[name]),
        layout,
        operand.values,
        fill if target in ("", name) else "random",
    )


def _resolve_values(tensors: dict[str, Argument], sig: Signature, sizes: Mapping[str, int]) -> bool:
    """Replaces ``index(EXPR)`` by its bound; false where there is nothing to index."""
    for name, argument in tensors.items():
        operand = sig.operands[name]
        if argument is None or not operand.values.startswith("index("):
            continue
        try:
            bound = evaluated(operand.values[len("index(") : -1], bindings_of(tensors, sizes))
        except ContractError:
            return False
        plans = argument if isinstance(argument, tuple) else (argument,)
        if bound < 1 and any(0 not in p.shape for p in plans):
            return False
        resolved = tuple(replace(p, values=f"index:{bound}") for p in plans)
        tensors[name] = resolved if isinstance(argument, tuple) else resolved[0]
    return True


def _rules(spec: OpSpec) -> tuple[shape_rules.ShapeRule, ...]:
    return tuple(shape_rules.parse(c.text) for c in spec.constraints if c.tier in (None, Tier.ATEN))


def _allowed(spec: OpSpec, arguments: Mapping[str, Argument], sizes: Mapping[str, int]) -> bool:
    """Whether the contract's constraints and shape rules hold; absent arguments are at their defaults."""
    defaults = {a.name: a.default_value for a in spec.overload._schema.arguments if a.has_default_value()}
    bindings = bindings_of({**defaults, **arguments}, {})
    try:
        if not all(rule.holds(bindings) for rule in _rules(spec)):
            return False
        for text in spec.shape:
            shape_rules.parse(text).raw(bindings)
    except ContractError:
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
