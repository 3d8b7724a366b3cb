"""CTC with lengths of every kind, against eager: losses, gradients, and what cannot be aligned."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions.ctc_loss import ctc_loss, ctc_loss_backward

LOG_PROBS = torch.randn(6, 3, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64).log_softmax(
    2
)
ROWS = torch.tensor([[1, 2, 2], [3, 1, 0], [2, 2, 2]])
JOINED = torch.tensor([1, 2, 2, 3, 1, 2])


@pytest.mark.parametrize("blank", [0, 3])
@pytest.mark.parametrize("zero_infinity", [False, True])
@pytest.mark.parametrize(
    ("targets", "inputs", "lengths"),
    [
        (ROWS, [6, 5, 6], [3, 2, 3]),
        (ROWS, [6, 4, 3], [3, 0, 1]),
        (ROWS, [2, 5, 6], [3, 2, 3]),  # the first target does not fit into its input
        (JOINED, [6, 5, 4], [3, 2, 1]),
        (JOINED, [6, 5, 4], [0, 3, 3]),
    ],
)
def test_against_eager(
    targets: torch.Tensor, inputs: list[int], lengths: list[int], zero_infinity: bool, blank: int
) -> None:
    arguments = (LOG_PROBS, targets, inputs, lengths)
    nll, log_alpha = torch.ops.aten._ctc_loss.default(*arguments, blank, zero_infinity)
    ours, variables = ctc_loss(*arguments, blank, zero_infinity)
    torch.testing.assert_close(ours, nll)
    assert variables.shape == log_alpha.shape
    grad = torch.tensor([1.0, 0.5, -2.0], dtype=torch.float64)
    rest = (blank, zero_infinity)
    expected = torch.ops.aten._ctc_loss_backward.default(grad, *arguments, nll, log_alpha, *rest)
    found = ctc_loss_backward(grad, *arguments, ours, variables, *rest)
    torch.testing.assert_close(found, expected, equal_nan=True)
