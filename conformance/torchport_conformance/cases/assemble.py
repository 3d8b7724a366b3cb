"""From a choice on every axis (a :class:`Recipe`) to a case that the contract allows, or to none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.contract.dtype_rules import computable, dtype_from_name
from torchport.contract.graph import dtype_name
from torchport.contract.shape_rules import Bindings, bind
from torchport.contract.spec import OpSpec
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import (
    choice_argument,
    choice_text,
    evaluated,
    in_order,
    is_expression,
    names_in,
)
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS, extent
from torchport_conformance.cases.patterns import dims_of, letters_in, sizes_of
from torchport_conformance.cases.signature import (
    Recipe,
    Signature,
    choice_of,
    element_pattern,
    letters_of,
    signature,
)
from torchport_conformance.cases.sizes import SizeClass, alternative, is_ordinary, tries
from torchport_conformance.cases.values import can_hold

__all__ = ["Recipe", "Row", "Signature", "assemble", "letters_of", "signature"]

LIST_LENGTH = 3
"""How many tensors a list operand gets."""
MOST_ELEMENTS = 1 << 24
"""Elements that no operand and no result of a case goes beyond."""
MOST_PIECES = 150
"""Tensors that no result of a case has more of: each has a destination, and guarded memory around it."""
_KEEPS_ITS_SHAPE = ("sorted", "ends", "offsets", "pivots", "positive-definite", "result(")
"""Value classes whose property does not survive that elements share memory."""
_BOUNDED = ("index(", "ends(", "offsets(")


def assemble(sig: Signature, recipe: Recipe, layout_text: str | None = None) -> Case | None:
    """The case of a recipe, with sizes for which the contract's constraints and shape rules hold; None if
    there are none.

    ``layout_text`` is the layout part of the id, where it is not to be the layouts by operand.
    """
    return Row(sig, recipe, layout_text).case(recipe.size, recipe.fill)


@dataclass(slots=True)
class _Scope:
    """What the expressions of one case see: sizes by letter, and the arguments made so far. ``symbolic`` is
    true when every letter is a symbol in a compiled region.
    """

    sizes: Mapping[str, int]
    symbolic: bool
    values: dict[str, Any]
    dtypes: dict[str, str]

    @property
    def bindings(self) -> Bindings:
        return Bindings(self.values, self.dtypes)

    def evaluated(self, text: str) -> Any:
        return evaluated(text, self.bindings)

    def fixed(self, dim: str | int) -> str | int:
        """A dimension, as a number where its size is 0 or 1."""
        size = self.sizes.get(dim, 2) if isinstance(dim, str) else 2
        return size if size < 2 else dim

    def bind(self, name: str, argument: Argument) -> None:
        if isinstance(argument, TensorPlan):
            self.values[name] = argument.shape
            self.dtypes[name] = dtype_name(argument.dtype)
        elif isinstance(argument, tuple) and argument and isinstance(argument[0], TensorPlan):
            self.values[name] = tuple(plan.shape for plan in argument)
            self.dtypes[name] = ",".join(dtype_name(plan.dtype) for plan in argument)
        else:
            bound = bind({name: argument.value if isinstance(argument, SizeExpr) else argument})
            self.values[name] = bound.values[name]
            self.dtypes.update(bound.dtypes)


_Step = Callable[[_Scope, tuple[str, str]], Argument]


class Row:
    """The cases of one operator that differ in sizes and values only: the recipe's ``size`` and ``fill`` do
    not count.
    """

    def __init__(self, sig: Signature, recipe: Recipe, layout_text: str | None = None) -> None:
        self.sig, self.recipe = sig, recipe
        self.letters = letters_of(sig, recipe.ranks)
        self.possible = True
        self._used: set[str] = set()
        self._computes: bool | None = None
        self._may_overlap = any(rule == "eager" or rule.startswith("like:") for rule in sig.spec.layout)
        self._constant: dict[str, Argument] = {}
        self._steps: list[tuple[str, _Step]] = []
        # Names are bound like letters: those of arguments win.
        self._values, self._dtypes = dict(sig.defaults.values), dict(sig.defaults.dtypes)
        try:
            for name in in_order({name: _needs(sig, recipe, name) for name in sig.operands}):
                self._prepare(name)
        except ContractError:
            self.possible = False
        self._bounded = [
            (n, *sig.operands[n].values[:-1].split("(", 1))
            for n in sig.tensors
            if sig.operands[n].values.startswith(_BOUNDED)
        ]
        ranks = "".join(f"{rank}d." for rank in recipe.ranks.values())
        self._prefix = f"{sig.spec.name}[{_dtype_text(sig, recipe)}-{ranks}"
        self._varied = [f"{how}({name})" for name, how in recipe.broadcasts.items() if how != "full"]
        self._layout_text = layout_text
        numbers = {abs(v) for v in self._constant.values() if type(v) in (int, float)}
        self._numbers = ",".join(f"{n!r}" for n in sorted(numbers) if 0 < n < 1000)

    def case(
        self, size: SizeClass, fill: tuple[str, str] = ("", "random"), most: int = MOST_ELEMENTS
    ) -> Case | None:
        """The case with these sizes, or near ones for which the contract's rules hold, and this fill.

        None where the contract has no such call, or an operand or a result has more than ``most`` elements.
        """
        ordinary = is_ordinary(size.sizes)
        for turn in tries(self.sig.turns[-1], ordinary=ordinary):
            if not self.possible:
                return None
            sizes = alternative(size.sizes, turn)
            arguments = self._arguments(sizes, fill, most)
            if arguments is not None:
                self.sig.turns.append(turn)
                kept = tuple((letter, n) for letter, n in sizes.items() if letter in self._used)
                text = self._identify(size.name, fill, arguments)
                return Case(text, self.sig.spec.name, tuple(arguments.items()), kept)
        # What ordinary sizes do not allow, others do not.
        self.possible = self.possible and not ordinary
        return None

    def _arguments(
        self, sizes: Mapping[str, int], fill: tuple[str, str], most: int
    ) -> dict[str, Argument] | None:
        """Arguments in schema order; None where the contract does not allow them."""
        scope = _Scope(sizes, min(sizes.values(), default=2) > 1, {**sizes, **self._values}, self._dtypes)
        found = dict(self._constant)
        try:
            for name, step in self._steps:
                found[name] = argument = step(scope, fill)
                scope.bind(name, argument)
            for name, kind, expression in self._bounded:
                found[name] = _with_bound(found[name], kind, scope.evaluated(expression))
            bindings = Bindings(scope.values, scope.dtypes)
            for rule in self.sig.rules:
                if not rule.holds(bindings):
                    return None
            shapes = [rule.raw(bindings) for rule in self.sig.shapes]
        except ContractError:
            return None
        if any(map(_is_negative, shapes)):
            return None
        if max(map(_pieces, shapes), default=1) > MOST_PIECES:
            return None
        if any(_elements(shape) > most for shape in (*shapes, *(scope.values[n] for n in self.sig.tensors))):
            return None
        if self.sig.resizes and _elements(shapes[0]) > _elements(scope.values[self.sig.tensors[0]]):
            return None
        arguments = {name: found[name] for name in self.sig.operands}
        return arguments if _addresses(arguments) and self._accepted(arguments) else None

    def _accepted(self, arguments: Mapping[str, Argument]) -> bool:
        """Whether the dtype rule computes with these operands, and a view of them exists."""
        spec = self.sig.spec
        if spec.dtypes.computes and self._computes is None:
            # It depends on dtypes, scalars and on which operands have dimensions: on the row alone.
            self._computes = computable(spec.dtypes, {n: _meta(a) for n, a in arguments.items()})
            self.possible = self._computes
        if self._computes is False:
            return False
        if self.sig.addresses_storage:
            return all(plan.layout == "contiguous" for plan in _plans(arguments))
        if self._may_overlap and any(plan.layout == "windows" for plan in _plans(arguments)):
            return not _has_overlapping_result(spec, arguments)
        return not self.sig.views or _views(spec, arguments)

    def _prepare(self, name: str) -> None:
        """Makes an argument that is the same in every case, or what makes it in each."""
        sig, recipe = self.sig, self.recipe
        if name in recipe.absent:
            self._keep(name, None)
            return
        if sig.operands[name].pattern is not None:
            self._steps.append((name, self._tensor_step(name)))
            return
        choice, kind = choice_of(sig, recipe, name), sig.types[name]
        if not is_expression(choice, kind):
            self._keep(name, choice_argument(choice, kind, Bindings({})))
            return
        self._used |= names_in(choice)
        self._steps.append((name, lambda scope, fill: choice_argument(choice, kind, scope.bindings)))

    def _keep(self, name: str, argument: Argument) -> None:
        bound = bind({name: argument})
        self._constant[name] = argument
        self._values |= bound.values
        self._dtypes |= bound.dtypes

    def _tensor_step(self, name: str) -> _Step:
        sig, recipe = self.sig, self.recipe
        pattern = element_pattern(sig.operands[name])
        many = "List" in sig.types[name]
        # Several masks would have to hold as many elements as one another.
        masks = recipe.dtypes[name] == "bool" and sig.operands[name].values.startswith("index")
        length = 1 if masks else LIST_LENGTH
        if not pattern.startswith("="):
            texts = dims_of(pattern, recipe.ranks, recipe.broadcasts.get(name, "full"))
            usual: tuple[str | int, ...] = tuple(int(d) if d.isdigit() else d for d in texts)
            self._used |= letters_in(texts)

            def by_letters(scope: _Scope, fill: tuple[str, str]) -> Argument:
                # Sizes 0 and 1 are fixed in a compiled region, as torch.compile fixes them.
                dims = usual if scope.symbolic else tuple(scope.fixed(d) for d in usual)
                plan = self._plan(name, dims, sizes_of(dims, scope.sizes), fill)
                return (plan,) * length if many else plan

            return by_letters
        rule = pattern[1:]
        self._used |= names_in(rule)

        def by_rule(scope: _Scope, fill: tuple[str, str]) -> Argument:
            shape = scope.evaluated(rule)
            if many and (not shape or isinstance(shape[0], tuple)):
                # A rule that gives a list of shapes: one tensor for each.
                parts = [(f"({rule})[{i}]", part) for i, part in enumerate(shape)]
                return tuple(self._plan(name, text, part, fill) for text, part in parts)
            plan = self._plan(name, rule, shape, fill)
            return (plan,) * length if many else plan

        return by_rule

    def _plan(
        self, name: str, dims: tuple[str | int, ...] | str, shape: tuple[int, ...], fill: tuple[str, str]
    ) -> TensorPlan:
        if min(shape, default=0) < 0:
            raise ContractError("a size is negative", op=self.sig.spec.name, got=f"{name}: {shape}")
        values = self.sig.operands[name].values
        layout = LAYOUTS[self.recipe.layouts.get(name, "contiguous")]
        plain = not layout.applies(len(shape)) or (layout.of_units and 1 not in shape)
        if plain or (layout.overlaps and layout.name != "expanded" and values.startswith(_KEEPS_ITS_SHAPE)):
            layout = LAYOUTS["contiguous"]
        dtype = dtype_from_name(self.recipe.dtypes[name])
        what = _fill_of(*fill, name, self._numbers)
        if not can_hold(what, dtype):
            what = "random"
        return TensorPlan(dims, shape, dtype, layout.name, values, what)

    def _identify(self, size: str, fill: tuple[str, str], arguments: Mapping[str, Argument]) -> str:
        sig, recipe = self.sig, self.recipe
        parts = [self._prefix + ".".join([size, *self._varied])]
        layout = self._layout_text
        if layout is None:
            layout = _layout_text(
                {n: _layout_of(arguments[n]) for n in sig.tensors if n not in recipe.absent}
            )
        if layout != "contiguous":
            parts.append(layout)
        targets, what = fill
        if what != "random":
            parts.append(f"{what}({targets or 'all'})")
        parts += [f"{name}={choice_text(arguments[name])}" for name in sig.choosable if name in arguments]
        parts += [f"{name}=None" for name in sorted(recipe.absent)]
        return f"{'-'.join(parts)}]"


def _needs(sig: Signature, recipe: Recipe, name: str) -> frozenset[str]:
    operand = sig.operands[name]
    if name in recipe.absent:
        return frozenset()
    if operand.pattern is not None:
        pattern = element_pattern(operand)
        return names_in(pattern[1:]) if pattern.startswith("=") else frozenset()
    choice = choice_of(sig, recipe, name)
    return names_in(choice) if is_expression(choice, sig.types[name]) else frozenset()


def _fill_of(targets: str, what: str, name: str, numbers: str) -> str:
    """The fill of one operand: where values are to meet, each operand goes through them at its own pace;
    where notable values are mixed in, those of the call's ``numbers`` are.
    """
    names = targets.split(",") if targets else [name]
    if name not in names:
        return "random"
    if what == "mixed":
        return f"{what}@{names.index(name)}/{numbers}"
    return f"{what}@{names.index(name)}" if what == "meeting" else what


def _with_bound(argument: Argument, kind: str, bound: int) -> Argument:
    """The operand with ``index(EXPR)``, ``ends(EXPR)`` or ``offsets(EXPR)`` replaced by its bound.

    Raises:
        ContractError: there is nothing to index.
    """
    if argument is None:
        return None
    plans = argument if isinstance(argument, tuple) else (argument,)
    if bound < 1 and any(0 not in p.shape for p in plans):
        raise ContractError("there is nothing to index", got=kind)
    if bound > 0 and kind in ("ends", "offsets") and any(0 in p.shape for p in plans):
        raise ContractError("there are parts, and none that would have what there is", got=kind)
    resolved = tuple(replace(p, values=f"{kind}:{bound}") for p in plans)
    return resolved if isinstance(argument, tuple) else resolved[0]


def _is_negative(shape: Any) -> bool:
    """Whether a size of a shape, or of one of a list of shapes, is below 0: the operands are too few."""
    if isinstance(shape, tuple | list):
        return any(map(_is_negative, shape))
    return isinstance(shape, int) and shape < 0


def _elements(shape: Any) -> int:
    """Elements of a shape, or of the largest of a list of shapes; sizes known only at run time count as 1."""
    if not isinstance(shape, tuple | list):
        return 0
    try:
        found = math.prod(shape)
    except TypeError:
        return max((_elements(d) if isinstance(d, tuple | list) else 1 for d in shape), default=1)
    return found if isinstance(found, int) else 1


def _pieces(shape: Any) -> int:
    """How many tensors a result is that has this shape, or these."""
    listed = isinstance(shape, tuple | list) and any(isinstance(part, tuple | list) for part in shape)
    return len(shape) if listed else 1


def _plans(arguments: Mapping[str, Argument]) -> list[TensorPlan]:
    return [plan for _, plan in Case("", "", tuple(arguments.items())).tensors()]


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
    if all(plan.layout == "contiguous" for plan in _plans(arguments)):
        return True
    try:
        spec.overload(**{name: _meta(argument) for name, argument in arguments.items()})
    except (RuntimeError, ValueError, IndexError):
        return False
    return True


def _has_overlapping_result(spec: OpSpec, arguments: Mapping[str, Argument]) -> bool:
    """Whether PyTorch gives a result strides for which several of its elements share memory: what is written
    there is then a matter of order.
    """
    try:
        found = spec.overload(**{name: _meta(argument) for name, argument in arguments.items()})
    except (RuntimeError, ValueError, IndexError, TypeError, AssertionError):
        return False
    results = found if isinstance(found, tuple | list) else (found,)
    return any(_overlaps(r.shape, r.stride()) for r in results if isinstance(r, torch.Tensor))


def _overlaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    reach = 0
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride <= reach:
            return True
        reach += (size - 1) * stride
    return False


def _addresses(arguments: Mapping[str, Argument]) -> bool:
    """Whether indices that go up to the length of their last dimension lie within ``output_size``."""
    indices, size = arguments.get("indices"), arguments.get("output_size")
    if not isinstance(indices, TensorPlan) or not isinstance(size, tuple):
        return True
    return not indices.values.startswith("result(aten.sort") or indices.shape[-1] <= math.prod(size)


def _dtype_text(sig: Signature, recipe: Recipe) -> str:
    """The dtype of all operands, or that of each in order: ``float32,int64,float32``."""
    found = [recipe.dtypes[name] for name in sig.tensors if name not in recipe.absent]
    return ",".join(found if len(set(found)) > 1 else found[:1]) or "none"


def _layout_of(argument: Argument) -> str:
    if isinstance(argument, tuple):
        return _layout_of(argument[0]) if argument else "contiguous"
    return argument.layout if isinstance(argument, TensorPlan) else "contiguous"


def _layout_text(layouts: Mapping[str, str]) -> str:
    """The layouts of the operands: one for all, or by operand."""
    if len(set(layouts.values())) == 1:
        return next(iter(layouts.values()))
    found = [f"{layout}({name})" for name, layout in layouts.items() if layout != "contiguous"]
    return ",".join(found) or "contiguous"
