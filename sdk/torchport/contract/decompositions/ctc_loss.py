"""Connectionist temporal classification, by Graves, Fernández, Gomez and Schmidhuber (2006).

Probabilities are logarithms throughout. States are the labels with a blank before, between and after them:
of the 2L + 1 states of a target of L labels, an even s is a blank and an odd s is label ``(s - 1) / 2``.
The recursion is as long as the input, one step after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import scalar
from torchport.contract.decompositions.operators import aten

_INDEX = torch.int64


def _vector(values: Sequence[int], like: Tensor) -> Tensor:
    """``int64[B, 1]`` of lengths."""
    parts = [aten.full.default([1], v, dtype=_INDEX, device=like.device) for v in values]
    return aten.unsqueeze.default(aten.cat.default(parts), 1)


def _states(targets: Tensor, lengths: Sequence[int], blank: int) -> Tensor:
    """The class of each state, ``int64[B, 2 max(L) + 1]``; past a target's end, any class.

    ``targets`` is [B, S], or the labels of all targets one after the other.
    """
    longest = max(lengths)
    if targets.dim() == 2:
        labels = aten.slice.Tensor(targets, 1, 0, longest)
    else:
        rows, start = [], 0
        for length in lengths:
            row = aten.slice.Tensor(targets, 0, start, start + length)
            rows.append(
                aten.unsqueeze.default(aten.constant_pad_nd.default(row, [0, longest - length], blank), 0)
            )
            start += length
        labels = aten.cat.default(rows, 0)
    labels = labels if labels.dtype is _INDEX else aten._to_copy.default(labels, dtype=_INDEX)
    pairs = aten.unsqueeze.default(labels, 2)
    blanks = aten.full.default([len(lengths), longest, 1], blank, dtype=_INDEX, device=targets.device)
    woven = aten.view.default(aten.cat.default([blanks, pairs], 2), [len(lengths), 2 * longest])
    last = aten.full.default([len(lengths), 1], blank, dtype=_INDEX, device=targets.device)
    return aten.cat.default([woven, last], 1)


def _at_states(log_probs: Tensor, states: Tensor) -> Tensor:
    """``[T, B, S]``: the logarithms at each state's class."""
    index = aten.expand.default(aten.unsqueeze.default(states, 0), [log_probs.shape[0], *states.shape])
    return aten.gather.default(log_probs, 2, index)


def _shifted(x: Tensor, by: int, fill: float) -> Tensor:
    """``x[:, s - by]``, ``fill`` where there is no such state; ``by`` may be negative."""
    count = x.shape[1]
    if abs(by) >= count:
        return aten.full.default(list(x.shape), fill, dtype=x.dtype, device=x.device)
    kept = aten.slice.Tensor(x, 1, 0, count - by) if by > 0 else aten.slice.Tensor(x, 1, -by, count)
    return aten.constant_pad_nd.default(kept, [by, 0] if by > 0 else [0, -by], fill)


def _log_sum(terms: Sequence[Tensor]) -> Tensor:
    """``log(sum(exp))``; -inf where every term is."""
    peak = terms[0]
    for term in terms[1:]:
        peak = aten.maximum.default(peak, term)
    lost = aten.eq.Tensor(peak, scalar(-math.inf, peak.dtype, peak))
    base = aten.where.self(lost, scalar(0.0, peak.dtype, peak), peak)
    total = aten.exp.default(aten.sub.Tensor(terms[0], base))
    for term in terms[1:]:
        total = aten.add.Tensor(total, aten.exp.default(aten.sub.Tensor(term, base)))
    return aten.add.Tensor(aten.log.default(total), base)


def _step(previous: Tensor, may_skip: Tensor, direction: int) -> Tensor:
    """What reaches each state: from itself, from its neighbour, and from the one after that where allowed."""
    lost = scalar(-math.inf, previous.dtype, previous)
    skipped = aten.where.self(may_skip, _shifted(previous, 2 * direction, -math.inf), lost)
    return _log_sum([previous, _shifted(previous, direction, -math.inf), skipped])


def _may_skip(states: Tensor, direction: int) -> Tensor:
    """Where a state differs from the one two places on: a label may follow another without a blank."""
    return aten.ne.Tensor(states, _shifted_states(states, 2 * direction))


def _shifted_states(states: Tensor, by: int) -> Tensor:
    return _shifted(states, by, -1)


def _places(count: int, like: Tensor) -> Tensor:
    return aten.arange.start_step(0, count, 1, dtype=_INDEX, device=like.device)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """The negative logarithm of each target's probability, and the forward variables [B, T, S] (eq. 6 and 7).

    ``zero_infinity`` matters to the gradient only.
    """
    states = _states(targets, target_lengths, blank)
    emitted = _at_states(log_probs, states)
    lengths = _vector(target_lengths, log_probs)
    places = _places(states.shape[1], log_probs)
    lost = scalar(-math.inf, log_probs.dtype, log_probs)
    one = scalar(1, _INDEX, log_probs)
    starts = aten.bitwise_and.Tensor(
        aten.le.Tensor(places, one),
        aten.le.Tensor(places, aten.mul.Tensor(lengths, scalar(2, _INDEX, lengths))),
    )
    alpha = aten.where.self(starts, aten.select.int(emitted, 0, 0), lost)
    alphas = [alpha]
    may_skip = _may_skip(states, 1)
    for t in range(1, log_probs.shape[0]):
        alpha = aten.add.Tensor(_step(alpha, may_skip, 1), aten.select.int(emitted, 0, t))
        alphas.append(alpha)
    log_alpha = aten.cat.default([aten.unsqueeze.default(a, 1) for a in alphas], 1)
    ends = aten.sub.Tensor(_vector(input_lengths, log_probs), one)
    row = aten.expand.default(aten.unsqueeze.default(ends, 2), [states.shape[0], 1, states.shape[1]])
    final = aten.squeeze.dims(aten.gather.default(log_alpha, 1, row), [1])
    accepting = aten.where.self(_accepting(places, lengths), final, lost)
    count = states.shape[1]
    loss = _log_sum([aten.select.int(accepting, 1, s) for s in range(count)])
    return aten.neg.default(loss), log_alpha


def _accepting(places: Tensor, lengths: Tensor) -> Tensor:
    """The last blank and the last label of each target, ``bool[B, S]``."""
    last = aten.mul.Tensor(lengths, scalar(2, _INDEX, lengths))
    before = aten.sub.Tensor(last, scalar(1, _INDEX, lengths))
    return aten.bitwise_or.Tensor(aten.eq.Tensor(places, last), aten.eq.Tensor(places, before))


def ctc_loss_backward(
    grad: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    neg_log_likelihood: Tensor,
    log_alpha: Tensor,
    blank: int,
    zero_infinity: bool = False,
) -> Tensor:
    """``g (y - sum of the posteriors of the states of a class)`` (eq. 16), 0 past the end of an input.

    A target that cannot be aligned has NaN, or 0 with ``zero_infinity``.

    The backward variables (eq. 9 and 10) include the state's own emission, as the forward ones do, so it is
    taken out once from their product.
    """
    states = _states(targets, target_lengths, blank)
    emitted = _at_states(log_probs, states)
    steps = log_probs.shape[0]
    lost = scalar(-math.inf, log_probs.dtype, log_probs)
    accepting = _accepting(_places(states.shape[1], log_probs), _vector(target_lengths, log_probs))
    ends = _vector(input_lengths, log_probs)
    may_skip = _may_skip(states, -1)
    beta = aten.full.default(list(states.shape), -math.inf, dtype=log_probs.dtype, device=log_probs.device)
    betas = []
    for t in reversed(range(steps)):
        at_t = aten.select.int(emitted, 0, t)
        last = aten.eq.Tensor(ends, scalar(t + 1, _INDEX, ends))
        begun = aten.where.self(aten.bitwise_and.Tensor(last, accepting), at_t, lost)
        reached = aten.add.Tensor(_step(beta, may_skip, -1), at_t)
        beta = aten.where.self(last, begun, reached)
        betas.append(aten.unsqueeze.default(beta, 0))
    log_beta = aten.cat.default(betas[::-1], 0)
    nll = aten.view.default(neg_log_likelihood, [1, -1, 1])
    paths = aten.add.Tensor(aten.permute.default(log_alpha, [1, 0, 2]), log_beta)
    posterior = aten.exp.default(aten.sub.Tensor(aten.add.Tensor(paths, nll), emitted))
    inside = aten.lt.Tensor(
        aten.view.default(_places(steps, log_probs), [-1, 1, 1]), aten.view.default(ends, [1, -1, 1])
    )
    zero = scalar(0.0, log_probs.dtype, log_probs)
    posterior = aten.where.self(inside, posterior, zero)
    index = aten.expand.default(aten.unsqueeze.default(states, 0), [steps, *states.shape])
    empty = aten.full.default(list(log_probs.shape), 0.0, dtype=log_probs.dtype, device=log_probs.device)
    summed = aten.scatter_add.default(empty, 2, index, posterior)
    slope = aten.sub.Tensor(aten.exp.default(log_probs), summed)
    result = aten.mul.Tensor(slope, aten.view.default(grad, [1, -1, 1]))
    impossible = aten.eq.Tensor(nll, scalar(math.inf, nll.dtype, nll))
    undefined = scalar(0.0 if zero_infinity else math.nan, nll.dtype, nll)
    return aten.where.self(inside, aten.where.self(impossible, undefined, result), zero)
