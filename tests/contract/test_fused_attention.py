"""Attention with dropout: the backward finds the mask of the forward again; the keyed generator is Philox."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import fused_attention
from torchport.contract.opset import opset


def keyed(size: list[int], seed: int, offset: int) -> torch.Tensor:
    op = opset("1.0").ops["torchport.keyed_uniform.default"].overload
    result: torch.Tensor = op(size, torch.tensor(seed), torch.tensor(offset))
    return result


def test_the_first_word_is_that_of_the_published_answers() -> None:
    """Random123's known answer of philox4x32-10 for a zero counter and key."""
    assert keyed([1], 0, 0).item() == (0x6627E8D5 >> 8) * 2.0**-24


def test_positions_seeds_and_offsets_give_other_numbers() -> None:
    x = keyed([4000], 7, 0)
    assert len(set(x.tolist())) > 3990
    assert torch.equal(keyed([40, 100], 7, 0).flatten(), x)
    for other in (keyed([4000], 8, 0), keyed([4000], 7, 1), keyed([4000], 7 + 2**32, 0)):
        assert (x == other).sum() < 5
    assert abs(x.mean().item() - 0.5) < 6 / (12 * 4000) ** 0.5


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("form", ["flash", "efficient"])
def test_gradients_with_dropout(form: str, causal: bool) -> None:
    p, g = 0.3, torch.Generator().manual_seed(0)
    q, k, v, grad = (torch.randn(2, 3, 5, 4, generator=g, dtype=torch.float64) for _ in range(4))
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    if form == "flash":
        found = fused_attention.flash(q, k, v, p, causal)
        out, lse, words, unused = found[0], found[1], found[6], found[7]
        seed, offset = words.to(torch.int64)
        grads = fused_attention.flash_backward(
            grad, q, k, v, out, lse, None, None, 5, 5, p, causal, words, unused
        )
    else:
        out, lse, seed, offset = fused_attention.efficient(q, k, v, None, True, p, causal)
        grads = fused_attention.efficient_backward(
            grad, q, k, v, None, out, lse, seed, offset, p, [True] * 4, causal
        )[:3]
    kept = keyed([2, 3, 5, 5], int(seed), int(offset)) >= p
    scores = leaves[0] @ leaves[1].mT / 2
    if causal:
        scores = scores.masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), -torch.inf)
    expected = (scores.softmax(-1) * kept / (1 - p)) @ leaves[2]
    expected.backward(grad)
    torch.testing.assert_close(out, expected.detach(), rtol=1e-6, atol=1e-7)
    for got, leaf in zip(grads, leaves, strict=True):
        torch.testing.assert_close(got, leaf.grad, rtol=1e-6, atol=1e-7)
    assert 0.5 < kept.double().mean().item() < 0.9
