"""CTC with lengths of every kind, against eager: losses, gradients, and what cannot be aligned."""

from __future__ import annotations

import math
from collections.abc import Iterator

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


def paths(states: list[int], steps: int, at: int) -> Iterator[list[int]]:
    """Every walk through the states from ``at`` on, of so many steps, that ends in one of the last two."""
    if steps == 1:
        if at >= len(states) - 2:
            yield [at]
        return
    for after in (at, at + 1, at + 2):
        skips = after == at + 2
        if after < len(states) and not (skips and states[after] == states[at]):
            yield from ([at, *rest] for rest in paths(states, steps - 1, after))


@pytest.mark.parametrize("target", [[1, 2], [3, 3], [2, 0], [0, 2], [0]])
def test_gradient_is_that_of_all_alignments(target: list[int]) -> None:
    """Also of a target that ends with the blank, which PyTorch excludes and whose gradient it has wrong."""
    log_probs = LOG_PROBS[:4, :1]
    states = [0 if s % 2 == 0 else target[s // 2] for s in range(2 * len(target) + 1)]
    total, visits = 0.0, torch.zeros(4, 4, dtype=torch.float64)
    for first in (0, 1):
        for path in paths(states, 4, first):
            likely = math.exp(sum(float(log_probs[t, 0, states[s]]) for t, s in enumerate(path)))
            total += likely
            for t, s in enumerate(path):
                visits[t, states[s]] += likely
    arguments = (log_probs, torch.tensor([target]), [4], [len(target)])
    nll, log_alpha = ctc_loss(*arguments)
    assert float(nll) == pytest.approx(-math.log(total))
    found = ctc_loss_backward(torch.ones(1, dtype=torch.float64), *arguments, nll, log_alpha, 0)
    torch.testing.assert_close(found[:, 0], log_probs[:, 0].exp() - visits / total)
