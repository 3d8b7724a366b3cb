"""The fused LSTM step against PyTorch's cell and its autograd: it has no kernel on the host."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import recurrent as ours


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("given", ["both", "hidden", "cell"])
def test_step_and_gradients(biased, given):
    x, h, c = draw(3, 5), draw(3, 4, seed=1), draw(3, 4, seed=2)
    w_x, w_h = draw(16, 5, seed=3), draw(16, 4, seed=4)
    bias = [draw(16, seed=5), draw(16, seed=6)] if biased else [None, None]
    by_x, by_h = (x @ w_x.t()).requires_grad_(), (h @ w_h.t()).requires_grad_()
    cell = c.clone().requires_grad_()
    total = by_x + by_h if not biased else by_x + by_h + bias[0] + bias[1]
    eye, none = torch.eye(16, dtype=torch.float64), torch.zeros(16, 16, dtype=torch.float64)
    zero = torch.zeros(16, dtype=torch.float64)
    hidden, state = torch.lstm_cell(total, (h, cell), eye, none[:, :4], zero, zero)
    hy, cy, workspace = ours.fused_lstm_cell(by_x.detach(), by_h.detach(), c, *bias)
    torch.testing.assert_close(hy, hidden)
    torch.testing.assert_close(cy, state)
    grads = [
        draw(3, 4, seed=7) if given != "cell" else None,
        draw(3, 4, seed=8) if given != "hidden" else None,
    ]
    loss = sum((y * g).sum() for y, g in zip((hidden, state), grads, strict=True) if g is not None)
    want = torch.autograd.grad(loss, [by_x, cell])
    by_gates, by_cell, by_bias = ours.fused_lstm_cell_backward(*grads, c, cy, workspace, biased)
    torch.testing.assert_close(by_gates, want[0])
    torch.testing.assert_close(by_cell, want[1])
    if biased:
        torch.testing.assert_close(by_bias, want[0].sum(0))
    else:
        assert by_bias is None
