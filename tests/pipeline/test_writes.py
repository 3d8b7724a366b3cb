"""Programs that write to their inputs: values as eager's, in the memory of the input where that is sound, and
every copy that remains in the report.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.pipeline.conftest import SelectiveBackend
from torch import Tensor

import torchport as tp

CACHE = (1, 4, 32, 8)
BYTES = 4 * 4 * 32 * 8


class Accepting(tp.Backend):
    """Takes every donation it is offered: runs the region's operators on the donated memory, in order."""

    name = "accepting"

    def __init__(self, *, claim: int | None = None) -> None:
        self.claim, self.regions = claim, list[tp.Region]()

    def capabilities(self, target: tp.Target) -> tp.Capabilities:
        return tp.Capabilities(donation=True)

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.EagerBackend().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        self.regions.append(region)
        inner = tp.EagerBackend().compile(region, target, options).fn
        inputs, outputs = ([v.name for v in vs] for vs in (region.input_values, region.output_values))
        aliases = {outputs.index(out): inputs.index(base) for out, base in region.donations}
        if self.claim is not None:
            aliases[0] = self.claim

        def run(args: Any, outs: Any, stream: int | None = None, *, symbols: Any = ()) -> None:
            assert all(outs[out] is args[base] for out, base in aliases.items())
            results = inner(symbols, *args)
            for out, result in zip(outs, results, strict=True):
                out.copy_(result)

        return tp.InProcess(run, destination=True, aliases=aliases)


def caches() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    return torch.randn(CACHE), torch.randn(CACHE), torch.randn(1, 4, 1, 8), torch.tensor([5])


def agrees(fn: Callable[..., Any], make: Callable[[], Any], backend: Any) -> tuple[list[Tensor], Any]:
    """The arguments after a compiled call, which like the results are those of eager."""
    expected, given = list(make()), list(make())
    want = fn(*expected)
    with torch.no_grad():
        got = torch.compile(fn, backend=backend)(*given)
    for a, b in zip([*got, *given], [*want, *expected], strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
        assert a.stride() == b.stride()
    return given, tp.reports(backend)


def assigned(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> tuple[Tensor]:
    k[:, :, at] = new
    v[:, :, at] = new * 2
    return (k[:, :, at] + v.sum(2, keepdim=True),)


def copied(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> tuple[Tensor]:
    k.index_copy_(2, at, new)
    v.index_copy_(2, at, new)
    return (torch.softmax(k, -1) @ v.transpose(-1, -2),)


def sliced(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> tuple[Tensor]:
    k[:, :, 3:4] = new
    k[:, :, -2] = new[:, :, 0]
    v.add_(1)
    return (k[:, :, at] * v[:, :, at],)


@pytest.mark.parametrize("fn", [assigned, copied, sliced])
@pytest.mark.parametrize("backend", ["torchport_openmp", "nothing claimed"])
def test_cache_writes_copy_no_cache(fn: Any, backend: Any) -> None:
    backend = SelectiveBackend([]) if backend == "nothing claimed" else backend
    tp.reports(backend).clear()
    _, reports = agrees(fn, caches, backend)
    assert reports.copies == ()
    assert sum(g.in_place for g in reports.graphs) == (
        3 if fn is sliced and backend != "torchport_openmp" else 2
    )
    assert "written in place" in str(reports)


def test_a_backend_without_donations_copies_and_is_counted() -> None:
    backend = tp.EagerBackend()
    _, reports = agrees(copied, caches, backend)
    assert {(c.kind, c.bytes) for c in reports.copies} == {("write-back", BYTES), ("base", BYTES)}
    assert reports.bytes_copied == 4 * BYTES
    assert all("does not write in place" in c.reason for c in reports.copies)
    assert f"write-back copy of arg0_1, {BYTES} bytes" in str(reports)


def test_donations_are_offered_and_taken() -> None:
    backend = Accepting()
    _, reports = agrees(copied, caches, backend)
    (region,) = backend.regions
    assert [base for _, base in region.donations] == ["arg0_1", "arg3_1"]
    specs = {v.name: v.tensor for v in region.input_values}
    assert specs["arg0_1"].alias is tp.Alias.DONATED and specs["arg0_1"].mutated
    assert {v.tensor.alias for v in region.output_values} == {tp.Alias.MAY, tp.Alias.NONE}
    assert reports.copies == () and reports.graphs[0].in_place == 2
    again = tp.Region.from_json(region.to_json())
    assert again.donations == region.donations


def test_an_alias_that_was_not_offered_is_an_error() -> None:
    with pytest.raises(Exception, match="must be among the donations"):
        agrees(lambda a, b: (a + b,), lambda: (torch.ones(3), torch.ones(3)), Accepting(claim=1))


def old_value_read_later(a: Tensor, b: Tensor) -> tuple[Tensor]:
    old = a.sin()
    a.mul_(2)
    return (old + b.cos().flip(0) + old.flip(0),)


def swapped(a: Tensor, b: Tensor) -> tuple[Tensor]:
    kept = a.clone()
    a.copy_(b)
    b.copy_(kept)
    return (a + b,)


def rotated(a: Tensor, b: Tensor) -> tuple[Tensor]:
    a[1:] = a[:-1].clone()
    b.add_(b.flip(0))
    return (a[0],)


def returned_as_well(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    new = a * 2
    a.copy_(new)
    b[0] = new[1]
    return new, new.view(-1)[2:5]


def from_each_other(a: Tensor, b: Tensor) -> tuple[Tensor]:
    a[:2] = b[2:]
    b[:2] = a[2:]
    a.index_put_((torch.tensor([0, 0]),), b[:2] * a[:2], accumulate=True)
    return (a[1:].clone(),)


def expanded_base(a: Tensor, b: Tensor) -> tuple[Tensor]:
    wide = a[:1].expand(4, -1)
    return (
        wide.index_add(0, torch.tensor([1, 3]), b[:2]),
        torch.zeros(1, 6).expand(4, 6).index_copy(0, torch.tensor([1]), b[:1]),
    )


def through_a_view(a: Tensor, b: Tensor) -> tuple[Tensor]:
    a.t()[2] = b[:, 0]
    b.view(-1)[3:9] = 1.5
    return (a * b,)


@pytest.mark.parametrize(
    "fn",
    [
        old_value_read_later,
        swapped,
        rotated,
        returned_as_well,
        from_each_other,
        expanded_base,
        through_a_view,
    ],
)
@pytest.mark.parametrize("backend", ["torchport_openmp", "accepting", "some"])
def test_values_that_are_still_needed(fn: Any, backend: Any) -> None:
    ops = ["aten.mul.Tensor", "aten.add.Tensor", "aten.select_scatter.default", "aten.clone.default"]
    made = {"accepting": Accepting, "some": lambda: SelectiveBackend(ops)}.get(backend)

    def make() -> tuple[Tensor, Tensor]:
        torch.manual_seed(1)
        return torch.randn(4, 6), torch.randn(4, 6)

    agrees(fn, make, made() if made else backend)


def test_results_do_not_share_memory_with_inputs() -> None:
    def fn(a: Tensor) -> Tensor:
        new = a + 1
        a.copy_(new)
        return new

    a = torch.zeros(5)
    out = torch.compile(fn, backend="torchport_openmp")(a)
    out.add_(10)
    assert a.tolist() == [1.0] * 5


def test_versions_move_as_in_eager() -> None:
    a = torch.zeros(4)
    with torch.no_grad():
        torch.compile(lambda x: (x.add_(1), x[:2] * 2)[1], backend="torchport_openmp")(a)
    assert a._version > 0


def test_statistics_of_a_training_step() -> None:
    def step(module: Any, x: Tensor) -> list[Tensor]:
        for _ in range(2):
            module(x).square().sum().backward()
        return [*(p.grad for p in module.parameters()), *module.buffers()]

    def made() -> Any:
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))

    x = torch.randn(2, 3, 6, 6)
    plain, compiled = made(), made()
    for a, b in zip(
        step(torch.compile(compiled, backend="torchport_openmp"), x), step(plain, x), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)


STATEMENTS = (
    "{t}[{i}] = {s}[{k}]",
    "{t}[:, {j}] = {s}[:, {k}] * 2",
    "{t}.add_({s})",
    "{t}.index_copy_(0, idx, {s}[:2] + 1)",
    "{t}[idx] = {s}[1:3].clone()",
    "{t}[1:3].mul_({s}[:2].clone())",
    "{t}.copy_({s}.flip(0))",
    "{t}[1:] = {s}[:-1].clone()",
    "{t}.t()[{j}] = {s}[:, 0].clone()",
    "{t}.masked_fill_({s} > 0, 0.5)",
    "{t}.view(-1)[3:9] = {s}.reshape(-1)[:6].clone()",
    "o{n} = {s} * 2 + {t}",
    "o{n} = {s}[{i}]",
)


def random_program(seed: int) -> Callable[..., Any]:
    rng = random.Random(seed)
    lines, results = [], []
    for n in range(rng.randint(3, 7)):
        line = rng.choice(STATEMENTS).format(
            t=rng.choice("abc"),
            s=rng.choice("abc"),
            i=rng.randrange(4),
            j=rng.randrange(6),
            k=rng.randrange(4),
            n=n,
        )
        lines.append(line)
        results += [f"o{n}"] if line.startswith("o") else []
    results.append(rng.choice("abc"))
    text = "def f(a, b, c, idx):\n    " + "\n    ".join(lines) + f"\n    return ({', '.join(results)},)\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope["f"].__doc__ = text
    return scope["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(9))
def test_random_programs(seed: int) -> None:
    def make() -> list[Tensor]:
        torch.manual_seed(seed)
        return [torch.randn(4, 6), torch.randn(4, 6), torch.randn(4, 6), torch.tensor([2, 0])]

    backend = ("torchport_openmp", Accepting(), SelectiveBackend([]))[seed % 3]
    agrees(random_program(seed), make, backend)
