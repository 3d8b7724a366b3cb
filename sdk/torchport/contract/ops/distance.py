"""Norms of differences, all pairs of rows, and scaling to a norm."""

from __future__ import annotations

from torchport.contract.claims import obeying
from torchport.contract.decompositions import distance as decompose
from torchport.contract.ops.builders import COMPLEX, FLOATS, entry, summed
from torchport.contract.spec import Category, Operand, OpSpec

NARROW = ("narrow-accumulator",)
WIDE = ("float32", "float64")
ORDERS = Operand(choices=(2.0, 1.0, 0.0, 3.0, 0.5, float("inf")))
FINITE_ORDERS = Operand(choices=(2.0, 1.0, 0.0, 3.0, 1.5))
ROWS = ("rank(x1) >= 2 and rank(x2) >= 2 and x1[-1] == x2[-1]", "rows of both have one length")
NOT_ROWS = ("rank(x1) < 2 or rank(x2) < 2 or x1[-1] != x2[-1]", "there are no rows, or of different lengths")
NO_ORDER = ("p < 0", "the order is negative")
ORDER = ("p >= 0", "the order is not negative")
A_MATRIX = ("rank(self) == 2", "the operand is a matrix")
PAIRS = "self[0] * (self[0] - 1) // 2"

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.dist.default",
        category=Category.REDUCTION,
        accepts={"self": (*FLOATS, *COMPLEX), "other": ("same:self",)},
        results="real:self",
        shape="[]",
        numerics=summed("2 * numel(broadcast(self, other)) + 8", magnitude="result", special=NARROW),
        operands={
            "self": Operand("*S"),
            "other": Operand("~S"),
            "p": Operand(choices=(2, 1, 0, 3, float("inf"), float("-inf"), 0.5)),
        },
        decomposition=decompose.dist,
    ),
    entry(
        "aten._cdist_forward.default",
        category=Category.REDUCTION,
        accepts={"x1": WIDE, "x2": ("same:x1",)},
        results="same:x1",
        shape="broadcast(x1[:-2], x2[:-2]) + [x1[-2], x2[-2]]",
        numerics=obeying("distances"),
        operands={
            "x1": Operand("[*B, n, k]"),
            "x2": Operand("[*B, m, k]"),
            "p": ORDERS,
            "compute_mode": Operand(choices=(None, 0, 1, 2)),
        },
        constraints=(
            ROWS,
            ORDER,
            (
                "not given(compute_mode) or (compute_mode >= 0 and compute_mode <= 2)",
                "a matrix product is used if there are many rows, always, or never",
            ),
        ),
        errors=(NOT_ROWS, NO_ORDER),
        decomposition=decompose.cdist,
    ),
    entry(
        "aten._cdist_backward.default",
        category=Category.REDUCTION,
        accepts={"grad": WIDE, "x1": ("same:grad",), "x2": ("same:grad",), "cdist": ("same:grad",)},
        results="same:grad",
        shape="shape(x1) if numel(grad) == 0 or x1[-1] == 0 else broadcast(x1[:-2], x2[:-2]) + x1[-2:]",
        numerics=obeying("distance_gradients"),
        operands={
            "grad": Operand("[*B, n, m]"),
            "x1": Operand("[*B, n, k]"),
            "x2": Operand("[*B, m, k]"),
            "p": FINITE_ORDERS,
            "cdist": Operand("[*B, n, m]", "positive"),
        },
        constraints=(
            ROWS,
            ORDER,
            ("grad == broadcast(x1[:-2], x2[:-2]) + [x1[-2], x2[-2]]", "there is a gradient for each pair"),
            ("cdist == grad", "there is a distance for each pair"),
        ),
        decomposition=decompose.cdist_backward,
    ),
    entry(
        "aten._pdist_forward.default",
        category=Category.REDUCTION,
        accepts={"self": WIDE},
        results="same:self",
        shape=f"[{PAIRS}]",
        numerics=obeying("pair_distances"),
        operands={
            "self": Operand("[n, k]"),
            "p": ORDERS,
        },
        constraints=(A_MATRIX, ORDER),
        decomposition=decompose.pdist,
    ),
    entry(
        "aten._pdist_backward.default",
        category=Category.REDUCTION,
        accepts={"grad": WIDE, "self": ("same:grad",), "pdist": ("same:grad",)},
        results="same:grad",
        shape="self",
        numerics=obeying("pair_gradients"),
        operands={
            "grad": Operand(f"=[{PAIRS}]"),
            "self": Operand("[n, k]"),
            "p": FINITE_ORDERS,
            "pdist": Operand(f"=[{PAIRS}]", "positive"),
        },
        constraints=(
            A_MATRIX,
            ORDER,
            ("self[0] > 0 and self[1] > 0", "there are rows and columns"),
            (f"grad == [{PAIRS}] and pdist == grad", "there is a gradient and a distance for each pair"),
        ),
        decomposition=decompose.pdist_backward,
    ),
    entry(
        "aten._euclidean_dist.default",
        category=Category.REDUCTION,
        accepts={"x1": FLOATS, "x2": ("same:x1",)},
        results="same:x1",
        shape="broadcast(x1[:-2], x2[:-2]) + [x1[-2], x2[-2]]",
        numerics=obeying("euclidean", *NARROW),
        operands={"x1": Operand("[*B, n, k]"), "x2": Operand("[*B, m, k]")},
        constraints=(ROWS,),
        errors=(NOT_ROWS,),
        decomposition=decompose.euclidean_dist,
    ),
    entry(
        "aten.renorm.default",
        category=Category.NORMALIZATION,
        accepts={"self": (*FLOATS, *COMPLEX)},
        results="same:self",
        shape="self",
        numerics=summed("numel(self) // max(size(self, dim), 1) + 16", magnitude="result", special=NARROW),
        operands={
            "self": Operand("[*B, n, k]"),
            "p": Operand(choices=(2, 1, 3.5, float("inf"))),
            "dim": Operand(choices=(0, -1)),
            "maxnorm": Operand(choices=(1.0, 5, 1000.0)),
        },
        constraints=(
            ("rank(self) >= 2 and in_range(dim, rank(self))", "the dimension exists beside others"),
            ("p > 0 and maxnorm >= 0", "order and norm are positive"),
        ),
        errors=(
            ("rank(self) < 2", "there are fewer than two dimensions"),
            ("p <= 0", "the order is not positive"),
            ("maxnorm < 0", "the largest norm is negative"),
        ),
        decomposition=decompose.renorm,
    ),
)
