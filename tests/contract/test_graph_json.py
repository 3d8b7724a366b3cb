"""Regions as JSON: what is written is read back, hostile input is one typed error."""

import json
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.contract.graph import Alias, Graph, Node, Opaque, Provenance, Role, Symbol, TensorSpec, Value
from torchport.errors import SchemaError

S0 = tp.SymExpr("s0")


def region() -> tp.Region:
    x = Value(
        "x",
        TensorSpec(
            (S0, 4),
            (4, 1),
            torch.float32,
            storage_offset=2,
            role=Role.PARAMETER,
            name="w",
            weight_id="w",
            requires_grad=True,
            mutated=True,
            alias=Alias.MAY,
            alignment=16,
            quant="int8",
        ),
    )
    c = Value("c", TensorSpec((2,), (1,), torch.bfloat16, role=Role.CONSTANT))
    y, z = (
        Value("y", TensorSpec((S0, 4), (1, S0), torch.float64)),
        Value("z.0", TensorSpec((), (), torch.bool)),
    )
    everything = (
        None,
        True,
        3,
        -0.0,
        float("inf"),
        float("nan"),
        1.5 + 2j,
        "text",
        S0,
        torch.int8,
        torch.device("cpu"),
        torch.strided,
        torch.channels_last,
        (x, (c, 2)),
    )
    node = Node(
        "n",
        "aten.demo.default",
        (("self", x), ("other", everything)),
        (y, None, z),
        Provenance("a.py", ("o",)),
        True,
    )
    constants = {"c": torch.tensor([1.0, float("nan")], dtype=torch.bfloat16)}
    return tp.Region(
        "r",
        Graph((x, c), (node,), (y, z), (Symbol("s0", 2, None, 5, ("size", "x", 0)),), constants),
        "forward",
        "1.0",
    )


def test_round_trip_is_exact() -> None:
    text = region().to_json()
    again = tp.Region.from_json(text)
    assert again.to_json() == text
    assert (
        again.inputs == region().inputs
        and again.outputs == region().outputs
        and again.symbols == region().symbols
    )
    mine, theirs = again.nodes[0].arg("other"), region().nodes[0].arg("other")
    assert [type(a) for a in mine] == [type(a) for a in theirs]
    assert str(mine) == str(theirs) and str(mine[3]) == "-0.0"
    assert torch.equal(again.constants["c"].view(torch.int16), region().constants["c"].view(torch.int16))


def test_an_opaque_argument_cannot_be_written() -> None:
    node = Node("n", "aten.demo.default", (("generator", Opaque(torch.Generator())),), ())
    with pytest.raises(SchemaError, match="Generator"):
        tp.Region("r", Graph((), (node,), ()), "inference", "1.0").to_json()


def edited(change: Any) -> str:
    data = json.loads(region().to_json())
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not JSON"),
        ("[1, 2]", "not a serialized region"),
        (edited(lambda d: d.update(format_version=2)), "not a serialized region"),
        (edited(lambda d: d.update(extra=1)), "not a serialized region"),
        (edited(lambda d: d["graph"]["nodes"][0].pop("op")), "not a serialized region"),
        ("[" * 100_000, "nested too deeply"),
        (edited(lambda d: d["graph"]["inputs"][0]["spec"]["stride"].pop()), "one stride for each size"),
        (edited(lambda d: d["graph"]["inputs"][0]["spec"]["shape"].__setitem__(1, -4)), "size"),
        (edited(lambda d: d.update(opset="9.9")), "9.9"),
        (edited(lambda d: d["graph"]["inputs"].pop()), "before it is defined"),
        (edited(lambda d: d["graph"]["inputs"].append(d["graph"]["inputs"][0])), "defined twice"),
        (edited(lambda d: d["graph"]["inputs"][0]["spec"].update(dtype="float33")), "float33"),
        (edited(lambda d: d["graph"]["inputs"][0]["spec"].update(dtype="nn")), "nn"),
        (
            edited(lambda d: d["graph"]["inputs"][0]["spec"]["shape"].__setitem__(0, {"sym": "open('x')"})),
            "size expression",
        ),
    ],
)
def test_hostile_text_is_one_typed_error(text: str, match: str) -> None:
    with pytest.raises(tp.TorchportError, match=match):
        tp.Region.from_json(text)


def test_constants_with_no_elements_and_no_dimensions() -> None:
    tensors = {
        "a": torch.empty(0, 3),
        "b": torch.tensor(7, dtype=torch.int64),
        "c": torch.tensor([True, False]),
    }
    values = tuple(
        Value(n, TensorSpec(tuple(t.shape), t.stride(), t.dtype, role=Role.CONSTANT))
        for n, t in tensors.items()
    )
    again = tp.Region.from_json(
        tp.Region("r", Graph(values, (), values, (), tensors), "inference", "1.0").to_json()
    )
    for name, tensor in tensors.items():
        assert torch.equal(again.constants[name], tensor) and again.constants[name].dtype == tensor.dtype
