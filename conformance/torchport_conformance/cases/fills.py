"""What of an operand's value class is drawn: special, extreme, equal and other notable values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from torchport.contract.dtype_rules import dtype_from_name
from torchport.contract.reference import FINITE_ONLY
from torchport.contract.spec import Category
from torchport_conformance.cases.signature import Signature
from torchport_conformance.cases.values import POSITIONS, SPECIAL

Fill = tuple[str, str]
"""Operands (``self,other``; empty for all) and what is put in them."""

_FREE = ("any", "small", "positive", "nonzero", "unit")
_UNDEFINED = (
    Category.CONVERSION,
    Category.CREATION,
    Category.EFFECT,
    Category.RANDOM,
    Category.LINEAR_ALGEBRA,
    Category.TRANSFORM,
)
"""Categories in which a special value has no defined result: a NaN converted to an integer, asserted, or
factored, which LAPACK may refuse or not survive.
"""
_WHOLE = (
    Category.INDEXING,
    Category.LAYOUT,
    Category.VIEW,
    Category.SCAN,
    Category.ORDER,
    Category.REDUCTION,
)
"""Categories that move, count or add integers of any size exactly."""
PLAIN: Fill = ("", "random")


def fills(sig: Signature, dtypes: Mapping[str, str], *, thorough: bool) -> Iterator[Fill]:
    """Fills that make sense for operands of these dtypes, the most telling ones first."""
    spec = sig.spec
    if spec.category is Category.RANDOM:
        chances = [n for n in sig.tensors if spec.operands[n].values == "probability"]
        yield from ((n, what) for n in chances for what in ("ones", "zeros"))
        return
    tensors = [n for n in sig.tensors if spec.operands[n].values in _FREE]
    kinds = {n: dtype_from_name(dtypes[n]) for n in sig.tensors}
    # Dtypes of one byte lack infinities, or a sign, and most kernels.
    wide = [n for n in tensors if kinds[n].is_floating_point and kinds[n].itemsize > 1]
    if spec.category is Category.CONVERSION and wide:
        yield wide[0], "bytes"
    floats = [] if spec.category in _UNDEFINED else [n for n in wide if n != FINITE_ONLY.get(spec.name)]
    if spec.category is Category.CONVOLUTION:
        floats = floats[:1]  # whether weights are multiplied by the zeros that pad is free
    exact = [n for n in sig.tensors if spec.operands[n].values in (*_FREE, "probability")]
    integers = [n for n in exact if not kinds[n].is_floating_point and not kinds[n].is_complex]
    # Values that the contract keeps small are so for a reason: sin(2**53) is noise in float32.
    integers = [n for n in integers if kinds[n] is not torch.bool and spec.operands[n].values != "small"]
    if spec.category is Category.ELEMENTWISE:
        yield from _elementwise(sig, floats, integers)
        yield from _order(sig)
        yield from _masks(sig, kinds)
        yield from _indices(sig)
        return
    if floats and sig.operands[floats[0]].values in ("any", "small"):
        # One special value decides a reduction of everything.
        yield from (
            (floats[0], what) for what in (("shifted", "nan@last") if reduces_all(sig) else ("rows",))
        )
    elif floats:
        yield floats[0], "nan@first"
    elif spec.category is Category.ORDER:
        yield sig.tensors[0], "ties"
    if not floats and spec.category in _WHOLE:
        yield from ((n, "extreme") for n in integers)
    yield from _order(sig)
    yield from _masks(sig, kinds)
    yield from _ranges(sig, floats, kinds)
    yield from _indices(sig)
    if len(floats) > 1:
        yield ",".join(floats[1:]), "nan@first"
    yield from _specials(floats, thorough=thorough)


def reduces_all(sig: Signature) -> bool:
    """Whether an operator reduces all of its operand to one element, whatever its arguments."""
    return sig.spec.category is Category.REDUCTION and not {"dim", "dims"} & set(sig.operands)


def cancelling(sig: Signature, dtypes: Mapping[str, str]) -> Fill:
    """Values for whose sums and squares rounding counts, where an operator sums; plain ones elsewhere."""
    first = sig.tensors[0] if sig.tensors else ""
    sums = sig.spec.category in (Category.REDUCTION, Category.NORMALIZATION)
    if not sums or sig.operands[first].values not in ("any", "small"):
        return PLAIN
    dtype = dtype_from_name(dtypes[first])
    return (first, "shifted") if dtype.is_floating_point and dtype.itemsize > 1 else PLAIN


def _elementwise(sig: Signature, floats: list[str], integers: list[str]) -> Iterator[Fill]:
    """Each element is judged on its own, so that one case has notable values of many kinds."""
    values = {n: sig.operands[n].values for n in sig.tensors}
    if floats:
        yield ",".join(floats), "mixed"
    if len(floats) > 1:
        yield ",".join(floats), "meeting"
    if floats:
        yield floats[0], "wide"
    # Which of three factors are multiplied first is free, and so is whether their product overflows.
    if len(floats) < 3:
        yield from ((n, "extreme") for n in floats if values[n] != "small")
    free = [n for n in integers if values[n] in ("any", "nonzero")]
    if len(free) > 1:
        yield ",".join(free), "meeting"
    yield from ((n, "extreme") for n in integers)


def _order(sig: Signature) -> Iterator[Fill]:
    spec = sig.spec
    if (
        spec.category is Category.ORDER
        or spec.numerics.kind == "order"
        or "first-index" in spec.numerics.special
    ):
        yield sig.tensors[0], "ties"
        if len(sig.tensors) > 1:
            yield ",".join(sig.tensors[:2]), "whole"
        yield sig.tensors[0], "same"


def _masks(sig: Signature, kinds: Mapping[str, torch.dtype]) -> Iterator[Fill]:
    """Masks that let nothing or everything through, or nothing in one row."""
    masks = [n for n in sig.tensors if kinds[n] is torch.bool and sig.operands[n].values in ("any", "bool")]
    for name in masks[:2]:
        yield from ((name, what) for what in ("row-off", "zeros", "ones"))
    if sig.spec.category is Category.ATTENTION:
        optional = [n for n in sig.tensors if sig.operands[n].optional and sig.operands[n].values in _FREE]
        yield from ((n, "-inf@row") for n in optional if kinds[n].is_floating_point)


def _ranges(sig: Signature, floats: list[str], kinds: Mapping[str, torch.dtype]) -> Iterator[Fill]:
    """Values of unusual size, by what the operator's category is known to trip over."""
    free = [n for n in floats if sig.operands[n].values in ("any", "small")]
    if not free:
        return
    category = sig.spec.category
    if category in (Category.NORMALIZATION, Category.REDUCTION, Category.SCAN):
        yield free[0], "wide"
        yield free[0], "shifted"
    if category is Category.NORMALIZATION:
        yield free[0], "tiny"
        yield free[0], "-inf@row"
    if category is Category.REDUCTION:
        if kinds[free[0]] is torch.float16:
            yield free[0], "huge"  # where PyTorch's accumulator is wider
        yield free[0], "zeros"
    if category is Category.ATTENTION:
        yield ",".join(free[:2]), "wide"
    if category is Category.POOLING:
        yield free[0], "negative"


def _indices(sig: Signature) -> Iterator[Fill]:
    for name in sig.tensors:
        if sig.operands[name].values.startswith("index("):
            yield name, "same"


def _specials(floats: list[str], *, thorough: bool) -> Iterator[Fill]:
    """Special values in each operand on its own."""
    for turn, special in enumerate(SPECIAL):
        for name in floats:
            for position in POSITIONS[turn % 2 : turn % 2 + 1 + thorough]:
                yield name, f"{special}@{position}"
