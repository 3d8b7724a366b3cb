"""Table look-up, its gradient, and dropout."""

from __future__ import annotations

from torchport.contract.decompositions import embedding as decompose
from torchport.contract.ops.builders import ANY, EXACT, FLAG, FLOATS, INDEX, NUMBERS, derived, entry, ulp
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

LAW = Numerics("law", special=("dropout",))

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.embedding.default",
        category=Category.INDEXING,
        accepts={"weight": FLOATS, "indices": INDEX},
        results="same:weight",
        shape="indices + [weight[1]]",
        numerics=EXACT,
        operands={
            "weight": Operand("[v, d]"),
            "indices": Operand("*S", "index(weight[0])"),
            "padding_idx": Operand(choices=(-1, 0)),
            "scale_grad_by_freq": FLAG,
            "sparse": Operand(choices=(False,)),
        },
        constraints=(
            ("rank(weight) == 2", "the table is a matrix"),
            ("not sparse", "gradients are dense"),
        ),
        errors=(("rank(weight) != 2", "the table is not a matrix"),),
        decomposition=decompose.embedding,
    ),
    entry(
        "aten.embedding_dense_backward.default",
        category=Category.INDEXING,
        accepts={"grad_output": FLOATS, "indices": INDEX},
        results="same:grad_output",
        shape="[num_weights, size(grad_output, rank(grad_output) - 1)]",
        numerics=derived(narrow="sums"),
        operands={
            "grad_output": Operand("[*S, d]"),
            "indices": Operand("*S", "index(5)"),
            "num_weights": Operand(choices=(5, 7)),
            "padding_idx": Operand(choices=(-1, 0)),
            "scale_grad_by_freq": FLAG,
        },
        constraints=(
            (
                "rank(grad_output) == rank(indices) + 1 and grad_output[:-1] == indices",
                "one gradient row per index",
            ),
        ),
        decomposition=decompose.embedding_dense_backward,
    ),
    entry(
        "aten.native_dropout.default",
        category=Category.RANDOM,
        accepts={"input": FLOATS},
        results=("same:input", "bool"),
        shape=("input", "input"),
        layout=("elementwise", "elementwise"),
        numerics=LAW,
        operands={
            "input": Operand("*S"),
            "p": Operand(choices=(0.25, 0.0, 1.0)),
            "train": Operand(choices=(True, False)),
        },
        constraints=(("0 <= p and p <= 1", "p is a probability"),),
        deterministic=False,
        decomposition=decompose.native_dropout,
    ),
    entry(
        "aten.native_dropout_backward.default",
        category=Category.ELEMENTWISE,
        accepts={"grad_output": ANY, "mask": NUMBERS},
        results="promote_float:grad_output,mask",
        shape="grad_output",
        layout="elementwise",
        numerics=ulp(1),
        operands={
            "grad_output": Operand("*S"),
            "mask": Operand("*S", "bool"),
            "scale": Operand(choices=(2.0, 1.25)),
        },
        constraints=(("grad_output == mask", "one mask element per gradient"),),
        decomposition=decompose.native_dropout_backward,
    ),
)
