"""Positions that are read from memory: checked where they are used, and never followed into nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from torchport.errors import RunError


def looked_up(table: torch.Tensor, at: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Rows of a table of four columns, in every way in which operators read them."""
    below = at[:, None].expand(at.shape[0], 4)
    return (
        F.embedding(at, table) + 1,
        table[at] + 1,
        table.index_select(0, at) + 1,
        table.gather(0, below) + 1,
    )


def padded(table: torch.Tensor, at: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The same rows between others that are not read."""
    return tuple(F.pad(rows, (0, 0, 2, 1), value=7.0) for rows in looked_up(table, at))


def test_a_dimension_without_elements_has_no_index(compiled: Callable[..., Any]) -> None:
    table, none, one = torch.ones(0, 4), torch.zeros(0, dtype=torch.long), torch.zeros(3, dtype=torch.long)
    with pytest.raises(RunError, match="out of range for a dimension of size 0"):
        compiled(looked_up, table, one)(table, one)
    for got in compiled(padded, table, none)(table, none):
        assert torch.equal(got, torch.full((3, 4), 7.0))


def test_indices_are_checked_where_elements_are_read(compiled: Callable[..., Any]) -> None:
    table, at = torch.arange(40.0).view(10, 4), torch.tensor([9, 0, 3])
    run = compiled(padded, table, at)
    for got, want in zip(run(table, at), padded(table, at), strict=True):
        assert torch.equal(got, want)
    with pytest.raises(RunError, match="out of range for a dimension of size 10"):
        run(table, torch.tensor([9, 0, 10]))
