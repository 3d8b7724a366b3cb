"""Where PyTorch's CPU kernels are wrong or refuse, what the backend runs is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from torchport.contract.graph import Node, TensorSpec, Value
from torchport_conformance import reproduce
from torchport_conformance.report.model import Status
from torchport_reference.openmp_cpu.extern import extern_call

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
FLASH = aten._scaled_dot_product_flash_attention_for_cpu
BACKWARD = aten._scaled_dot_product_flash_attention_for_cpu_backward
Compile = Callable[..., Any]


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def apart(x: torch.Tensor) -> torch.Tensor:
    """The values with the innermost dimension outermost in memory."""
    return x.movedim(-1, 0).contiguous().movedim(0, -1)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_attention_reads_operands_of_any_strides(which: int, compiled: Compile) -> None:
    q, k, v = (random(2, 3, 7, 5, seed=s) for s in range(3))
    given = [apart(t) if i == which else t for i, t in enumerate((q, k, v))]
    want = FLASH(q, k, v, 0.0, True)
    for got, expected in zip(
        compiled(lambda q, k, v: FLASH(q, k, v, 0.0, True), *given)(*given), want, strict=True
    ):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_keeps_what_is_not_finite(dtype: torch.dtype, value: float, compiled: Compile) -> None:
    """PyTorch takes rows of scores that are all NaN to be masked: zeros, and a logarithm of 0."""
    q, k, v = (random(1, 2, n, 8, seed=s).to(dtype) for s, n in enumerate((3, 13, 13)))

    def exact(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> list[torch.Tensor]:
        scores = q.double() @ k.double().transpose(-1, -2) / 8**0.5
        if causal:
            scores = scores.masked_fill(torch.ones(3, 13, dtype=torch.bool).triu(1), -INF)
        top = scores.amax(-1, keepdim=True)
        logarithms = (scores - top).exp().sum(-1).log() + top.squeeze(-1)
        return [scores.softmax(-1) @ v.double(), logarithms]

    def attend(causal: bool) -> Any:
        return compiled(lambda q, k, v: FLASH(q, k, v, 0.0, causal), q, k, v)

    run = {causal: attend(causal) for causal in (False, True)}
    for operand, place in ((0, (0, 1, 2, 3)), (1, (0, 0, 0, 3)), (1, (0, 1)), (2, (0, 1, 5, 3))):
        given = [t.clone() for t in (q, k, v)]
        given[operand][place] = value
        for causal, call in run.items():
            for got, want in zip(call(*given), exact(*given, causal), strict=True):
                torch.testing.assert_close(got.double(), want, rtol=2e-2, atol=2e-2, equal_nan=True)


@pytest.mark.parametrize(("dtype", "mask"), [(torch.float64, torch.float16), (torch.float16, torch.bfloat16)])
def test_attention_takes_masks_of_any_float_dtype(
    dtype: torch.dtype, mask: torch.dtype, compiled: Compile
) -> None:
    q, k, v = (random(2, 3, 7, 4, seed=s).to(dtype) for s in range(3))
    bias = random(2, 3, 7, 7, seed=3).to(mask)
    args = (q, k, v, bias)
    # PyTorch refuses the call, in its shape function as well: the node is made by hand.
    names = ("query", "key", "value", "attn_mask")
    specs = [TensorSpec(tuple(t.shape), t.stride(), t.dtype) for t in args]
    values = tuple((n, Value(n, s)) for n, s in zip(names, specs, strict=True))
    node = Node("n", "aten._scaled_dot_product_flash_attention_for_cpu.default", values, ())
    got, _ = extern_call(node).fresh((q, k, v, 0.0, False), {"attn_mask": bias})
    want, _ = FLASH(*(t.double() for t in (q, k, v)), 0.0, False, attn_mask=bias.double())
    torch.testing.assert_close(got.double(), want, rtol=1e-2, atol=1e-2)


def test_the_gradient_of_attention_reads_operands_of_any_strides_and_precision(compiled: Compile) -> None:
    q, k, v, g = (random(2, 3, 7, 5, seed=s) for s in range(4))
    out, lse = FLASH(q, k, v, 0.0, True)
    want = BACKWARD(g, q, k, v, out, lse, 0.0, True)
    for given in ([apart(t) for t in (g, q, k, v, out)] + [lse], [g, q, k, v, out, lse.double()]):
        got = compiled(lambda *a: BACKWARD(*a, 0.0, True), *given)(*given)
        for a, b in zip(got, want, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_the_gradient_of_attention_keeps_the_nan_of_a_row_that_is_masked_in_part(compiled: Compile) -> None:
    g, q, k, v = (random(1, 2, 5, 4, seed=s) for s in range(4))
    out, lse = FLASH(q, k, v, 0.0, True)
    lse[0, 1, 0] = NAN
    given = (g, q, k, v, out, lse)
    for got in compiled(lambda *a: BACKWARD(*a, 0.0, True), *given)(*given)[1:]:
        # P = exp(scores - logsumexp) has NaN in a whole row, of what is masked as well.
        assert got[0, 1].isnan().all() and got[0, 0].isfinite().all()


def test_integers_of_a_broken_step_are_rounded_one_by_one() -> None:
    # PyTorch refuses the call, in its shape function as well.
    case = "aten.arange.start_step[none-small-start=0-end=5-step=0.75-dtype=int64]"
    assert reproduce("torchport_openmp", case, profile="training").status is Status.PASSED


@pytest.mark.parametrize("value", [NAN, INF])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_value_that_is_not_finite_reaches_what_depends_on_it(
    value: float, dtype: torch.dtype, compiled: Compile
) -> None:
    x, w, g = random(2, 4, 9, 9).to(dtype), random(6, 4, 3, 3, seed=1).to(dtype), random(2, 6, 7, 7, seed=2)
    g = g.to(dtype)
    x[1, 2, 3, 4] = value

    def fn(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        forward = aten.convolution(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
        backward = aten.convolution_backward(
            g, x, w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]
        )
        return forward, *backward

    exact = fn(g.double(), x.double(), w.double())
    for got, want in zip(compiled(fn, g, x, w)(g, x, w), exact, strict=True):
        assert torch.equal(got.isfinite(), want.isfinite())
        kept = want.isfinite()
        torch.testing.assert_close(got[kept].double(), want[kept], rtol=2e-2, atol=0.3)


@pytest.mark.parametrize("depth", [0, 2])
def test_integers_are_scaled_by_the_whole_part_of_factors(depth: int, compiled: Compile) -> None:
    s = torch.arange(24).view(2, 3, 4)
    a, b = torch.ones(2, 3, depth, dtype=torch.int64), torch.ones(2, depth, 4, dtype=torch.int64)
    [got] = compiled(lambda s, a, b: (aten.baddbmm(s, a, b, beta=2.5, alpha=1.0),), s, a, b)(s, a, b)
    assert torch.equal(got, 2 * s + depth)


@pytest.mark.parametrize("channels", [0, 3])
def test_pooling_without_channels_has_a_gradient(channels: int) -> None:
    # PyTorch's shape function refuses it as its kernel does: the node is made by hand.
    g, x = torch.ones(2, channels, 2, 2), torch.zeros(2, channels, 4, 4)
    values = [
        Value(n, TensorSpec(t.shape, t.stride(), t.dtype)) for n, t in (("grad_output", g), ("self", x))
    ]
    node = Node("n", "aten._adaptive_avg_pool2d_backward.default", tuple((v.name, v) for v in values), ())
    out = torch.empty_like(x)
    extern_call(node).into((g, x), {}, (out,))
    assert torch.equal(out, torch.full_like(x, 0.25))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16])
def test_narrow_integers_are_pooled_over_any_number_of_pixels(dtype: torch.dtype, compiled: Compile) -> None:
    x = torch.arange(2 * 64 * 640).view(1, 2, 64, 640).remainder(97).to(dtype)
    pool = aten.max_pool2d_with_indices
    got, indices = compiled(lambda x: pool(x, [4, 4]), x)(x)
    want, places = pool(x.double(), [4, 4])
    assert torch.equal(got, want.to(dtype))
    assert torch.equal(indices, places)
