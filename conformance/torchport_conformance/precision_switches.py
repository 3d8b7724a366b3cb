"""The settings by which PyTorch and its libraries may compute float32 in fewer bits, as a run found them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter

import torch

VARIABLES = (
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "DNNL_DEFAULT_FPMATH_MODE",
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)
"""Environment variables that libraries under PyTorch read."""


def _setting(path: str) -> object:
    """A setting below ``torch.backends``; some are made at run time, and unknown to type checkers."""
    found: object = attrgetter(path)(torch.backends)
    return found


_SWITCHES: Mapping[str, Callable[[], object]] = {
    "float32 matmul precision": torch.get_float32_matmul_precision,
    "fp32_precision": lambda: _setting("fp32_precision"),
    "mkldnn matmul fp32_precision": lambda: _setting("mkldnn.matmul.fp32_precision"),
    "mkldnn conv fp32_precision": lambda: _setting("mkldnn.conv.fp32_precision"),
    "cuda matmul fp32_precision": lambda: torch.backends.cuda.matmul.fp32_precision,
    "cudnn conv fp32_precision": lambda: _setting("cudnn.conv.fp32_precision"),
    "cuda fp16 reduced reduction": lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
    "cuda bf16 reduced reduction": lambda: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction,
    "cudnn": lambda: torch.backends.cudnn.enabled,
    "mkldnn": lambda: torch.backends.mkldnn.enabled,
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
}


def switches(device: str) -> Iterator[tuple[str, str]]:
    """Names and values of every precision switch, autocast of ``device`` and variables that are set included.

    A switch that this PyTorch does not have, or refuses to read because the older form of it was set, says
    so.
    """
    for name, read in _SWITCHES.items():
        try:
            yield name, str(read())
        except (AttributeError, RuntimeError) as error:
            yield name, f"not to be read: {type(error).__name__}"
    kind = torch.device(device).type
    on = torch.is_autocast_enabled(kind)
    yield "autocast", str(torch.get_autocast_dtype(kind)).removeprefix("torch.") if on else "off"
    for variable in VARIABLES:
        if variable in os.environ:
            yield variable, os.environ[variable]
