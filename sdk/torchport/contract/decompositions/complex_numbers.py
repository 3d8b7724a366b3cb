"""Decompositions of complex numbers: their parts, their conjugates, and what is made of two reals.

The primitives are the two views between a complex tensor and its pairs of reals
(``view_as_real``, ``view_as_complex``); everything else works on the pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.layout import select, stack
from torchport.contract.decompositions.operators import aten


def real_part(x: Tensor) -> Tensor:
    """The real parts of a complex tensor; a real tensor itself."""
    return select(aten.view_as_real.default(x), -1, 0) if x.dtype.is_complex else x


def imaginary_part(x: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor."""
    return select(aten.view_as_real.default(x), -1, 1)


def of_parts(real: Tensor, imaginary: Tensor) -> Tensor:
    """The complex tensor with these parts, which have one shape and one dtype."""
    return aten.view_as_complex.default(stack([real, imaginary], -1))


def scaled_by_real(x: Tensor, factor: Tensor) -> Tensor:
    """``x·factor`` for a complex ``x`` and real factors: one rounding of each part.

    The factors broadcast against the pairs of parts, so they have a last dimension of 1, or none at all.
    """
    return aten.view_as_complex.default(aten.mul.Tensor(aten.view_as_real.default(x), factor))


def conjugate(self: Tensor) -> Tensor:
    """The complex conjugate, in fresh memory; of a real tensor a copy."""
    if not self.dtype.is_complex:
        return aten.clone.default(self)
    return of_parts(real_part(self), aten.neg.default(imaginary_part(self)))


def negated(self: Tensor) -> Tensor:
    """``-self`` in fresh memory: what a view that negates lazily holds."""
    return aten.neg.default(self)


def complex_of(real: Tensor, imag: Tensor) -> Tensor:
    """``real + i·imag`` under broadcasting."""
    shape = list(torch.broadcast_shapes(real.shape, imag.shape))
    return of_parts(aten.expand.default(real, shape), aten.expand.default(imag, shape))


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """``abs·cos(angle) + i·abs·sin(angle)``."""
    cosine, sine = aten.cos.default(angle), aten.sin.default(angle)
    return complex_of(aten.mul.Tensor(abs, cosine), aten.mul.Tensor(abs, sine))


def view_as_complex_copy(self: Tensor) -> Tensor:
    """The pairs of reals in the last dimension as complex numbers, in fresh memory."""
    return aten.view_as_complex.default(aten.clone.default(self, memory_format=torch.contiguous_format))


def view_as_real_copy(self: Tensor) -> Tensor:
    """The parts of complex numbers as a last dimension of size 2, in fresh memory."""
    return aten.clone.default(aten.view_as_real.default(self), memory_format=torch.contiguous_format)
