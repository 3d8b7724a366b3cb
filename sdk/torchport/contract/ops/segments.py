"""Reductions over segments of one dimension, and their gradient."""

from __future__ import annotations

from torchport.contract.decompositions import segments as decompose
from torchport.contract.ops.builders import FLOATS, INDEX, entry, summed
from torchport.contract.spec import Category, Operand, OpSpec

REDUCE = Operand(choices=("'sum'", "'mean'", "'max'", "'min'", "'prod'"))
ONE_OF = (
    "reduce == 'sum' or reduce == 'mean' or reduce == 'max' or reduce == 'min' or reduce == 'prod'",
    "it is a known reduction",
)
SEGMENTED = ("given(lengths) or given(offsets)", "segments are given by lengths or offsets")
UNSEGMENTED = ("not given(lengths) and not given(offsets)", "no segments are given")
BEFORE = (
    "(offsets[:-1] if given(offsets) else lengths[:-1]) == data[:axis]",
    "there is a row of segments for each index before the axis",
)
COUNT = "(size(offsets, -1) - 1 if given(offsets) else size(lengths, -1))"
REDUCED = f"replace(data, axis, {COUNT})"
NO_INDICES = ("not given(indices)", "PyTorch has no reduction by indices")
AXIS = ("0 <= axis and axis < rank(data)", "the axis exists")

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.segment_reduce.default",
        category=Category.REDUCTION,
        accepts={"data": FLOATS, "lengths": INDEX, "indices": INDEX, "offsets": INDEX},
        results="same:data",
        shape=REDUCED,
        numerics=summed("size(data, axis) + 1", special=("narrow-accumulator",)),
        operands={
            "data": Operand("[n, k]"),
            "reduce": REDUCE,
            "offsets": Operand("[e]", "ends(data[0])"),
            "axis": Operand(choices=(0,)),
            "unsafe": Operand(choices=(True,)),
            "initial": Operand(choices=(None, 2)),
        },
        constraints=(ONE_OF, SEGMENTED, NO_INDICES, AXIS, BEFORE),
        errors=(UNSEGMENTED,),
        decomposition=decompose.segment_reduce,
    ),
    entry(
        "aten._segment_reduce_backward.default",
        category=Category.REDUCTION,
        accepts={
            "grad": FLOATS,
            "output": ("same:grad",),
            "data": ("same:grad",),
            "lengths": INDEX,
            "offsets": INDEX,
        },
        results="same:grad",
        shape="data",
        numerics=summed("size(data, axis) + 4", special=("narrow-accumulator",)),
        operands={
            "grad": Operand(f"={REDUCED}"),
            "output": Operand(f"={REDUCED}", "result(aten.segment_reduce.default, 0)"),
            "data": Operand("[n, k]", "nonzero"),
            "reduce": REDUCE,
            "offsets": Operand("[e]", "ends(data[0])"),
            "axis": Operand(choices=(0,)),
            "initial": Operand(choices=(None, 2)),
        },
        constraints=(
            ONE_OF,
            SEGMENTED,
            AXIS,
            BEFORE,
            (f"grad == {REDUCED} and output == {REDUCED}", "there is a gradient for each result"),
        ),
        errors=(UNSEGMENTED,),
        decomposition=decompose.segment_reduce_backward,
    ),
)
