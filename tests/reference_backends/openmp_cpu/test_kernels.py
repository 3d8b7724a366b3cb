"""Generated kernels against eager PyTorch and float64, several operators to a build, sizes fixed and open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from torchport.errors import RunError

aten = torch.ops.aten
SPECIAL = torch.tensor(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        float("inf"),
        -float("inf"),
        float("nan"),
        2.5,
        -2.5,
        1e-40,
        3e38,
        0.5,
        1.5,
        -0.5,
        100.0,
        -100.0,
    ]
)


def _values(seed: int) -> torch.Tensor:
    random = torch.randn(7 * 31 - 16, generator=torch.Generator().manual_seed(seed)) * 3
    return torch.cat([SPECIAL, random] if seed % 2 else [random, SPECIAL]).view(7, 31)


def _integers(low: int, high: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.randint(low, high, (7, 31), generator=torch.Generator().manual_seed(low + high), dtype=dtype)


X, Y = _values(1), _values(2)
INT, DIVISOR = _integers(-100, 100), _integers(1, 9)
I32, I16 = _integers(-9, 100, torch.int32), _integers(-30000, 30000, torch.int16)
I8, U8 = _integers(-128, 127, torch.int8), _integers(0, 255, torch.uint8)
B = X > 0
W = torch.randn(5, 6, 40, generator=torch.Generator().manual_seed(3))
C = torch.randn(3, 4, 8, 8, generator=torch.Generator().manual_seed(4))
LAST = C.to(memory_format=torch.channels_last)
IDS = torch.randint(0, 5, (3, 7), generator=torch.Generator().manual_seed(5))
EMPTY, SCALAR, ONE = torch.empty(0, 5), torch.tensor(3.5), torch.randn(1, 1, 9)


def softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def layer_norm_backward(dy: torch.Tensor, x: torch.Tensor, g: torch.Tensor) -> tuple[torch.Tensor, ...]:
    mean = x.mean(-1, keepdim=True)
    rstd = (((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5).rsqrt()
    hat, t = (x - mean) * rstd, dy * g
    dx = rstd * (t - t.mean(-1, keepdim=True) - hat * (t * hat).mean(-1, keepdim=True))
    return dx, (dy * hat).sum(0), dy.sum(0), (x - 1).amax(0)


GROUPS: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "arithmetic": (
        lambda x, y: (
            *(
                x + y,
                x - y,
                x * y,
                x / y,
                torch.add(x, y, alpha=2.5),
                torch.rsub(x, y),
                2 - x,
                1 / x,
                -x,
                x.abs(),
                x.sign(),
            ),
            *(
                torch.maximum(x, y),
                torch.minimum(x, y),
                x.clamp(-1, 1),
                x.clamp_min(0.3),
                x.relu(),
                torch.copysign(x, y),
            ),
        ),
        (X, Y),
    ),
    "functions": (
        lambda x: (
            *(
                x.exp(),
                x.exp2(),
                x.expm1(),
                x.log(),
                x.log1p(),
                x.log2(),
                x.log10(),
                x.sin(),
                x.cos(),
                x.tan(),
                x.asin(),
            ),
            *(
                x.acos(),
                x.atan(),
                x.sinh(),
                x.cosh(),
                x.tanh(),
                x.asinh(),
                x.acosh(),
                x.atanh(),
                x.sqrt(),
                x.rsqrt(),
            ),
            *(x.erf(), x.erfc(), x.lgamma(), x.sigmoid(), x.reciprocal()),
        ),
        (X,),
    ),
    "rounding and powers": (
        lambda x, y: (
            *(
                x.floor(),
                x.ceil(),
                x.trunc(),
                x.round(),
                torch.remainder(x, y),
                torch.fmod(x, y),
                x**2,
                x**3,
                x**0.5,
                x**-1,
            ),
            *(
                torch.div(x, y, rounding_mode="floor"),
                torch.div(x, y, rounding_mode="trunc"),
                x**1.7,
                x**y,
                2.0**x,
            ),
            *(torch.atan2(x, y), torch.hypot(x, y), torch.nextafter(x, y)),
        ),
        (X, Y),
    ),
    "comparison and logic": (
        lambda x, y, i, b: (
            *(
                x < y,
                x <= y,
                x > y,
                x >= y,
                x == y,
                x != y,
                x > 0.1,
                i > 2.5,
                i == 3,
                x.isnan(),
                x.isinf(),
                x.isfinite(),
            ),
            *(
                i.isnan(),
                x.signbit(),
                i.signbit(),
                b & (x > y),
                b | (x > y),
                b ^ (x > y),
                ~b,
                x.logical_and(y),
                b * b,
                b + b,
            ),
            *(
                i.logical_or(b),
                x.logical_not(),
                torch.where(b, x, y),
                torch.where(b, i, y),
                x.masked_fill(b, -float("inf")),
            ),
        ),
        (X, Y, INT, B),
    ),
    "integers": (
        lambda i, j, k, u, a, s: (
            *(
                i + j,
                i * j,
                i - k,
                i // 3,
                i % 7,
                torch.fmod(i, -3),
                torch.div(i, -5, rounding_mode="trunc"),
                i / j,
                i + 1.5,
            ),
            *(
                u + u,
                u * 3,
                u - 200,
                a + a,
                a * a,
                -a,
                a.abs(),
                s * s,
                i & j,
                i | j,
                i ^ j,
                ~i,
                torch.bitwise_left_shift(i, 2),
            ),
            *(
                torch.bitwise_right_shift(i, 2),
                torch.bitwise_right_shift(u, 1),
                torch.bitwise_left_shift(s, 3),
            ),
            *(
                torch.maximum(i, j),
                i.clamp(-3, 3),
                i.sum(),
                u.sum(-1),
                i.amax(0),
                u.amin(1),
                i.prod(1),
                u.argmax(0),
            ),
        ),
        (INT, DIVISOR, I32, U8, I8, I16),
    ),
    "casts": (
        lambda x, i, b, u: (
            *(
                x.bfloat16(),
                x.half(),
                x.double(),
                i.float(),
                i.to(torch.uint8),
                b.float(),
                b.long(),
                i.bool(),
                x.bool(),
            ),
            *(
                u.bfloat16(),
                x.bfloat16().float(),
                i.half(),
                u.to(torch.int8),
                i.to(torch.int16),
                b.sum(),
                b.amax(1),
            ),
        ),
        (X, INT, B, U8),
    ),
    "half precision": (
        lambda h, f: (
            h + h,
            h * f,
            h.exp(),
            h + 1,
            h.sum(-1),
            h.mean(0),
            h.amax(-1),
            h + f.sum(),
            h.float() + f,
        ),
        (X.nan_to_num(0, 2, -2).clamp(-20, 20).bfloat16(), Y.nan_to_num(0, 2, -2)),
    ),
    "reductions": (
        lambda w, x: (
            *(
                w.sum(),
                w.sum(-1),
                w.sum(0),
                w.sum(1),
                w.sum((0, 2)),
                w.mean(1, keepdim=True),
                x.amax(-1),
                x.amin(0),
                x.max(),
            ),
            *(
                w.prod(1),
                w.argmax(),
                x.argmax(-1),
                x.argmin(0),
                w.argmin(1, keepdim=True),
                (w > 1).any(),
                (w > -9).all(0),
            ),
            *(*w.max(-1), *w.min(0)),
        ),
        (W, X),
    ),
    "views": (
        lambda c: (
            *(
                c.permute(0, 2, 3, 1).contiguous(),
                c.transpose(1, 2).contiguous().view(24, 32) + 1,
                c.flip(1, 3) + 0,
            ),
            *(
                c.roll((1, -2), (0, 3)) * 1,
                c[:, 1:3, ::2].clone(),
                c.select(1, 2) * 1,
                c.diagonal(0, 2, 3) + 0,
                c.triu(1),
            ),
            *(
                c.reshape(12, 64).t().contiguous(),
                c.repeat(1, 2, 1, 1) + 0,
                c.unsqueeze(1).expand(3, 2, 4, 8, 8) + 1,
            ),
        ),
        (C,),
    ),
    "channels last": (
        lambda c, d: (c * 2, c + d, c.sum((0, 2, 3)), softmax(c, 1), c.permute(0, 2, 3, 1).contiguous() + 1),
        (LAST, C),
    ),
    "transposed operands": (
        lambda x, y, z: (
            x.t() + y,
            x.t().exp().contiguous(),
            z.permute(2, 0, 1) * z.sum(),
            y.t().contiguous() - x,
        ),
        (torch.randn(101, 70), torch.randn(70, 101), torch.randn(17, 3, 37)),
    ),
    "joining": (
        lambda w, c: (
            *(
                torch.cat([w, w * 2], 1),
                torch.stack([w, w + 1], -1),
                aten.constant_pad_nd(c, [1, 2, 0, 3], 1.5),
            ),
            *(aten.constant_pad_nd(c, [-1, 2, 0, -3], 0.0), torch.slice_scatter(c, c[:, :2] * 0, 1, 1, 3)),
            *(
                torch.select_scatter(c, c[:, 0] * 3, 1, 2),
                torch.slice_scatter(c, c[:, :, ::2] * 0 + 1, 2, 0, 8, 2),
            ),
        ),
        (W, C),
    ),
    "indexing": (
        lambda w, i, m: (
            w[i],
            F.embedding(i, m),
            w[:, i[0]],
            w[i, i],
            w[-i],
            w[i, 1:3] * 2,
            softmax(m[i]),
            m.gather(1, i[:, :4]),
        ),
        (W, IDS, torch.randn(11, 24)),
    ),
    "creation": (
        lambda x: (
            *(
                torch.arange(7) * 1,
                torch.arange(0, 1, 0.1) + 0,
                torch.full((3, 4), 2.5),
                torch.ones_like(x) * 2,
            ),
            *(
                torch.arange(5)[:, None] <= torch.arange(5)[None],
                torch.full((), 7),
                x.new_zeros(3, dtype=torch.int64),
            ),
        ),
        (X,),
    ),
    "empty, single and 0-d": (
        lambda e, z, o: (
            *(
                e + 1,
                e.sum(),
                e.sum(0),
                e.prod(1),
                (e > 0).any(),
                (e > 0).all(),
                z * 2,
                z.exp(),
                z.sum(),
                z.mean(),
                o + z,
            ),
            *(o.sum(-1), softmax(o), torch.cat([e, e]), z.argmax(), o.argmax(0)),
        ),
        (EMPTY, SCALAR, ONE),
    ),
    "rows and columns": (
        layer_norm_backward,
        (torch.randn(2000, 50), torch.randn(2000, 50), torch.randn(50)),
    ),
    "square": (layer_norm_backward, (torch.randn(40, 40), torch.randn(40, 40), torch.randn(40))),
    "split reductions": (
        lambda x, m: (
            x.sum(),
            x.mean(),
            x.amax(),
            x.argmax(),
            m.sum(0),
            m.amax(0),
            m.argmin(0),
            (m * 2).sum(),
            (m > 0.999).any(0),
        ),
        (torch.rand(70001), torch.rand(3001, 50)),
    ),
    "softmax along any dimension": (
        lambda w, x: (softmax(w), softmax(w, 0), softmax(w, 1), softmax(x)),
        (W, X),
    ),
}
LONG = ("rows and columns", "split reductions")
EPS = {torch.float32: 2**-23, torch.float64: 2**-52, torch.bfloat16: 2**-8, torch.float16: 2**-10}


def error(got: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """Distance to the exact result: 0 where both are the same infinity or NaN, infinite where only one is."""
    got, exact = got.double(), exact.double()
    same = (got == exact) | (got.isnan() & exact.isnan())
    finite = got.isfinite() & exact.isfinite()
    return torch.where(same, 0.0, torch.where(finite, (got - exact).abs(), torch.inf))


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize("name", GROUPS)
def test_matches_eager_within_the_float64_rule(name: str, mode: str, compiled: Any) -> None:
    fn, args = GROUPS[name]
    run = compiled(fn, *args, mode=mode)
    got, eager = run(*args), fn(*args)
    exact = fn(*(a.double() if a.is_floating_point() else a for a in args))
    assert len(got) == len(eager)
    for position, (ours, theirs, reference) in enumerate(zip(got, eager, exact, strict=True)):
        where = f"output {position}: {run.region.graph.producers[run.region.output_values[position].name].op}"
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        if not ours.dtype.is_floating_point:
            assert torch.equal(ours, theirs), where
            continue
        finite = reference[reference.isfinite()].abs().double()
        scale = (
            finite.max()
            if finite.numel() and name not in ("arithmetic", "functions", "casts")
            else torch.tensor(0.0)
        )
        magnitude = reference.double().abs().nan_to_num(0, 0, 0)
        length = 64 if name in LONG else 2
        bound = 2 * error(theirs, reference) + EPS[ours.dtype] * (4 * magnitude + length * scale) + 1e-37
        assert bool((error(ours, reference) <= bound).all()), where


def test_one_build_serves_every_size(compiled: Any) -> None:
    run = compiled(
        lambda x, g: layer_norm_backward(x, x * 2, g), torch.randn(9, 33), torch.randn(33), mode="symbolic"
    )
    for rows, columns in ((1, 2), (3, 16), (200, 7), (2, 4097), (1500, 40)):
        x, g = torch.randn(rows, columns), torch.randn(columns)
        for ours, exact in zip(
            run(x, g), layer_norm_backward(x.double(), x.double() * 2, g.double()), strict=True
        ):
            torch.testing.assert_close(
                ours.double(), exact, rtol=1e-4, atol=1e-4 * float(exact.abs().max() + 1)
            )


@pytest.mark.parametrize(
    ("fn", "index"),
    [
        (lambda w, i: (w[i],), torch.tensor([0, 5])),
        (lambda w, i: (w[i],), torch.tensor([-6, 0])),
        (lambda w, i: (F.embedding(i, w),), torch.tensor([0, -1])),
        (lambda w, i: (w.gather(0, i[:, None]),), torch.tensor([4, 5])),
        (lambda w, i: (w.index_select(0, i).sum(0),), torch.tensor([1, 1 << 40])),
    ],
)
def test_an_index_out_of_range_is_an_error(fn: Any, index: torch.Tensor, compiled: Any) -> None:
    run = compiled(fn, torch.randn(5, 3), torch.tensor([0, 1]))
    assert len(run(torch.randn(5, 3), torch.tensor([4, 0]))) == 1
    with pytest.raises(RunError, match="size 5"):
        run(torch.randn(5, 3), index)


def test_results_repeat_for_any_number_of_threads(compiled: Any) -> None:
    args = (torch.randn(1000, 70), torch.randn(1000, 70), torch.randn(70))
    run = compiled(lambda a, b, c: (*layer_norm_backward(a, b, c), a.sum(), b.mean(0)), *args)
    first = run(*args)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for ours, again in zip(first, run(*args), strict=True):
            assert torch.equal(ours, again)
    finally:
        torch.set_num_threads(before)


def test_an_input_and_a_repeated_value_are_returned_as_copies(compiled: Any) -> None:
    x = torch.randn(4, 5)
    a, b, c = compiled(lambda x: (x, y := x + 1, y), x)(x)
    assert torch.equal(a, x) and torch.equal(b, x + 1) and torch.equal(c, x + 1)
    assert len({t.data_ptr() for t in (x, a, b, c)}) == 4


def test_products_read_views_of_what_kernels_store(compiled: Any) -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        h = (x.view(6, 8) + 1).mm(w.t()).view(2, 3, 8)
        return h.transpose(1, 2).contiguous().view(16, 3).t().mm(
            h.exp().reshape(6, 8)[:, :2].repeat(8, 1)[:16]
        ), h

    x, w = torch.randn(2, 3, 8), torch.randn(8, 8)
    for ours, exact in zip(compiled(fn, x, w)(x, w), fn(x.double(), w.double()), strict=True):
        torch.testing.assert_close(ours.double(), exact, rtol=1e-4, atol=1e-4)
