"""Margin losses where labels end early, repeat, or come as one vector, against eager."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions.margin_loss import (
    multi_margin_loss,
    multi_margin_loss_backward,
    multilabel_margin_loss,
    multilabel_margin_loss_backward,
)

LABELS = torch.tensor([[3, 0, -1, 1, 2], [1, 1, 2, -1, 0], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
X = torch.randn(4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("row", [slice(None), 0, 1, 2])
def test_labels_end_at_the_first_negative_one_and_may_repeat(reduction: int, row: slice | int) -> None:
    x, labels = X[row], LABELS[row]
    loss, is_target = torch.ops.aten.multilabel_margin_loss_forward.default(x, labels, reduction)
    ours, chosen = multilabel_margin_loss(x, labels, reduction)
    torch.testing.assert_close(ours, loss)
    assert torch.equal(chosen, is_target)
    grad = torch.ones_like(loss) * 0.75
    backward = torch.ops.aten.multilabel_margin_loss_backward.default
    torch.testing.assert_close(
        multilabel_margin_loss_backward(grad, x, labels, reduction, is_target),
        backward(grad, x, labels, reduction, is_target),
    )


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("p", [1, 2])
def test_one_row_is_a_vector_with_one_loss(reduction: int, p: int) -> None:
    x, target, weight = X[0], torch.tensor(2), torch.rand(5, dtype=torch.float64)
    loss = torch.ops.aten.multi_margin_loss.default(x, target, p, 1, weight, reduction)
    torch.testing.assert_close(multi_margin_loss(x, target, p, 1, weight, reduction), loss)
    arguments = (torch.tensor(2.0, dtype=torch.float64), x, target, p, 1, weight, reduction)
    torch.testing.assert_close(
        multi_margin_loss_backward(*arguments),
        torch.ops.aten.multi_margin_loss_backward.default(*arguments),
    )
