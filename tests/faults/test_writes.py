"""Writes to inputs and through views: order, overlap, strides, and what eager refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, count, judged, leaf, normal

import torchport as tp

PROGRAMS = Programs()


def plain(d):
    return (normal(d, 4, 6),)


def tracked(d):
    return (leaf(d, 4, 6),)


def overlapping(d):
    b = torch.ones(8, dtype=d)
    return (b[:4], b[2:6])


def disjoint(d):
    return (torch.ones(4, dtype=d), torch.ones(4, dtype=d))


def neighbours(d):
    b = torch.ones(8, dtype=d)
    return (b[:4], b[4:])


def one_twice(d):
    b = torch.ones(4, dtype=d)
    return (b, b)


def one_and_its_view(d):
    b = torch.ones(4, dtype=d)
    return (b, b.view(4))


@PROGRAMS.add(disjoint, overlapping, neighbours, one_twice, one_and_its_view, disjoint, fuses=3)
def written_input_comes_to_overlap(x, y):
    x.mul_(2)
    return x + y


@PROGRAMS.add(overlapping, disjoint)
def overlap_ends(x, y):
    x.mul_(2)
    y.add_(1)
    return x - y


@PROGRAMS.add(disjoint, neighbours, overlapping, one_twice, one_and_its_view, dynamic=True)
def written_input_comes_to_overlap_dynamic(x, y):
    x.mul_(2)
    return x + y


@PROGRAMS.add(lambda d: (count(d, 4, 6),), fuses=1)
def gapped_unfold(x):
    v = x.unfold(1, 1, 5)
    v.add_(v)
    return x


@PROGRAMS.add(lambda d: (count(d, 24),))
def gapped_unfold_of_a_view(x):
    v = x.view(24).unfold(0, 8, 24)
    v.fill_(3)
    return x


@PROGRAMS.add(lambda d: (count(d, 24),))
def gapped_unfold_of_an_intermediate(x):
    y = x + 1
    v = y.unfold(0, 2, 5)
    v.mul_(2)
    return (y, v)


@PROGRAMS.add(plain, fuses=1)
def write_through_idle_dropout(x):
    y = F.dropout(x, 0.5, False)
    y += y
    return y


@PROGRAMS.add(plain)
def written_input_and_its_view(x):
    x.add_(1)
    return (x, x.t())


@PROGRAMS.add(lambda d: (count(torch.int64, 4, 6),))
def dtype_view_read_before_the_write(x):
    y = x.view(torch.int32) * 2
    y.sub_(-4)
    x[:, 2:5] = 2
    return y.view(torch.int64)


@PROGRAMS.add(lambda d: (torch.zeros(3, 4, dtype=d), count(d, 3, 4)), fuses=1)
def copy_then_write_the_source(dst, src):
    dst[0:, :] = src[0:, :]
    src.add_(1)
    return src


@PROGRAMS.add(lambda d: (torch.zeros(3, 4, dtype=d), count(d, 3, 4)))
def copy_then_read_both(dst, src):
    dst.copy_(src)
    src.mul_(2)
    return dst + src


@PROGRAMS.add(lambda d: (count(d, 10)[::2],))
def as_strided_copy_of_a_written_step(x):
    x.add_(1)
    return torch.as_strided_copy(x, (3,), (2,))


@PROGRAMS.add(lambda d: (count(d, 10)[::2],))
def as_strided_view_of_a_written_step(x):
    x.add_(1)
    return x.as_strided((3,), (2,))


@PROGRAMS.add(lambda d: (count(d, 2, 4),))
def as_strided_of_a_diagonal(a):
    f = a.diagonal().as_strided((2,), (1,), 0)
    f.add_(1)
    return a


@PROGRAMS.add(lambda d: (normal(d, 4, 4),))
def fill_of_a_strided_column(x):
    y = x.clone()[:, 1]
    y.masked_fill_(torch.ones_like(y, dtype=torch.bool), 0)
    return y


@PROGRAMS.add(lambda d: (torch.ones(4, dtype=d),))
def grown_input(x):
    x.resize_(6)
    x.fill_(3)  # what the memory holds that it grew by is not set
    return x


@PROGRAMS.add(lambda d: (torch.ones(4, dtype=d),))
def shrunk_input(x):
    x.resize_(2)
    x.mul_(3)
    return x


@PROGRAMS.add(lambda d: (count(d, 2, 2), count(d, 2, 2) + 5))
def data_written_in_place(a, b):
    a.data.add_(b)
    return a * 2


@PROGRAMS.add(lambda d: (leaf(d, 2, 2),))
def data_of_a_leaf(a):
    a.data.mul_(2)
    return a * 2


@PROGRAMS.add(lambda d: (normal(d, 1, 3).expand(4, 3),))
def expanded_input_is_written(x):
    x.add_(1)
    return x


@PROGRAMS.add(lambda d: (normal(d, 3),))
def expanded_view_is_written(x):
    y = x.expand(4, 3)
    y.add_(1)
    return y


@PROGRAMS.add(lambda d: (normal(d, 3),))
def item_of_an_expanded_view(x):
    y = x.expand(4, 3)
    y[-1] = 3
    return y


@PROGRAMS.add(lambda d: (torch.tensor(2.0, dtype=d),))
def item_of_an_expanded_number(x):
    y = x.expand(2)
    y[-1] = 3
    return y


@PROGRAMS.add(lambda d: (normal(d, 1, 7),))
def overlapping_windows_are_written(x):
    y = x + x
    return y.unfold(1, 4, 2).abs_()


@PROGRAMS.add(lambda d: (normal(d, 7),))
def overlapping_strides_are_written(x):
    y = x + x
    z = y.as_strided((3, 3), (1, 1))
    z.mul_(2)
    return y


@PROGRAMS.add(lambda d: (count(d, 3, 4), normal(d, 3, 4)))
def out_argument(o, x):
    torch.add(x, 1, out=o)
    return o


@PROGRAMS.add(lambda d: (count(d, 4, 3).t(), normal(d, 3, 4)))
def out_argument_transposed(o, x):
    torch.mul(x, 2, out=o)
    return o


@PROGRAMS.add(lambda d: (count(d, 0), normal(d, 3, 4)))
def out_argument_resized(o, x):
    return torch.mul(x, 2, out=o)


@PROGRAMS.add(lambda d: (count(d, 6, 8), normal(d, 3, 4)))
def out_argument_is_a_view(o, x):
    torch.sin(x, out=o[::2, ::2])
    return o


@PROGRAMS.add(lambda d: (normal(d, 4, 4), normal(d, 4, 4)))
def out_argument_is_an_operand(x, y):
    # Elementwise: what a product of matrices does to its own operand is undefined, and differs by processor.
    torch.mul(x, y, out=x)
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 6),), fuses=1)
def shift_by_one_row(x):
    x[1:] = x[:-1].clone()
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 6),))
def shift_by_one_row_without_clone(x):
    x[1:] = x[:-1] + 0
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 6),))
def add_own_flip(x):
    x.add_(x.flip(0))
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 4),))
def add_own_transpose(x):
    x.add_(x.t())
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 8),), fuses=1)
def index_put_then_add_own_flip(x):
    x.index_put_((torch.arange(4),), x * 2.0)
    x.add_(x.flip(0))
    return x


@PROGRAMS.add(lambda d: (normal(d, 8, 8),), fuses=1)
def list_add_of_own_flip(x):
    torch._foreach_add_([x], [x.flip(0)])
    return x


@PROGRAMS.add(lambda d: (normal(d, 8, 8), normal(d, 8, 8)))
def list_product_reads_what_it_writes(x, y):
    torch._foreach_mul_([x, y], [y.flip(0), x.t()])
    return (x, y)


@PROGRAMS.add(lambda d: (normal(d, 4, 5),), fuses=1)
def copy_of_own_roll(x):
    x.copy_(x.roll(1, 1))
    return x


@PROGRAMS.add(lambda d: (torch.ones(3, 5, dtype=d), count(d, 3, 3)), fuses=1)
def index_add_through_permute(x, a):
    y = x.permute(1, 0)
    y.index_add_(0, torch.tensor([0, 4, 2]), a)
    return y


@PROGRAMS.add(lambda d: (count(d, 2, 3),), fuses=1)
def product_through_transpose(x):
    y = x.t()
    y.mul_(2)
    return y


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)).conj().imag,), fuses=1)
def negated_input_is_written(x):
    x.mul_(2)
    return x


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)).conj(),))
def conjugated_input_is_written(x):
    x.mul_(2j)
    return x


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)),), fuses=1)
def imaginary_part_is_written(x):
    x.imag.mul_(2)
    x.conj().imag.add_(1)
    return x


@PROGRAMS.add(tracked)
def leaf_written_without_grad(x):
    with torch.no_grad():
        x.mul_(2)
    return x * 3


@PROGRAMS.add(lambda d: (leaf(d, 4, 6) * 1,))
def non_leaf_is_written(x):
    x.mul_(2)
    return x * x


@PROGRAMS.add(lambda d: (leaf(d, 4, 6)[1:],))
def view_of_a_leaf_is_written(x):
    x.mul_(2)
    return x * x


@PROGRAMS.add(plain)
def pieces_are_written(x):
    a, b = x.split(2)
    a.add_(1)
    b.mul_(2)
    return (a, x)


@PROGRAMS.add(plain)
def rows_are_written(x):
    for i, t in enumerate(x.unbind(0)):
        t.mul_(i)
    return x


@PROGRAMS.add(lambda d: (normal(d, 2, 4, 5, 6),))
def chain_of_views_is_zeroed(x):
    v = x.permute(0, 2, 3, 1)[..., 1:3].transpose(1, 2)
    v.zero_()
    return (x, v)


@PROGRAMS.add(lambda d: (normal(d, 4, 6),), fuses=1)
def diagonals_are_written(x):
    x.diagonal(1).fill_(7)
    x.t().diagonal().add_(1)
    return x


@PROGRAMS.add(lambda d: (normal(d, 4, 6),))
def view_of_a_view_is_written(x):
    y = x * 2
    z = y.view(2, 12).t()
    z.add_(1)
    return (z, y)


@PROGRAMS.add(lambda d: (normal(d, 4, 6), normal(d, 4, 6)), fuses=1)
def swap_inputs(x, y):
    t = x.clone()
    x.copy_(y)
    y.copy_(t)
    return None


@PROGRAMS.add(lambda d: (normal(d, 4, 6),), fuses=1)
def assigned_items(x):
    x[0, 1] = 5
    x[:, -1] = x[:, 0]
    x[x > 1] = 0
    return x.sum()


@PROGRAMS.add(lambda d: (normal(d, 4, 6),), fuses=1)
def view_read_after_each_write(x):
    y = x.t()
    x.add_(1)
    z = y + 1
    x.mul_(2)
    return (y, z)


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
