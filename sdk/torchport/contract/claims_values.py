"""Laws of operators with one right value, whose error is not relative to it: operands cancel or grow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from torchport.contract.claims import Claim, Law, Results, equal_matrices, norm


def matrix_exponential(r: Results) -> Iterator[Claim]:
    """Against the change under a backward error E, the integral of ``exp((1 - s) A) E exp(s A)`` over s in
    [0, 1] (Higham, *Functions of Matrices*, §10.2), by the largest of five values of the integrand.
    """
    A = r.given["self"]
    powers = [norm(torch.linalg.matrix_exp(A * (k / 4))) for k in range(5)]
    change = torch.stack([powers[k] * powers[4 - k] for k in range(5)]).amax(0)
    scale = change * norm(A) + powers[4]
    found = equal_matrices(r, "the exponential", r.got[0], r.expected[0], scale)
    yield Claim(found.what, found.error, found.allowed + r.rounding * norm(r.expected[0]))


def cross_product(r: Results) -> Iterator[Claim]:
    """Each difference of two products against the sum of their sizes."""
    a, b = torch.broadcast_tensors(r.given["self"].abs(), r.given["other"].abs())
    dim = r.given["dim"]
    scale = a.roll(-1, dim) * b.roll(-2, dim) + a.roll(-2, dim) * b.roll(-1, dim)
    yield r.near("the product", r.got[0], r.expected[0], scale.double(), 2)


def _terms(length: int, p: float) -> float:
    """Roundings of a p-norm: the sum, and powers that amplify what they are given."""
    return length + 8.0 + (max(p, 1.0 / p) if 0.0 < p < math.inf else 0.0)


def distances(r: Results) -> Iterator[Claim]:
    """Relative to the distance; for p = 2 a matrix product may be used unless ``compute_mode`` forbids it,
    whose error is relative to the squares (``√ε`` where the distance is 0).
    """
    a, b, p = r.given["x1"], r.given["x2"], r.given["p"]
    wanted, length = r.expected[0], a.shape[-1]
    scale = wanted
    if p == 2.0 and r.given["compute_mode"] != 2:
        scale = wanted + _squares_error(r, a, b, wanted) / r.growth(_terms(length, p))
    yield r.near("the distance", r.got[0], wanted, scale, _terms(length, p))


def _squares_error(r: Results, a: Tensor, b: Tensor, distance: Tensor) -> Tensor:
    squares = (a * a).sum(-1).unsqueeze(-1) + (b * b).sum(-1).unsqueeze(-2)
    error = r.growth(a.shape[-1] + 3) * 2.0 * squares
    return torch.minimum(error.sqrt(), torch.where(distance > 0, error / distance, math.inf))


def euclidean(r: Results) -> Iterator[Claim]:
    """The root of a difference of squares, against the squares."""
    a, b, wanted = r.given["x1"], r.given["x2"], r.expected[0]
    direct = torch.linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), dim=-1)
    allowed = _squares_error(r, a, b, direct) + r.rounding * wanted
    yield Claim("the distance", (r.got[0] - direct).abs(), allowed)


def pair_distances(r: Results) -> Iterator[Claim]:
    """Relative to the distance."""
    wanted, p = r.expected[0], r.given["p"]
    yield r.near("the distance", r.got[0], wanted, wanted, _terms(r.given["self"].shape[-1], p))


def _pull(off: Tensor, distance: Tensor, grad: Tensor, p: float) -> Tensor:
    """Sizes of the terms of a gradient: ``|g| (|d|/norm)^(p-1)``."""
    ratio = torch.where((off == 0) | (distance == 0), 0.0, off.abs() / distance)
    if p == 0.0:
        return torch.zeros_like(ratio)
    power = torch.where(ratio == 0, 0.0, ratio ** (p - 1.0)) if p < math.inf else torch.ones_like(ratio)
    return power * grad.abs()


def distance_gradients(r: Results) -> Iterator[Claim]:
    """Against the sum of the sizes of the terms."""
    given: Mapping[str, Any] = r.given
    p = given["p"]
    off = given["x1"].unsqueeze(-2) - given["x2"].unsqueeze(-3)
    terms = _pull(off, given["cdist"].unsqueeze(-1), given["grad"].unsqueeze(-1), p).sum(-2)
    yield r.near("the gradient", r.got[0], r.expected[0], terms, _terms(off.shape[-2], p))


def pair_gradients(r: Results) -> Iterator[Claim]:
    """Against the sum of the sizes of the terms."""
    given: Mapping[str, Any] = r.given
    x, p = given["self"], given["p"]
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1)
    pull = _pull(x[i] - x[j], given["pdist"].unsqueeze(-1), given["grad"].unsqueeze(-1), p)
    terms = torch.zeros_like(x).index_add(0, i, pull).index_add(0, j, pull)
    yield r.near("the gradient", r.got[0], r.expected[0], terms, _terms(x.shape[0], p))


LAWS: Mapping[str, Law] = {
    law.__name__: law
    for law in (
        matrix_exponential,
        cross_product,
        distances,
        euclidean,
        pair_distances,
        distance_gradients,
        pair_gradients,
    )
}
"""Laws by the name that entries use."""
