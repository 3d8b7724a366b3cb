"""Contract graphs as JSON, under ``schemas/region.schema.json``; what graph compilers in other languages
read.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from importlib import resources
from typing import Any

import jsonschema
import numpy as np
import torch

from torchport.contract.graph import (
    Alias,
    Graph,
    Node,
    Opaque,
    Provenance,
    Role,
    ScalarSpec,
    Symbol,
    TensorSpec,
    Value,
    dtype_name,
)
from torchport.contract.symbols import SymExpr
from torchport.errors import SchemaError

Json = Any


def graph_to_json(graph: Graph) -> Json:
    """A JSON-ready value holding the whole graph, constants included.

    Raises:
        SchemaError: a node has an argument that cannot be serialized.
    """
    return {
        "inputs": [{"name": v.name, "spec": _spec_to_json(v.spec)} for v in graph.inputs],
        "nodes": [_node_to_json(n) for n in graph.nodes],
        "outputs": [_arg_to_json(o, "output") for o in graph.outputs],
        "symbols": [
            {"name": s.name, "low": s.low, "high": s.high, "hint": s.hint, "source": list(s.source)}
            for s in graph.symbols
        ],
        "constants": {name: _tensor_to_json(t) for name, t in sorted(graph.constants.items())},
    }


def graph_from_json(data: Json) -> Graph:
    """The inverse of :func:`graph_to_json`; ``data`` must have passed :func:`load_json` or follow the schema.

    Raises:
        SchemaError: a name is used before it is defined, or defined twice.
    """
    values: dict[str, Value] = {}

    def define(name: str, spec: Json) -> Value:
        if name in values:
            raise SchemaError(f"value {name!r} is defined twice")
        values[name] = Value(name, _spec_from_json(spec))
        return values[name]

    inputs = tuple(define(v["name"], v["spec"]) for v in data["inputs"])
    nodes = []
    for n in data["nodes"]:
        args = tuple((k, _arg_from_json(a, values, n["name"])) for k, a in n["args"])
        outputs = tuple(None if o is None else define(o["name"], o["spec"]) for o in n["outputs"])
        provenance = Provenance(n["provenance"]["source"], tuple(n["provenance"]["origins"]))
        nodes.append(Node(n["name"], n["op"], args, outputs, provenance, n["returns_sequence"]))
    symbols = tuple(
        Symbol(s["name"], s["low"], s["high"], s["hint"], tuple(s["source"])) for s in data["symbols"]
    )
    outputs = tuple(_arg_from_json(o, values, "output") for o in data["outputs"])
    constants = {name: _tensor_from_json(t) for name, t in data["constants"].items()}
    return Graph(inputs, tuple(nodes), outputs, symbols, constants)


@lru_cache(maxsize=1)
def region_schema() -> Json:
    """The published JSON Schema of a serialized region."""
    return json.loads(
        resources.files("torchport.contract").joinpath("schemas/region.schema.json").read_text()
    )


@lru_cache(maxsize=1)
def _validator() -> Any:
    return jsonschema.Draft202012Validator(region_schema())


def load_json(text: str) -> Json:
    """Parses and validates a serialized region.

    Raises:
        SchemaError: not JSON, or not a region.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise SchemaError("not JSON", got=f"{error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise SchemaError("JSON that is nested too deeply") from error
    problem = jsonschema.exceptions.best_match(_validator().iter_errors(data))
    if problem is not None:
        raise SchemaError("not a serialized region", got=problem.message, hint=f"at {problem.json_path}")
    return data


def _spec_to_json(spec: TensorSpec | ScalarSpec) -> Json:
    if isinstance(spec, ScalarSpec):
        return {"scalar": spec.kind, "expr": _arg_to_json(spec.expr, "scalar")}
    data: dict[str, Json] = {
        "shape": [_dim_to_json(d) for d in spec.shape],
        "stride": [_dim_to_json(d) for d in spec.stride],
        "dtype": dtype_name(spec.dtype),
        "device": spec.device,
    }
    defaults = _DEFAULT_SPEC
    if spec.storage_offset != 0:
        data["storage_offset"] = _dim_to_json(spec.storage_offset)
    for key in _PLAIN_FIELDS:
        if getattr(spec, key) != getattr(defaults, key):
            data[key] = getattr(spec, key)
    return data


_PLAIN_FIELDS = (
    "alignment",
    "role",
    "name",
    "requires_grad",
    "mutated",
    "alias",
    "weight_id",
    "memory_space",
    "quant",
    "sharding",
)
_DEFAULT_SPEC = TensorSpec((), (), torch.float32)


def _spec_from_json(data: Json) -> TensorSpec | ScalarSpec:
    if "scalar" in data:
        return ScalarSpec(data["scalar"], _arg_from_json(data["expr"], {}, "scalar"))
    fields = {key: data[key] for key in _PLAIN_FIELDS if key in data}
    if "role" in fields:
        fields["role"] = Role(fields["role"])
    if "alias" in fields:
        fields["alias"] = Alias(fields["alias"])
    return TensorSpec(
        tuple(_dim_from_json(d) for d in data["shape"]),
        tuple(_dim_from_json(d) for d in data["stride"]),
        _torch_attribute(data["dtype"], torch.dtype),
        data["device"],
        _dim_from_json(data.get("storage_offset", 0)),
        **fields,
    )


def _dim_to_json(dim: int | SymExpr) -> Json:
    return {"sym": dim.text} if isinstance(dim, SymExpr) else int(dim)


def _dim_from_json(data: Json) -> int | SymExpr:
    return SymExpr(data["sym"]) if isinstance(data, dict) else int(data)


def _node_to_json(node: Node) -> Json:
    return {
        "name": node.name,
        "op": node.op,
        "args": [[k, _arg_to_json(a, node.name)] for k, a in node.args],
        "outputs": [
            None if v is None else {"name": v.name, "spec": _spec_to_json(v.spec)} for v in node.outputs
        ],
        "provenance": {"source": node.provenance.source, "origins": list(node.provenance.origins)},
        "returns_sequence": node.returns_sequence,
    }


def _arg_to_json(arg: Any, where: str) -> Json:
    if arg is None or isinstance(arg, bool | int):
        return arg
    if isinstance(arg, float):
        return {"float": repr(arg)}
    if isinstance(arg, complex):
        return {"complex": [repr(arg.real), repr(arg.imag)]}
    if isinstance(arg, str):
        return {"str": arg}
    if isinstance(arg, SymExpr):
        return {"sym": arg.text}
    if isinstance(arg, Value):
        return {"value": arg.name}
    if isinstance(arg, tuple | list):
        return [_arg_to_json(a, where) for a in arg]
    for kind, cls in _TORCH_KINDS.items():
        if isinstance(arg, cls):
            return {kind: str(arg).removeprefix("torch.")}
    got = type(arg.payload).__name__ if isinstance(arg, Opaque) else type(arg).__name__
    raise SchemaError(f"node {where!r} has an argument that cannot be serialized", got=got)


_TORCH_KINDS: dict[str, type] = {
    "dtype": torch.dtype,
    "device": torch.device,
    "layout": torch.layout,
    "memory_format": torch.memory_format,
}


def _torch_attribute(name: str, cls: type) -> Any:
    found = getattr(torch, name, None)
    if not isinstance(found, cls):
        raise SchemaError(f"this PyTorch has no {cls.__name__} called {name!r}")
    return found


def _arg_from_json(data: Json, values: dict[str, Value], where: str) -> Any:
    if data is None or isinstance(data, bool | int):
        return data
    if isinstance(data, list):
        return tuple(_arg_from_json(a, values, where) for a in data)
    ((kind, body),) = data.items()
    match kind:
        case "float":
            return float(body)
        case "complex":
            return complex(float(body[0]), float(body[1]))
        case "str":
            return body
        case "sym":
            return SymExpr(body)
        case "device":
            return torch.device(body)
        case "value":
            if body not in values:
                raise SchemaError(f"node {where!r} uses {body!r} before it is defined")
            return values[body]
        case _:
            return _torch_attribute(body, _TORCH_KINDS[kind])


def _tensor_to_json(tensor: torch.Tensor) -> Json:
    flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    raw = flat.numpy().tobytes() if flat.numel() else b""
    return {
        "dtype": dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "data": base64.b64encode(raw).decode(),
    }


def _tensor_from_json(data: Json) -> torch.Tensor:
    dtype = _torch_attribute(data["dtype"], torch.dtype)
    if 0 in data["shape"]:
        return torch.empty(data["shape"], dtype=dtype)
    raw = np.frombuffer(base64.b64decode(data["data"]), dtype=np.uint8).copy()
    return torch.from_numpy(raw).view(dtype).reshape(data["shape"])
