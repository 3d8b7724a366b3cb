"""Products, gates, losses, recurrences, bags and resampling as one operator each."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from torchport.contract.decompositions import activation, embedding, loss, softmax, upsample
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, positions, widen, zeros

MEAN, SUM = 1, 2


def _contiguous(x: Tensor) -> Tensor:
    return x if x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """``x weightᵀ + bias`` over the last dimension of an input of any rank."""
    lead = input.shape[:-1]
    rows = _contiguous(widen(input)).view([prod(lead), input.size(-1)])
    result = torch.mm(rows, widen(weight).permute(1, 0))
    if bias is not None:
        result = result + widen(bias)
    return narrow(result.view([*lead, weight.size(0)]), input.dtype)


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The product over the last dimension of ``self`` and the last but one of ``other``, batches broadcast.

    An operand of rank 1 is a row on the left and a column on the right; its dimension is dropped again.
    """
    a = widen(self).unsqueeze(0) if self.dim() == 1 else widen(self)
    b = widen(other).unsqueeze(1) if other.dim() == 1 else widen(other)
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k, m = a.size(-2), a.size(-1), b.size(-1)
    if b.dim() == 2:
        product = torch.mm(_contiguous(a).view([prod(batch) * n, k]), b)
    else:
        left, right = (
            _contiguous(x.expand([*batch, *x.shape[-2:]])).view([prod(batch), *x.shape[-2:]]) for x in (a, b)
        )
        product = torch.bmm(left, right)
    rows = [] if self.dim() == 1 else [n]
    columns = [] if other.dim() == 1 else [m]
    return narrow(product.view([*batch, *rows, *columns]), self.dtype)


def quantized_linear(
    input: Tensor, weight: Tensor, scales: Tensor, zero_points: Tensor | None, bias: Tensor | None
) -> Tensor:
    """``x Wᵀ + bias`` with ``W[n, j] = (weight[n, j] - zero_points[n, g]) scales[n, g]``, ``g`` the group of
    columns that holds ``j``.
    """
    rows, columns = weight.shape
    groups = scales.size(1)
    w = weight.to(widen(input).dtype).view([rows, groups, columns // groups])
    if zero_points is not None:
        w = w - zero_points.to(w.dtype).unsqueeze(2)
    w = (w * widen(scales).to(w.dtype).unsqueeze(2)).view([rows, columns])
    return narrow(linear(widen(input), w, None if bias is None else widen(bias)), input.dtype)


def expert_dispatch(
    router_logits: Tensor, k: int, renormalize: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The ``k`` most probable experts of each token and their weights; the order that sorts token slots by
    expert, and how many slots each expert has (Shazeer et al., "Outrageously large neural networks", 2017,
    §2).
    """
    probabilities = softmax.softmax(router_logits, -1, False)
    experts = torch.topk(probabilities, k, -1)[1]
    weights = torch.gather(probabilities, -1, experts)
    if renormalize:
        weights = weights / weights.sum([-1], keepdim=True)
    slots = experts.view([router_logits.size(0) * k])
    order = torch.ops.aten.sort.stable(slots, stable=True, dim=0, descending=False)[1]
    chosen = positions(router_logits.size(1), slots).unsqueeze(1) == slots
    return weights, experts, order, chosen.to(torch.int64).sum([1])


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """``silu(gate) up`` (Shazeer, "GLU variants improve transformer", 2020)."""
    return narrow(activation.silu(widen(gate)) * widen(up), gate.dtype)


def swiglu_backward(grad_output: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """With ``s = sigmoid(gate)``: ``g up s (1 + gate (1 - s))`` and ``g gate s``."""
    g, a, b = (widen(x) for x in (grad_output, gate, up))
    s = activation.sigmoid(a)
    slope = s * (constant(1, s) + a * (constant(1, s) - s))
    return narrow(g * b * slope, gate.dtype), narrow(g * a * s, up.dtype)


def geglu(gate: Tensor, up: Tensor, approximate: str) -> Tensor:
    """``gelu(gate) up``."""
    return narrow(activation.gelu(widen(gate), approximate=approximate) * widen(up), gate.dtype)


def silu_and_mul(input: Tensor) -> Tensor:
    """``silu(a) b`` for the two halves (a, b) of the last dimension."""
    half = input.size(-1) // 2
    gate = aten.slice.Tensor(input, -1, 0, half)
    return swiglu(gate, aten.slice.Tensor(input, -1, half, 2 * half))


def gelu_tanh(input: Tensor) -> Tensor:
    """``x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`` (Hendrycks and Gimpel, 2016, §2)."""
    return activation.gelu(input, approximate="tanh")


def relu_squared(input: Tensor) -> Tensor:
    """``max(x, 0)²`` (So et al., "Primer", 2021)."""
    x = activation.relu(widen(input))
    return narrow(x * x, input.dtype)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    """``-log softmax(x)[target]`` over dimension 1 (0 for rank 1), weighted, ignored targets left out.

    Smoothing ε mixes ``1 - ε`` of that with ``ε / C`` of the sum over all classes. ``reduction``: 0 none,
    1 mean over the weights that count, 2 sum.
    """
    x = widen(input)
    dim = 0 if input.dim() == 1 else 1
    scores = softmax.log_softmax(x, dim, False)
    wide = None if weight is None else widen(weight)
    hard, total = loss._nll_loss(scores, target, wide, reduction, ignore_index)
    if label_smoothing == 0:
        return narrow(hard, input.dtype)
    per_class = scores if wide is None else scores * loss._per_class(wide, input)
    spread = torch.neg(per_class.sum([dim]))
    spread = torch.where(target != ignore_index, spread, constant(0, spread))
    if reduction in (MEAN, SUM):
        spread = spread.sum(list(range(spread.dim())))
    if reduction == MEAN:
        spread = spread / total
    share = label_smoothing / input.size(dim)
    return narrow(hard * (1 - label_smoothing) + spread * share, input.dtype)


def cross_entropy_backward(
    grad_output: Tensor,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    """``g w (softmax(x) - onehot)`` with the smoothed target in the place of the one-hot vector."""
    x = widen(input)
    dim = 0 if input.dim() == 1 else 1
    kept = (target != ignore_index).unsqueeze(dim)
    classes = input.size(dim)
    hot = loss._per_class(positions(classes, target), input) == target.unsqueeze(dim)
    one, zero = constant(1, x), constant(0, x)
    goal = torch.where(hot, one, zero) * (1 - label_smoothing)
    if label_smoothing != 0:
        goal = goal + constant(label_smoothing, x) / classes
    counted = torch.where(kept, one, zero)
    if weight is not None:
        per_class = loss._per_class(widen(weight), input)
        goal = goal * per_class
        counted = torch.where(kept, torch.where(hot, per_class, zero).sum([dim], keepdim=True), zero)
    g = widen(grad_output)
    if reduction == MEAN:
        g = g / counted.sum(list(range(counted.dim())))
    g = g.unsqueeze(dim) if g.dim() else g
    p = softmax.softmax(x, dim, False)
    grad = (p * goal.sum([dim], keepdim=True) - goal) * g
    return narrow(torch.where(kept, grad, zero), input.dtype)


def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None, mean: bool
) -> Tensor:
    """The sum (or mean) of the rows in each bag: row ``i`` of ``indices`` [B, L], or the flat indices from
    ``offsets[i]`` up to the next offset.
    """
    rows = embedding.embedding(widen(weight), indices)
    if per_sample_weights is not None:
        rows = rows * widen(per_sample_weights).unsqueeze(-1)
    if offsets is None:
        total = rows.sum([1])
        if mean:
            total = total / max(indices.size(1), 1)
        return narrow(total, weight.dtype)
    bags = offsets.size(0)
    bag = torch.searchsorted(offsets.to(torch.int64), positions(indices.size(0), offsets), right=True) - 1
    total = aten.index_put.default(zeros((bags, weight.size(1)), rows), [bag], rows, True)
    if mean:
        members = positions(bags, offsets).unsqueeze(1) == bag
        count = members.to(rows.dtype).sum([1], keepdim=True)
        total = total / torch.maximum(count, constant(1, count))
    return narrow(total, weight.dtype)


def interpolate(
    input: Tensor, size: Sequence[int], linear: bool, align_corners: bool, scales: Sequence[float] | None
) -> Tensor:
    """Resampling of [N, C, W] or [N, C, H, W]: the nearest element, or linear in each dimension.

    ``scales`` are the factors that positions are computed with; without them the ratio of the sizes.
    """
    axes = input.dim() - 2
    given: list[float | None] = [None] * axes if scales is None else list(scales)
    if axes == 1:
        if linear:
            return upsample.upsample_linear1d(input, size, align_corners, *given)
        return upsample.upsample_nearest1d(input, size, *given)
    if linear:
        return upsample.upsample_bilinear2d(input, size, align_corners, *given)
    return upsample.upsample_nearest2d(input, size, *given)


def _steps(input: Tensor, batch_first: bool, reverse: bool) -> list[Tensor]:
    """The input at each time step, in the order in which it is read."""
    steps = list(torch.unbind(input, 1 if batch_first else 0))
    return steps[::-1] if reverse else steps


def _sequence(steps: list[Tensor], batch_first: bool, reverse: bool) -> Tensor:
    dim = 1 if batch_first else 0
    return torch.cat([s.unsqueeze(dim) for s in (steps[::-1] if reverse else steps)], dim)


def _affine(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    product = torch.mm(x, widen(weight).permute(1, 0))
    return product if bias is None else product + widen(bias)


def lstm(
    input: Tensor,
    h: Tensor,
    c: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor | None,
    bias_hh: Tensor | None,
    batch_first: bool,
    reverse: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """One layer in one direction (Hochreiter and Schmidhuber, 1997, with forget gates): gates i, f, g, o;
    ``c = f c + i g``, ``h = o tanh(c)``. Returns the sequence of h, the last h and the last c.
    """
    state, cell, hidden = widen(h), widen(c), h.size(1)
    outputs = []
    for x in _steps(widen(input), batch_first, reverse):
        gates = _affine(x, weight_ih, bias_ih) + _affine(state, weight_hh, bias_hh)
        i, f, g, o = (aten.slice.Tensor(gates, 1, n * hidden, (n + 1) * hidden) for n in range(4))
        cell = activation.sigmoid(f) * cell + activation.sigmoid(i) * torch.tanh(g)
        state = activation.sigmoid(o) * torch.tanh(cell)
        outputs.append(state)
    sequence = _sequence(outputs, batch_first, reverse)
    return narrow(sequence, input.dtype), narrow(state, h.dtype), narrow(cell, c.dtype)


def gru(
    input: Tensor,
    h: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor | None,
    bias_hh: Tensor | None,
    batch_first: bool,
    reverse: bool,
) -> tuple[Tensor, Tensor]:
    """One layer in one direction (Cho et al., 2014; the reset gate is applied after the product): gates r,
    z, n; ``h = n + z (h - n)``. Returns the sequence of h and the last h.
    """
    state, hidden = widen(h), h.size(1)
    outputs = []
    for x in _steps(widen(input), batch_first, reverse):
        left, right = _affine(x, weight_ih, bias_ih), _affine(state, weight_hh, bias_hh)
        a, b = (
            [aten.slice.Tensor(side, 1, n * hidden, (n + 1) * hidden) for n in range(3)]
            for side in (left, right)
        )
        reset, update = activation.sigmoid(a[0] + b[0]), activation.sigmoid(a[1] + b[1])
        new = torch.tanh(a[2] + reset * b[2])
        state = new + update * (state - new)
        outputs.append(state)
    return narrow(_sequence(outputs, batch_first, reverse), input.dtype), narrow(state, h.dtype)
