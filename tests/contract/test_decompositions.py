"""Decompositions: as close to float64 as eager (twice its error, or the contract's bound), in contract
operators only, functional, and traceable with symbolic sizes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode, UnsupportedOperatorException
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract import numerics
from torchport.contract.adapters import call, is_present
from torchport.contract.dims import DataDependent
from torchport.contract.opset import opset
from torchport.contract.reference import flatten, length, magnitude, reference
from torchport.contract.roundoff import ulp
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Category, OpSpec, Tier, qualified_name

OPSET = opset("1.0")
ELSEWHERE = {
    "activation", "attention", "embedding", "loss", "normalization", "softmax"
}  # fmt: skip
"""Modules of torchport.contract.decompositions that ``tests/contract/nn`` judges."""


def _own(spec: OpSpec) -> bool:
    module = getattr(spec.decomposition, "__module__", "").rsplit(".", 1)[-1]
    return spec.decomposition is not None and module not in ELSEWHERE


def _decomposes(spec: OpSpec, arguments: dict[str, Any]) -> bool:
    """False for the calls of a primitive that are in the closed set as they are."""
    if spec.tier is not Tier.PRIM:
        return True
    own = [c for c in spec.constraints if c.tier is Tier.PRIM]
    return not all(parse(c.text).holds(bind(arguments)) for c in own)


SPECS = [pytest.param(s, id=n) for n, s in OPSET.ops.items() if _own(s) and is_present(n)]
VALUES = [
    p for p in SPECS if p.values[0].numerics.kind != "law" and p.values[0].category is not Category.EFFECT
]


class Recorder(TorchDispatchMode):
    """Collects the operators that are called, and whether any of them writes to an argument."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: set[str] = set()
        self.mutable: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.ops.add(qualified_name(func))
        if func._schema.is_mutable:
            self.mutable.add(qualified_name(func))
        return func(*args, **(kwargs or {}))


def decompose(spec: OpSpec, arguments: dict[str, Any]) -> tuple[Any, ...]:
    assert spec.decomposition is not None
    return flatten(_call(spec.decomposition, spec, arguments))


def _call(function: Any, spec: OpSpec, arguments: dict[str, Any]) -> Any:
    """Calls by position for positional arguments and by name for keyword-only ones, as the operator is
    called.
    """
    schema = spec.signature.arguments
    positional = [arguments[a.name] for a in schema if not a.kwarg_only]
    keywords = {a.name: arguments[a.name] for a in schema if a.kwarg_only}
    return function(*positional, **keywords)


NO_KERNEL = ("Could not run", "privateuse1")
"""In the messages of operators that have no kernel here."""


@pytest.mark.parametrize("spec", VALUES)
def test_values(spec: OpSpec, draw: Any, dtypes: Any, meta: Any) -> None:
    tried = 0
    for dtype in dtypes(spec):
        limit = 16 if dtype in ("float32", "int64", "") else 3
        for arguments in draw(spec, dtype, limit=limit, seed=2):
            try:
                eager = flatten(call(spec, arguments))
            except NotImplementedError as error:
                if not any(text in str(error) for text in NO_KERNEL):
                    break
                if spec.name in WITHOUT_SYMBOLIC_SHAPES:
                    pytest.skip(WITHOUT_SYMBOLIC_SHAPES[spec.name])
                eager = flatten(meta(spec, arguments))
            if not _decomposes(spec, arguments):
                continue
            ours = decompose(spec, arguments)
            exact = reference(spec, arguments)
            scales = magnitude(spec, arguments, exact)
            tried += 1
            assert len(ours) == len(eager)
            for i, (mine, theirs, truth) in enumerate(zip(ours, eager, exact, strict=True)):
                if not isinstance(theirs, Tensor):
                    assert mine == theirs, (dtype, arguments)
                    continue
                assert mine.dtype == theirs.dtype, (dtype, arguments)
                assert mine.shape == theirs.shape, (dtype, arguments)
                judged = numerics.check(
                    spec,
                    mine,
                    truth,
                    output=i,
                    magnitude=scales[i],
                    length=length(spec, arguments),
                    arguments=arguments,
                )
                if not judged.ok and mine.is_floating_point():
                    error = (mine.double() - truth).abs().nan_to_num(0.0)
                    allowed = 2 * (theirs.double() - truth).abs().nan_to_num(0.0)
                    limit_ = numerics.bound(
                        spec.numerics,
                        mine.dtype,
                        reference=truth,
                        magnitude=scales[i],
                        length=length(spec, arguments),
                    )
                    assert bool((error <= allowed + limit_).all()), f"{dtype}: {judged.message}, {arguments}"
                else:
                    assert judged.ok, f"{dtype}: {judged.message}, {arguments}"
    assert tried or spec.name == "aten.cat.default", "only lists of one dtype are drawn"


def _comparable(x: Tensor) -> Tensor:
    """Without NaN, in a dtype that can be compared."""
    return (x.to(torch.float64) if x.is_floating_point() else x).nan_to_num()


@pytest.mark.parametrize("spec", SPECS)
def test_contract_operators_only_and_nothing_is_written(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    dtype = "float32" if "float32" in dtypes(spec) else dtypes(spec)[0]
    for arguments in draw(spec, dtype, limit=6):
        if not _decomposes(spec, arguments):
            continue
        before = {n: a.clone() for n, a in arguments.items() if isinstance(a, Tensor)}
        with Recorder() as recorder:
            decompose(spec, arguments)
        assert recorder.ops <= set(OPSET.ops), recorder.ops - set(OPSET.ops)
        assert spec.name not in recorder.ops or spec.tier is Tier.PRIM
        assert not recorder.mutable
        for name, tensor in before.items():
            assert torch.equal(_comparable(tensor), _comparable(arguments[name]))


SYMBOLIC = [p for p in SPECS if p.values[0].category not in (Category.DATA_DEPENDENT, Category.EFFECT)]
STATIC_BY_NATURE = {
    "aten._ctc_loss.default": "the recursion is as long as the input",
    "aten._ctc_loss_backward.default": "the recursion is as long as the input",
    "aten.grid_sampler_2d_backward.default": "the last size of a grid is the number of dimensions",
    "aten._weight_int4pack_mm.default": "a tile has 32 lanes",
    "torchport.group_norm.default": "the channels divide into a number of groups",
    "torchport.lstm.default": "the steps of the sequence are unrolled",
    "torchport.gru.default": "the steps of the sequence are unrolled",
    "aten._add_relu.Scalar": "PyTorch has no meta function to compare with",
    "aten.unbind.int": "the number of results is the size",
    "aten.split.Tensor": "the number of results depends on the size",
}

WITHOUT_SYMBOLIC_SHAPES = {
    "aten._thnn_fused_lstm_cell.default": "four times the state is written differently",
    "aten._efficient_attention_forward.default": "equal sizes are written differently",
    "aten.slow_conv_transpose2d.default": "its meta function asks for the number of elements",
    "aten.resize.default": "its meta function writes sizes",
    "aten.resize_as.default": "its meta function writes sizes",
    "aten._embedding_bag_forward_only.default": "its meta function gives the bookkeeping another size",
    "aten._scaled_mm_v2.default": "its meta function compares the sizes of scales exactly",
    "aten._scaled_grouped_mm.default": "its meta function wants a column-major operand",
    "aten._grouped_mm.default": "its meta function takes bfloat16 only",
    "aten.geqrf.default": "it has no meta function",
    "aten.baddbmm.dtype": "its meta function takes the dtype for beta",
    "aten.linalg_lstsq.default": "its meta function calls the shapes data-dependent",
    "aten._new_zeros_with_same_feature_meta.default": "its meta function fixes the sizes",
    "quantized_decomposed.quantize_per_channel_group.default": "equal sizes are written differently",
    "quantized_decomposed.dequantize_per_channel_group.default": "equal sizes are written differently",
    "aten._foreach_addcmul.Tensor": "it reads a tensor that it wants on the CPU",
    "aten._foreach_addcdiv.Tensor": "it reads a tensor that it wants on the CPU",
    "aten.hash_tensor.default": "its meta function fixes the sizes",
    "aten._aminmax.dim": "it has no meta function",
    "aten._aminmax.default": "it has no meta function",
    "aten.fractional_max_pool2d_backward.default": "its meta function fixes the sizes",
    "aten.fractional_max_pool3d.default": "its meta function fixes the sizes",
    "aten.fractional_max_pool3d_backward.default": "it has no meta function",
}
"""PyTorch cannot trace these with symbolic sizes: the decomposition is compared with the shape rule."""


def _by_rule(spec: OpSpec, given: dict[str, Any], results: tuple[Any, ...]) -> None:
    shapes = [shape for rule in spec.shape for shape in parse(rule).evaluate(bind(given))]
    for shape, result in zip(shapes, results, strict=True):
        if shape is not None:
            assert len(shape) == result.dim()
            sizes = zip(shape, result.shape, strict=True)
            assert all(isinstance(want, DataDependent) or want == got for want, got in sizes)


def _as_open(theirs: tuple[Any, ...], ours: tuple[Any, ...]) -> bool:
    """Whether shapes are equal; a size that an argument gives as a number may be left symbolic."""
    return len(theirs) == len(ours) and all(
        str(a) == str(b) or (type(a) is int and isinstance(b, torch.SymInt) and b.node.hint == a)
        for a, b in zip(theirs, ours, strict=True)
    )


def _traced(mode: FakeTensorMode, value: Any) -> Any:
    """A tensor, or each tensor of a list, with symbolic sizes; anything else as it is."""
    if isinstance(value, list):
        return [_traced(mode, v) for v in value]
    return mode.from_tensor(value) if isinstance(value, Tensor) else value


def _traceable(spec: OpSpec, arguments: dict[str, Any]) -> bool:
    """False where PyTorch has no meta function at all."""
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    try:
        with mode, enable_python_dispatcher():
            _call(spec.overload, spec, {n: _traced(mode, a) for n, a in arguments.items()})
    except UnsupportedOperatorException:
        return False
    return True


@pytest.mark.parametrize("spec", SYMBOLIC)
def test_symbolic_sizes_stay_symbolic(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    """A trace with dynamic sizes has the operator's own result shapes and adds no guard that fixes a size."""
    if spec.name in STATIC_BY_NATURE:
        pytest.skip(STATIC_BY_NATURE[spec.name])
    dtype = "float32" if "float32" in dtypes(spec) else dtypes(spec)[0]
    for arguments in draw(spec, dtype, limit=2, seed=3):
        if not _decomposes(spec, arguments):
            continue
        tensors = {
            n: a for n, a in arguments.items() if isinstance(a, Tensor) and a.dim() and min(a.shape) > 1
        }
        if not tensors:
            continue
        results = []
        unknown = spec.name in WITHOUT_SYMBOLIC_SHAPES or not _traceable(spec, arguments)
        for operator in (spec.decomposition,) if unknown else (spec.overload, spec.decomposition):
            mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
            given = {n: _traced(mode, a) for n, a in arguments.items()}
            with mode, enable_python_dispatcher():
                result = flatten(_call(operator, spec, given))
                if unknown:
                    _by_rule(spec, given, result)
            fixed = {
                str(s) for s in mode.shape_env.var_to_range if mode.shape_env.replacements.get(s, s).is_number
            }
            results.append(([tuple(r.shape) for r in result if isinstance(r, Tensor)], fixed))
        if unknown:
            assert not results[0][1], "the decomposition fixes a size"
            continue
        assert all(map(_as_open, results[0][0], results[1][0])), arguments
        assert results[1][1] <= results[0][1], "the decomposition fixes a size that the operator leaves open"


@pytest.mark.parametrize(
    "name", ["aten.var_mean.correction", "aten.logsumexp.default", "aten.slice_scatter.default"]
)
def test_traces_to_a_functional_graph_that_verifies(name: str, draw: Any) -> None:
    from torchport.contract.fx_import import import_fx

    spec = OPSET.ops[name]
    arguments = next(iter(draw(spec, "float32")))
    tensors = [n for n, a in arguments.items() if isinstance(a, Tensor)]

    def function(*values: Tensor) -> Any:
        return decompose(spec, {**arguments, **dict(zip(tensors, values, strict=True))})

    gm = make_fx(function, tracing_mode="fake")(*(arguments[n] for n in tensors))
    OPSET.verify(import_fx(gm).graph)


# --- where formulas are known to lose digits --------------------------------------------------------------


def error_of(name: str, **arguments: Any) -> tuple[float, float]:
    """Largest error of ours and of eager against float64, in float32 spacings of the result."""
    spec = OPSET.ops[name]
    full = {a.name: arguments.get(a.name, a.default_value) for a in spec.signature.arguments}
    truth = reference(spec, full)[0]
    assert truth is not None
    scale = ulp(truth, torch.float32)
    mine, theirs = decompose(spec, full)[0], flatten(call(spec, full))[0]
    return tuple(float(((x.double() - truth).abs() / scale).max()) for x in (mine, theirs))  # type: ignore[return-value]


def test_variance_of_values_far_from_zero() -> None:
    x = torch.randn(64, 1000, generator=torch.Generator().manual_seed(0)) + 1e4
    ours, _ = error_of("aten.var.correction", self=x, dim=[1])
    assert ours < 4


def test_logaddexp_of_distant_and_infinite_operands() -> None:
    inf = float("inf")
    a = torch.tensor([0.0, 100.0, -inf, inf, -inf, inf, float("nan"), 1e-8])
    b = torch.tensor([-1e-8, -100.0, -inf, inf, 1.0, -inf, 0.0, 1e-8])
    spec = OPSET.ops["aten.logaddexp.default"]
    assert numerics.judge(spec, {"self": a, "other": b}, decompose(spec, {"self": a, "other": b})).ok


def test_logsumexp_of_infinite_rows() -> None:
    inf = float("inf")
    x = torch.tensor([[-inf, -inf], [inf, 1.0], [-inf, 2.0], [1e4, 1e4]])
    spec = OPSET.ops["aten.logsumexp.default"]
    arguments = {"self": x, "dim": [1], "keepdim": False}
    assert numerics.judge(spec, arguments, decompose(spec, arguments)).ok


def test_hypot_does_not_overflow() -> None:
    ours, _ = error_of(
        "aten.hypot.default", self=torch.tensor([3e38, 3e-30, 0.0]), other=torch.tensor([1e38, 4e-30, 0.0])
    )
    assert ours < 4


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_floor_division_matches_eager_in_every_quadrant(dtype: torch.dtype) -> None:
    values = torch.tensor([-7, -6, -3, -1, 0, 1, 3, 6, 7], dtype=dtype)
    a, b = (t.flatten() for t in torch.meshgrid(values, values[values != 0], indexing="ij"))
    spec = OPSET.ops["aten.floor_divide.default"]
    assert torch.equal(decompose(spec, {"self": a, "other": b})[0], torch.floor_divide(a, b))


def test_scatter_into_an_empty_slice_changes_nothing() -> None:
    x = torch.randn(4, 3)
    for start, end in ((4, 9), (2, 2), (3, 1), (0, 0)):
        src = x[start:end]
        spec = OPSET.ops["aten.slice_scatter.default"]
        arguments = {"self": x, "src": src, "dim": 0, "start": start, "end": end, "step": 1}
        assert torch.equal(decompose(spec, arguments)[0], x)


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize(("start", "end"), [(0, 7), (1, -1), (-4, 100), (None, None), (2, 3)])
def test_slice_scatter_against_eager(start: int | None, end: int | None, step: int) -> None:
    x = torch.arange(21.0).reshape(7, 3)
    src = torch.full_like(x[start:end:step], -1.0)
    spec = OPSET.ops["aten.slice_scatter.default"]
    arguments = {"self": x, "src": src, "dim": 0, "start": start, "end": end, "step": step}
    assert torch.equal(decompose(spec, arguments)[0], call(spec, arguments))
