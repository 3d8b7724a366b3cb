"""The pointwise part of an LSTM step and its gradients.

Hochreiter and Schmidhuber, *Long Short-Term Memory*, Neural Computation 9(8), 1997, with the forget gate of
Gers, Schmidhuber and Cummins (2000). Gates are in the order input, forget, cell, output along the last
dimension.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, widen


def _gates(x: Tensor) -> list[Tensor]:
    """The four quarters of the last dimension."""
    size = x.shape[-1] // 4
    return [aten.slice.Tensor(x, x.dim() - 1, i * size, (i + 1) * size) for i in range(4)]


def fused_lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The hidden and cell states [B, H] after a step, and the activated gates [B, 4·H].

    c' = f c + i g and h' = o tanh(c'), with σ for i, f and o and tanh for g.
    """
    total = widen(input_gates) + widen(hidden_gates)
    if input_bias is not None and hidden_bias is not None:
        total = total + (widen(input_bias) + widen(hidden_bias))
    i, f, g, o = _gates(total)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    cell = f * widen(cx) + i * g
    hidden = o * torch.tanh(cell)
    dtype = cx.dtype
    return narrow(hidden, dtype), narrow(cell, dtype), narrow(torch.cat([i, f, g, o], -1), dtype)


def fused_lstm_cell_backward(
    grad_hy: Tensor | None,
    grad_cy: Tensor | None,
    cx: Tensor,
    cy: Tensor,
    workspace: Tensor,
    has_bias: bool,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Gradients of :func:`fused_lstm_cell` by the gates [B, 4·H], the cell state [B, H] and a bias [4·H].

    All are None where no gradient comes in.
    """
    if grad_hy is None and grad_cy is None:
        return None, None, None
    i, f, g, o = _gates(widen(workspace))
    squashed = torch.tanh(widen(cy))
    one = constant(1, squashed)
    by_hidden = constant(0, squashed) if grad_hy is None else widen(grad_hy)
    by_cell = by_hidden * o * (one - squashed * squashed)
    if grad_cy is not None:
        by_cell = by_cell + widen(grad_cy)
    by_gates = torch.cat(
        [
            by_cell * g * (i * (one - i)),
            by_cell * widen(cx) * (f * (one - f)),
            by_cell * i * (one - g * g),
            by_hidden * squashed * (o * (one - o)),
        ],
        -1,
    )
    by_bias = narrow(by_gates.sum([0]), workspace.dtype) if has_bias else None
    return narrow(by_gates, workspace.dtype), narrow(by_cell * f, cx.dtype), by_bias
