"""Rules applied to a graph: templates, explicit primitives, strides that are kept, symbolic sizes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._functorch.aot_autograd import aot_function

import torchport as tp
from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.compile.options import parse_options
from torchport.compile.reports import Reports
from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import Node, Provenance, TensorSpec, Value
from torchport.contract.layout_rules import is_row_major
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Tier
from torchport.errors import ContractError, LoweringError
from torchport.lowering import decompose
from torchport.lowering.decompose import Decomposer
from torchport.lowering.descend import LoweredGraph
from torchport.lowering.restride import differ, restoring
from torchport.pipeline import lower, session_for
from torchport.tools.lower import tier_backend

OPSET = opset("1.0")


def value(name: str, *shape: int, stride: tuple[int, ...] = (), dtype: torch.dtype = torch.float32) -> Value:
    return Value(
        name, tensor_spec(torch.empty_strided(shape, stride or torch.empty(shape).stride(), dtype=dtype))
    )


def call(op: str, result: Value, **arguments: Any) -> Node:
    return Node(result.name, op, tuple(arguments.items()), (result,))


def symbolic(fn: Callable[..., Any], *args: Tensor) -> tuple[CapturedGraph, LoweredGraph]:
    """A function's inference graph with symbolic sizes, and lowered to primitives."""
    found: list[CapturedGraph] = []

    def compile_aot(gm: torch.fx.GraphModule, example_inputs: Any) -> Any:
        found.append(import_captured(gm, "inference", ()))
        return boxed(lambda flat: torch.fx.Interpreter(gm).run(*flat))

    with torch.no_grad():
        aot_function(fn, fw_compiler=compile_aot, decompositions={}, dynamic=True)(*args)
    session = session_for((tier_backend(Tier.PRIM),), parse_options({}, None, backend="test"), Reports())
    return found[0], lower(found[0], session)


def test_a_broadcasting_call_is_expanded_and_converted() -> None:
    lowered = tp.lower(lambda x, y: x + y, [torch.randn(3, 4), torch.arange(4)], tier="prim")
    nodes = lowered.graphs["inference"].nodes
    assert [n.op for n in nodes] == ["aten._to_copy.default", "aten.expand.default", "aten.add.Tensor"]
    assert {(s.shape, s.dtype) for s in nodes[-1].input_specs} == {((3, 4), torch.float32)}
    OPSET.verify(lowered.graphs["inference"], Tier.PRIM)


def test_a_scale_factor_is_a_product() -> None:
    x, y = torch.randn(3), torch.randn(3)
    lowered = tp.lower(lambda a, b: torch.sub(a, b, alpha=3), [x, y], tier="prim")
    (result,) = lowered.forward(x, y)
    torch.testing.assert_close(result, x - 3 * y)
    assert "aten.mul.Tensor" in {n.op for n in lowered.graphs["inference"].nodes}


def test_a_primitive_under_its_constraints_has_no_parts() -> None:
    add = call("aten.add.Tensor", value("c", 3), self=value("a", 3), other=value("b", 3), alpha=1)
    assert OPSET.is_primitive(add)
    assert Decomposer(OPSET, {}).parts(add) is None


def test_equal_calls_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decompose.forget_templates()
    worked: list[str] = []
    record = decompose.record

    def counted(*args: Any, **kwargs: Any) -> Any:
        worked.append("once")
        return record(*args, **kwargs)

    monkeypatch.setattr(decompose, "record", counted)

    def softmax(name: str, size: int) -> Node:
        arguments = {"self": value("x", 2, size), "dim": 1, "half_to_float": False}
        return call("aten._softmax.default", value(name, 2, size), **arguments)

    first = Decomposer(OPSET, {}).parts(softmax("p", 5))
    second = Decomposer(OPSET, {}).parts(softmax("q", 5))
    assert first is not None and second is not None and len(worked) == 1
    assert [n.op for n in first.nodes] == [n.op for n in second.nodes]
    assert {n.name.partition("__")[0] for n in second.nodes} == {"q"}
    Decomposer(OPSET, {}).parts(softmax("r", 6))
    assert len(worked) == 2


@pytest.mark.parametrize("value_", [1, 1.0, True, -0.0, 0.0])
def test_literals_of_different_types_are_different_calls(value_: Any) -> None:
    x = torch.ones(3, dtype=torch.int32)
    lowered = tp.lower(lambda t: t * value_, [x], tier="prim")
    (result,) = lowered.forward(x)
    assert result.dtype == (x * value_).dtype and torch.equal(result, x * value_)
    assert torch.equal(result.double().signbit(), (x * value_).double().signbit())


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 0, 1), (0, 1, 2)])
def test_values_are_copied_into_the_strides_that_they_had(order: tuple[int, ...]) -> None:
    wanted = torch.empty(2, 3, 4).permute(order).contiguous()
    inverse = [order.index(d) for d in range(3)]
    old = Value("old", tensor_spec(wanted.permute(inverse)))
    x = torch.randn(2, 3, 4).transpose(1, 2).contiguous().transpose(1, 2)
    new = Value("new", tensor_spec(x))
    nodes = restoring(new, old, Provenance())
    assert differ(new.tensor, old.tensor)
    env = {"new": x}
    for node in nodes:
        arguments = {k: env[v.name] if isinstance(v, Value) else v for k, v in node.args}
        env[node.name] = OPSET.ops[node.op].overload(**arguments)
    result = env[nodes[-1].name]
    assert torch.equal(result, x) and result.stride() == wanted.permute(inverse).stride()


def test_a_view_after_a_decomposed_operator_still_applies() -> None:
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return out.transpose(1, 2).reshape(2, 5, 12)

    args = [torch.randn(2, 3, 5, 4) for _ in range(3)]
    lowered = tp.lower(attend, args, tier="prim")
    (result,) = lowered.forward(*args)
    torch.testing.assert_close(result, attend(*args), rtol=1e-5, atol=1e-6)


def test_symbolic_sizes_broadcast_without_being_fixed() -> None:
    captured, lowered = symbolic(lambda x, y: x[:, : x.shape[1] // 2] + y, torch.randn(4, 2), torch.randn(1))
    assert all(not isinstance(d, int) for d in lowered.graph.output_values[0].tensor.shape)
    OPSET.verify(lowered.graph, Tier.PRIM)
    assert captured.graph.symbols == lowered.graph.symbols


def test_a_split_of_a_symbolic_size_has_the_pieces_of_the_trace() -> None:
    _, lowered = symbolic(lambda x: torch.split(x * 2, 3), torch.randn(8, 5))
    OPSET.verify(lowered.graph, Tier.PRIM)
    assert len(lowered.graph.outputs) == 3


@pytest.mark.parametrize(
    ("layout", "stride", "expected"),
    [
        ("contiguous", (1, 3), True),
        ("elementwise", (4, 1), True),
        ("elementwise", (8, 2), True),
        ("elementwise", (0, 1), True),
        ("elementwise", (1, 3), False),
        ("like:self", (4, 1), True),
        ("like:self", (1, 3), False),
        ("eager", (4, 1), False),
    ],
)
def test_layout_rules(layout: str, stride: tuple[int, int], expected: bool) -> None:
    spec = TensorSpec((3, 4), stride, torch.float32, "cpu")
    assert is_row_major(layout, {"self": Value("x", spec)}, [spec]) is expected


def test_a_copy_to_another_device_has_no_parts() -> None:
    arguments = {"self": value("x", 3), "dtype": None, "layout": None, "device": torch.device("cuda:0")}
    arguments |= {"pin_memory": None, "non_blocking": False, "memory_format": None}
    moved = Value("y", value("y", 3).tensor.with_(device="cuda:0"))
    assert Decomposer(OPSET, {}).parts(call("aten._to_copy.default", moved, **arguments)) is None


def test_parts_whose_sizes_depend_on_data_are_not_taken_apart() -> None:
    arguments = {"self": value("x", 1, dtype=torch.int64), "sorted": False, "return_inverse": False}
    outputs = (value("u", 1, dtype=torch.int64), value("i", 0, dtype=torch.int64))
    unique = Node("u", "aten._unique.default", tuple(arguments.items()), outputs, returns_sequence=True)
    fake = torch._subclasses.FakeTensorMode().from_tensor(torch.zeros(1, dtype=torch.int64))
    assert Decomposer(OPSET, {"x": fake}).parts(unique) is None


def test_a_rule_that_fails_is_an_error_and_not_a_refusal() -> None:
    def fails(*args: Any) -> Any:
        raise ContractError("something else is wrong", op="aten.mm.default")

    contract = OpSet(
        "1.0",
        {**OPSET.ops, "aten.relu.default": replace(OPSET.ops["aten.relu.default"], decomposition=fails)},
    )
    with pytest.raises(LoweringError, match="something else is wrong"):
        Decomposer(contract, {}).parts(call("aten.relu.default", value("y", 3), self=value("x", 3)))


def grouped(columns: int) -> Node:
    """A quantization of ``[3, columns]`` in groups of two."""
    parameters = {"scales": value("s", 3, columns // 2)}
    parameters["zero_points"] = value("z", 3, columns // 2, dtype=torch.int64)
    limits = {"quant_min": 0, "quant_max": 127, "dtype": torch.int8, "group_size": 2}
    result = value("q", 3, columns, dtype=torch.int8)
    op = "quantized_decomposed.quantize_per_channel_group.default"
    return call(op, result, input=value("x", 3, columns), **parameters, **limits)


def test_results_without_elements_are_made_as_such_where_the_decomposition_needs_some() -> None:
    parts = Decomposer(OPSET, {}).parts(grouped(0))
    assert parts is not None
    (made,) = parts.nodes
    assert made.op == "aten.full.default"
    assert made.results[0].tensor.shape == (3, 0) and made.results[0].tensor.dtype is torch.int8
    others = Decomposer(OPSET, {}).parts(grouped(4))
    assert others is not None and len(others.nodes) > 3


def test_what_bears_results_without_elements_keeps_its_parts() -> None:
    node = call("aten.gelu.default", value("y", 0), self=value("x", 0), approximate="none")
    parts = Decomposer(OPSET, {}).parts(node)
    assert parts is not None and "aten.erf.default" in {n.op for n in parts.nodes}
