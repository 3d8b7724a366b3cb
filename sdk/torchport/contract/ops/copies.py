"""Operators that compute what a view shows and put it in fresh memory: one for each view, and pieces that are
not views.
"""

from __future__ import annotations

from torchport.contract.decompositions import copies as decompose
from torchport.contract.ops import views
from torchport.contract.ops.builders import STORED, entry, view_op
from torchport.contract.spec import Category, Constraint, Operand, OpSpec

_COPY_OF = {
    "aten.view.default": "aten.view_copy.default",
    "aten._reshape_alias.default": "aten._reshape_alias_copy.default",
    "aten.permute.default": "aten.permute_copy.default",
    "aten.transpose.int": "aten.transpose_copy.int",
    "aten.t.default": "aten.t_copy.default",
    "aten.expand.default": "aten.expand_copy.default",
    "aten.slice.Tensor": "aten.slice_copy.Tensor",
    "aten.select.int": "aten.select_copy.int",
    "aten.squeeze.default": "aten.squeeze_copy.default",
    "aten.squeeze.dim": "aten.squeeze_copy.dim",
    "aten.squeeze.dims": "aten.squeeze_copy.dims",
    "aten.unsqueeze.default": "aten.unsqueeze_copy.default",
    "aten.split.Tensor": "aten.split_copy.Tensor",
    "aten.split_with_sizes.default": "aten.split_with_sizes_copy.default",
    "aten.unbind.int": "aten.unbind_copy.int",
    "aten.as_strided.default": "aten.as_strided_copy.default",
    "aten.alias.default": "aten.alias_copy.default",
    "aten.detach.default": "aten.detach_copy.default",
    "aten.diagonal.default": "aten.diagonal_copy.default",
}
"""The copying form of each view. Windows and complex numbers have theirs with them."""
_PIECES = {
    "aten.split.Tensor": "aten.unsafe_split.Tensor",
    "aten.split_with_sizes.default": "aten.unsafe_split_with_sizes.default",
}
"""Pieces that a program may write to; contract graphs do not."""


_WHOLE = ("aten.alias.default", "aten.detach.default")
"""Views of everything."""


def _rules(constraints: tuple[Constraint, ...]) -> list[tuple[str, str]]:
    return [(c.text, c.prose) for c in constraints if c.tier is None]


def _copy(view: OpSpec, name: str, layout: str) -> OpSpec:
    """The entry ``name``, which computes what ``view`` shows."""
    return entry(
        name,
        category=Category.LAYOUT,
        accepts=view.dtypes.accepts,
        results=view.dtypes.results,
        shape=view.shape,
        layout=layout,
        operands=view.operands,
        constraints=_rules(view.constraints),
        errors=_rules(view.errors),
        decomposition=decompose.fresh if view.name in _WHOLE else decompose.copied(view.overload),
    )


_VIEWS = {view.name: view for view in views.ENTRIES}

ENTRIES: tuple[OpSpec, ...] = (
    *(_copy(_VIEWS[view], name, "contiguous") for view, name in _COPY_OF.items()),
    *(_copy(_VIEWS[view], name, "view") for view, name in _PIECES.items()),
    view_op(
        "aten._reshape_copy.default",
        dtypes=STORED,
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="view(self, size)",
        operands={"size": Operand(choices=("[numel(self)]", "[-1, 1]"))},
        decomposition=decompose.reshape_copy,
    ),
    view_op(
        "aten.narrow_copy.default",
        dtypes=STORED,
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="replace(self, dim, length)",
        operands={
            "dim": Operand(choices=(0, -1)),
            "start": Operand(choices=(0, 1, -1)),
            "length": Operand(choices=(1, 0)),
        },
        constraints=(
            ("rank(self) > 0", "a scalar has no slices"),
            ("in_range(dim, rank(self))", "the dimension exists"),
            ("length >= 0", "the length is not negative"),
            (
                "start + length <= size(self, dim) and (start >= 0 or start + length <= 0)",
                "the slice ends inside of the dimension",
            ),
            ("-start <= size(self, dim)", "the slice starts inside of the dimension"),
        ),
        errors=(("rank(self) == 0", "a scalar has no slices"),),
        decomposition=decompose.narrow_copy,
    ),
    view_op(
        "aten.resize.default",
        dtypes=STORED,
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="size",
        operands={
            "size": Operand(choices=("[2, 2]", "[numel(self)]", "[]", "[1, 2, 1]")),
            "memory_format": Operand(choices=(None,)),
        },
        decomposition=decompose.resize,
    ),
    view_op(
        "aten.resize_as.default",
        accepts={"the_template": STORED},
        dtypes=STORED,
        category=Category.LAYOUT,
        layout="contiguous",
        pattern="[n, k]",
        shape="the_template",
        operands={"the_template": Operand("[k]"), "memory_format": Operand(choices=(None,))},
        decomposition=decompose.resize_as,
    ),
)
