"""What the results of matrix operators have to satisfy, where their values are not unique or not well-posed.

A factorization is judged by what it is for: its factors have their form (triangular, orthonormal, in order)
and multiply to the matrix. A solution is judged by its residual. Both are normwise backward errors, so the
bound does not depend on the condition of the matrix (Higham, *Accuracy and Stability of Numerical
Algorithms*, 2nd ed., §1.5, §9, §10, §19). Where the result is unique but a backward error says little
(determinants, pseudoinverses, distances), the bound is its first-order perturbation under such an error.

An entry names its law as ``numerics.kind == "law"`` and ``numerics.special == ("obeys@NAME",)``. A law makes
claims ``error <= allowed``, element by element, in float64; ``allowed`` is ``16 n u`` times a scale, with n
the order of the matrix (or the number of terms) and u the unit roundoff of the compute dtype. Operands that
are not finite, and matrices that the reference calls singular, are not judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import Numerics, OpSpec

FACTOR = 16.0
PREFIX = "obeys@"


def obeying(law: str, *special: str) -> Numerics:
    """Numerics of an entry whose results are judged by ``law``. With ``narrow-accumulator`` in ``special``
    16-bit operands may be computed with in 16 bits.
    """
    return Numerics("law", special=(f"{PREFIX}{law}", *special))


def law_of(spec: OpSpec) -> str | None:
    """The name of the entry's law; None for an entry that is judged otherwise."""
    special = spec.numerics.special
    return special[0].removeprefix(PREFIX) if special and special[0].startswith(PREFIX) else None


@dataclass(frozen=True, slots=True)
class Claim:
    """``error <= allowed`` everywhere; both are float64 and broadcast together."""

    what: str
    error: Tensor
    allowed: Tensor


@dataclass(frozen=True, slots=True)
class Results:
    """A call and its results: operands, results and reference in float64 or complex128.

    ``unit`` is the unit roundoff of the dtype that the operator computes in, ``rounding`` that of its
    results.
    """

    given: Mapping[str, Any]
    got: Sequence[Any]
    expected: Sequence[Any]
    unit: float
    rounding: float

    def growth(self, n: float) -> float:
        """The relative error that ``n`` roundings in a row may leave."""
        return FACTOR * max(n, 1) * self.unit

    def near(self, what: str, got: Tensor, wanted: Tensor, scale: Tensor, n: float) -> Claim:
        """Two values differ by little against ``scale`` and by the rounding of the result."""
        return Claim(what, (got - wanted).abs(), self.growth(n) * scale + self.rounding * wanted.abs())


Law = Callable[[Results], Iterator[Claim]]


def norm(x: Tensor) -> Tensor:
    """The Frobenius norm of each matrix, as a 1 × 1 matrix."""
    size: Tensor = torch.linalg.vector_norm(x, dim=(-2, -1), keepdim=True)
    return size


def zero(x: Tensor) -> Tensor:
    """Nothing is allowed."""
    return torch.zeros((), dtype=torch.float64)


def identity(x: Tensor) -> Tensor:
    """The identity of as many columns as ``x`` has."""
    return torch.eye(x.shape[-1], dtype=x.dtype)


def hermitian_of(x: Tensor, upper: bool) -> Tensor:
    """The Hermitian matrix that a triangle of ``x`` stands for."""
    strict = x.triu(1) if upper else x.tril(-1)
    diagonal = torch.diag_embed(x.diagonal(dim1=-2, dim2=-1).real).to(x.dtype)
    return strict + strict.mH + diagonal


def equal_matrices(r: Results, what: str, got: Tensor, wanted: Tensor, scale: Tensor) -> Claim:
    """Normwise: the Frobenius norm of the difference."""
    order = max(got.shape[-1], wanted.shape[-2], 1)
    return Claim(what, norm(got - wanted), r.growth(order) * scale)


def orthonormal(r: Results, what: str, Q: Tensor) -> Claim:
    """Columns of length 1 and at right angles."""
    size = r.growth(Q.shape[-2]) * math.sqrt(max(Q.shape[-1], 1))
    return Claim(what, norm(Q.mH @ Q - identity(Q)), torch.tensor(size, dtype=torch.float64))


def triangular(what: str, x: Tensor, *, upper: bool) -> Claim:
    """Exact zeros on one side of the diagonal."""
    return Claim(what, (x.tril(-1) if upper else x.triu(1)).abs(), zero(x))


def ordered(what: str, values: Tensor, *, descending: bool) -> Claim:
    """Each value beside the one before it."""
    step = values.diff(dim=-1)
    return Claim(what, (step if descending else -step).clamp(min=0.0), zero(values))


def claims(spec: OpSpec, results: Results) -> list[Claim]:
    """What the entry's law says about the results; nothing where an operand is not finite."""
    from torchport.contract.claims_matrices import LAWS as MATRICES
    from torchport.contract.claims_values import LAWS as VALUES

    tensors = [v for v in results.given.values() if isinstance(v, Tensor)]
    if any(not bool(t.isfinite().all()) for t in tensors):
        return []
    return list({**MATRICES, **VALUES}[str(law_of(spec))](results))


def worst(claims: Sequence[Claim]) -> tuple[float, str]:
    """The largest error over what is allowed, and what it is an error of."""
    ratio, text = 0.0, ""
    for claim in claims:
        error, allowed = torch.broadcast_tensors(claim.error, claim.allowed)
        if error.numel() == 0:
            continue
        share = torch.where(error > 0, error / allowed, torch.zeros_like(error))
        found = float(torch.where(share.isnan(), math.inf, share).max())
        found = math.inf if bool(error.isnan().any()) else found
        if found > ratio:
            ratio, text = found, claim.what
    return ratio, text
