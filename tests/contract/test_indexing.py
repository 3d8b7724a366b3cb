"""Forms of indexing that drawn operands do not reach: absent indices, masks, negative positions, scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from torchport.contract.adapters import call
from torchport.contract.dims import DataDependent
from torchport.contract.opset import opset
from torchport.contract.reference import flatten
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import resolve

OPS = opset("1.0").ops
G = torch.Generator().manual_seed(0)
X = torch.randn(4, 5, 6, generator=G)
FEW, GRID = torch.tensor([0, -1, 2]), torch.tensor([[1], [-2]])
MASK, WIDE = torch.tensor([True, False, True, True]), torch.rand(4, 5, generator=G) > 0.5
INDICES: dict[str, list[Tensor | None]] = {
    "first": [FEW],
    "last": [None, None, FEW],
    "middle": [None, FEW, None],
    "broadcast": [FEW, GRID],
    "apart": [FEW, None, GRID],
    "narrow integers": [None, FEW.to(torch.int32)],
    "mask": [MASK],
    "mask of two dimensions": [WIDE],
    "mask and index": [MASK, None, torch.tensor([2])],
    "empty": [torch.zeros(0, dtype=torch.int64)],
}


def full(name: str, given: dict[str, Any]) -> dict[str, Any]:
    schema = OPS[name].signature.arguments
    return {a.name: given.get(a.name, a.default_value) for a in schema}


def decomposed(name: str, **given: Any) -> tuple[Any, ...]:
    """The result of the entry's decomposition."""
    schema = OPS[name].signature.arguments
    arguments = full(name, given)
    function = OPS[name].decomposition
    assert function is not None
    positional = [arguments[a.name] for a in schema if not a.kwarg_only]
    return flatten(function(*positional, **{a.name: arguments[a.name] for a in schema if a.kwarg_only}))


def same_as_eager(name: str, **given: Any) -> None:
    """Shape rule and decomposition give what eager gives, and the constraints admit the call."""
    spec, arguments = OPS[name], full(name, given)
    bound = bind(arguments)
    for constraint in spec.constraints:
        if constraint.tier is None:
            assert parse(constraint.text).holds(bound) is not False, constraint.text
    eager, ours = flatten(call(spec, given)), decomposed(name, **given)
    shapes = [s for rule in spec.shape for s in parse(rule).evaluate(bound)]
    assert len(eager) == len(ours) == len(shapes)
    for want, got, shape in zip(eager, ours, shapes, strict=True):
        assert got.dtype == want.dtype
        torch.testing.assert_close(got, want, equal_nan=True)
        if shape is not None:
            sizes = zip(shape, want.shape, strict=True)
            assert all(isinstance(a, DataDependent) or a == b for a, b in sizes), (shape, want.shape)


@pytest.mark.parametrize("form", INDICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64, torch.int16, torch.bool])
def test_index(form: str, dtype: torch.dtype) -> None:
    same_as_eager("aten.index.Tensor", self=X.to(dtype), indices=INDICES[form])


@pytest.mark.parametrize("form", INDICES)
@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put(form: str, accumulate: bool) -> None:
    like = X[tuple(slice(None) if i is None else i.long() if i.dtype is torch.int32 else i
                   for i in INDICES[form])]  # fmt: skip
    for values in (torch.randn(like.shape, generator=G), torch.tensor(2.0)):
        same_as_eager(
            "aten.index_put.default", self=X, indices=INDICES[form], values=values, accumulate=accumulate
        )


def test_index_put_adds_what_is_written_twice_to_one_position() -> None:
    x = torch.zeros(3, dtype=torch.bfloat16)
    index = torch.zeros(300, dtype=torch.int64)
    ones = torch.ones(300, dtype=torch.bfloat16)
    (got,) = decomposed("aten.index_put.default", self=x, indices=[index], values=ones, accumulate=True)
    assert got.tolist() == [300, 0, 0]


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
@pytest.mark.parametrize("at", [0, 1])
def test_a_mask_is_written_without_data_dependent_sizes(
    accumulate: bool, dtype: torch.dtype, at: int
) -> None:
    x = torch.randint(0, 3, (4, 4, 2), generator=G).to(dtype)
    for mask in (MASK, torch.zeros_like(MASK)):
        indices = [*[None] * at, mask]
        shape = x[(slice(None),) * at + (mask,)].shape
        for size in (shape, shape[1:], [*shape[:at], 1, *shape[at + 1 :]]):
            values = torch.randint(0, 3, size, generator=G).to(dtype)
            given = {"self": x, "indices": indices, "values": values, "accumulate": accumulate}
            same_as_eager("aten.index_put.default", **given)
    with FakeTensorMode() as mode:
        traced = {n: mode.from_tensor(v) if isinstance(v, Tensor) else v for n, v in given.items()}
        traced["indices"] = [None if i is None else mode.from_tensor(i) for i in indices]
        (result,) = decomposed("aten.index_put.default", **traced)
    assert result.shape == x.shape


@pytest.mark.parametrize("indices", [[FEW, FEW, FEW, FEW], [torch.ones(3, dtype=torch.bool)]])
def test_indices_that_do_not_fit_break_a_constraint(indices: list[Tensor]) -> None:
    rule = parse(OPS["aten.index.Tensor"].constraints[0].text)
    assert rule.holds(bind({"self": X, "indices": indices})) is False


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int32, torch.uint8, torch.bool])
def test_scatter_reduce(reduce: str, include_self: bool, dtype: torch.dtype) -> None:
    if dtype is torch.bool and reduce == "mean":
        pytest.skip("bools have no mean")
    x, src = ((torch.randn(5, 6, generator=G) * 2).abs().to(dtype) for _ in range(2))
    index = torch.randint(0, 6, (4, 5), generator=G)
    given = {"self": x, "dim": -1, "index": index, "src": src, "reduce": reduce}
    same_as_eager("aten.scatter_reduce.two", **given, include_self=include_self)


def test_scatter_reduce_keeps_nan_in_extremes() -> None:
    x, src = torch.tensor([1.0, 2.0]), torch.tensor([float("nan"), 5.0])
    for reduce in ("amax", "amin"):
        same_as_eager(
            "aten.scatter_reduce.two", self=x, dim=0, index=torch.tensor([0, 1]), src=src, reduce=reduce,
            include_self=False
        )  # fmt: skip


@pytest.mark.parametrize("reduce", ["prod", "amax", "amin"])
def test_scatters_of_the_contract_have_the_gradient_of_what_they_are(reduce: str) -> None:
    """Where a program calls them, in eager mode and where autograd is traced."""
    op = resolve(f"torchport.scatter_{reduce}.default")
    index = torch.tensor([[0, 1, 1], [0, 0, 2]])

    def gradients(fn: Callable[..., Tensor]) -> tuple[Tensor, ...]:
        torch.manual_seed(0)
        leaves = [torch.randn(4, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)]
        weights = torch.arange(12.0).reshape(4, 3)
        return torch.autograd.grad((fn(*leaves) * weights).sum(), leaves)

    wanted = gradients(lambda x, src: torch.ops.aten.scatter_reduce.two(x, 0, index, src, reduce))
    assert all(bool(g.any()) for g in wanted)
    compiled = torch.compile(lambda x, src: op(x, 0, index, src), backend="aot_eager")
    for fn in (lambda x, src: op(x, 0, index, src), compiled):
        torch.testing.assert_close(gradients(fn), wanted, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("rank", [0, 1])
def test_scalars_are_gathered_and_scattered_as_vectors(rank: int) -> None:
    x, index = torch.tensor(3.0), torch.zeros([1] * rank, dtype=torch.int64)
    same_as_eager("aten.gather.default", self=x, dim=0, index=index)
    same_as_eager("aten.gather.default", self=torch.randn(3), dim=0, index=torch.tensor(1))
    same_as_eager("aten.scatter.value", self=x, dim=0, index=index, value=7.0)
    source = torch.full([1] * rank, 2.0)
    same_as_eager("aten.scatter.src", self=x, dim=-1, index=index, src=source)
    same_as_eager("aten.scatter_add.default", self=x, dim=-1, index=index, src=source)


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_index_reduce(reduce: str, dtype: torch.dtype) -> None:
    x, source = (torch.randint(-9, 9, (3, 4), generator=G).to(dtype) for _ in range(2))
    index = torch.tensor([1, 1, 3, 0])
    for include_self in (True, False):
        same_as_eager(
            "aten.index_reduce.default", self=x, dim=1, index=index, source=source, reduce=reduce,
            include_self=include_self
        )  # fmt: skip


def test_slices_of_scalars_and_single_slices() -> None:
    zero, one = torch.tensor(0), torch.tensor([0])
    for index in (zero, one):
        same_as_eager("aten.index_add.default", self=torch.tensor(1.0), dim=0, index=index,
                      source=torch.tensor(2.0), alpha=3)  # fmt: skip
        same_as_eager("aten.index_copy.default", self=torch.tensor(1.0), dim=0, index=index,
                      source=torch.tensor(2.0))  # fmt: skip
        same_as_eager("aten.index_fill.int_Scalar", self=torch.tensor(1.0), dim=0, index=index, value=4)
        same_as_eager("aten.index_select.default", self=torch.tensor(1.0), dim=0, index=index)
    same_as_eager("aten.index_copy.default", self=X[0], dim=0, index=zero, source=X[1, :1])


@pytest.mark.parametrize("accumulate", [False, True])
def test_put_and_take_count_from_the_end(accumulate: bool) -> None:
    index = torch.tensor([[-1, 0], [2, -5]])
    same_as_eager("aten.take.default", self=X.mT, index=index)
    same_as_eager(
        "aten.put.default", self=X.mT, index=index, source=torch.randn(4, generator=G), accumulate=accumulate
    )


def test_masked_scatter_reads_no_more_than_there_is() -> None:
    mask = torch.tensor([[False, True, False], [True, False, False]])
    same_as_eager(
        "aten.masked_scatter.default", self=torch.zeros(2, 3), mask=mask, source=torch.tensor([5.0, 6.0])
    )
    same_as_eager(
        "aten.masked_scatter.default", self=torch.zeros(3), mask=mask, source=torch.tensor([[5.0, 6.0]])
    )
    nothing = torch.zeros(2, 3, dtype=torch.bool)
    same_as_eager("aten.masked_scatter.default", self=torch.ones(2, 3), mask=nothing, source=torch.zeros(0))
    same_as_eager("aten.masked_scatter_backward.default", grad_output=X[0, :2, :3], mask=mask, sizes=[2])


@pytest.mark.parametrize("size", [0, 2, 9])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0, 3)])
def test_nonzero_static(size: int, shape: tuple[int, ...]) -> None:
    x = torch.randint(0, 2, shape, generator=G)
    given = {"self": x, "size": size, "fill_value": -7}
    (got,) = decomposed("aten.nonzero_static.default", **given)
    want = torch.ops.aten.nonzero_static.default(**given)
    assert torch.equal(want, got)


def test_masked_indices_may_be_out_of_range_where_they_are_not_used() -> None:
    mask, index = torch.tensor([True, False, True]), torch.tensor([0, 99, -1])
    x = torch.randn(4, generator=G)
    same_as_eager("aten._unsafe_masked_index.default", self=x, mask=mask, indices=[index], fill=7)
    same_as_eager(
        "aten._unsafe_masked_index_put_accumulate.default", self=x, mask=mask, indices=[index],
        values=torch.tensor([1.0, 2.0, 4.0])
    )  # fmt: skip


def test_isin_of_numbers() -> None:
    x = torch.tensor([1, 2, 3])
    for invert in (False, True):
        same_as_eager("aten.isin.Tensor_Scalar", elements=x, test_element=2, invert=invert)
        same_as_eager("aten.isin.Scalar_Tensor", element=2.5, test_elements=x, invert=invert)
    same_as_eager("aten.isin.Tensor_Tensor", elements=x, test_elements=torch.tensor([[2.0, 2.5]]))


NAN = float("nan")
ROWS = torch.tensor([[3, 1], [0, 5], [3, 1], [0, 4], [0, 5]])
RUNS = torch.tensor([[3, 3], [3, 3], [1, 3]])
VALUES = torch.tensor([0.0, 1, 2, 3, 4, 5, 6])
LENGTHS = torch.tensor([[1, 0, 3], [2, 2, 0]])
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("aten._unique2.default", {"self": ROWS, "return_inverse": True, "return_counts": True}),
    ("aten._unique2.default", {"self": torch.zeros(0, 2), "return_inverse": True, "return_counts": True}),
    ("aten._unique2.default", {"self": torch.tensor(2), "return_inverse": True, "return_counts": True}),
    ("aten._unique2.default", {"self": torch.tensor([NAN, 1, NAN, 1]), "return_counts": True}),
    ("aten.unique_dim.default", {"self": ROWS, "dim": 0}),
    ("aten.unique_dim.default", {"self": ROWS, "dim": -1}),
    ("aten.unique_dim.default", {"self": torch.zeros(0, 2), "dim": 0}),
    ("aten.unique_consecutive.default", {"self": RUNS, "return_inverse": True, "return_counts": True}),
    ("aten.unique_consecutive.default", {"self": RUNS, "dim": 0}),
    ("aten.unique_consecutive.default", {"self": torch.zeros(0)}),
    ("aten.unique_dim_consecutive.default", {"self": RUNS, "dim": 1}),
    ("aten.histc.default", {"self": VALUES, "bins": 3}),
    ("aten.histc.default", {"self": torch.ones(3), "bins": 3}),
    ("aten.histc.default", {"self": torch.zeros(0), "bins": 2}),
    ("aten.histc.default", {"self": torch.tensor([NAN, 1.0, 7.0]), "bins": 2, "min": 0, "max": 6}),
    ("aten.histogram.bin_ct", {"self": torch.ones(3), "bins": 3}),
    ("aten.histogram.bin_ct", {"self": torch.zeros(0), "bins": 3}),
    ("aten.histogram.bin_ct", {"self": VALUES, "bins": 3, "weight": VALUES, "density": True}),
    ("aten.histogram.bins_tensor", {"self": VALUES, "bins": torch.tensor([0.0, 1, 3])}),
    ("aten._histogramdd_from_bin_cts.default", {"self": X, "bins": [2, 1, 3, 1, 1, 2]}),
    ("aten.bincount.default", {"self": torch.tensor([1, 4, 1], dtype=torch.uint8), "minlength": 3}),
    ("aten.bincount.default", {"self": torch.zeros(0, dtype=torch.int64), "minlength": 3}),
    *(
        (
            "aten.segment_reduce.default",
            {"data": X[:2, :4], "reduce": r, "lengths": LENGTHS, "axis": 1, **more},
        )
        for r in ("sum", "mean", "max", "min", "prod")
        for more in ({}, {"initial": 2.0})
    ),
    ("aten.segment_reduce.default", {"data": VALUES, "reduce": "sum", "lengths": LENGTHS[0], "unsafe": True}),
    ("aten.repeat_interleave.Tensor", {"repeats": torch.tensor([1, 0, 2], dtype=torch.int32)}),
    ("aten.repeat_interleave.Tensor", {"repeats": torch.tensor([1, 0, 2]), "output_size": 3}),
    ("aten._chunk_cat.default", {"tensors": [X, X[0]], "dim": 0, "num_chunks": 3}),
    ("aten.diag_embed.default", {"self": X, "offset": -2, "dim1": 0, "dim2": -2}),
    ("aten.tril_indices.default", {"row": 4, "col": 3, "offset": -1, "dtype": torch.int32}),
    ("aten.triu_indices.default", {"row": 3, "col": 7, "offset": 2, "dtype": torch.int64}),
    ("aten.kthvalue.default", {"self": torch.tensor(3.0), "k": 1}),
    ("aten.median.dim", {"self": torch.tensor([[1.0, NAN, 0], [2, 3, 1]]), "dim": -1}),
    ("aten.nanmedian.dim", {"self": torch.tensor([[1.0, NAN, NAN], [NAN, NAN, NAN]]), "dim": 1}),
    ("aten.nanmedian.default", {"self": torch.tensor([[1.0, NAN, 5], [2, 3, NAN]])}),
    ("aten.median.default", {"self": torch.zeros(0)}),
    ("aten.mode.default", {"self": torch.tensor([2, 1, 2, 1, 0]), "keepdim": True}),
    ("aten.sort.stable", {"self": torch.tensor([1.0, NAN, 0, 1]), "stable": True, "descending": True}),
    ("aten.searchsorted.Tensor", {"sorted_sequence": VALUES, "self": torch.tensor([NAN, 2]), "right": True}),
    ("aten.searchsorted.Tensor", {"sorted_sequence": torch.tensor([1, 2]), "self": torch.tensor([1.5])}),
    ("aten.searchsorted.Tensor", {"sorted_sequence": X.sort()[0], "self": X[..., :2], "side": "right"}),
    (
        "aten.searchsorted.Tensor",
        {"sorted_sequence": X, "self": X[..., 1:3], "sorter": X.argsort(), "out_int32": True},
    ),
    ("aten.bucketize.Scalar", {"self": 1.5, "boundaries": torch.tensor([1, 2, 3]), "right": True}),
]


@pytest.mark.parametrize(("name", "given"), FORMS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(FORMS)])
def test_forms_that_are_rarely_drawn(name: str, given: dict[str, Any]) -> None:
    same_as_eager(name, **given)


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_gradient_of_segments_with_zeros_and_ties(reduce: str) -> None:
    data = torch.tensor([[0.0, 2, 2, 4], [5, 0, 0, 3]])
    output = torch.segment_reduce(data, reduce, lengths=LENGTHS, axis=1)
    # PyTorch's CPU kernel shares only positive gradients among equal extremes.
    grad = torch.rand(2, 3, generator=G)
    given = {"grad": grad, "output": output, "data": data, "reduce": reduce}
    same_as_eager("aten._segment_reduce_backward.default", **given, lengths=LENGTHS, axis=1)


EMPTY, FEW_BOOLS = torch.zeros(0, 3), torch.tensor([True])
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("aten.index.Tensor", {"self": X, "indices": [FEW] * 4}),
    ("aten.index_put.default", {"self": X, "indices": [FEW] * 4, "values": torch.tensor(1.0)}),
    ("aten.gather.default", {"self": X, "dim": 0, "index": FEW}),
    ("aten.take.default", {"self": EMPTY, "index": torch.tensor([0])}),
    ("aten.put.default", {"self": X, "index": FEW, "source": torch.ones(2)}),
    ("aten.index_select.default", {"self": X, "dim": 0, "index": GRID}),
    ("aten.masked_select.default", {"self": X, "mask": X}),
    ("aten.masked_fill.Tensor", {"self": X, "mask": X > 0, "value": torch.ones(2)}),
    ("aten.isin.Tensor_Tensor", {"elements": FEW_BOOLS, "test_elements": FEW}),
    ("aten._local_scalar_dense.default", {"self": EMPTY}),
    ("aten.kthvalue.default", {"self": EMPTY, "k": 1, "dim": 0}),
    ("aten.mode.default", {"self": EMPTY, "dim": 0}),
    ("aten.topk.default", {"self": X, "k": 7}),
    ("aten.searchsorted.Tensor", {"sorted_sequence": X[0, 0], "self": X, "right": True, "side": "left"}),
    ("aten.bucketize.Tensor", {"self": X, "boundaries": X}),
    ("aten.unique_dim.default", {"self": torch.tensor(1), "dim": 0}),
    ("aten.histc.default", {"self": X, "min": 2, "max": 1}),
    ("aten.histogram.bins_tensor", {"self": X, "bins": X[0]}),
    ("aten.bincount.default", {"self": GRID}),
    ("aten.repeat_interleave.Tensor", {"repeats": torch.tensor(2)}),
    ("aten._chunk_cat.default", {"tensors": [X], "dim": 0, "num_chunks": 0}),
    ("aten.diag_embed.default", {"self": torch.tensor(1.0)}),
    ("aten.tril_indices.default", {"row": -1, "col": 2, "dtype": torch.int64}),
    ("aten.permute.default", {"self": X, "dims": [0, 1]}),
    ("aten.squeeze.dims", {"self": X, "dim": [0, 0]}),
    ("aten.slice.Tensor", {"self": torch.tensor(1.0)}),
    ("aten.unfold.default", {"self": X, "dimension": 0, "size": 5, "step": 1}),
    (
        "aten._embedding_bag.default",
        {"weight": X[0], "indices": FEW, "offsets": FEW[:0], "include_last_offset": True},
    ),
]


@pytest.mark.parametrize(("name", "given"), REFUSED, ids=[n for n, _ in REFUSED])
def test_what_breaks_an_error_condition_is_refused_by_eager(name: str, given: dict[str, Any]) -> None:
    bound = bind(full(name, given))
    assert any(parse(e.text).holds(bound) for e in OPS[name].errors)
    with pytest.raises((RuntimeError, IndexError, ValueError)):
        call(OPS[name], given)


def test_operands_of_several_dtypes_are_converted_before_they_are_joined() -> None:
    tensors = [torch.tensor([1, 2]), torch.tensor([0.5]), torch.zeros(0, dtype=torch.float64)]
    same_as_eager("aten.cat.default", tensors=tensors)
