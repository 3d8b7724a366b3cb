"""Operators that copy elements into a new arrangement: clones, concatenations, paddings, triangles, slice
scatters.
"""

from __future__ import annotations

import torch

from torchport.contract.decompositions import elementwise as decompose_elementwise, layout as decompose
from torchport.contract.ops.builders import ANY, NUMBERS, entry, view_op
from torchport.contract.spec import Category, Operand, OpSpec

DIM = Operand(choices=(0, -1))
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
HAS_DIM = ("rank(self) > 0", "a scalar has no slices")

ENTRIES: tuple[OpSpec, ...] = (
    view_op(
        "aten.clone.default",
        category=Category.LAYOUT,
        layout="like:self",
        shape="self",
        operands={"memory_format": Operand(choices=(None, torch.contiguous_format))},
        prim=True,
    ),
    view_op(
        "aten.copy.default",
        accepts={"src": ANY},
        category=Category.LAYOUT,
        layout="like:self",
        shape="self",
        operands={"src": Operand("~S"), "non_blocking": Operand(choices=(False,))},
        constraints=(("expandable(src, self)", "the source broadcasts to the destination"),),
        decomposition=decompose_elementwise.copy,
    ),
    entry(
        "aten.cat.default",
        category=Category.LAYOUT,
        accepts={"tensors": ANY},
        results="promote:tensors",
        shape="cat(tensors, dim)",
        operands={"tensors": Operand("[n, k]"), "dim": DIM},
        constraints=(("len(tensors) > 0", "there is something to concatenate"),),
        prim=True,
    ),
    entry(
        "aten.stack.default",
        category=Category.LAYOUT,
        accepts={"tensors": ANY},
        results="promote:tensors",
        shape="stack(tensors, dim)",
        operands={"tensors": Operand("*S"), "dim": DIM},
        constraints=(("len(tensors) > 0", "there is something to stack"),),
        decomposition=decompose.stack,
    ),
    view_op(
        "aten.constant_pad_nd.default",
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="pad(self, pad)",
        operands={
            "pad": Operand(choices=("[1, 2]", "[0, 0, 2, 1]", "[-1, 1]")),
            "value": Operand(choices=(0, 1)),
        },
        prim=True,
    ),
    view_op(
        "aten.flip.default",
        category=Category.LAYOUT,
        layout="contiguous",
        shape="self",
        operands={"dims": Operand(choices=("[0]", "[-1]", "iota(rank(self))"))},
        constraints=(("distinct(dims, rank(self))", "the dimensions exist and are listed once"), HAS_DIM),
        prim=True,
    ),
    view_op(
        "aten.roll.default",
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={"shifts": Operand(choices=("[1]", "[-2]")), "dims": Operand(choices=("[0]", "[-1]", "[]"))},
        constraints=(
            ("rank(shifts) == rank(dims) or rank(dims) == 0 and rank(shifts) == 1", "one shift a dimension"),
        ),
        decomposition=decompose.roll,
    ),
    view_op(
        "aten.repeat.default",
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="repeat(self, repeats)",
        operands={"repeats": Operand(choices=("[2, 1]", "[1, 3]", "[2, 1, 2]"))},
        constraints=(("rank(repeats) >= rank(self)", "one count a dimension"),),
        decomposition=decompose.repeat,
    ),
    view_op(
        "aten.slice_scatter.default",
        accepts={"src": ("same:self",)},
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={
            "src": Operand("[m, k]"),
            "dim": Operand(choices=(0,)),
            "start": Operand(choices=(0, None, "self[0] - src[0]")),
            "end": Operand(choices=("src[0]", "self[0]", None)),
            "step": Operand(choices=(1, 2)),
        },
        constraints=(
            HAS_DIM,
            IN_RANGE,
            ("step > 0", "the step is positive"),
            ("src == slice(self, dim, start, end, step)", "the source has the shape of the slice"),
        ),
        decomposition=decompose.slice_scatter,
    ),
    view_op(
        "aten.select_scatter.default",
        accepts={"src": ("same:self",)},
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={
            "src": Operand("[k]"),
            "dim": Operand(choices=(0,)),
            "index": Operand(choices=(0, -1)),
        },
        constraints=(
            HAS_DIM,
            IN_RANGE,
            ("src == drop(self, dim)", "the source has the shape of the slice"),
            ("index < size(self, dim) and -index <= size(self, dim)", "the slice exists"),
        ),
        decomposition=decompose.select_scatter,
    ),
    view_op(
        "aten.diagonal_scatter.default",
        accepts={"src": ("same:self",)},
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={"src": Operand("[m]"), "offset": Operand(choices=(0, 1, -1))},
        constraints=(
            ("src == diagonal(self, offset, dim1, dim2)", "the source has the shape of the diagonal"),
        ),
        decomposition=decompose.diagonal_scatter,
    ),
    *(
        view_op(
            f"aten.{name}.default",
            category=Category.LAYOUT,
            layout="contiguous",
            pattern="[*B, n, k]",
            shape="self",
            dtypes=NUMBERS,
            operands={"diagonal": Operand(choices=(0, 1, -1))},
            constraints=(("rank(self) >= 2", "the operand is a matrix or a batch of matrices"),),
            decomposition=function,
        )
        for name, function in (("tril", decompose.tril), ("triu", decompose.triu))
    ),
)
