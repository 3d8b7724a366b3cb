"""Gradients: formats, frozen operands, padding indices, empty operands, repeated and sliced targets."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, judged, leaf, normal

import torchport as tp

PROGRAMS = Programs()


@PROGRAMS.in_layouts(
    lambda d: normal(d, 4, 8, 6, 6),
    lambda d: normal(d, 8),
    lambda d: normal(d, 8),
    grad=True,
    layouts=("channels last", "step 2", "reversed"),
)
def batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, True)


@PROGRAMS.in_layouts(
    lambda d: normal(d, 4, 8, 6, 6), lambda d: torch.zeros(8), lambda d: torch.ones(8), grad=True
)
def batch_norm_with_statistics(x, m, v):
    return F.batch_norm(x, m.detach().clone().to(x.dtype), v.detach().clone().to(x.dtype), None, None, True)


@PROGRAMS.in_layouts(lambda d: normal(d, 2, 4, 10), lambda d: normal(d, 6, 4, 3), grad=True, fuses=1)
def conv1d(x, w):
    return F.conv1d(x, w)


@PROGRAMS.in_layouts(lambda d: normal(d, 1, 3, 4, 4), lambda d: normal(d, 3, 3, 3, 3), grad=True)
def conv2d_stride_2_pad_2(x, w):
    return F.conv2d(x, w, stride=2, padding=2)


@PROGRAMS.in_layouts(lambda d: normal(d, 1, 4, 6, 6), lambda d: normal(d, 4, 1, 3, 3), grad=True)
def conv2d_by_channel(x, w):
    return F.conv2d(x, w, groups=4, padding=1)


@PROGRAMS.in_layouts(lambda d: normal(d, 2, 3, 4), lambda d: normal(d, 3, 4).abs() + 1, grad=True)
def quotient(a, b):
    return a / b


@PROGRAMS.in_layouts(lambda d: normal(d, 1, 0), lambda d: normal(d, 1, 0), grad=True, fuses=1)
def quotient_of_nothing(a, b):
    return (a / b).sum()


@PROGRAMS.in_layouts(lambda d: normal(d, 3, 0), lambda d: normal(d, 0, 5), grad=True)
def product_over_nothing(a, b):
    return a @ b


@PROGRAMS.in_layouts(lambda d: normal(d, 1, 2, 33), grad=True)
def pads(x):
    return (
        F.pad(x, (3, 2), mode="reflect"),
        F.pad(x, (1, 5), mode="replicate"),
        F.pad(x, (2, 2), mode="circular"),
    )


@PROGRAMS.in_layouts(lambda d: normal(d, 1, 1, 65537), grad=True, layouts=("contiguous",), fuses=1)
def reflect_past_65536(x):
    return F.pad(x, (1, 1), mode="reflect") * torch.linspace(0, 1, 65539, dtype=x.dtype)


@PROGRAMS.add(
    lambda d: (normal(d, 2, 4), leaf(d, 4), leaf(d, 4)),
    lambda d: (leaf(d, 2, 4), leaf(d, 4), normal(d, 4)),
    lambda d: (normal(d, 2, 4), normal(d, 4), leaf(d, 4)),
    fuses=1,
)
def layer_norm_frozen(x, w, b):
    return F.layer_norm(x, (4,), w, b).pow(2).sum()


@PROGRAMS.add(
    lambda d: (normal(d, 2, 4, 3), leaf(d, 4), leaf(d, 4)),
    lambda d: (leaf(d, 2, 4, 3), normal(d, 4), normal(d, 4)),
)
def norms_frozen(x, w, b):
    return (F.group_norm(x, 2, w, b).pow(2).sum(), F.batch_norm(x, None, None, w, b, True).pow(2).sum())


@PROGRAMS.add(
    lambda d: (normal(d, 2, 4), leaf(d, 3, 4), leaf(d, 3)),
    lambda d: (leaf(d, 2, 4), normal(d, 3, 4), normal(d, 3)),
)
def linear_frozen(x, w, b):
    return F.linear(x, w, b).pow(2).sum()


@PROGRAMS.add(
    lambda d: (leaf(d, 5, 3), torch.tensor([0, 1, 1, 2])),
    lambda d: (leaf(d, 5, 3), torch.tensor([[0, 0], [4, 0]])),
    fuses=1,
)
def embedding_padding_idx(w, i):
    return (F.embedding(i, w, padding_idx=0), F.embedding(i, w, padding_idx=-1))


@PROGRAMS.add(lambda d: (leaf(d, 5, 3), torch.tensor([[0, 1, 1], [2, 0, 0]])))
def embedding_bag_padding_idx(w, i):
    return (
        F.embedding_bag(i, w, mode="sum", padding_idx=0),
        F.embedding_bag(i, w, mode="mean", padding_idx=0),
    )


@PROGRAMS.add(
    lambda d: (leaf(d, 3, 5), torch.ones(3, dtype=torch.int64)),
    lambda d: (leaf(d, 3, 5), torch.tensor([-100, 2, 4])),
    fuses=1,
)
def cross_entropies(x, t):
    return (
        F.cross_entropy(x, t),
        F.cross_entropy(x, t, reduction="sum", label_smoothing=0.1),
        F.nll_loss(x, t, reduction="none"),
        F.cross_entropy(x, t, weight=torch.arange(1, 6).to(x.dtype)),
    )


@PROGRAMS.add(lambda d: (leaf(d, 2, 8, 4), leaf(d, 2, 4, 4), normal(d, 2, 4)), fuses=1)
def slice_scatter_then_sum(x, y, w):
    return (
        (torch.slice_scatter(x, y, 1, 0, 4).sum(1) * w).sum(),
        torch.select_scatter(x, y[:, 0], 1, 3).sum(1),
        torch.diagonal_scatter(x[0], y[0, 0]).sum(0),
    )


@PROGRAMS.add(lambda d: (leaf(d, 20, 3), leaf(d, 7, 3), normal(d, 3)), fuses=1)
def slice_scatter_of_a_middle(x, y, w):
    return (
        (torch.slice_scatter(x, y, 0, 5, 12).sum(0) * w).sum(),
        torch.slice_scatter(x, y[:5], 0, 1, 20, 4).sum(0),
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
