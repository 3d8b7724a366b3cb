"""Margin losses of classifiers and their gradients. ``reduction``: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from torchport.contract.decompositions import margin_loss as decompose
from torchport.contract.ops.builders import FLOATS, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

REDUCTION = Operand(choices=(0, 1, 2))
ROWS = Operand("[n, c]")
POWER = Operand(choices=(1, 2))
MARGIN = Operand(choices=(1, 0.5))
LOSS_SHAPE = "self[:1] if reduction == 0 and rank(self) == 2 else []"
VECTOR_OR_ROWS: Rule = (
    "(rank(self) == 1 or rank(self) == 2) and size(self, -1) > 0",
    "the input is [C] or [N, C] and has classes",
)
KNOWN: Rule = ("0 <= reduction and reduction <= 2", "reduction is none, mean or sum")
GRAD_SHAPE: Rule = (f"grad_output == ({LOSS_SHAPE})", "the gradient has the shape of the loss")

ONE_CLASS: tuple[Rule, ...] = (
    VECTOR_OR_ROWS,
    KNOWN,
    (
        "rank(target) <= 1 and numel(target) == (self[0] if rank(self) == 2 else 1)",
        "one target for each row",
    ),
    ("not given(weight) or weight == self[rank(self) - 1:]", "one weight for each class"),
    ("p == 1 or p == 2", "the power is 1 or 2"),
)
POWER_ERROR: Rule = ("p != 1 and p != 2", "the power is neither 1 nor 2")
LABELS: tuple[Rule, ...] = (
    VECTOR_OR_ROWS,
    KNOWN,
    ("target == self", "labels for each row, the first negative one ends them"),
)

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.multi_margin_loss.default",
        category=Category.LOSS,
        accepts={"self": FLOATS, "target": ("int64",), "weight": ("same:self",)},
        results="same:self",
        shape=LOSS_SHAPE,
        numerics=derived(),
        operands={
            "self": ROWS,
            "target": Operand("[n]", "index(self[1])"),
            "p": POWER,
            "margin": MARGIN,
            "weight": Operand("[c]", "positive", optional=True),
            "reduction": REDUCTION,
        },
        constraints=ONE_CLASS,
        errors=(POWER_ERROR,),
        decomposition=decompose.multi_margin_loss,
    ),
    entry(
        "aten.multi_margin_loss_backward.default",
        category=Category.LOSS,
        accepts={
            "grad_output": FLOATS,
            "self": ("same:grad_output",),
            "target": ("int64",),
            "weight": ("same:grad_output",),
        },
        results="same:self",
        shape="self",
        numerics=derived(),
        operands={
            "grad_output": Operand(f"={LOSS_SHAPE}"),
            "self": ROWS,
            "target": Operand("[n]", "index(self[1])"),
            "p": POWER,
            "margin": MARGIN,
            "weight": Operand("[c]", "positive", optional=True),
            "reduction": REDUCTION,
        },
        constraints=(*ONE_CLASS, GRAD_SHAPE),
        errors=(POWER_ERROR,),
        decomposition=decompose.multi_margin_loss_backward,
    ),
    entry(
        "aten.multilabel_margin_loss_forward.default",
        category=Category.LOSS,
        accepts={"self": FLOATS, "target": ("int64",)},
        results=("same:self", "same:self"),
        shape=(LOSS_SHAPE, "target"),
        layout=("contiguous", "contiguous"),
        numerics=derived(),
        operands={"self": ROWS, "target": Operand("[n, c]", "index(self[1])"), "reduction": REDUCTION},
        constraints=LABELS,
        errors=(("target != self", "labels and input have different shapes"),),
        decomposition=decompose.multilabel_margin_loss,
    ),
    entry(
        "aten.multilabel_margin_loss_backward.default",
        category=Category.LOSS,
        accepts={
            "grad_output": FLOATS,
            "self": ("same:grad_output",),
            "target": ("int64",),
            "is_target": ("same:grad_output",),
        },
        results="same:self",
        shape="self",
        numerics=derived(),
        operands={
            "grad_output": Operand(f"={LOSS_SHAPE}"),
            "self": ROWS,
            "target": Operand("[n, c]", "index(self[1])"),
            "reduction": REDUCTION,
            "is_target": Operand("[n, c]", "result(aten.multilabel_margin_loss_forward.default, 1)"),
        },
        constraints=(*LABELS, ("is_target == target", "is_target tells for each class"), GRAD_SHAPE),
        decomposition=decompose.multilabel_margin_loss_backward,
    ),
)
