"""Gradients of select, slice and diagonal."""

from __future__ import annotations

from torchport.contract.decompositions import slicing as decompose
from torchport.contract.ops.builders import EXACT, STORED, entry
from torchport.contract.spec import Category, Operand, OpSpec

LONG = 2**63 - 1

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.select_backward.default",
        category=Category.INDEXING,
        accepts={"grad_output": STORED},
        results="same:grad_output",
        shape="input_sizes",
        numerics=EXACT,
        operands={
            "grad_output": Operand("[n, m]"),
            "input_sizes": Operand(choices=("[grad_output[0], 3, grad_output[1]]",)),
            "dim": Operand(choices=(1, -2)),
            "index": Operand(choices=(0, 2, -1)),
        },
        constraints=(
            ("in_range(dim, rank(input_sizes)) and rank(input_sizes) > 0", "the dimension exists"),
            ("in_range(index, size(input_sizes, dim))", "the index exists"),
            ("grad_output == drop(input_sizes, dim)", "the gradient has the shape of the selected slice"),
        ),
        decomposition=decompose.select_backward,
    ),
    entry(
        "aten.slice_backward.default",
        category=Category.INDEXING,
        accepts={"grad_output": STORED},
        results="same:grad_output",
        shape="input_sizes",
        numerics=EXACT,
        operands={
            "grad_output": Operand("=slice(input_sizes, dim, start, end, step)"),
            "input_sizes": Operand(choices=([5, 6], [7, 4])),
            "dim": Operand(choices=(0, -1)),
            "start": Operand(choices=(0, 1, -3)),
            "end": Operand(choices=(LONG, 4)),
            "step": Operand(choices=(1, 2)),
        },
        constraints=(
            ("in_range(dim, rank(input_sizes)) and rank(input_sizes) > 0", "the dimension exists"),
            ("step > 0", "the step is positive"),
            (
                "grad_output == slice(input_sizes, dim, start, end, step)",
                "the gradient has the shape of the slice",
            ),
        ),
        decomposition=decompose.slice_backward,
    ),
    entry(
        "aten.diagonal_backward.default",
        category=Category.INDEXING,
        accepts={"grad_output": STORED},
        results="same:grad_output",
        shape="input_sizes",
        numerics=EXACT,
        operands={
            "grad_output": Operand("=diagonal(input_sizes, offset, dim1, dim2)"),
            "input_sizes": Operand(choices=([5, 6], [7, 4], [3, 3])),
            "offset": Operand(choices=(0, 2, -1)),
            "dim1": Operand(choices=(0, -1)),
            "dim2": Operand(choices=(1, -2)),
        },
        constraints=(
            ("distinct([dim1, dim2], rank(input_sizes))", "two different dimensions"),
            (
                "grad_output == diagonal(input_sizes, offset, dim1, dim2)",
                "the gradient has the shape of the diagonal",
            ),
        ),
        errors=(("rank(input_sizes) < 2", "there are no two dimensions"),),
        decomposition=decompose.diagonal_backward,
    ),
)
