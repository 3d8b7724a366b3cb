"""Dynamic shapes from Dynamo to the kernels of torchport_openmp: symbols in sizes, strides, arguments and
outputs; sizes that depend on data; ranges and hints on regions; guards as with any backend.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters

import torchport as tp

Program = Callable[..., Any]


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def outcome(run: Program, arguments: tuple[Any, ...], train: bool) -> list[Any]:
    """Results, their strides, and the gradient of the first argument."""
    x = arguments[0].detach().clone().requires_grad_(train)
    results = flat(run(x, *arguments[1:]))
    tensors = [r for r in results if isinstance(r, torch.Tensor)]
    found = results + [r.stride() for r in tensors]
    loss = sum(r.sum() for r in tensors if r.requires_grad)
    if isinstance(loss, torch.Tensor):
        loss.backward()
        found.append(x.grad)
    return found


def agree(ours: list[Any], theirs: list[Any]) -> None:
    for got, wanted in zip(ours, theirs, strict=True):
        if isinstance(wanted, torch.Tensor | float):
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
        else:
            assert got == wanted and type(got) is type(wanted)


def sizes(x: torch.Tensor, n: int) -> Any:
    b: int = x.shape[0]
    return torch.full([b], n) * x.shape[1], x * n, torch.arange(b * n), x.view(b, -1, 2).sum(1), b, b * n + 1


def floats(x: torch.Tensor, n: int) -> Any:
    return x * (n / 2), x / x.shape[0], x + x.shape[0] ** 0.5, float(x.shape[0]) * 2.5


def strides(x: torch.Tensor, n: int) -> Any:
    return (x.t() * 2).contiguous(), x[::2].clone(), x[:, 1:].sum(1), x.t()[1:].relu() + n


def joins(x: torch.Tensor, n: int) -> Any:
    return torch.cat([x, x[:2]]).softmax(-1), torch.nn.functional.pad(x, (1, n)), x.repeat(n, 1), x[:n] * 2


def matrices(x: torch.Tensor, n: int) -> Any:
    m = x.shape[0]
    return torch.tril(torch.ones(m, m)) @ x, torch.nn.functional.layer_norm(x, x.shape[1:])


BACKED = [sizes, floats, strides, joins, matrices]


@pytest.mark.parametrize("program", BACKED, ids=lambda p: p.__name__)
def test_symbols_everywhere(program: Program) -> None:
    """One compilation serves every size above 1."""
    train = program in (sizes, matrices)
    compiled = torch.compile(program, backend="torchport_openmp", dynamic=True, fullgraph=True)
    before = counters["stats"]["unique_graphs"]
    for rows, n in ((6, 3), (9, 4), (4, 2)):
        torch.manual_seed(rows)
        arguments = (torch.randn(rows, 8), n)
        agree(outcome(compiled, arguments, train), outcome(program, arguments, train))
    assert counters["stats"]["unique_graphs"] == before + 1


def nonzero(x: torch.Tensor) -> Any:
    found = x.nonzero()
    return found * 2, found.shape[0] + 1, (found.float().sum(0) + found.shape[0]).sqrt()


def masked(x: torch.Tensor) -> Any:
    y = torch.masked_select(x, x > 0)
    return (y * 2).sin(), y.sum(), torch.zeros(y.shape[0]) + 1, y.view(-1, 1) * y


def item(x: torch.Tensor) -> Any:
    n: Any = x.abs().sum().int().item()
    torch._check(n >= 0)
    torch._check(n <= 1000)
    return torch.full((n,), 1.5) * 2, torch.arange(n).sum(), torch.zeros(1001)[:n] + 1, n * 2


def float_item(x: torch.Tensor) -> Any:
    v = x.sum().item()
    return x * v, v + 1, (x * 2).sum()


def unique(x: torch.Tensor) -> Any:
    values, inverse, count = torch.unique((x * 3).int(), return_inverse=True, return_counts=True)
    return values * 2, inverse + 1, count.float() / count.sum()


def repeat(x: torch.Tensor) -> Any:
    return torch.repeat_interleave(x, (x.abs() * 3).long()[:, 0], dim=0) * 2


def rows(x: torch.Tensor) -> Any:
    y = x[x[:, 0] > 0]
    return torch.cat([y, x]).softmax(-1), torch.nn.functional.layer_norm(y, (y.shape[1],)), y @ x.t()


UNBACKED = [nonzero, masked, item, float_item, unique, repeat, rows]


@pytest.fixture
def captured_data() -> Iterator[None]:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        yield


@pytest.mark.parametrize("program", UNBACKED, ids=lambda p: p.__name__)
def test_sizes_of_data(program: Program, captured_data: None) -> None:
    """What makes the size stays in eager PyTorch with a typed reason; what uses it is compiled."""
    reports = tp.reports("torchport_openmp")
    reports.clear()
    train = program in (masked, rows)
    compiled = torch.compile(program, backend="torchport_openmp", fullgraph=True)
    for count in (6, 9):
        torch.manual_seed(count)
        x = torch.randn(count, 4)
        agree(outcome(compiled, (x,), train), outcome(program, (x,), train))
    assert "dynamic" in reports.reasons and reports.claimed_share > 0.3


class Recorder(tp.EagerBackend):
    name = "recorder"

    def __init__(self) -> None:
        super().__init__()
        self.regions: list[tp.Region] = []

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.regions.append(region)
        return super().compile(region, target, options)


class TestSymbolsOfRegions:
    def test_ranges_of_mark_dynamic(self) -> None:
        backend, x = Recorder(), torch.randn(8, 3)
        torch._dynamo.mark_dynamic(x, 0, min=4, max=64)
        torch.compile(lambda x: x * x.shape[0], backend=backend)(x)
        (symbol,) = backend.regions[0].symbols
        assert (symbol.low, symbol.high, symbol.hint) == (4, 64, 8)
        assert symbol.source[0] == "size"

    def test_ranges_of_check(self) -> None:
        def checked(x: torch.Tensor) -> torch.Tensor:
            torch._check(x.shape[0] >= 5)
            torch._check(x.shape[0] <= 99)
            return x * 2

        backend = Recorder()
        torch.compile(checked, backend=backend, dynamic=True)(torch.randn(8))
        (symbol,) = backend.regions[0].symbols
        assert (symbol.low, symbol.high) == (5, 99)

    def test_automatic_after_a_change(self) -> None:
        backend = Recorder()
        compiled = torch.compile(lambda x: x * 2, backend=backend)
        for count in (4, 5, 6, 77):
            compiled(torch.randn(count))
        assert [len(r.symbols) for r in backend.regions] == [0, 1]

    def test_a_hint_is_no_guard(self) -> None:
        """The same code serves sizes far from the example's, below and above."""
        backend = Recorder()
        compiled = torch.compile(lambda x: (x * x.shape[0]).sum(0), backend=backend, dynamic=True)
        for count in (1000, 2, 77, 4096):
            x = torch.randn(count, 2)
            torch.testing.assert_close(compiled(x), (x * count).sum(0), rtol=1e-4, atol=1e-2)
        assert len(backend.regions) == 1

    def test_zero_and_one_are_compiled_for(self) -> None:
        backend = Recorder()

        def program(x: torch.Tensor) -> torch.Tensor:
            return x.expand(4, 3) * 2 if x.shape[0] == 1 else x.sum(0) + 1

        compiled = torch.compile(program, backend=backend, dynamic=True)
        for count in (5, 1, 0, 7, 1):
            x = torch.randn(count, 3)
            torch.testing.assert_close(compiled(x), program(x))
        assert len(backend.regions) == 3

    def test_a_branch_on_a_size_is_guarded(self) -> None:
        backend = Recorder()

        def program(x: torch.Tensor) -> torch.Tensor:
            return x * 2 if x.shape[0] > 5 else x * 3

        compiled = torch.compile(program, backend=backend, dynamic=True)
        for count in (7, 3, 8, 4):
            x = torch.randn(count)
            torch.testing.assert_close(compiled(x), program(x))
        assert len(backend.regions) == 2
