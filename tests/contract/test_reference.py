"""The float64 reference where eager PyTorch's kernels are wrong in float64, or take no such call."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchport.contract.eager_defects import Operands, defects_of
from torchport.contract.empty_results import empty_results
from torchport.contract.opset import opset
from torchport.contract.reference import reference

OPS = opset("1.0").ops
SCALE = torch.tensor([0.07])
TENSOR = {"scale": SCALE, "zero_point": torch.tensor([3], dtype=torch.int32)}
LIMITS = {"quant_min": -128, "quant_max": 127}
FAKES: dict[str, dict[str, Any]] = {
    "aten.fake_quantize_per_tensor_affine_cachemask.default": {"scale": 0.07, "zero_point": 3},
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default": {
        **TENSOR,
        "fake_quant_enabled": torch.ones(1, dtype=torch.int64),
    },
    "aten._fake_quantize_learnable_per_tensor_affine.default": {
        "scale": SCALE,
        "zero_point": torch.tensor([3.0]),
        "grad_factor": 1.0,
    },
    "aten.fake_quantize_per_channel_affine_cachemask.default": {**TENSOR, "axis": 1},
    "aten._fake_quantize_learnable_per_channel_affine.default": {
        "scale": SCALE,
        "zero_point": torch.tensor([3.0]),
        "axis": 1,
        "grad_factor": 1.0,
    },
}
STEP = float(SCALE)
"""The scale as the float32 that it is."""


@pytest.mark.parametrize("op", FAKES)
def test_fake_quantization_of_float64_is_a_float64_multiple_of_the_scale(op: str) -> None:
    x = torch.tensor([[0.42], [-1.0], [100.0], [-100.0]], dtype=torch.float64)
    found, *mask = reference(OPS[op], {"self": x, **FAKES[op], **LIMITS})
    assert isinstance(found, torch.Tensor)
    assert found.flatten().tolist() == [6 * STEP, -14 * STEP, 124 * STEP, -131 * STEP]
    assert [m.flatten().tolist() for m in mask if m is not None] == [[True, True, False, False]] * len(mask)


@pytest.mark.parametrize("op", FAKES)
def test_fake_quantization_of_float64_is_declared_where_eager_multiplies_in_float32(op: str) -> None:
    x = torch.tensor([[0.42]], dtype=torch.float64)
    eager = OPS[op].overload(**{"self": x, **FAKES[op], **LIMITS})
    eager = eager[0] if isinstance(eager, tuple) else eager
    assert (float(eager) != 6 * STEP) == bool(defects_of(op, Operands(dtypes={"float64"})))
    assert not defects_of(op, Operands(dtypes={"float32"}))


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_no_bags_have_no_sums(mean: bool, dtype: torch.dtype) -> None:
    arguments = {
        "weight": torch.randn(3, 4).to(dtype),
        "indices": torch.tensor([0, 2]),
        "offsets": torch.zeros(0, dtype=torch.int64),
        "per_sample_weights": None,
        "mean": mean,
    }
    (found,) = reference(OPS["torchport.embedding_bag.default"], arguments)
    assert found is not None and found.shape == (0, 4) and found.dtype is torch.float64


def test_results_with_elements_are_left_to_decompositions() -> None:
    spec = OPS["torchport.embedding_bag.default"]
    arguments = {"weight": torch.randn(3, 4), "indices": torch.tensor([0, 2]), "per_sample_weights": None}
    assert empty_results(spec, {**arguments, "offsets": torch.tensor([0]), "mean": False}) is None
    x = {"self": torch.zeros(0), "approximate": "none"}
    assert empty_results(OPS["aten.gelu.default"], x) is None
