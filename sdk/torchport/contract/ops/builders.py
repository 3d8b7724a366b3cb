"""Builders of contract entries. Adding an operator is one statement in one module of this folder.

:func:`entry` is the general form; the others fill in what a whole family shares. The schema and the Core
ATen mark are read from PyTorch. Constraints are written ``("rule", "prose")`` or ``("rule", "prose",
Tier.PRIM)`` and are labelled in
order: ``mm.C1``, ``add.Tensor.C1`` (the overload ``default`` is left out); error conditions likewise,
    ``mm.E1``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from torchport.contract.adapters import is_present, schema_of
from torchport.contract.decompositions.elementwise import aligned, floated
from torchport.contract.spec import (
    Category,
    Constraint,
    DtypeRule,
    Numerics,
    Operand,
    OpSpec,
    Tier,
    resolve,
)

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTS = ("int8", "int16", "int32", "int64", "uint8")
BOOL = ("bool",)
REALS = (*FLOATS, *INTS)
INTEGRAL = (*INTS, *BOOL)
NUMBERS = (*FLOATS, *INTS, *BOOL)
ANY = (*FLOATS, *COMPLEX, *INTS, *BOOL)
UNSIGNED = ("uint16", "uint32", "uint64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
STORED = (*ANY, "complex32", *UNSIGNED, *FLOAT8)
"""Every dtype that can be stored, moved and converted."""
INDEX = ("int64", "int32")

Decomposition = Callable[..., Any]
Rule = tuple[str, str] | tuple[str, str, Tier]

EXACT = Numerics("exact", special=("nan-propagates",))
"""The correctly rounded result, bit for bit (NaN payloads aside)."""
WRAPS = Numerics("exact", special=("nan-propagates", "wraps"))
"""The same, for operators whose integers wrap around."""


def ulp(
    float32: float = 1.0,
    *,
    float64: float | None = None,
    half: float = 1.0,
    magnitude: str = "",
    special: Sequence[str] = (),
) -> Numerics:
    """An error in units of the last place of the result; ``half`` is for the 16-bit dtypes (computed in
    float32).
    """
    wide = float32 if float64 is None else float64
    ulps = {"float16": half, "bfloat16": half, "float32": float32, "float64": wide}
    ulps |= {"complex64": float32 + 1.0, "complex128": wide + 1.0}
    return Numerics("ulp", ulps=ulps, magnitude=magnitude, special=("nan-propagates", *special))


def summed(length: str, *, magnitude: str = "", special: Sequence[str] = ()) -> Numerics:
    """A sum of ``length`` (shape-rule language) terms."""
    return Numerics("reduction", length=length, magnitude=magnitude, special=("nan-propagates", *special))


def dotted(length: str, *, special: Sequence[str] = ()) -> Numerics:
    """A sum of ``length`` products."""
    return Numerics("dot", length=length, special=("nan-propagates", *special))


def derived(factor: int = 2, *, narrow: str = "intermediates", special: Sequence[str] = ()) -> Numerics:
    """``factor`` times the running error of the entry's decomposition, for operators of several roundings.

    ``narrow`` says what 16-bit dtypes may round to 16 bits on the way: ``intermediates``, ``sums`` (these
    too) or nothing (``""``).
    """
    allowed = (f"narrow-{narrow}",) if narrow else ()
    return Numerics(
        "reduction", length=str(factor), magnitude="derived", special=("nan-propagates", *allowed, *special)
    )


ANY_SHAPE = Operand("*S")
BROADCAST = Operand("~S")


def stem(name: str) -> str:
    """The label stem of an operator: its name without ``aten.`` and without the overload ``default``."""
    return name.removeprefix("aten.").removesuffix(".default")


def _labelled(name: str, kind: str, rules: Sequence[Rule]) -> tuple[Constraint, ...]:
    return tuple(
        Constraint(f"{stem(name)}.{kind}{i}", rule[0], rule[1], rule[2] if len(rule) == 3 else None)
        for i, rule in enumerate(rules, 1)
    )


def entry(
    name: str,
    *,
    category: Category,
    accepts: Mapping[str, Sequence[str]],
    results: str | Sequence[str],
    shape: str | Sequence[str],
    operands: Mapping[str, Operand],
    computes: Mapping[str, Sequence[str]] | None = None,
    numerics: Numerics = EXACT,
    layout: str | Sequence[str] = "contiguous",
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    prim: bool = False,
    deterministic: bool = True,
    decomposition: Decomposition | None = None,
    since: str = "1.0",
    until: str | None = None,
) -> OpSpec:
    """One contract entry; single texts stand for the rules of a single output.

    ``name`` is ``namespace.op.overload``. A prim has a decomposition only for the calls that its prim-tier
    constraints exclude; every other entry has one.
    """
    core = is_present(name) and torch.Tag.core in resolve(name).tags

    def many(texts: str | Sequence[str]) -> tuple[str, ...]:
        return (texts,) if isinstance(texts, str) else tuple(texts)

    return OpSpec(
        name=name,
        tier=Tier.PRIM if prim else Tier.ATEN,
        schema=str(schema_of(name)),
        category=category,
        dtypes=DtypeRule(
            {arg: tuple(names) for arg, names in accepts.items()},
            many(results),
            {text: tuple(names) for text, names in (computes or {}).items()},
        ),
        shape=many(shape),
        layout=many(layout),
        numerics=numerics,
        operands=dict(operands),
        since=since,
        until=until,
        core=core,
        deterministic=deterministic,
        constraints=_labelled(name, "C", constraints),
        errors=_labelled(name, "E", errors),
        decomposition=decomposition,
    )


def elementwise_unary(
    name: str,
    *,
    dtypes: Sequence[str] = FLOATS,
    result: str = "same:self",
    numerics: Numerics = EXACT,
    values: str = "any",
    extra: Mapping[str, Operand] | None = None,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """``result[i] = f(self[i])``; the tensor may have another name. ``extra`` gives the operands of further
    (non-tensor) arguments.

    ``result="promote_float:self"`` makes integers accepted at the ATen tier: a prim then gets the
    constraint that its operand is floating already.
    """
    tensor = next(a.name for a in schema_of(name).arguments if str(a.type) == "Tensor")
    rules = list(constraints)
    if prim and result.startswith("promote_float"):
        rules.append(
            (f"not integral(dtype({tensor}))", "the operand of a prim is floating already", Tier.PRIM)
        )
        decomposition = decomposition or floated(resolve(name))
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts={tensor: dtypes},
        results=result,
        shape=tensor,
        layout="elementwise",
        numerics=numerics,
        operands={tensor: Operand("*S", values), **(extra or {})},
        constraints=rules,
        errors=errors,
        prim=prim,
        decomposition=decomposition,
    )


def reaching(dtypes: Sequence[str]) -> tuple[str, ...]:
    """The dtypes whose promotion with another dtype may give one of ``dtypes``: all of no higher kind."""
    kinds = (BOOL, (*INTS, *UNSIGNED), FLOATS, COMPLEX)
    highest = max(i for i, kind in enumerate(kinds) if set(kind) & set(dtypes))
    lower = {name for kind in kinds[: highest + 1] for name in kind}
    return (*(d for d in dtypes if d in lower), *(d for d in (*ANY, *UNSIGNED) if d in lower - set(dtypes)))


def elementwise_binary(
    name: str,
    *,
    dtypes: Sequence[str] = REALS,
    result: str = "promote:self,other",
    accepts: Sequence[str] = (),
    computes: Mapping[str, Sequence[str]] | None = None,
    numerics: Numerics = EXACT,
    values: str = "any",
    other_values: str | None = None,
    scalars: Sequence[Any] = (),
    extra: Mapping[str, Operand] | None = None,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
    names: tuple[str, str] = ("self", "other"),
) -> OpSpec:
    """``result[i] = f(self[i], other[i])`` under broadcasting and type promotion.

    ``dtypes`` are those that the operator computes in; operands of any dtype that promotes to one of them
    are accepted, or only those in ``accepts``; ``computes`` adds to this rule. ``scalars`` makes ``other`` a
    Python scalar, tried at these values (a ``self`` Scalar is handled by ``names``: the scalar argument is
    the one whose schema type is Scalar). A prim's operands have one shape and one dtype; other calls of it
    are decomposed.
    """
    first, second = names
    kinds = {a.name: str(a.type) for a in schema_of(name).arguments}
    tensors = [n for n in names if kinds[n] == "Tensor"]
    operands: dict[str, Operand] = {}
    for n in names:
        drawn = values if n == first or other_values is None else other_values
        pattern = "*S" if n == tensors[0] else "~S"
        operands[n] = Operand(pattern, drawn) if n in tensors else Operand(choices=tuple(scalars))
    rules = list(constraints)
    common = result if result.startswith("promote") else f"promote:{first},{second}"
    if prim:
        rules += [
            (f"{first} == {second}", "operands of a prim have one shape", Tier.PRIM),
            (f"dtype({first}) == dtype({second})", "operands of a prim have one dtype", Tier.PRIM),
        ]
        floats = common.startswith("promote_float")
        if floats:
            rules.append((f"not integral(dtype({first}))", "operands of a prim are floating", Tier.PRIM))
        decomposition = decomposition or aligned(resolve(name), floats=floats)
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts=dict.fromkeys(tensors, accepts or reaching(dtypes)),
        computes={common: dtypes, **(computes or {})},
        results=result,
        shape=f"broadcast({first}, {second})" if len(tensors) == 2 else tensors[0],
        layout="elementwise",
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=rules,
        errors=errors,
        prim=prim,
        decomposition=decomposition,
    )


DIMS = Operand(choices=("[0]", "[-1]", "iota(rank(self))", "[]"))
"""Lists of dimensions, for reductions; ``[]`` means all."""
DIM = Operand(choices=(0, -1, "max(rank(self), 1) - 1"))
"""One dimension."""
FLAG = Operand(choices=(False, True))
"""A boolean."""
NOTHING = Operand(choices=(None,))
"""An optional argument that stays at None."""


def reduction(
    name: str,
    *,
    dtypes: Sequence[str] = FLOATS,
    result: str | Sequence[str] = "same:self",
    numerics: Numerics = EXACT,
    values: str = "any",
    dim: Operand | None = DIMS,
    keepdim: bool = True,
    outputs: int = 1,
    extra: Mapping[str, Operand] | None = None,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    nonempty: bool = False,
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """A reduction of ``self`` over ``dim`` (``dim=None``: over everything, and the schema has no ``dim``).

    ``nonempty`` adds the constraint that the reduced dimensions hold at least one element. A dimension that
    does not exist is an error.
    """
    over = "None" if dim is None else "dim"
    kept = "keepdim" if keepdim and dim is not None else "False"
    rules, failures = list(constraints), list(errors)
    if dim is not None:
        rules.insert(0, ("distinct(dim, rank(self))", "dimensions exist and are listed once"))
        failures.append(("not distinct(dim, rank(self))", "a dimension does not exist or is listed twice"))
    if nonempty:
        rules.append((f"numel(sizes(self, {over})) > 0", "something is there to be reduced"))
    operands = {"self": Operand("*S", values)}
    if dim is not None:
        operands["dim"] = dim
        if keepdim:
            operands["keepdim"] = FLAG
    return entry(
        name,
        category=Category.REDUCTION,
        accepts={"self": dtypes},
        results=result,
        shape=(f"reduce(self, {over}, {kept})",) * outputs,
        layout=("contiguous",) * outputs,
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=rules,
        errors=failures,
        prim=prim,
        decomposition=decomposition,
    )


def view_op(
    name: str,
    *,
    shape: str,
    operands: Mapping[str, Operand],
    pattern: str = "*S",
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    layout: str = "view",
    category: Category = Category.VIEW,
    dtypes: Sequence[str] = ANY,
    accepts: Mapping[str, Sequence[str]] | None = None,
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """An operator that moves or selects elements of ``self`` and computes nothing.

    ``accepts`` states the dtypes of further tensor arguments.
    """
    return entry(
        name,
        category=category,
        accepts={"self": dtypes, **(accepts or {})},
        results="same:self",
        shape=shape,
        layout=layout,
        operands={"self": Operand(pattern), **operands},
        constraints=constraints,
        errors=errors,
        prim=prim,
        decomposition=decomposition,
    )


def creation(
    name: str,
    *,
    shape: str,
    operands: Mapping[str, Operand],
    result: str = "arg:dtype|default",
    accepts: Mapping[str, Sequence[str]] | None = None,
    numerics: Numerics = EXACT,
    category: Category = Category.CREATION,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    layout: str = "contiguous",
    deterministic: bool = True,
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """An operator that makes a tensor out of sizes and scalars; ``dtype`` is tried at a few values where it
    exists.
    """
    arguments = {a.name for a in schema_of(name).arguments}
    defaults = {"dtype": Operand(choices=(None, torch.float32, torch.int64))} if "dtype" in arguments else {}
    return entry(
        name,
        category=category,
        accepts=accepts or {},
        results=result,
        shape=shape,
        layout=layout,
        numerics=numerics,
        operands={**defaults, **operands},
        constraints=constraints,
        errors=errors,
        prim=prim,
        deterministic=deterministic,
        decomposition=decomposition,
    )
