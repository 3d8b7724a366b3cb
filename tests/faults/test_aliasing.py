"""Results that share memory: with inputs, with one another, with what was detached from them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from fault_programs import Programs, count, judged, leaf, normal

import torchport as tp
from torchport.capture import hazards

PROGRAMS = Programs()


def plain(d):
    return (normal(d, 4, 6),)


def tracked(d):
    return (leaf(d, 4, 6),)


def shifted(d):
    t = count(d, 4, 6)
    return (t, t[1:])


def slices(d):
    t = count(d, 4, 6)
    return (t[:2], t[1:3])


def transposed(d):
    t = count(d, 4, 6)
    return (t, t.t())


def made_in_inference_mode(d):
    with torch.inference_mode():
        return (normal(d, 4, 6),)


@PROGRAMS.add(shifted, fuses=1)
def select_of_shifted_input(t, a):
    t.add_(100)
    return a[0]


@PROGRAMS.add(shifted)
def view_of_shifted_input(t, a):
    t.add_(100)
    return a.view(-1)


@PROGRAMS.add(shifted)
def shifted_input_itself(t, a):
    t.add_(100)
    return a


@PROGRAMS.add(shifted)
def views_of_both_inputs(t, a):
    a.mul_(2)
    return (a.t(), t[:, 1], a + t[1:])


@PROGRAMS.add(slices)
def views_of_overlapping_slices(a, b):
    a.add_(1)
    b.mul_(3)
    return (a[1], b, b.reshape(-1))


@PROGRAMS.add(transposed)
def transposed_twin(a, b):
    a.add_(1)
    return (b, b[0])


@PROGRAMS.add(plain)
def dropout_of_nothing_is_its_input(x):
    y = F.dropout(x, 0.0, True)
    return y


@PROGRAMS.add(plain)
def identity_module(x):
    return (torch.nn.Identity()(x), x)


@PROGRAMS.add(plain, tracked)
def same_input_twice(x):
    return (x, x)


@PROGRAMS.add(plain, tracked)
def views_of_the_input(x):
    return (x.t(), x.view(-1), x[1:], x[:, ::2], x.detach(), x.expand(2, 4, 6))


@PROGRAMS.add(lambda d: (normal(d, 4, 6),), fuses=1)
def views_of_an_intermediate(x):
    y = x + 1
    return (y, y.t(), y.view(-1))


@PROGRAMS.add(tracked, fuses=1)
def slices_and_detach(x):
    y = x.sin()
    return (y[0:2], y[2:4], y.detach())


@PROGRAMS.add(tracked)
def slices_detach_and_another(x):
    y = x.sin()
    return (y[0:2], y[2:4], y.detach(), x.cos())


@PROGRAMS.add(tracked, fuses=1)
def loss_and_its_detach(x):
    value = x.mean()
    return (value, value.detach())


@PROGRAMS.add(tracked)
def detached_before_and_after(x):
    value = x * 2
    return value.detach(), value, value.detach()


@PROGRAMS.add(tracked)
def no_op_of_a_value(x):
    value = x * 2
    return (value, value * 1, value + 0, value.detach())


@PROGRAMS.add(tracked, fuses=1)
def detach_in_place(x):
    y = x * 2
    y.detach_()
    return (y + 1, y.requires_grad)


@PROGRAMS.add(tracked)
def computed_without_and_with_grad(x):
    with torch.no_grad():
        a = x + 1
    return (a, x + 1)


@PROGRAMS.add(plain)
def same_value_twice(x):
    y = x + 1
    return (y, y, [y])


@PROGRAMS.add(plain)
def equal_values(x):
    return (x + 1, x + 1)


@PROGRAMS.add(plain)
def resized_view(x):
    b = x + 1
    a = b.view(-1)
    a.resize_(30)
    return b + 1


@PROGRAMS.add(plain)
def resized_detach(x):
    b = x + 1
    a = b.detach()
    a.resize_(2)
    return b + 1


@PROGRAMS.add(lambda d: (count(d, 2, 2),))
def set_to_a_view(b):
    y = b[1:, 0]
    x = torch.empty(0, dtype=b.dtype)
    x.set_(y)
    return x[0]


@PROGRAMS.add(lambda d: (count(d, 2, 2), count(d, 3)))
def set_input(a, b):
    a.set_(b.clone())
    return a * 2


@PROGRAMS.add(lambda d: (count(d, 2, 2), count(d, 2, 2) + 5))
def data_of_an_input(a, b):
    a.data = b
    return a * 2


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)),))
def conjugates_of_the_input(x):
    return (x.conj(), x.conj().imag, x.mH, x.resolve_conj())


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)).conj(),))
def conjugated_input(x):
    return (x * 2, x.real, x)


@PROGRAMS.add(lambda d: (torch.view_as_complex(normal(d, 4, 3, 2)).conj().imag,))
def negated_input(x):
    return (x * 2, x + 1)


@PROGRAMS.add(tracked)
def leaf_is_written(x):
    x.mul_(2)
    return x


@PROGRAMS.add(made_in_inference_mode)
def inference_input(x):
    return (x + 1, x.t())


@PROGRAMS.add(plain)
def inference_inside(x):
    with torch.inference_mode():
        y = x + 1
    return y


@PROGRAMS.add(plain)
def kinds_of_views(x):
    return (
        torch.where(x > 0, x, x.t().reshape(4, 6)),
        x.diagonal(),
        x.unfold(0, 2, 1),
        torch.movedim(x, 0, 1),
    )


@PROGRAMS.add(plain)
def pieces(x):
    return (x.split(2), x.chunk(3, 1), x.unbind(0))


@PROGRAMS.add(plain)
def operands_by_name(x):
    return (
        torch.permute(input=x, dims=(1, 0)),
        torch.ops.aten.permute.default(x, dims=[1, 0]) + 1,
        torch.t(input=x),
        torch.square(input=x),
        torch.reciprocal(input=x),
        torch.clone(input=x),
        x.permute(dims=(1, 0)),
    )


@PROGRAMS.add(lambda d: (normal(d, 4, 6),))
def list_of_results(x):
    out = []
    out.append(x)
    x = x + 1
    out.append(x)
    out[0].add_(1)
    return out


@PROGRAMS.add(lambda d: (torch.nn.Parameter(normal(d, 4, 6)),))
def parameter_and_what_is_made_of_it(p):
    return (p, p.t(), p * 1, p.data, p.detach())


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []


def test_memory_is_told_apart_from_memory_that_was_freed() -> None:
    watch = hazards._Watch()
    assert len({watch.key(torch.empty(4)) for _ in range(50)}) == 50
