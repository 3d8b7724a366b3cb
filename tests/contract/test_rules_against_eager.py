"""Shape and dtype rules give what eager PyTorch, FakeTensor and a symbolic trace give, over drawn
operands.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, UnsupportedOperatorException
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from torchport.contract.adapters import call, is_present
from torchport.contract.dims import DataDependent
from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.graph import dtype_name
from torchport.contract.opset import opset
from torchport.contract.reference import flatten
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Category, OpSpec

OPS = opset("1.0").ops
SPECS = [pytest.param(spec, id=name) for name, spec in OPS.items() if is_present(name)]


def expected_shapes(spec: OpSpec, arguments: dict[str, Any]) -> list[Any]:
    bound = bind(arguments)
    listed = [str(r.type).startswith("List") for r in spec.signature.returns]
    rules = zip(spec.shape, listed, strict=True)
    return [shape for rule, many in rules for shape in parse(rule).evaluate(bound, many)]


def agree(shape: list[Any], tensor: torch.Tensor) -> bool:
    return len(shape) == tensor.dim() and all(
        isinstance(want, DataDependent) or want == got for want, got in zip(shape, tensor.shape, strict=True)
    )


NO_KERNEL = ("Could not run", "privateuse1")
"""In the messages of operators that have no kernel here."""


@pytest.mark.parametrize("spec", SPECS)
def test_eager(spec: OpSpec, draw: Any, dtypes: Any, meta: Any) -> None:
    tried = 0
    for dtype in dtypes(spec):
        limit = 24 if dtype in ("float32", "int64", "") else 4
        for arguments in draw(spec, dtype, limit=limit):
            tried += 1
            try:
                outputs = flatten(call(spec, arguments))
            except NotImplementedError as error:
                # The contract is about the operator; PyTorch's CPU kernels lack some 16-bit dtypes.
                if not any(text in str(error) for text in NO_KERNEL):
                    assert dtype in ("float16", "bfloat16") and "not implemented for" in str(error)
                    break
                if spec.name in PYTORCH_FAILS:
                    pytest.skip(PYTORCH_FAILS[spec.name])
                outputs = flatten(meta(spec, arguments))
            if not isinstance(outputs[0], torch.Tensor):
                continue
            shapes, results = expected_shapes(spec, arguments), result_dtypes(spec.dtypes, arguments)
            assert len(shapes) == len(outputs)
            for i, (output, shape) in enumerate(zip(outputs, shapes, strict=True)):
                if output is None or shape is None:
                    # Eager may fill an output that was not asked for; it may not leave one out.
                    assert shape is None
                    continue
                assert agree(shape, output), (shape, output.shape, arguments)
                want = results[min(i, len(results) - 1)]
                assert output.dtype == want, (dtype_name(want), output.dtype, arguments)
    assert tried, "no operands could be drawn"


def symbolic(mode: FakeTensorMode, value: Any, seen: list[int]) -> Any:
    """A fake copy of an argument; the first two sizes above 1 of every tensor are dynamic."""
    if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
        return [symbolic(mode, v, seen) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    kinds = [DimDynamic.STATIC] * value.dim()
    for d in [d for d, n in enumerate(value.shape) if n > 1][:2]:
        kinds[d] = DimDynamic.DYNAMIC
    context = StatelessSymbolicContext(dynamic_sizes=kinds)
    return mode.from_tensor(value, symbolic_context=context)


PYTORCH_FAILS = {
    "aten._ctc_loss.default": "its meta function takes the sizes for data",
    "aten.slow_conv_transpose2d.default": "its meta function asks for the number of elements",
    "aten.resize.default": "its meta function writes sizes",
    "aten.resize_as.default": "its meta function writes sizes",
    "aten._scaled_mm_v2.default": "its meta function compares the sizes of scales exactly",
    "aten._scaled_grouped_mm.default": "its meta function wants a column-major operand",
    "aten._grouped_mm.default": "its meta function takes bfloat16 only",
    "aten.geqrf.default": "it has no meta function",
    "aten.baddbmm.dtype": "its meta function takes the dtype for beta",
    "aten.linalg_lstsq.default": "its meta function calls the shapes data-dependent",
    "aten._new_zeros_with_same_feature_meta.default": "its meta function fixes the sizes",
    "aten._foreach_max.default": "its meta function fixes the sizes",
    "aten._foreach_addcmul.Tensor": "it reads a tensor that it wants on the CPU",
    "aten._foreach_addcdiv.Tensor": "it reads a tensor that it wants on the CPU",
    "aten._aminmax.dim": "it has no meta function",
    "aten._aminmax.default": "it has no meta function",
    "aten.fractional_max_pool3d_backward.default": "it has no meta function",
    "aten._add_relu.Scalar": "it has no meta function",
    "aten._batch_norm_with_update_functional.default": "its meta function needs a weight",
    "aten._batch_norm_no_update.default": "its meta function needs a weight",
    "aten.softshrink_backward.default": "it has no symbolic meta function",
    "aten.hardshrink_backward.default": "it has no symbolic meta function",
}


@pytest.mark.parametrize("spec", SPECS)
def test_symbolic(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    """The rule on SymInts gives what the traced operator gives, at the same guards."""
    if spec.category in (Category.DATA_DEPENDENT, Category.RANDOM, Category.EFFECT):
        pytest.skip("the sizes are data or scalars, or there is no result")
    if spec.name in PYTORCH_FAILS:
        pytest.skip(PYTORCH_FAILS[spec.name])
    dtype = "float32" if "float32" in dtypes(spec) else dtypes(spec)[0]
    for arguments in draw(spec, dtype, limit=4):
        mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
        fakes = {n: symbolic(mode, v, []) for n, v in arguments.items()}
        with mode, enable_python_dispatcher():
            try:
                outputs = flatten(call(spec, fakes))
            except UnsupportedOperatorException:
                pytest.skip("it has no meta function")
            shapes = expected_shapes(spec, fakes)
        assert len(outputs) == len(shapes)
        for output, shape in zip(outputs, shapes, strict=True):
            if output is None or shape is None:
                assert shape is None
                continue
            assert isinstance(output, FakeTensor)
            assert agree(shape, output), (shape, output.shape)
