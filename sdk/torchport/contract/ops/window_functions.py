"""Window functions of signal processing."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from torchport.contract.decompositions import window_functions as decompose
from torchport.contract.ops.builders import Decomposition, creation, ulp
from torchport.contract.spec import Operand, OpSpec

LENGTH = Operand(choices=(5, 8, 1, 0))
PERIODIC = Operand(choices=(True, False))
DTYPE = Operand(choices=(None, torch.float64, torch.bfloat16))
ANGLE = ulp(4, half=4, magnitude="operands")
"""The angles are as large as the length of the window, and are rounded."""


def _window(name: str, decomposition: Decomposition, extra: Mapping[str, Operand] | None = None) -> OpSpec:
    return creation(
        f"aten.{name}",
        shape="[window_length]",
        operands={"window_length": LENGTH, **(extra or {}), "dtype": DTYPE},
        numerics=ANGLE,
        constraints=(
            ("window_length >= 0", "the number of points is not negative"),
            ("not given(dtype) or floating(dtype)", "windows are floating"),
        ),
        errors=(
            ("window_length < 0", "the number of points is negative"),
            ("given(dtype) and integral(dtype)", "windows are not integral"),
        ),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    *(
        _window(f"{name}_window.{overload}", decomposition, extra)
        for name, decomposition in (
            ("hann", decompose.hann),
            ("hamming", decompose.hamming),
            ("blackman", decompose.blackman),
            ("bartlett", decompose.bartlett),
            ("kaiser", decompose.kaiser),
        )
        for overload, extra in (("default", {}), ("periodic", {"periodic": PERIODIC}))
    ),
    _window(
        "hamming_window.periodic_alpha",
        decompose.hamming,
        {"periodic": PERIODIC, "alpha": Operand(choices=(0.54, 0.6))},
    ),
    _window(
        "hamming_window.periodic_alpha_beta",
        decompose.hamming,
        {
            "periodic": PERIODIC,
            "alpha": Operand(choices=(0.54, 0.6)),
            "beta": Operand(choices=(0.46, 0.4)),
        },
    ),
    _window(
        "kaiser_window.beta",
        decompose.kaiser,
        {"periodic": PERIODIC, "beta": Operand(choices=(12.0, 4.5))},
    ),
)
