"""Layouts: results have eager's strides, and are right for every layout of the operands."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, count, judged, leaf, normal

import torchport as tp

PROGRAMS = Programs()


def oddly_strided(d):
    return (
        torch.empty_strided((2, 1, 5), (5, 10, 1), dtype=d).copy_(normal(d, 2, 1, 5)),
        torch.empty_strided((1, 4, 5), (99, 5, 1), dtype=d).copy_(normal(d, 1, 4, 5)),
        normal(d, 2, 9, 9, 16).permute(0, 3, 1, 2),
        normal(d, 3, 4, 5).permute(2, 0, 1),
        normal(d, 6, 8)[::2, ::2],
        normal(d, 1, 4).expand(3, 4),
        normal(d, 2, 3, 4).transpose(0, 1)[:, :1],
    )


@PROGRAMS.in_layouts(
    lambda d: normal(d, 4, 8, 6, 6),
    lambda d: torch.tensor([[0], [1], [5]]),
    lambda d: torch.tensor([0, 2, 2]),
    grad=True,
)
def gathers(x, i, j):
    return (
        torch.ops.aten._unsafe_index(x, [None, None, i, j]),
        x[:, :, i, j],
        x[:, i],
        x[i, :, j],
        x[..., j],
    )


@PROGRAMS.in_layouts(lambda d: normal(d, 2, 3, 5, 6), grad=True)
def pads_keep_the_format(x):
    return (
        F.pad(x, (1, 1, 1, 1)),
        F.pad(x, (0, 0, 1, -1)),
        F.pad(x, (-1, 2), value=3.0),
        F.pad(x, (0, 0, 0, 0, 1, 0)),
    )


@PROGRAMS.add(oddly_strided)
def odd_strides(*xs):
    o = []
    for x in xs:
        o += [
            x.clone(),
            F.gelu(x),
            x.sum(-1),
            x.softmax(-1),
            x.softmax(0),
            x + 1,
            x * x,
            x.to(torch.float64),
            x.to(torch.int32),
            torch.empty_like(x) * 0 == 0 if False else x,
            x > 0,
            torch.where(x > 0, x, 0),
            x.neg().exp(),
            x.sum(0, keepdim=True),
            x.contiguous() + 0,
            torch.zeros_like(x),
            torch.cat([x, x]),
            x.cumsum(0),
            x.flip(0),
            x.roll(1, 0),
            x.relu(),
            F.dropout(x, 0.5, False) + 1,
            x.clamp(0),
            torch.stack([x, x]),
            x.max(-1)[0],
            x.sort(-1)[0],
            F.layer_norm(x, x.shape[-1:]),
            x.repeat(*[1] * x.dim()),
            x.index_select(0, torch.tensor([0])),
            x.gather(0, torch.zeros((1,) * x.dim(), dtype=torch.int64)),
            x.masked_fill(x > 0, 1.0),
            x.tril(),
            x.pow(2),
            torch.lerp(x, x, 0.5),
            x.mean(0),
            x.var(-1),
            torch.nan_to_num(x),
            x.abs(),
            x.log1p(),
            x.round(),
            x.float().half(),
            x.logical_not(),
            x.amax(0),
            x.unfold(-1, 2, 1).clone(),
            x.reshape(-1),
            x.flatten(0, 1),
            x.repeat_interleave(2, 0),
            torch.rand_like(x) > 2,
        ]
    return o


@PROGRAMS.add(lambda d: (normal(d, 1, 10, 1, 4), normal(d, 1, 10, 4)), fuses=1)
def box_decoding(deltas, rois):
    q = rois.unsqueeze(2)
    return (q[..., :2] + q[..., 2:]) * 0.5 + (q[..., 2:] - q[..., :2]) * deltas[..., :2]


@PROGRAMS.add(lambda d: (normal(d, 2, 3, 4, 5).contiguous(memory_format=torch.channels_last),))
def channels_last_then_flat(x):
    return (
        x.roll(1, 1).reshape(-1),
        x.roll(1, 1),
        x.flip(1).reshape(2, -1),
        x.flip(0),
        x.cumsum(1).reshape(-1),
        x.sort(1)[0].reshape(-1),
        F.pad(x, (1, 1)).reshape(-1),
        x.tril().reshape(-1),
        x.index_select(1, torch.tensor([0, 2])).reshape(-1),
        torch.cat([x, x], 1).reshape(-1),
        x.repeat(1, 2, 1, 1).reshape(-1),
        x.gather(1, torch.zeros(2, 1, 4, 5, dtype=torch.int64)).reshape(-1),
        x.softmax(1).reshape(-1),
        x.masked_fill(x > 0, 0.0).reshape(-1),
        x.cumsum(2).reshape(-1),
        x.renorm(2, 0, 1.0).reshape(-1),
        F.max_pool2d(x, 2).reshape(-1),
        F.interpolate(x, scale_factor=2).reshape(-1),
        x.diff(dim=1).reshape(-1),
        x.movedim(1, 2).reshape(-1),
        torch.stack([x, x], 1).reshape(-1),
        x.var(1).reshape(-1),
        x.pow(2).mean(1).reshape(-1),
    )


@PROGRAMS.add(lambda d: (normal(d, 4, 6),))
def no_ops_of_an_input(x):
    return (
        F.pad(x, (0, 0)),
        x.repeat(1, 1),
        x.clone(),
        x.roll(0, 0),
        x.flip([]),
        torch.cat([x]),
        x.tril(100),
        x.to(copy=True),
        x.pow(1),
        torch.expand_copy(x, (4, 6)),
        torch.view_copy(x, (4, 6)),
        x.slice_scatter(x, 0, 0, 4),
        x.clamp(min=float("-inf")),
        x.index_select(0, torch.arange(4)),
        torch.stack([x])[0],
        x.narrow_copy(0, 0, 4),
        x.where(torch.tensor(True), x),
        torch.add(x, 0),
        x.mul(1),
        x.masked_fill(torch.tensor(False), 0),
        x.rot90(0),
        x.cumsum(0)[:1],
        torch.block_diag(x),
        torch.cat([x[:0], x]),
        F.dropout(x, 0.0, True),
        x.round(),
        torch.atleast_2d(x),
        x.contiguous(),
        x.to(x.dtype),
        x.type_as(x),
        x.expand_as(x),
        x.reshape(4, 6),
        x.ravel(),
        x.real,
        x.narrow(0, 0, 4),
        x.squeeze(),
        x.T.T,
        torch.broadcast_to(x, (4, 6)),
        x.as_strided((4, 6), (6, 1)),
        F.interpolate(x[None, None], size=(4, 6)),
        torch.atleast_3d(x),
        x.movedim(0, 0),
        x.tile(1),
    )


@PROGRAMS.add(lambda d: (leaf(d, 4, 6),))
def no_ops_of_a_leaf(x):
    return no_ops_of_an_input(x)


@PROGRAMS.add(lambda d: (count(torch.float16, 9)[:, None].expand(9, 64).contiguous()[1::2],), fuses=1)
def offset_and_step(x):
    return x + x


@PROGRAMS.add(
    lambda d: (torch.zeros(1, 8, dtype=d).expand(4, -1), torch.tensor([1, 3]), torch.ones(2, 8, dtype=d))
)
def writes_into_expanded(z, i, s):
    return (
        z.index_add(0, i, s),
        z.index_copy(0, i, s),
        z.index_fill(0, i, 3.0),
        z.index_put((i,), s),
        z.scatter(0, i[:, None].expand(2, 8), s),
        z.masked_fill(z == 0, 2),
        z.slice_scatter(s, 0, 0, 2),
        z.select_scatter(s[0], 0, 1),
        z.diagonal_scatter(torch.ones(4, dtype=z.dtype)),
    )


@PROGRAMS.add(lambda d: (torch.tensor([1, 3]), torch.ones(2, 8, dtype=d)), fuses=1)
def writes_into_expanded_zeros(i, s):
    z = torch.zeros(1, 8, dtype=s.dtype).expand(4, -1)
    return (
        z.index_add(0, i, s),
        z.index_copy(0, i, s),
        z.clone().index_fill_(0, i, 3.0),
        z.contiguous().index_put_((i,), s),
    )


@PROGRAMS.add(lambda d: (normal(d, 5, 7),), fuses=1)
def order_of_a_transposed_intermediate(x):
    x = x.clone()
    x.sin_()
    return (
        x.t().argmax(),
        x.t().argmin(),
        x.t().reshape(-1),
        x.t().nonzero(),
        x.t().sort().indices,
        x.t().topk(2).indices,
        x.t().cumsum(0),
        x.t()[x.t() > 0],
    )


@PROGRAMS.add(lambda d: (normal(d, 8, 8).t(), normal(d, 8, 8, seed=1)), fuses=1)
def indices_of_a_fused_sum(a, b):
    return (
        (a + b).max(dim=1),
        (a + b).min(dim=0),
        (a * b).argmax(1),
        (a - b).sort(dim=0),
        (a + b).median(dim=0),
        (a + b).kthvalue(2, 1),
        (a + b).cummax(0),
    )


@PROGRAMS.add(
    lambda d: (torch.tensor([[True]]), normal(d, 13, 7, 3), torch.full((1, 1), 2.0, dtype=d)),
    lambda d: (torch.tensor([[False]]), normal(d, 13, 7, 3), torch.full((1, 1), 2.0, dtype=d)),
    fuses=1,
)
def broadcast_condition(c, a, b):
    return (
        torch.where(c, a, b),
        torch.where(c, b, a),
        a.masked_fill(c, 3.0),
        torch.where(c.squeeze(), a, 1.0),
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
