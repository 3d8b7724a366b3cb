"""Where PyTorch's own ``torch.compile`` gives another result than eager PyTorch, before a backend is asked.

A declaration excuses nothing by itself: a suite counts a failure as PyTorch's own only after
``torch.compile`` without a backend (``aot_eager``, or with the strides of its shape functions) has shown it
on the same operands.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaptureDefect:
    """What tracing gets wrong of some operators; ``link`` is where PyTorch knows of it, or of its kind."""

    ops: tuple[str, ...]
    text: str
    link: str


_PYTORCH = "https://github.com/pytorch/pytorch"


DEFECTS: tuple[CaptureDefect, ...] = (
    CaptureDefect(
        ("aten.lift.default", "aten.lift_fresh.default", "aten.lift_fresh_copy.default"),
        "torch.compile: a lifted tensor is a copy, and in other strides than eager gives it",
        f"{_PYTORCH}/issues/133512",
    ),
    CaptureDefect(
        ("aten.upsample_nearest1d.default", "aten._upsample_nearest_exact1d.default"),
        "torch.compile: a dimension of size 1 has another stride than in eager",
        f"{_PYTORCH}/issues/197815",
    ),
    CaptureDefect(
        (
            "aten.copysign.Tensor",
            "aten.floor_divide.default",
            "aten.div.Tensor_mode",
            "aten.addr.default",
        ),
        "torch.compile: the shape function takes strides from other operands than the kernel",
        f"{_PYTORCH}/issues/198364",
    ),
    CaptureDefect(
        (
            "quantized_decomposed.choose_qparams_per_token.default",
            "quantized_decomposed.choose_qparams_per_token_asymmetric.default",
            "quantized_decomposed.choose_qparams_symmetric.tensor",
        ),
        "torch.compile: the gradient of quantization parameters, which eager has, is lost",
        f"{_PYTORCH}/pull/124178",
    ),
    CaptureDefect(
        tuple(
            f"aten.{kernel}{rank}d{direction}.default"
            for kernel, ranks in (("_upsample_nearest_exact", (1, 2, 3)), ("upsample_bilinear", (2,)))
            for rank in ranks
            for direction in ("", "_backward")
        ),
        "torch.compile: the decomposition uses the given scales in another way than the kernel",
        f"{_PYTORCH}/issues/94591",
    ),
)


RUN_WHILE_TRACED = ("aten._transform_bias_rescale_qkv.default",)
"""Operators that have no shape function: ``torch.compile`` calls their kernels while it traces, with zeros
for operands, so that what their kernels do not bear cannot be traced (``run_fallback_kernel`` of
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_subclasses/fake_tensor.py).
"""

STRIDES = "torch.compile: functionalization does not keep the strides of intermediate values"
"""What tracing gets wrong of whole programs, whatever their operators: pytorch/pytorch#133512."""


def capture_defect(op: str) -> CaptureDefect | None:
    """The declaration about an operator; None where there is none."""
    return next((defect for defect in DEFECTS if op in defect.ops), None)
