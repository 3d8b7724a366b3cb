"""Decompositions of collectives, on a group of threads: what the reduction itself gives."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract.opset import opset
from torchport.contract.shape_rules import parse

SIZE = 2
OPS = opset("1.0").ops


class Group:
    """Ranks that meet at every collective and see each other's operands."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(SIZE, timeout=20)
        self.operands: list[Any] = [None] * SIZE

    def exchange(self, rank: int, operand: Tensor) -> list[Tensor]:
        self.operands[rank] = operand
        self.barrier.wait()
        seen = list(self.operands)
        self.barrier.wait()
        return seen


class Rank(TorchDispatchMode):
    """Carries out the primitive collectives of one rank."""

    def __init__(self, group: Group, rank: int) -> None:
        super().__init__()
        self.group, self.rank = group, rank

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.name().split("::")[1]
        if func.namespace not in ("_c10d_functional", "torchport"):
            return func(*args, **(kwargs or {}))
        if name == "wait_tensor":
            return args[0].clone()
        stacked = torch.stack(self.group.exchange(self.rank, args[0]))
        match name:
            case "all_reduce":
                assert args[1] == "sum", "as a primitive, the reduction is a sum"
                return stacked.sum(0)
            case "all_reduce_max":
                return stacked.amax(0)
            case "all_reduce_product":
                return stacked.prod(0)
            case "reduce_scatter_tensor":
                assert args[1] == "sum", "as a primitive, the reduction is a sum"
                return stacked.sum(0).chunk(SIZE)[self.rank]
            case "all_to_all_single":
                return torch.cat([x.split(args[2])[self.rank] for x in stacked])
        raise AssertionError(f"not a primitive of a decomposition here: {name}")


INPUTS = (
    [torch.randn(4, 3, generator=torch.Generator().manual_seed(r)) for r in range(SIZE)],
    [torch.randint(-9, 9, (4,), generator=torch.Generator().manual_seed(r)) for r in range(SIZE)],
)
EXACT = {
    "avg": lambda x: x.mean(0),
    "max": lambda x: x.amax(0),
    "min": lambda x: x.amin(0),
    "product": lambda x: x.prod(0),
}


def on_every_rank(name: str, inputs: list[Tensor], *arguments: Any) -> list[Tensor]:
    decomposition, group = OPS[f"_c10d_functional.{name}.default"].decomposition, Group()
    assert decomposition is not None

    def run(rank: int) -> Tensor:
        with Rank(group, rank):
            result: Tensor = decomposition(inputs[rank], *arguments)
            return result

    with ThreadPoolExecutor(SIZE) as pool:
        return list(pool.map(run, range(SIZE)))


@pytest.mark.parametrize("inputs", INPUTS, ids=["float", "int"])
@pytest.mark.parametrize("reduction", EXACT)
def test_reductions(reduction: str, inputs: list[Tensor]) -> None:
    if reduction == "avg" and not inputs[0].is_floating_point():
        pytest.skip("a mean is of floating values")
    expected = EXACT[reduction](torch.stack(inputs))
    for got in on_every_rank("all_reduce", inputs, reduction, "0"):
        torch.testing.assert_close(got, expected)
    parts = on_every_rank("reduce_scatter_tensor", inputs, reduction, SIZE, "0")
    for got, part in zip(parts, expected.chunk(SIZE), strict=True):
        torch.testing.assert_close(got, part)


@pytest.mark.parametrize("group_size", [1, 4])
def test_shapes_in_larger_groups(group_size: int) -> None:
    plain, x = torch.ops._c10d_functional, torch.empty(8, 3, device="meta")
    given = {"input": x, "group_size": group_size}
    gathered = parse(OPS["_c10d_functional.all_gather_into_tensor.default"].shape[0]).value(given)
    scattered = parse(OPS["_c10d_functional.reduce_scatter_tensor.default"].shape[0]).value(given)
    assert gathered == list(plain.all_gather_into_tensor(x, group_size, "0").shape)
    assert scattered == list(plain.reduce_scatter_tensor(x, "sum", group_size, "0").shape)
