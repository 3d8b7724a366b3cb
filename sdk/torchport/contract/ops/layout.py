"""Operators that copy elements into a new arrangement: clones, concatenations, paddings, triangles, slice
scatters.
"""

from __future__ import annotations

from functools import partial

import torch

from torchport.contract.decompositions import elementwise as decompose_elementwise, layout as decompose
from torchport.contract.ops.builders import ANY, INDEX, STORED, entry, view_op
from torchport.contract.spec import Category, Operand, OpSpec, Tier

DIM = Operand(choices=(0, -1))
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
HAS_DIM = ("rank(self) > 0", "a scalar has no slices")

_moving = partial(view_op, dtypes=STORED, category=Category.LAYOUT)
NO_SLICES = ("rank(self) == 0", "a scalar has no slices")
NO_DIM = ("not in_range(dim, rank(self))", "the dimension does not exist")
NOTHING_THERE = ("len(tensors) == 0", "there is nothing to join")

ENTRIES: tuple[OpSpec, ...] = (
    _moving(
        "aten.clone.default",
        layout="like:self",
        shape="self",
        operands={"memory_format": Operand(choices=(None, torch.contiguous_format))},
        prim=True,
    ),
    _moving(
        "aten.copy.default",
        accepts={"src": STORED},
        layout="like:self",
        shape="self",
        operands={"src": Operand("~S"), "non_blocking": Operand(choices=(False,))},
        constraints=(("expandable(src, self)", "the source broadcasts to the destination"),),
        errors=(("not expandable(src, self)", "the source does not broadcast to the destination"),),
        decomposition=decompose_elementwise.copy,
    ),
    entry(
        "aten.cat.default",
        category=Category.LAYOUT,
        accepts={"tensors": STORED},
        results="promote:tensors",
        shape="cat(tensors, dim)",
        operands={"tensors": Operand("[n, k]"), "dim": DIM},
        constraints=(
            ("len(tensors) > 0", "there is something to concatenate"),
            ("one_dtype(dtype(tensors))", "operands of a prim have one dtype", Tier.PRIM),
        ),
        errors=(NOTHING_THERE,),
        prim=True,
        decomposition=decompose.cat,
    ),
    entry(
        "aten.stack.default",
        category=Category.LAYOUT,
        accepts={"tensors": STORED},
        results="promote:tensors",
        shape="stack(tensors, dim)",
        operands={"tensors": Operand("*S"), "dim": DIM},
        constraints=(("len(tensors) > 0", "there is something to stack"),),
        errors=(NOTHING_THERE,),
        decomposition=decompose.stack,
    ),
    _moving(
        "aten.constant_pad_nd.default",
        layout="elementwise",
        pattern="[n, k]",
        shape="pad(self, pad)",
        operands={
            "pad": Operand(choices=("[1, 2]", "[0, 0, 2, 1]", "[-1, 1]")),
            "value": Operand(choices=(0, 1)),
        },
        errors=(("rank(pad) % 2 == 1", "pads come in pairs"),),
        prim=True,
    ),
    _moving(
        "aten.flip.default",
        layout="elementwise",
        shape="self",
        operands={"dims": Operand(choices=("[0]", "[-1]", "iota(rank(self))"))},
        constraints=(("distinct(dims, rank(self))", "the dimensions exist and are listed once"), HAS_DIM),
        errors=(("not distinct(dims, rank(self))", "a dimension does not exist or is listed twice"),),
        prim=True,
    ),
    _moving(
        "aten.roll.default",
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={"shifts": Operand(choices=("[1]", "[-2]")), "dims": Operand(choices=("[0]", "[-1]", "[]"))},
        constraints=(
            ("rank(shifts) == rank(dims) or rank(dims) == 0 and rank(shifts) == 1", "one shift a dimension"),
        ),
        errors=(("rank(dims) > 0 and rank(shifts) != rank(dims)", "shifts and dimensions differ in number"),),
        decomposition=decompose.roll,
    ),
    _moving(
        "aten.repeat.default",
        layout="contiguous",
        pattern="[n, k]",
        shape="repeat(self, repeats)",
        operands={"repeats": Operand(choices=("[2, 1]", "[1, 3]", "[2, 1, 2]"))},
        constraints=(("rank(repeats) >= rank(self)", "one count a dimension"),),
        errors=(("rank(repeats) < rank(self)", "there are fewer counts than dimensions"),),
        decomposition=decompose.repeat,
    ),
    _moving(
        "aten.slice_scatter.default",
        accepts={"src": ANY},
        layout="eager",
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
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.slice_scatter,
    ),
    _moving(
        "aten.select_scatter.default",
        accepts={"src": ANY},
        layout="eager",
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
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.select_scatter,
    ),
    _moving(
        "aten.diagonal_scatter.default",
        accepts={"src": ANY},
        layout="eager",
        pattern="[n, k]",
        shape="self",
        operands={"src": Operand("[m]"), "offset": Operand(choices=(0, 1, -1))},
        constraints=(
            ("src == diagonal(self, offset, dim1, dim2)", "the source has the shape of the diagonal"),
        ),
        errors=(("rank(self) < 2", "there are no two dimensions"),),
        decomposition=decompose.diagonal_scatter,
    ),
    *(
        _moving(
            f"aten.{name}.default",
            layout="contiguous",
            pattern="[*B, n, k]",
            shape="self",
            dtypes=ANY,
            operands={"diagonal": Operand(choices=(0, 1, -1))},
            constraints=(("rank(self) >= 2", "the operand is a matrix or a batch of matrices"),),
            errors=(("rank(self) < 2", "the operand is not a matrix"),),
            decomposition=function,
        )
        for name, function in (("tril", decompose.tril), ("triu", decompose.triu))
    ),
    entry(
        "aten._stack.default",
        category=Category.LAYOUT,
        accepts={"tensors": STORED},
        results="promote:tensors",
        shape="stack(tensors, dim)",
        operands={"tensors": Operand("*S"), "dim": DIM},
        constraints=(("len(tensors) > 0", "there is something to stack"),),
        errors=(NOTHING_THERE,),
        decomposition=decompose.stack,
    ),
    entry(
        "aten._chunk_cat.default",
        category=Category.LAYOUT,
        accepts={"tensors": STORED},
        results="promote:tensors",
        shape="chunk_cat(tensors, dim, num_chunks)",
        operands={
            "tensors": Operand("[n, k, 2]"),
            "dim": Operand(choices=(0, 1, -1)),
            "num_chunks": Operand(choices=(2, 3)),
        },
        constraints=(
            ("len(tensors) > 0", "there is something to join"),
            ("num_chunks > 0", "there is a chunk"),
            ("dim >= 0 or same_rank(tensors)", "a dimension counted from the end is one for all"),
        ),
        errors=(NOTHING_THERE, ("num_chunks <= 0", "there is no chunk")),
        decomposition=decompose.chunk_cat,
    ),
    _moving(
        "aten.diag_embed.default",
        layout="contiguous",
        shape="diag_embed(self, offset, dim1, dim2)",
        operands={
            "offset": Operand(choices=(0, 1, -2)),
            "dim1": Operand(choices=(-2, 0)),
            "dim2": Operand(choices=(-1, 1)),
        },
        constraints=(
            ("rank(self) > 0", "there is a diagonal"),
            ("distinct([dim1, dim2], rank(self) + 1)", "two different dimensions of the result"),
        ),
        errors=(("rank(self) == 0", "a scalar is no diagonal"),),
        decomposition=decompose.diag_embed,
    ),
    _moving(
        "aten.as_strided_scatter.default",
        dtypes=ANY,
        accepts={"src": ANY},
        layout="contiguous",
        pattern="[n, k]",
        shape="self",
        operands={
            "src": Operand("=size"),
            "size": Operand(choices=("[self[1], self[0]]", "[self[0] * self[1]]", "[2, 1]")),
            "stride": Operand(choices=("[1, self[1]]", "[1]", "[self[1], 1]")),
            "storage_offset": Operand(choices=(None, 0, 1)),
        },
        constraints=(
            ("rank(size) == rank(stride)", "one stride a dimension"),
            ("src == size", "the source has the shape of the view"),
            (
                "fits_storage(size, stride, storage_offset, numel(self))",
                "every element lies in a row-major operand",
            ),
        ),
        errors=(("rank(size) != rank(stride)", "sizes and strides differ in number"),),
        decomposition=decompose.as_strided_scatter,
    ),
    *(
        entry(
            f"aten.{name}.default",
            shape=f"[2, {count}]",
            category=Category.CREATION,
            accepts={},
            results="arg:dtype|int64",
            operands={
                "row": Operand(choices=(3, 0, 5)),
                "col": Operand(choices=(4, 2, 0)),
                "offset": Operand(choices=(0, 2, -1, -7)),
                "dtype": Operand(choices=(torch.int64, torch.int32)),
            },
            constraints=(
                ("row >= 0 and col >= 0", "the sizes are not negative"),
                (
                    "not given(dtype) or dtype == 'int64' or dtype == 'int32'",
                    "a dtype of indices",
                ),
            ),
            errors=(("row < 0 or col < 0", "a size is negative"),),
            decomposition=function,
        )
        for name, count, function in (
            ("tril_indices", "below_diagonal(row, col, offset)", decompose.tril_indices),
            ("triu_indices", "row * col - below_diagonal(row, col, offset - 1)", decompose.triu_indices),
        )
    ),
    entry(
        "aten.repeat_interleave.Tensor",
        category=Category.DATA_DEPENDENT,
        accepts={"repeats": INDEX},
        results="same:repeats",
        shape="[output_size if given(output_size) else data_dependent()]",
        operands={
            "repeats": Operand("[n]", "index(4)"),
            "output_size": Operand(choices=(None,)),
        },
        constraints=(("rank(repeats) == 1", "the counts are a vector"),),
        errors=(("rank(repeats) != 1", "the counts are not a vector"),),
        decomposition=decompose.repeat_interleave,
    ),
)
