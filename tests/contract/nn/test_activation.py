"""Activation functions: values in every precision, special values, symbolic sizes, layouts."""

from __future__ import annotations

import math

import pytest
import torch

from torchport.contract.decompositions import activation as ours

X, G = "x", "g"
UNARY = [
    ("relu", ours.relu, ()),
    ("sigmoid", ours.sigmoid, ()),
    ("silu", ours.silu, ()),
    ("mish", ours.mish, ()),
    ("hardswish", ours.hardswish, ()),
    ("hardsigmoid", ours.hardsigmoid, ()),
    ("threshold", ours.threshold, (0.3, -2.0)),
    ("leaky_relu", ours.leaky_relu, (0.1,)),
    ("elu", ours.elu, (1.5, 0.7, 2.0)),
    ("celu", ours.celu, (1.7,)),
    ("hardtanh", ours.hardtanh, (-0.5, 1.5)),
    ("softplus", ours.softplus, (1.5, 4.0)),
    ("softshrink", ours.softshrink, (0.4,)),
    ("hardshrink", ours.hardshrink, (0.4,)),
    ("log_sigmoid_forward", ours.log_sigmoid_forward, ()),
    ("glu", ours.glu, (1,)),
]
BINARY = [  # operators of (grad, input or result)
    ("silu_backward", ours.silu_backward, ()),
    ("mish_backward", ours.mish_backward, ()),
    ("sigmoid_backward", ours.sigmoid_backward, ()),
    ("tanh_backward", ours.tanh_backward, ()),
    ("threshold_backward", ours.threshold_backward, (0.3,)),
    ("leaky_relu_backward", ours.leaky_relu_backward, (0.1, False)),
    ("hardtanh_backward", ours.hardtanh_backward, (-0.5, 1.5)),
    ("hardswish_backward", ours.hardswish_backward, ()),
    ("hardsigmoid_backward", ours.hardsigmoid_backward, ()),
    ("softplus_backward", ours.softplus_backward, (1.5, 4.0)),
    ("softshrink_backward", ours.softshrink_backward, (0.4,)),
    ("hardshrink_backward", ours.hardshrink_backward, (0.4,)),
]
# Eager's scalar and vector code answer NaN differently here, and each processor's vectors do, so nothing is
# promised about it.
NAN_DIFFERS = ("hardtanh_backward", "softshrink_backward", "hardshrink_backward", "hardswish_backward")
SPECIAL = torch.tensor(
    [math.nan, math.inf, -math.inf, 0.0, -0.0, 3.0, -3.0, 100.0, -100.0, 1e-8], dtype=torch.float64
)


def draw(*shape: int, seed: int = 0, scale: float = 3.0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale


@pytest.mark.parametrize(("name", "decomposition", "rest"), UNARY, ids=[u[0] for u in UNARY])
@pytest.mark.parametrize("shape", [(5, 6), (1, 2), (0, 4), (3, 4, 2)], ids=str)
def test_unary_is_as_accurate_as_eager(name, decomposition, rest, shape, accurate):
    accurate(f"aten.{name}.default", decomposition, [draw(*shape)], lambda f, x: f(x, *rest))


@pytest.mark.parametrize(("name", "decomposition", "rest"), BINARY, ids=[b[0] for b in BINARY])
@pytest.mark.parametrize("transposed", [False, True])
def test_backward_is_as_accurate_as_eager(name, decomposition, rest, transposed, accurate):
    g, x = draw(5, 7, seed=1), draw(5, 7)
    if transposed:
        x = x.t().contiguous().t()
    accurate(f"aten.{name}.default", decomposition, [g, x], lambda f, g, x: f(g, x, *rest))


@pytest.mark.parametrize(("name", "decomposition", "rest"), UNARY[:14], ids=[u[0] for u in UNARY[:14]])
def test_unary_special_values(name, decomposition, rest, accurate):
    accurate(f"aten.{name}.default", decomposition, [SPECIAL], lambda f, x: f(x, *rest), (torch.float32,))


@pytest.mark.parametrize(("name", "decomposition", "rest"), BINARY, ids=[b[0] for b in BINARY])
def test_backward_special_values(name, decomposition, rest, accurate):
    special = SPECIAL[1:] if name in NAN_DIFFERS else SPECIAL
    accurate(
        f"aten.{name}.default",
        decomposition,
        [torch.ones_like(special), special],
        lambda f, g, x: f(g, x, *rest),
        (torch.float32,),
    )


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate, accurate):
    x = torch.cat([draw(200), torch.linspace(-12, 12, 101, dtype=torch.float64)])
    accurate("aten.gelu.default", ours.gelu, [x], lambda f, x: f(x, approximate=approximate))
    accurate(
        "aten.gelu_backward.default",
        ours.gelu_backward,
        [draw(301, seed=1), x],
        lambda f, g, x: f(g, x, approximate=approximate),
    )


@pytest.mark.parametrize("is_result", [False, True])
def test_elu_backward(is_result, accurate):
    x = draw(40)
    if is_result:
        x = torch.where(x > 0, x, torch.expm1(x))
    accurate(
        "aten.elu_backward.default",
        ours.elu_backward,
        [draw(40, seed=1), x],
        lambda f, g, x: f(g, 1.5, 0.7, 2.0, is_result, x),
    )


def test_prelu(accurate):
    x, w, g = draw(2, 3, 4), draw(1, 3, 1, seed=1), draw(2, 3, 4, seed=2)
    accurate("aten._prelu_kernel.default", ours.prelu_kernel, [x, w], lambda f, x, w: f(x, w))
    accurate(
        "aten._prelu_kernel_backward.default",
        ours.prelu_kernel_backward,
        [g, x, w],
        lambda f, g, x, w: f(g, x, w),
    )


def test_glu_backward(accurate):
    accurate(
        "aten.glu_backward.default",
        ours.glu_backward,
        [draw(3, 2, 5), draw(3, 4, 5, seed=1)],
        lambda f, g, x: f(g, x, 1),
    )


def test_log_sigmoid_backward(accurate):
    x, g = draw(30), draw(30, seed=1)
    accurate(
        "aten.log_sigmoid_backward.default",
        ours.log_sigmoid_backward,
        [g, x, torch.exp(-x.abs())],
        lambda f, g, x, b: f(g, x, b),
    )


def test_glu_tangents(accurate):
    x, dx, g, dg = draw(3, 4, 5), draw(3, 4, 5, seed=1), draw(3, 2, 5, seed=2), draw(3, 2, 5, seed=3)
    forward, backward = torch.ops.aten.glu(x, 1), torch.ops.aten.glu_backward(g, x, 1)
    accurate(
        "aten.glu_jvp.default",
        ours.glu_jvp,
        [forward, x, dx],
        lambda f, y, x, dx: f(y, x, dx, 1),
        (torch.float32,),
    )
    accurate(
        "aten.glu_backward_jvp.default",
        ours.glu_backward_jvp,
        [backward, g, x, dg, dx],
        lambda f, *tensors: f(*tensors, 1),
        (torch.float32,),
    )


@pytest.mark.parametrize("eps", [None, 0.2])
def test_logit_backward(eps, accurate):
    x = torch.cat([torch.linspace(-0.25, 1.25, 40, dtype=torch.float64), torch.tensor([0.0, 1.0])])
    accurate(
        "aten.logit_backward.default",
        ours.logit_backward,
        [draw(42), x],
        lambda f, g, x: f(g, x, eps),
        (torch.float32,),
    )


@pytest.mark.parametrize("training", [False, True])
def test_rrelu_backward(training, accurate):
    accurate(
        "aten.rrelu_with_noise_backward.default",
        ours.rrelu_with_noise_backward,
        [draw(40), draw(40, seed=1), draw(40, seed=2)],
        lambda f, g, x, n: f(g, x, n, 0.1, 0.3, training, False),
    )


def test_rrelu_draws_slopes_for_negative_values_only():
    x, noise = draw(4000).float(), torch.zeros(4000)
    output, slopes = ours.rrelu_with_noise_functional(x, noise, 0.25, 0.5, True)
    negative = x <= 0
    assert torch.equal(slopes[~negative], torch.ones_like(slopes[~negative]))
    assert torch.equal(output, x * slopes)
    drawn = slopes[negative]
    assert 0.25 <= drawn.min() < 0.26 and 0.49 < drawn.max() <= 0.5
    assert abs(drawn.mean() - 0.375) < 0.01
    output, slopes = ours.rrelu_with_noise_functional(x, noise, 0.25, 0.5, False)
    assert torch.equal(slopes, noise)
    assert torch.equal(output, torch.where(negative, x * 0.375, x))


@pytest.mark.parametrize(
    "decomposition", [ours.sigmoid, ours.silu, ours.sigmoid_backward, ours.silu_backward, ours.tanh_backward]
)
def test_complex_numbers(decomposition):
    """As eager: the gradients of sigmoid and tanh conjugate the derivative, that of silu does not."""
    z = torch.complex(draw(20), draw(20, seed=1))
    g = torch.complex(draw(20, seed=2), draw(20, seed=3))
    name = decomposition.__name__
    arguments = (g, z) if name.endswith("backward") else (z,)
    expected = getattr(torch.ops.aten, name)(*arguments)
    torch.testing.assert_close(decomposition(*arguments), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("name", "decomposition", "rest"), UNARY, ids=[u[0] for u in UNARY])
def test_unary_keeps_sizes_symbolic(name, decomposition, rest, symbolic):
    symbolic(name, decomposition, [draw(4, 6)], [draw(7, 10)], lambda f, x: f(x, *rest))


@pytest.mark.parametrize(("name", "decomposition", "rest"), BINARY, ids=[b[0] for b in BINARY])
def test_backward_keeps_sizes_symbolic(name, decomposition, rest, symbolic):
    symbolic(
        name,
        decomposition,
        [draw(4, 6), draw(4, 6)],
        [draw(7, 9), draw(7, 9)],
        lambda f, g, x: f(g, x, *rest),
    )


def test_elementwise_results_keep_their_operands_strides():
    x = draw(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert ours.gelu(x).stride() == x.stride()
    assert ours.silu_backward(x, x).stride() == x.stride()
