"""Calls of more dimensions than an entry's shape patterns have.

The patterns of operators that move or index elements have the fewest dimensions that say what the operator
does (``cat`` of matrices); its rules hold at any rank. Dimensions are put behind the last one of every
operand that shares it, so that operands are also channels-last, or have more dimensions than a kernel may
expect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from torchport.contract.spec import Category, Operand, OpSpec
from torchport_conformance.cases.assemble import assemble
from torchport_conformance.cases.axes import Axes
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.signature import Signature, is_list, letters_of, signature
from torchport_conformance.cases.sizes import SizeClass, base_sizes

_LITERAL = re.compile(r"\[(\w(?:, \w)*)\]")
_LIST = re.compile(r"\[(-?\d+(?:, -?\d+)*)\]")
_BEHIND = ("x", "y", "z", "v")
MORE = (2, 4)
"""How many dimensions are added."""
LAYOUTS = ("contiguous", "channels_last", "transposed", "reversed", "step2", "permuted", "channel_slice")
KINDS = ("float32", "bfloat16", "float16", "int32", "complex64")
"""Dtypes of the first operand."""


def widened(spec: OpSpec, more: int) -> OpSpec | None:
    """An entry whose operands have more dimensions behind the last; None where it has no such calls.

    Pads cover every dimension. An index keeps its shape.
    """
    if spec.category not in (Category.LAYOUT, Category.INDEXING):
        return None
    first = next((o.pattern for o in spec.operands.values() if o.pattern is not None), None)
    found = _LITERAL.fullmatch(_inner(first))
    if found is None or len(found[1]) < 4:
        return None
    last, behind = found[1][-1], ", ".join(_BEHIND[:more])
    rank = len(found[1].split(", ")) + more
    operands = {
        name: _with_dimensions(operand, last, behind)
        if operand.pattern is not None
        else _over_dimensions(name, operand, rank)
        for name, operand in spec.operands.items()
    }
    return replace(spec, operands=operands)


def _inner(pattern: str | None) -> str:
    text = pattern or ""
    return text[len("list(") : -1] if text.startswith("list(") else text


def _with_dimensions(operand: Operand, last: str, behind: str) -> Operand:
    found = _LITERAL.fullmatch(_inner(operand.pattern))
    if found is None or found[1][-1] != last:
        return operand
    pattern = f"[{found[1]}, {behind}]"
    return replace(operand, pattern=f"list({pattern})" if is_list(operand) else pattern)


def _over_dimensions(name: str, operand: Operand, rank: int) -> Operand:
    """The first choice alone: others may count dimensions from the end."""
    choices = operand.choices[:1]
    if name == "pad" and choices and (pad := _LIST.fullmatch(str(choices[0]))):
        pair = pad[1].split(", ")[:2]
        choices = (f"[{', '.join(pair * rank)}]",)
    return replace(operand, choices=choices)


def wide_cases(spec: OpSpec, profile: Profile, layouts: tuple[str, ...] = LAYOUTS) -> Iterator[Case]:
    """Calls of an operator with four dimensions and more: one in each layout, the dtypes in turn."""
    for more in MORE:
        wide = widened(spec, more)
        if wide is None:
            return
        sig = signature(wide)
        axes = Axes(sig, profile)
        kinds = [d for d in KINDS if d in axes.dtypes] or list(axes.dtypes[:1])
        for turn, layout in enumerate(layouts):
            for dtype in dict.fromkeys((kinds[0], kinds[turn % len(kinds)])):
                case = _laid_out(sig, axes, dtype, layout)
                if case is not None and (layout == "contiguous" or case.layout == layout):
                    yield replace(case, id=case.id.replace("-", f"-{more}more.", 1))


def _laid_out(sig: Signature, axes: Axes, dtype: str, layout: str) -> Case | None:
    recipe = axes.recipe(rank=0, dtype=dtype, layouts=dict.fromkeys(sig.tensors, layout))
    size = SizeClass("small", base_sizes(letters_of(sig, recipe.ranks), "small"))
    return assemble(sig, replace(recipe, size=size))
