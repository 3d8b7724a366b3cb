"""Bags of table rows, their gradients, and rows of bounded norm."""

from __future__ import annotations

from torchport.contract.decompositions import embedding_bag as decompose
from torchport.contract.ops.builders import (
    FLAG,
    FLOATS,
    INDEX,
    Decomposition,
    Rule,
    dotted,
    entry,
    summed,
    ulp,
)
from torchport.contract.spec import Category, Operand, OpSpec

MODES = Operand(choices=(0, 1, 2))
DENSE = Operand(choices=(False,))
PADDING = Operand(choices=(-1, 0))
VECTORS = ("rank(indices) == 1 and rank(offsets) == 1", "indices and offsets are vectors")
NOT_SPARSE = ("not sparse", "gradients are dense")
WEIGHTED = ("not given(per_sample_weights) or mode == 0", "only sums are weighted")
EACH_WEIGHTED = (
    "not given(per_sample_weights) or per_sample_weights == indices",
    "there is a weight for each element",
)
WEIGHTS_OF_MAXIMA = ("given(per_sample_weights) and mode != 0", "only sums are weighted")
ROWS_OF_MAXIMA = ("mode != 2 or maximum_indices == grad", "maxima have the row of each value")
BAG_SIZES = ("numel(bag_size) >= grad[0]", "there is a size for each bag")


def _bag(name: str, decomposition: Decomposition) -> OpSpec:
    return entry(
        name,
        category=Category.INDEXING,
        accepts={
            "weight": FLOATS,
            "indices": INDEX,
            "offsets": INDEX,
            "per_sample_weights": ("same:weight",),
        },
        results=("same:weight", *("promote:indices,offsets",) * 3),
        shape=(
            "[offsets[0] - 1 if include_last_offset else offsets[0], weight[1]]",
            "[data_dependent(numel(indices))]",
            "[data_dependent(numel(offsets))]",
            "[data_dependent(numel(offsets)), weight[1]] if mode == 2 else [data_dependent(numel(offsets))]",
        ),
        layout=("contiguous",) * 4,
        numerics=summed("numel(indices) + 1", special=("own-result@1", "own-result@2", "own-result@3")),
        operands={
            "weight": Operand("[v, d]"),
            "indices": Operand("[n]", "index(weight[0])"),
            "offsets": Operand("[b]", "offsets(numel(indices))"),
            "scale_grad_by_freq": DENSE,
            "mode": MODES,
            "sparse": DENSE,
            "per_sample_weights": Operand("[n]", optional=True),
            "include_last_offset": FLAG,
            "padding_idx": PADDING,
        },
        constraints=(
            ("rank(weight) == 2", "the table is a matrix"),
            VECTORS,
            NOT_SPARSE,
            WEIGHTED,
            EACH_WEIGHTED,
            ("numel(offsets) > 0", "there is a bag"),
            (
                "not include_last_offset or offsets[0] > 1 or offsets[0] == 1 and numel(indices) == 0",
                "there is a bag, where there are elements",
            ),
        ),
        errors=(
            WEIGHTS_OF_MAXIMA,
            ("include_last_offset and numel(offsets) == 0", "there is no last offset"),
        ),
        decomposition=decomposition,
    )


def _gradient(name: str, decomposition: Decomposition, *, offsets: bool, rules: tuple[Rule, ...]) -> OpSpec:
    """A gradient of the table. Scaling by frequency is not drawn: PyTorch's CPU kernel divides by the
    frequency of another row.
    """
    extra = {"offsets": Operand("[b]", "offsets(numel(indices))"), "sparse": DENSE} if offsets else {}
    return entry(
        name,
        category=Category.INDEXING,
        accepts={
            "grad": FLOATS,
            "indices": INDEX,
            **({"offsets": INDEX} if offsets else {}),
            "offset2bag": INDEX,
            "bag_size": INDEX,
            "maximum_indices": INDEX,
            "per_sample_weights": ("same:grad",),
        },
        results="same:grad",
        shape="[num_weights, grad[1]]",
        numerics=summed("2 * numel(indices) + 4", special=("narrow-accumulator",)),
        operands={
            "grad": Operand("[b, d]"),
            "indices": Operand("[n]", "index(5)"),
            "offset2bag": Operand("[n]", "index(grad[0])"),
            "bag_size": Operand("[b]", "positive"),
            "maximum_indices": Operand("[b, d]", "index(5)"),
            "num_weights": Operand(choices=(5, 7)),
            "scale_grad_by_freq": DENSE,
            "mode": MODES,
            "per_sample_weights": Operand("[n]", optional=True),
            "padding_idx": PADDING,
            **extra,
        },
        constraints=(
            ("rank(grad) == 2", "one gradient row for each bag"),
            WEIGHTED,
            EACH_WEIGHTED,
            ROWS_OF_MAXIMA,
            BAG_SIZES,
            ("not scale_grad_by_freq or mode != 2", "maxima are not scaled"),
            *rules,
        ),
        errors=(WEIGHTS_OF_MAXIMA,),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    _bag("aten._embedding_bag.default", decompose.embedding_bag),
    _bag("aten._embedding_bag_forward_only.default", decompose.embedding_bag_forward_only),
    _gradient(
        "aten._embedding_bag_dense_backward.default",
        decompose.dense_backward,
        offsets=False,
        rules=(("mode == 2 or offset2bag == indices", "there is a bag for each element"),),
    ),
    _gradient(
        "aten._embedding_bag_backward.default", decompose.backward, offsets=True, rules=(VECTORS, NOT_SPARSE)
    ),
    entry(
        "aten._embedding_bag_per_sample_weights_backward.default",
        category=Category.INDEXING,
        accepts={
            "grad": FLOATS,
            "weight": ("same:grad",),
            "indices": INDEX,
            "offsets": INDEX,
            "offset2bag": INDEX,
        },
        results="same:grad",
        shape="indices",
        numerics=dotted("weight[1]"),
        operands={
            "grad": Operand("[b, d]"),
            "weight": Operand("[v, d]"),
            "indices": Operand("[n]", "index(weight[0])"),
            "offsets": Operand("[b]", "offsets(numel(indices))"),
            "offset2bag": Operand("[0]", "index(1)"),
            "mode": Operand(choices=(0,)),
            "padding_idx": PADDING,
        },
        constraints=(
            ("rank(grad) == 2 and rank(weight) == 2", "gradient and table are matrices"),
            ("size(grad, 1) == size(weight, 1)", "gradient and table have the same columns"),
            VECTORS,
            ("mode == 0", "only sums are weighted"),
        ),
        errors=(("mode != 0", "only sums are weighted"),),
        decomposition=decompose.per_sample_weights_backward,
    ),
    entry(
        "aten.embedding_renorm.default",
        category=Category.INDEXING,
        accepts={"self": FLOATS, "indices": INDEX},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=ulp(8, half=8),
        operands={
            "self": Operand("[v, d]"),
            "indices": Operand("[n]", "index(self[0])"),
            "max_norm": Operand(choices=(1.0, 3.0)),
            "norm_type": Operand(choices=(2.0, 1.0)),
        },
        constraints=(("rank(self) == 2", "the table is a matrix"),),
        errors=(("rank(self) != 2", "the table is not a matrix"),),
        decomposition=decompose.renorm,
    ),
)
