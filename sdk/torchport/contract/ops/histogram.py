"""Histograms and counts of integers."""

from __future__ import annotations

from torchport.contract.decompositions import histogram as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, INTS, Decomposition, Rule, entry, summed, ulp
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

WIDE = ("float32", "float64")
COUNTED = summed("2 * numel(self) + 4")
IN_RANGE = summed("2 * numel(self) + 4", magnitude="result")
WEIGHT = Operand("=shape(self)", "positive", optional=True)
POINT_WEIGHT = Operand("=self[:-1]", "positive", optional=True)
BINS = ("bins > 0", "there is a bin")
NO_BINS = ("bins <= 0", "there is no bin")
POINTS = ("rank(self) >= 2", "points have coordinates")
NO_POINTS = ("rank(self) < 2", "there are no coordinates")
EACH_WEIGHTED = ("not given(weight) or weight == self", "there is a weight for each value")
EACH_POINT = ("not given(weight) or weight == self[:-1]", "there is a weight for each point")
PER_COORDINATE = ("size(self, -1) == len(bins)", "there are bins for each coordinate")
RANGES = ("not given(range) or len(range) == 2 * len(bins)", "there is a range for each coordinate")
GRID = {
    "bins": Operand(choices=([3, 2], [1, 4])),
    "range": Operand(choices=(None, [-1.0, 1.0, -2.0, 1.5])),
    "weight": POINT_WEIGHT,
    "density": FLAG,
}


def _points(
    name: str,
    decomposition: Decomposition,
    *,
    shape: str,
    operands: dict[str, Operand],
    numerics: Numerics = COUNTED,
    constraints: tuple[Rule, ...] = (RANGES,),
    accepts: dict[str, tuple[str, ...]] | None = None,
) -> OpSpec:
    """A histogram of points [..., D]."""
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": WIDE, **(accepts or {}), "weight": ("same:self",)},
        results="same:self",
        shape=shape,
        numerics=numerics,
        operands={"self": Operand("[n, 2]", "finite"), **operands},
        constraints=(POINTS, PER_COORDINATE, EACH_POINT, *constraints),
        errors=(NO_POINTS,),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.histc.default",
        category=Category.INDEXING,
        accepts={"self": FLOATS},
        results="same:self",
        shape="[bins]",
        numerics=summed("numel(self) + 1", magnitude="result"),
        operands={
            "self": Operand("*S", "finite"),
            "bins": Operand(choices=(4, 1, 7)),
            "min": Operand(choices=(0, -1)),
            "max": Operand(choices=(0, 1.5)),
        },
        constraints=(BINS, ("min <= max", "the range is not reversed")),
        errors=(NO_BINS, ("min > max", "the range is reversed")),
        decomposition=decompose.histc,
    ),
    entry(
        "aten.histogram.bin_ct",
        category=Category.INDEXING,
        accepts={"self": WIDE, "weight": ("same:self",)},
        results=("same:self", "same:self"),
        shape=("[bins]", "[bins + 1]"),
        layout=("contiguous", "contiguous"),
        numerics=IN_RANGE,
        operands={
            "self": Operand("*S", "finite"),
            "bins": Operand(choices=(4, 1, 7)),
            "range": Operand(choices=(None, [-1.0, 1.5])),
            "weight": WEIGHT,
            "density": FLAG,
        },
        constraints=(BINS, EACH_WEIGHTED, ("not given(range) or len(range) == 2", "a range has two ends")),
        errors=(NO_BINS,),
        decomposition=decompose.histogram_count,
    ),
    entry(
        "aten.histogram.bins_tensor",
        category=Category.INDEXING,
        accepts={"self": WIDE, "bins": ("same:self",), "weight": ("same:self",)},
        results=("same:self", "same:self"),
        shape=("[bins[0] - 1]", "bins"),
        layout=("contiguous", "contiguous"),
        numerics=COUNTED,
        operands={
            "self": Operand("*S", "small"),
            "bins": Operand("[e]", "sorted"),
            "weight": WEIGHT,
            "density": FLAG,
        },
        constraints=(("rank(bins) == 1 and numel(bins) > 1", "there are two edges"), EACH_WEIGHTED),
        errors=(("rank(bins) != 1", "the edges are not a vector"),),
        decomposition=decompose.histogram,
    ),
    _points(
        "aten._histogramdd_bin_edges.default",
        decompose.histogramdd_edges,
        shape="edges(bins)",
        numerics=ulp(4, magnitude="operands"),
        operands=GRID,
    ),
    _points(
        "aten._histogramdd_from_bin_cts.default",
        decompose.histogramdd_counts,
        shape="bins",
        numerics=IN_RANGE,
        operands=GRID,
    ),
    _points(
        "aten._histogramdd_from_bin_tensors.default",
        decompose.histogramdd,
        shape="spans(bins)",
        accepts={"bins": ("same:self",)},
        operands={
            "self": Operand("[n, 3]", "finite"),
            "bins": Operand("[e]", "sorted"),
            "weight": POINT_WEIGHT,
            "density": FLAG,
        },
        constraints=(),
    ),
    entry(
        "aten.bincount.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": INTS, "weights": WIDE},
        results="same:weights|int64",
        shape="[data_dependent()]",
        numerics=summed("numel(self) + 1"),
        operands={
            "self": Operand("[n]", "index(6)"),
            "weights": Operand("[n]", optional=True),
            "minlength": Operand(choices=(0, 9)),
        },
        constraints=(
            ("rank(self) == 1", "the integers are a vector"),
            ("not given(weights) or weights == self", "there is a weight for each integer"),
            ("minlength >= 0", "the least length is not negative"),
        ),
        errors=(
            ("rank(self) != 1", "the integers are not a vector"),
            ("minlength < 0", "the least length is negative"),
        ),
        decomposition=decompose.bincount,
    ),
)
