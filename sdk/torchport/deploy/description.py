"""The manifest of a program that is being exported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch

from torchport.capture.exported import ExportedGraph, Origin
from torchport.compile.package import GraphPackage
from torchport.contract.graph import TensorSpec, Value, dtype_name
from torchport.contract.opset import OpSet
from torchport.deploy import trees
from torchport.version import TORCH_WINDOW, __version__

Json = dict[str, Any]


def described(exported: ExportedGraph, package: GraphPackage, contract: OpSet, weights: Json) -> Json:
    """The manifest of a program, ready for JSON."""
    in_tree, out_tree = trees.describe(exported.in_spec), trees.describe(exported.out_spec)
    paths = iter(_argument_paths(in_tree, exported.argument_names))
    arguments, inputs = [], []
    for entry, value in zip(exported.inputs, package.arguments, strict=True):
        item: Json = {"origin": str(entry.origin), "name": entry.name}
        if entry.origin is Origin.USER:
            item["path"] = next(paths)
            if not entry.tensor and not entry.symbolic:
                item["constant"] = entry.constant
            inputs.append({**_tensor(value), **item})
        else:
            item["target"] = entry.target
            weights["tensors"].append({"name": entry.target, "origin": item["origin"], **_tensor(value)})
        arguments.append(item)
    outputs = [
        {"path": path, **_tensor(value), "same_as": same_as}
        for path, value, same_as in zip(
            trees.leaf_paths(out_tree), package.outputs, exported.same_as, strict=False
        )
    ]
    report = package.report
    return {
        "format": "torchport-export",
        "torchport": __version__,
        "torch": torch.__version__,
        "torch_window": TORCH_WINDOW,
        "contract": {"version": contract.version, "sha256": contract.sha256},
        "backends": [asdict(b) for b in package.backends],
        "inputs": inputs,
        "symbols": [{"name": s.name, "low": s.low, "high": s.high} for s in package.symbols],
        "outputs": outputs,
        "arguments": arguments,
        "in_tree": in_tree,
        "out_tree": out_tree,
        "argument_names": list(exported.argument_names),
        "weights": weights,
        "regions": [{"name": r.name, "backend": r.backend, "nodes": r.nodes} for r in report.regions],
        "fallback": dict(report.fallback_ops),
        "rejections": [str(r) for r in report.rejections],
    }


def _argument_paths(in_tree: trees.Tree, names: Sequence[str]) -> list[str]:
    """Where each leaf is among the arguments, such as ``x`` or ``mask['a']``."""
    positional, keywords = in_tree["items"]
    found: list[str] = []
    for index, item in enumerate(positional["items"]):
        found += trees.leaf_paths(item, names[index] if index < len(names) else f"argument {index}")
    for key, item in zip(keywords["keys"], keywords["items"], strict=True):
        found += trees.leaf_paths(item, key)
    return found


def _tensor(value: Any) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return {"constant": value}
    if not isinstance(value, Value) or not isinstance(value.spec, TensorSpec):
        return {}
    spec = value.spec
    return {
        "dtype": dtype_name(spec.dtype),
        "shape": [d if isinstance(d, int) else str(d) for d in spec.shape],
        "stride": [d if isinstance(d, int) else str(d) for d in spec.stride],
        "device": spec.device,
        "mutated": spec.mutated,
    }
