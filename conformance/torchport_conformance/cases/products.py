"""Products with one long dimension: where libraries take another path, or count rows in 16 bits."""

from __future__ import annotations

from collections.abc import Iterator

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.assemble import Row
from torchport_conformance.cases.axes import Axes
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.signature import signature
from torchport_conformance.cases.sizes import Extent

LONG = 40_009
"""Past 2**15, and a prime; the other dimensions have two elements."""
DTYPES = ("bfloat16", "float16", "float64")
"""The dtypes that have paths of their own beside float32."""


def long_products(spec: OpSpec, profile: Profile) -> Iterator[Case]:
    """The calls of an operator of sums of products in which one dimension is long, each in turn."""
    if spec.category is not Category.CONTRACTION:
        return
    axes = Axes(signature(spec), profile)
    for dtype in DTYPES:
        if dtype in axes.dtypes:
            row = Row(axes.sig, axes.recipe(dtype=dtype))
            for turn in range(len(row.letters)):
                case = row.case(Extent(LONG, turn).of(row.letters), most=profile.most)
                if case is not None:
                    yield case
