"""Margin losses of classifiers and their gradients. ``reduction``: 0 none, 1 mean, 2 sum.

Each loss is a sum of hinges over pairs of classes, computed for all pairs at once.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten

NONE, MEAN = 0, 1
_INDEX = torch.int64


def _rows(self: Tensor) -> Tensor:
    """The input as [N, C] in its work dtype; a vector is one row."""
    x = convert(self, work_dtype(self.dtype))
    return x if x.dim() == 2 else aten.view.default(x, [1, -1])


def _positions(x: Tensor) -> Tensor:
    """0 … C-1 for rows of C classes."""
    return aten.arange.start_step(0, x.shape[1], 1, dtype=_INDEX, device=x.device)


def _reduced(loss: Tensor, self: Tensor, reduction: int) -> Tensor:
    """Row losses [N] reduced, or as they are; the loss of a vector is one number."""
    if reduction == NONE and self.dim() == 2:
        return convert(loss, self.dtype)
    total = aten.sum.dim_IntList(loss, [0], False)
    if reduction == MEAN:
        total = aten.div.Tensor(total, scalar(loss.shape[0], loss.dtype, loss))
    return convert(total, self.dtype)


def _slope(grad_output: Tensor, x: Tensor, reduction: int) -> Tensor:
    """The gradient of each row's sum of hinges, [N, 1] or [1, 1]."""
    g = aten.view.default(convert(grad_output, x.dtype), [-1, 1])
    count = x.shape[1] * (x.shape[0] if reduction == MEAN else 1)
    return aten.div.Tensor(g, scalar(count, x.dtype, x))


def _hinges(
    self: Tensor, target: Tensor, margin: Number, weight: Tensor | None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Rows [N, C], hinges ``max(0, margin - x_y + x_j)`` with 0 at the target, where the target is, and the
    weights of the targets [N, 1].
    """
    x = _rows(self)
    index = aten.view.default(target, [-1, 1])
    picked = aten.gather.default(x, 1, index)
    gap = aten.add.Tensor(aten.sub.Tensor(x, picked), scalar(margin, x.dtype, x))
    zero = scalar(0, x.dtype, x)
    at_target = aten.eq.Tensor(_positions(x), index)
    hinge = aten.where.self(at_target, zero, aten.maximum.default(gap, zero))
    weights = None if weight is None else aten.index.Tensor(convert(weight, x.dtype), [index])
    return x, hinge, at_target, weights


def multi_margin_loss(
    self: Tensor,
    target: Tensor,
    p: Number = 1,
    margin: Number = 1,
    weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:
    """``sum_{j != y} w_y max(0, margin - x_y + x_j)^p / C`` for each row, p 1 or 2."""
    x, hinge, _, weights = _hinges(self, target, margin, weight)
    terms = aten.mul.Tensor(hinge, hinge) if p == 2 else hinge
    if weights is not None:
        terms = aten.mul.Tensor(terms, weights)
    total = aten.sum.dim_IntList(terms, [1], False)
    return _reduced(aten.div.Tensor(total, scalar(x.shape[1], x.dtype, x)), self, reduction)


def multi_margin_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    p: Number,
    margin: Number,
    weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:
    """``g w_y p h^(p-1) / C`` at every class with a positive hinge h, less their sum at the target."""
    x, hinge, at_target, weights = _hinges(self, target, margin, weight)
    zero = scalar(0, x.dtype, x)
    slope = _slope(grad_output, x, reduction)
    if weights is not None:
        slope = aten.mul.Tensor(slope, weights)
    if p == 2:
        terms = aten.mul.Tensor(aten.mul.Tensor(hinge, scalar(2, x.dtype, x)), slope)
    else:
        terms = aten.where.self(aten.gt.Tensor(hinge, zero), slope, zero)
    total = aten.neg.default(aten.sum.dim_IntList(terms, [1], True))
    grad = aten.where.self(at_target, total, terms)
    return convert(aten.view.default(grad, list(self.shape)), self.dtype)


def _labels(target: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Labels up to the first negative one: which count [N, J], their index (0 where they do not), and
    ``[N, J, C]`` with the class of each.
    """
    index = target if target.dim() == 2 else aten.view.default(target, [1, -1])
    zero = scalar(0, _INDEX, x)
    ended = aten.cumsum.default(convert(aten.lt.Tensor(index, zero), _INDEX), 1)
    counts = aten.eq.Tensor(ended, zero)
    safe = aten.where.self(counts, index, zero)
    same = aten.eq.Tensor(aten.unsqueeze.default(safe, 2), _positions(x))
    return counts, safe, aten.bitwise_and.Tensor(same, aten.unsqueeze.default(counts, 2))


def _pair_hinges(x: Tensor, safe: Tensor, active: Tensor) -> Tensor:
    """``max(0, 1 - x_j + x_k)`` for labels j and classes k, [N, J, C]; 0 where not ``active``."""
    picked = aten.unsqueeze.default(aten.gather.default(x, 1, safe), 2)
    one, zero = scalar(1, x.dtype, x), scalar(0, x.dtype, x)
    gap = aten.sub.Tensor(one, aten.sub.Tensor(picked, aten.unsqueeze.default(x, 1)))
    return aten.where.self(active, aten.maximum.default(gap, zero), zero)


def multilabel_margin_loss(self: Tensor, target: Tensor, reduction: int) -> tuple[Tensor, Tensor]:
    """``sum_{j in labels} sum_{k not in labels} max(0, 1 - x_j + x_k) / C`` for each row, and which classes
    are labels.
    """
    x = _rows(self)
    counts, safe, chosen = _labels(target, x)
    labelled = aten.any.dim(chosen, 1, False)
    active = aten.bitwise_and.Tensor(
        aten.unsqueeze.default(counts, 2), aten.bitwise_not.default(aten.unsqueeze.default(labelled, 1))
    )
    total = aten.sum.dim_IntList(_pair_hinges(x, safe, active), [1, 2], False)
    loss = _reduced(aten.div.Tensor(total, scalar(x.shape[1], x.dtype, x)), self, reduction)
    return loss, aten.view.default(convert(labelled, self.dtype), list(target.shape))


def multilabel_margin_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, is_target: Tensor
) -> Tensor:
    """``g / C`` for each positive hinge, added at its class and subtracted at its label."""
    x = _rows(self)
    counts, safe, chosen = _labels(target, x)
    zero, one = scalar(0, x.dtype, x), scalar(1, x.dtype, x)
    labelled = aten.ne.Tensor(aten.view.default(convert(is_target, x.dtype), [-1, 1, x.shape[1]]), zero)
    active = aten.bitwise_and.Tensor(aten.unsqueeze.default(counts, 2), aten.bitwise_not.default(labelled))
    hit = aten.where.self(aten.gt.Tensor(_pair_hinges(x, safe, active), zero), one, zero)
    raised = aten.sum.dim_IntList(hit, [1], False)
    lowered = aten.where.self(chosen, aten.sum.dim_IntList(hit, [2], True), zero)
    pairs = aten.sub.Tensor(raised, aten.sum.dim_IntList(lowered, [1], False))
    grad = aten.mul.Tensor(pairs, _slope(grad_output, x, reduction))
    return convert(aten.view.default(grad, list(self.shape)), self.dtype)
