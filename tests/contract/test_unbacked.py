"""Decompositions on sizes that nobody knows (unbacked symbols): where PyTorch's own shape function of the
operator works on them, so does the rule.
"""

from __future__ import annotations

import traceback
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    ShapeEnv,
    StatelessSymbolicContext,
)

from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.fx_import import make_node, tensor_spec
from torchport.contract.graph import Node, Provenance, Value, symbols_in
from torchport.contract.opset import opset
from torchport.contract.spec import Category, OpSpec, Tier
from torchport.errors import LoweringError
from torchport.lowering.decompose import Decomposer

OPSET = opset("1.0")
SPECS = [
    pytest.param(s, id=n)
    for n, s in OPSET.ops.items()
    if s.decomposition is not None and s.tier is Tier.ATEN and s.category is not Category.DATA_DEPENDENT
]


def unbacked(mode: FakeTensorMode, value: Any) -> Any:
    """A fake copy whose first two sizes above 1 are unbacked symbols."""
    if isinstance(value, list) and value and isinstance(value[0], Tensor):
        return [unbacked(mode, v) for v in value]
    if not isinstance(value, Tensor):
        return value
    kinds = [DimDynamic.STATIC] * value.dim()
    for dim in [d for d, n in enumerate(value.shape) if n > 1][:2]:
        kinds[dim] = DimDynamic.UNBACKED
    return mode.from_tensor(value, symbolic_context=StatelessSymbolicContext(dynamic_sizes=kinds))


def captured(spec: OpSpec, arguments: dict[str, Any]) -> tuple[Node, dict[str, Any]]:
    """A call on sizes that nobody knows, and the fake tensor behind each value; equal letters are different
    unknowns here.
    """
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    given = {n: unbacked(mode, a) for n, a in arguments.items()}
    schema = spec.overload._schema.arguments
    with torch.no_grad(), mode, enable_python_dispatcher():
        result = spec.overload(
            *[given[a.name] for a in schema if not a.kwarg_only],
            **{a.name: given[a.name] for a in schema if a.kwarg_only},
        )
    fakes: dict[str, Any] = {}

    def value(name: str, argument: Any) -> Any:
        if isinstance(argument, list):
            return tuple(value(f"{name}_{i}", a) for i, a in enumerate(argument))
        if not isinstance(argument, Tensor):
            return argument
        fakes[name] = argument
        return Value(name, tensor_spec(argument))

    bound = tuple((n, value(n, a)) for n, a in given.items())
    node, _ = make_node("call", spec.name, bound, result, Provenance(), fakes)
    return node, fakes


def asked_pytorch(error: LoweringError) -> bool:
    """Whether PyTorch's shape function of one of the parts needs to know a size (a factorization, say, whose
    strides the contract leaves to eager).
    """
    frames = traceback.extract_tb(error.__cause__.__traceback__) if error.__cause__ else []
    return isinstance(error.__cause__, GuardOnDataDependentSymNode) and any(
        f.name == "by_fake" for f in frames
    )


@pytest.mark.parametrize("spec", SPECS)
def test_unknown_sizes(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    dtype = "float32" if "float32" in dtypes(spec) else dtypes(spec)[0]
    tried = 0
    for arguments in draw(spec, dtype, limit=2, seed=5):
        try:
            node, fakes = captured(spec, arguments)
        except Exception:  # noqa: BLE001 (the operator itself does not work on unknown sizes)
            continue
        if not any(symbols_in(v.tensor.shape) for v in node.inputs):
            continue
        try:
            parts = Decomposer(OPSET, fakes).parts(node)
        except LoweringError as error:
            if asked_pytorch(error):
                continue
            raise
        assert parts is not None
        wanted = result_dtypes(spec.dtypes, dict(node.args))
        for i, (part, whole) in enumerate(zip(parts.outputs, node.outputs, strict=True)):
            if isinstance(whole, Value) and isinstance(part, Value):
                assert part.tensor.rank == whole.tensor.rank, arguments
                assert part.tensor.dtype == wanted[min(i, len(wanted) - 1)], arguments
        tried += 1
    if not tried:
        pytest.skip("PyTorch's shape function of the operator itself needs to know the sizes")
