"""Operators on the elements that a mask selects."""

from __future__ import annotations

from torchport.contract.decompositions import masking as decompose
from torchport.contract.ops.builders import ANY, entry
from torchport.contract.spec import Category, Operand, OpSpec

MASK = Operand("~S", "bool")

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.masked_select.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": ANY, "mask": ("bool",)},
        results="same:self",
        shape="[data_dependent(numel(broadcast(self, mask)))]",
        operands={"self": Operand("*S"), "mask": MASK},
        errors=(("dtype(mask) != 'bool'", "the mask is not bool"),),
        decomposition=decompose.masked_select,
    ),
    entry(
        "aten.masked_scatter.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "mask": ("bool",), "source": ("same:self",)},
        results="same:self",
        shape="broadcast(self, mask)",
        layout="contiguous",
        operands={"self": Operand("*S"), "mask": MASK, "source": Operand("*S")},
        errors=(("dtype(mask) != 'bool'", "the mask is not bool"),),
        decomposition=decompose.masked_scatter,
    ),
    entry(
        "aten.masked_scatter_backward.default",
        category=Category.INDEXING,
        accepts={"grad_output": ANY, "mask": ("bool",)},
        results="same:grad_output",
        shape="sizes",
        operands={
            "grad_output": Operand("*S"),
            "mask": MASK,
            "sizes": Operand(choices=("shape(grad_output)", "[numel(grad_output) + 2]")),
        },
        decomposition=decompose.masked_scatter_backward,
    ),
    entry(
        "aten.nonzero_static.default",
        category=Category.INDEXING,
        accepts={"self": ANY},
        results="int64",
        shape="[size, rank(self)]",
        operands={
            "self": Operand("*S", "small"),
            "size": Operand(choices=(3, 0, "numel(self) + 2")),
            "fill_value": Operand(choices=(-1, 7)),
        },
        constraints=(("size >= 0", "the number of rows is not negative"),),
        errors=(("size < 0", "the number of rows is negative"),),
        decomposition=decompose.nonzero_static,
    ),
)
