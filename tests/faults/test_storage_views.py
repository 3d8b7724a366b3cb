"""Reads and writes by place in memory: strides given as numbers, windows with gaps, views given to custom
operators; from another layout or offset at the second call too.
"""

from collections.abc import Callable

import pytest
import torch

Make = Callable[[], torch.Tensor]


def rows() -> torch.Tensor:
    return torch.arange(20.0).view(4, 5)


def transposed() -> torch.Tensor:
    return rows().t()


def stepped() -> torch.Tensor:
    buffer = torch.full((4, 10), -1.0)
    view = buffer[:, ::2]
    return view.copy_(rows())


def expanded() -> torch.Tensor:
    return rows()[:1].expand(4, 5)


def shifted() -> torch.Tensor:
    return torch.arange(25.0)[5:].view(4, 5)


def column_by_strides(x: torch.Tensor) -> torch.Tensor:
    return (x + 1)[:, 0].as_strided((2, 2), (2, 1)) * 2


def rows_by_offset(x: torch.Tensor) -> torch.Tensor:
    return (x + 1)[1:].as_strided((2, 2), (2, 1), 0) * 2


def input_by_strides(x: torch.Tensor) -> torch.Tensor:
    return x.as_strided((3, 3), (1, 1)) * 2


def scattered_by_strides(x: torch.Tensor) -> torch.Tensor:
    return torch.as_strided_scatter(x, torch.ones(2, 2), (2, 2), (2, 1)) * 2


@torch.library.custom_op("tp_storage_views::add_three", mutates_args={"x"})
def add_three(x: torch.Tensor) -> None:
    x.add_(3)


def custom_write_of_a_row(x: torch.Tensor) -> torch.Tensor:
    add_three(x[0])
    return x * 1


def windows_that_leave_a_rest(x: torch.Tensor) -> torch.Tensor:
    x.unfold(1, 3, 3).mul_(2)
    return x + 0


@pytest.mark.parametrize(
    ("program", "inputs"),
    [
        (column_by_strides, (rows, transposed)),
        (rows_by_offset, (rows,)),
        (input_by_strides, (stepped, rows, transposed)),
        (scattered_by_strides, (stepped, transposed)),
        (input_by_strides, (expanded, shifted)),
        (custom_write_of_a_row, (rows, shifted, stepped)),
        (windows_that_leave_a_rest, (rows, shifted)),
    ],
)
def test_memory_is_read_and_written_where_eager_does(
    program: Callable[[torch.Tensor], torch.Tensor], inputs: tuple[Make, ...]
) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(program, backend="torchport_openmp")
    for make in inputs:
        ours, theirs = make(), make()
        result, expected = compiled(ours), program(theirs)
        torch.testing.assert_close(result, expected, rtol=0, atol=0)
        bases = [t if t._base is None else t._base for t in (ours, theirs)]
        torch.testing.assert_close(*bases, rtol=0, atol=0)
