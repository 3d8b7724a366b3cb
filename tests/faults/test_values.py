"""Values that optimizers get wrong: wrapping, NaN, zeros, constants, numbers out of range, nothing at all."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, count, judged, normal
from torch import nn

import torchport as tp

PROGRAMS = Programs()


def wraps(d):
    out = []
    for dt in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        i = torch.iinfo(dt)
        out.append(torch.tensor([0, 1, 2, 7, i.max, i.max - 1, i.min, i.min + 1], dtype=dt))
    return (out,)


@PROGRAMS.in_layouts(lambda d: normal(d, 0, 3), fuses=1)
def reductions_of_nothing(a):
    return (
        a.argmin(1).view(0),
        (a.sum(1), a.sum(0), a.prod(0), a.softmax(1), a.cumsum(0), a.mean(1), torch.cat([a, a])),
    )


@PROGRAMS.add(lambda d: (torch.tensor(1.0), torch.arange(5.0)), fuses=1)
def windows_of_a_number(x, y):
    return (torch.unfold_copy(x, 0, 1, 1), torch.unfold_copy(y, 0, 2, 3), x.unfold(0, 1, 1))


@PROGRAMS.add(lambda d: (torch.tensor(2.0),))
def operators_on_a_number(x):
    return (
        x.sum(),
        x.sum(0),
        x.argmax(0),
        x.sort(),
        x.cumsum(0),
        x.softmax(0),
        x.unsqueeze(0),
        x.flip(()),
        x.topk(1),
        x.median(),
        x.view(1, 1),
        x.expand(3),
        x.var(0, correction=0),
        x.amax(),
        x.logsumexp(0),
    )


@PROGRAMS.add(lambda d: (torch.tensor([float("nan"), float("inf"), 1.0, -0.0]),), fuses=1)
def products_with_zero(x):
    return (x * 0, x - x, x / x, x * 0 + 0.0, 0 * x, x**0, torch.zeros_like(x) * x)


@PROGRAMS.add(lambda d: (torch.tensor([1.0, -2.0, float("nan"), float("-inf")]),))
def identities_on_nan_and_zero(x):
    return (
        x + 0.0,
        x * 1,
        x - 0.0,
        x / 1,
        x.pow(1),
        x.abs().sqrt().square(),
        torch.maximum(x, x),
        x.clamp(min=0, max=-1),
        x.relu(),
        x > float("-inf"),
    )


@PROGRAMS.add(lambda d: (), fuses=1)
def products_of_aranges():
    return (
        torch.arange(0, 9) * torch.tensor([1500000000]),
        torch.arange(5) * 2**40,
        torch.arange(3, dtype=torch.int32) * 2**30,
        torch.arange(2**24, 2**24 + 3).float(),
        torch.arange(0, 3) * torch.arange(2**31, 2**31 + 3),
    )


@PROGRAMS.add(lambda d: (torch.tensor(6, dtype=torch.uint8), torch.tensor(4, dtype=torch.uint8)), fuses=1)
def negated_uint8_is_compared(a, b):
    v = torch.neg(a)
    return (v, torch.lt(v, b), v.to(torch.int32), v + b, v // b, a - b - b > 0)


@PROGRAMS.add(wraps, fuses=1)
def wraps_are_followed(ts):
    o = []
    for t in ts:
        n = -t
        a = t + 1
        m = t * 3
        s = t - 2
        o += [
            n,
            a,
            m,
            s,
            n < t,
            a > t,
            m.to(torch.int64) // 2,
            s.float(),
            n + torch.ones(8),
            a >> 1,
            m // 7,
            s == t,
            (t * t).to(torch.int64),
            a.to(torch.float64),
            torch.where(a > t, a, n),
        ]
    return o


@PROGRAMS.add(lambda d: (torch.tensor([[1.0, 2.0], [3.0, 4.0]]),), fuses=1)
def constants_wrap(x):
    c = torch.tensor(7, dtype=torch.uint8)
    return (torch.neg(c) + x, c - 8 + x, c * 40 + x)


@PROGRAMS.add(lambda d: (), fuses=1)
def constants_are_nan():
    o = torch.ones(2, 2)
    return (
        torch.softmax(torch.arccosh(torch.log2(torch.atan2(o, o))), -1),
        torch.sqrt(-o),
        torch.log(-o),
        o / 0,
        (o - o) / (o - o),
        torch.full((2,), float("nan")).max(),
    )


@PROGRAMS.add(lambda d: (normal(d, 4),), fuses=1)
def rrelu_in_eval(x):
    return (F.rrelu(x - 1, training=False), F.rrelu(x, 0.1, 0.9, False), nn.RReLU().eval()(x - 2))


@PROGRAMS.add(lambda d: ((normal(d, 2, 64) > 0).to(d),), fuses=1)
def sizes_from_data(x):
    return (torch.where(x), x.nonzero(), x.nonzero(as_tuple=True), x[x > 0])


@PROGRAMS.add(lambda d: (torch.tensor([[-10, -10]]), normal(d, 2, 4)), dynamic=True, fuses=1)
def repeated_index_is_added_once(x, y):
    x = x + 10
    y[x] += y[x]


@PROGRAMS.add(lambda d: (torch.zeros(8, 2, 4, dtype=d), torch.tensor([5, 5, 5, 7]), normal(d, 4, 2, 4)))
def index_put_accumulates(c, s, v):
    c.index_put_((s,), v, accumulate=True)
    return c


@PROGRAMS.add(
    lambda d: (
        torch.zeros(8, 2, 4, dtype=torch.bfloat16),
        torch.tensor([5, 5, 5, 7]),
        count(torch.bfloat16, 4, 2, 4),
    ),
    fuses=1,
)
def index_put_accumulates_bfloat16(c, s, v):
    c.index_put_((s,), v, accumulate=True)
    return c


@PROGRAMS.add(lambda d: (torch.zeros(6, 3, dtype=d), torch.tensor([1, 1, 2]), normal(d, 3, 3)))
def scatters_of_repeated_indices(c, s, v):
    return (
        c.index_add(0, s, v),
        c.scatter_add(0, s[:, None].expand(3, 3), v),
        c.scatter_reduce(0, s[:, None].expand(3, 3), v, "amax", include_self=False),
    )


@PROGRAMS.add(lambda d: (normal(torch.float32, 4),), fuses=1)
def clamp_past_float32(x):
    return x.clamp(min=-3.4e39, max=3.4e39)


@PROGRAMS.add(lambda d: (normal(torch.float16, 4),))
def clamp_past_float16(x):
    return x.clamp(min=-70000.0)


@PROGRAMS.add(lambda d: (torch.arange(4, dtype=torch.uint8),))
def clamp_below_uint8(x):
    return (x.clamp(min=-1),)


@PROGRAMS.add(lambda d: (torch.arange(4, dtype=torch.int8),))
def fill_past_int8(x):
    return x.fill_(300)


@PROGRAMS.add(lambda d: (torch.arange(4, dtype=torch.int8),))
def full_past_int8(x):
    return torch.full((2,), 300, dtype=torch.int8)


@PROGRAMS.add(lambda d: (torch.arange(4, dtype=torch.int8),))
def sum_past_int8(x):
    return x + 300


@PROGRAMS.add(lambda d: (normal(torch.float32, 4),))
def sum_past_float32(x):
    return (x + 3.5e38, x * 1e300)


@PROGRAMS.add(lambda d: (normal(torch.float16, 4),))
def masked_fill_past_float16(x):
    return x.masked_fill(x > 0, -1000000000.0)


@PROGRAMS.add(lambda d: (normal(torch.float32, 4),))
def where_past_float32(x):
    return (torch.where(x > 0, x, 1e300), torch.full_like(x, 1e300))


@PROGRAMS.add(
    lambda d: (normal(torch.float16, 1, 1), normal(d, 1, 1)),
    lambda d: (normal(torch.float16, 1, 1), normal(torch.float16, 1, 1)),
    fuses=1,
)
def linear_of_two_dtypes(x, w):
    return F.linear(x, w)


@PROGRAMS.add(lambda d: (normal(torch.float16, 2, 3), normal(torch.float32, 3, 2)))
def product_of_two_dtypes(x, w):
    return x @ w


@PROGRAMS.add(lambda d: (normal(torch.bfloat16, 1, 3, 4, 4), normal(torch.float32, 3, 3, 1, 1)))
def conv_of_two_dtypes(x, w):
    return F.conv2d(x, w)


@PROGRAMS.add(lambda d: (normal(torch.float32, 2, 3), torch.tensor([0, 1], dtype=torch.float32)))
def float_index(x, i):
    return x.index_select(0, i)


@PROGRAMS.add(lambda d: (normal(torch.float32, 2, 3), torch.tensor([0.0, 1.0])))
def float_target(x, t):
    return F.nll_loss(x, t)


@PROGRAMS.add(lambda d: (normal(d, 2, 3), normal(d, 4, 5)))
def sizes_that_do_not_broadcast(x, y):
    return x + y


@PROGRAMS.add(lambda d: (normal(d, 2, 3), normal(d, 4, 5)))
def sizes_that_do_not_multiply(x, y):
    return x @ y


@PROGRAMS.add(lambda d: (torch.tensor([1, 2]), normal(torch.float32, 2)))
def float_into_int(i, x):
    i.add_(x)
    return i


@PROGRAMS.add(lambda d: (torch.tensor([True, False]),))
def negated_bool(x):
    return -x


@PROGRAMS.add(lambda d: (torch.tensor([3, 4]),))
def quotient_into_int(x):
    x.div_(2)
    return x


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
