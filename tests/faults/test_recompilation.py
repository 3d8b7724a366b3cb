"""One compiled object, one thing changed for each call: sizes, numbers, attributes of operators."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, judged, leaf, normal

import torchport as tp

PROGRAMS = Programs()


@PROGRAMS.add(
    *[
        lambda d: (normal(d, 1, 1, 4, 4), 2),
        lambda d: (normal(d, 1, 1, 4, 4), 3),
        lambda d: (normal(d, 1, 1, 4, 4), None),
        lambda d: (normal(d, 1, 1, 4, 4), 2),
    ],
    fuses=2,
)
def avg_pool_divisor(x, k):
    return F.avg_pool2d(x, 2, divisor_override=k)


@PROGRAMS.add(
    lambda d: (normal(d, 5, 1, 3, 4),),
    lambda d: (normal(d, 5, 1, 2, 3),),
    lambda d: (normal(d, 5, 1, 3, 4),),
    dynamic=True,
    fuses=2,
)
def size_is_not_a_tuple(x):
    return x.cos() if x.size() != (5, 1, 2, 3) else x.sin()


@PROGRAMS.add(
    *[lambda d, s=s: (normal(d, *s),) for s in ((4, 4), (4, 5), (8, 8), (2, 3, 4), (4, 4))], dynamic=True
)
def rank_and_equal_sizes(x):
    return x.cos() if x.dim() == 2 and x.size(0) == x.size(1) else x.sin()


@PROGRAMS.add(
    lambda d: (normal(d, 6),),
    lambda d: (normal(d, 7),),
    lambda d: (normal(d, 8),),
    lambda d: (normal(d, 6),),
    dynamic=True,
)
def divisibility(x):
    return x.view(2, -1).sum(0) if x.numel() % 2 == 0 else x * 2


@PROGRAMS.add(
    *[lambda d, s=s: (leaf(d, *s), normal(d, *s)) for s in ((4, 5), (3, 7), (4, 5))], dynamic=True, fuses=2
)
def places_from_the_end(x, y):
    n = x.shape[1] - 2
    return (
        x[:, :n] * x[:, -n:],
        x[:, -n] * 2,
        torch.slice_scatter(y, x[:, :n] * 2, 1, -n),
        torch.slice_scatter(y, x[:, 2:] * 3, 1, 0, n),
        torch.select_scatter(y, x[:, 0], 1, -n),
    )


@PROGRAMS.add(*[lambda d, a=a: (a,) for a in (5, 7, 0, 1, 5)], dynamic=True, fuses=2)
def int_argument(a):
    return (torch.full((3,), a), torch.zeros(a), torch.arange(a) + a)


@PROGRAMS.add(
    *[
        lambda d, a=a: (normal(d, 3), a)
        for a in (5, 7.5, True, -1, 0.0, float("nan"), float("inf"), 2**40, 5)
    ],
    dynamic=True,
)
def number_argument_dynamic(x, a):
    return (x + a, x * a)


@PROGRAMS.add(*[lambda d, a=a: (torch.arange(3), a) for a in (5, 7.5, True, -1, 2)])
def number_argument(x, a):
    return (x + a, x * a, x // 2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
