"""The polar decomposition and the square root of a matrix, from a factorization of 1.0."""

from __future__ import annotations

from torch import Tensor

from torchport.contract.decompositions.operators import aten, several


def linalg_polar(A: Tensor) -> tuple[Tensor, Tensor]:
    """``A = U H`` from the singular value decomposition ``A = W S V*``: ``U = W V*``, ``H = V S V*``.

    Source: N. J. Higham, *Functions of Matrices*, SIAM 2008, §8.1. ``A`` is ``[*, m, n]`` with ``m >= n``;
    ``U`` is ``[*, m, n]``, ``H`` is ``[*, n, n]`` and Hermitian, exactly.
    """
    W, S, Vh = several(aten._linalg_svd.default, A, False, True)
    H = (Vh.mH * S.unsqueeze(-2)) @ Vh
    return W @ Vh, (H + H.mH) / 2


def linalg_matrix_sqrth(self: Tensor) -> Tensor:
    """The square root of a Hermitian positive-definite matrix from ``A = Q L Q*``: ``Q sqrt(L) Q*``.

    Source: the same, §6.3. The lower triangle is read; an eigenvalue that is negative counts as 0.
    """
    L, Q = several(aten._linalg_eigh.default, self, "L", True)
    return (Q * L.clamp(min=0).sqrt().unsqueeze(-2)) @ Q.mH
