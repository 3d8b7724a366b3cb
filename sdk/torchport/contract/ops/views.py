"""Views: operators whose result shares memory with their first argument."""

from __future__ import annotations

from functools import partial

from torchport.contract.decompositions import layout as decompose
from torchport.contract.ops.builders import STORED, entry, view_op
from torchport.contract.spec import Category, Operand, OpSpec

DIM = Operand(choices=(0, -1))
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
STEP = ("step > 0", "the step is positive")

_view = partial(view_op, dtypes=STORED)
NO_SLICES = ("rank(self) == 0", "a scalar has no slices")
NO_DIM = ("not in_range(dim, rank(self))", "the dimension does not exist")

ENTRIES: tuple[OpSpec, ...] = (
    _view(
        "aten.view.default",
        pattern="[n, k, m]",
        shape="view(self, size)",
        operands={
            "size": Operand(
                choices=(
                    "[self[0], self[1] * self[2]]",
                    "[numel(self)]",
                    "[-1, self[2]]",
                    "[self[0], 1, self[1], self[2]]",
                )
            )
        },
        prim=True,
    ),
    _view(
        "aten._unsafe_view.default",
        pattern="[n, k, m]",
        shape="view(self, size)",
        operands={"size": Operand(choices=("[self[0] * self[1], self[2]]", "[-1]"))},
        decomposition=decompose.unsafe_view,
    ),
    _view(
        "aten._reshape_alias.default",
        pattern="[n, k]",
        shape="size",
        operands={"size": Operand(choices=("[numel(self)]",)), "stride": Operand(choices=("[1]",))},
        constraints=(
            ("numel(self) == numel(size)", "the number of elements stays"),
            ("rank(size) == rank(stride)", "one stride a dimension"),
        ),
        errors=(("rank(size) != rank(stride)", "sizes and strides differ in number"),),
        decomposition=lambda self, size, stride: decompose.unsafe_view(self, size),
    ),
    _view(
        "aten.permute.default",
        shape="permute(self, dims)",
        operands={"dims": Operand(choices=("reverse(iota(rank(self)))", "iota(rank(self))"))},
        constraints=(
            ("rank(dims) == rank(self) and distinct(dims, rank(self))", "every dimension is listed once"),
        ),
        errors=(("rank(dims) != rank(self)", "not every dimension is listed"),),
        prim=True,
    ),
    _view(
        "aten.transpose.int",
        shape="transpose(self, dim0, dim1)",
        operands={"dim0": DIM, "dim1": Operand(choices=(-1, 0))},
        constraints=(("in_range(dim0, rank(self)) and in_range(dim1, rank(self))", "the dimensions exist"),),
        errors=(
            (
                "not in_range(dim0, rank(self)) or not in_range(dim1, rank(self))",
                "a dimension does not exist",
            ),
        ),
        decomposition=decompose.transpose,
    ),
    _view(
        "aten.t.default",
        pattern="[n, k]",
        shape="reverse(self)",
        operands={},
        constraints=(("rank(self) <= 2", "at most two dimensions"),),
        errors=(("rank(self) > 2", "there are more than two dimensions"),),
        decomposition=decompose.t,
    ),
    _view(
        "aten.expand.default",
        pattern="[n, 1, k]",
        shape="expand(self, size)",
        operands={
            "size": Operand(choices=("[self[0], 3, self[2]]", "[-1, -1, -1]", "[2, self[0], 1, -1]")),
            "implicit": Operand(choices=(False,)),
        },
        errors=(("rank(size) < rank(self)", "dimensions would be dropped"),),
        prim=True,
    ),
    _view(
        "aten.slice.Tensor",
        pattern="[n, k]",
        shape="slice(self, dim, start, end, step)",
        operands={
            "dim": DIM,
            "start": Operand(choices=(0, 1, None, -2)),
            "end": Operand(choices=(9223372036854775807, 2, -1, None)),
            "step": Operand(choices=(1, 2)),
        },
        constraints=(("rank(self) > 0", "a scalar has no slices"), IN_RANGE, STEP),
        errors=(
            NO_SLICES,
            NO_DIM,
            ("step <= 0", "the step is not positive"),
        ),
        prim=True,
    ),
    _view(
        "aten.select.int",
        pattern="[n, k]",
        shape="drop(self, dim)",
        operands={"dim": DIM, "index": Operand(choices=(0, -1))},
        constraints=(
            ("rank(self) > 0", "a scalar has no slices"),
            IN_RANGE,
            ("index < size(self, dim) and -index <= size(self, dim)", "the slice exists"),
        ),
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.select,
    ),
    _view(
        "aten.squeeze.default",
        pattern="[1, n, 1]",
        shape="squeeze(self)",
        operands={},
        decomposition=decompose.squeeze_all,
    ),
    _view(
        "aten.squeeze.dim",
        pattern="[1, n, 1]",
        shape="squeeze(self, dim)",
        operands={"dim": Operand(choices=(0, -1, 1))},
        constraints=(IN_RANGE,),
        errors=(NO_DIM,),
        decomposition=decompose.squeeze_dim,
    ),
    _view(
        "aten.squeeze.dims",
        pattern="[1, n, 1]",
        shape="squeeze(self, dim)",
        operands={"dim": Operand(choices=("[0]", "[0, -1]", "[0, 1]", "[]"))},
        constraints=(("distinct(dim, rank(self))", "the dimensions exist and are listed once"),),
        errors=(("not distinct(dim, rank(self))", "a dimension does not exist or is listed twice"),),
        prim=True,
    ),
    _view(
        "aten.unsqueeze.default",
        shape="insert(self, dim, 1)",
        operands={"dim": DIM},
        constraints=(("in_range(dim, rank(self) + 1)", "the dimension exists in the result"),),
        errors=(("not in_range(dim, rank(self) + 1)", "the dimension does not exist in the result"),),
        prim=True,
    ),
    _view(
        "aten.split.Tensor",
        pattern="[n, k]",
        shape="split(self, split_size, dim)",
        operands={"split_size": Operand(choices=(2, "self[0]")), "dim": DIM},
        constraints=(
            ("rank(self) > 0", "a scalar has no slices"),
            IN_RANGE,
            ("split_size > 0 or size(self, dim) == 0 and split_size == 0", "pieces are not empty"),
        ),
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.split,
    ),
    _view(
        "aten.split_with_sizes.default",
        pattern="[n, k]",
        shape="split_sizes(self, split_sizes, dim)",
        operands={
            "split_sizes": Operand(choices=("[1, self[0] - 1]", "[self[0]]")),
            "dim": Operand(choices=(0,)),
        },
        constraints=(
            ("rank(self) > 0", "a scalar has no slices"),
            IN_RANGE,
            ("rank(split_sizes) == 0 or min(split_sizes) >= 0", "a piece has no negative length"),
        ),
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.split_with_sizes,
    ),
    _view(
        "aten.unbind.int",
        pattern="[3, n]",
        shape="unbind(self, dim)",
        operands={"dim": DIM},
        constraints=(("rank(self) > 0", "a scalar has no slices"), IN_RANGE),
        errors=(
            NO_SLICES,
            NO_DIM,
        ),
        decomposition=decompose.unbind,
    ),
    _view(
        "aten.as_strided.default",
        pattern="[n, k]",
        shape="size",
        operands={
            "size": Operand(choices=("[self[1], self[0]]", "[self[0] * self[1]]", "[self[0], self[0]]")),
            "stride": Operand(choices=("[1, self[1]]", "[1]", "[self[1], 0]")),
            "storage_offset": Operand(choices=(None, 0)),
        },
        constraints=(
            ("rank(size) == rank(stride)", "one stride a dimension"),
            (
                "fits_storage(size, stride, storage_offset, numel(self))",
                "every element lies in a row-major operand",
            ),
        ),
        errors=(("rank(size) != rank(stride)", "sizes and strides differ in number"),),
        decomposition=decompose.as_strided,
    ),
    _view("aten.alias.default", shape="self", operands={}, decomposition=decompose.identity),
    _view("aten.detach.default", shape="self", operands={}, decomposition=decompose.identity),
    _view(
        "aten.diagonal.default",
        pattern="[n, k]",
        shape="diagonal(self, offset, dim1, dim2)",
        operands={
            "offset": Operand(choices=(0, 1, -1)),
            "dim1": Operand(choices=(0,)),
            "dim2": Operand(choices=(1,)),
        },
        constraints=(
            (
                "distinct([dim1, dim2], rank(self)) and rank(self) > 1",
                "two different dimensions",
            ),
        ),
        errors=(("rank(self) < 2", "there are no two dimensions"),),
        decomposition=decompose.diagonal,
    ),
    _view(
        "aten.unfold.default",
        pattern="[n, k]",
        shape="unfold(self, dimension, size, step)",
        operands={
            "dimension": DIM,
            "size": Operand(choices=(2, 1)),
            "step": Operand(choices=(1, 2)),
        },
        constraints=(
            ("in_range(dimension, rank(self))", "the dimension exists"),
            ("size <= size(self, dimension) and size >= 0", "the window fits"),
            STEP,
        ),
        errors=(("size > size(self, dimension)", "the window is larger than the dimension"),),
        decomposition=decompose.unfold,
    ),
    _view("aten.lift_fresh.default", shape="self", operands={}, decomposition=decompose.identity),
    _view("aten.lift.default", shape="self", operands={}, decomposition=decompose.identity),
    _view(
        "aten._lazy_clone.default",
        shape="self",
        layout="like:self",
        operands={},
        decomposition=decompose.fresh,
    ),
    entry(
        "aten.lift_fresh_copy.default",
        category=Category.LAYOUT,
        accepts={"self": STORED},
        results="same:self",
        shape="self",
        operands={"self": Operand("*S")},
        decomposition=decompose.fresh,
    ),
)
