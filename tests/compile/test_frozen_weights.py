"""Frozen weights: handed out once per residency, prepacked, renewed; live weights: read on every call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.compile.weights import ResidentWeights
from torchport.errors import CompileError, OptionError, RunError

FROZEN = {"freeze": True, "cache": False}


class Packed:
    """Copies every weight in ``load``, as a backend that prepacks does, and runs on its copies."""

    def __init__(self, region: tp.Region, run: Any, weights: tp.WeightSource) -> None:
        self.ids = [spec.weight_id for spec in region.inputs]
        self.inner, self.weights, self.own = run, weights, dict[str, torch.Tensor]()
        self.update_weights(weights.names())

    def run(
        self,
        args: Sequence[Any],
        outs: Any,
        stream: int | None = None,
        *,
        workspace: Any = None,
        symbols: Any = (),
    ) -> None:
        full = [self.own.get(i, a) for i, a in zip(self.ids, args, strict=True)]
        assert all((a is None) == (i in self.own) for i, a in zip(self.ids, args, strict=True))
        for out, result in zip(outs, self.inner.fn(tuple(symbols), *full), strict=True):
            out.copy_(result)

    def update_weights(self, names: Iterable[str]) -> None:
        self.own.update({name: self.weights.get(name).clone() for name in names})


class Prepacking(tp.EagerBackend):
    name = "prepacking"

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[Packed] = []

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        return tp.Artifact("prepacking", region.to_json().encode())

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Packed:
        region = tp.Region.from_json(artifact.payload.decode())
        self.loaded.append(Packed(region, super().compile(region, target, tp.Options({})), weights))
        return self.loaded[-1]


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Any:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


X = torch.linspace(-1, 1, 12).reshape(3, 4)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.load_state_dict({k: v + 1 for k, v in m.state_dict().items()}),
        lambda m: m.load_state_dict({k: v + 1 for k, v in m.state_dict().items()}, assign=True),
        lambda m: m[0].weight.data.add_(1),
        lambda m: m[0].weight.detach().numpy().__iadd__(1),
        lambda m: torch.from_dlpack(m[0].weight.detach()).add_(1),
        lambda m: torch.optim.SGD(m.parameters(), 0.5).step(),
    ],
    ids=["load_state_dict", "assign", "data", "numpy", "dlpack", "optimizer"],
)
def test_every_change_of_live_weights_is_seen(change: Any) -> None:
    live = model()
    for parameter in live.parameters():
        parameter.grad = torch.ones_like(parameter)
    compiled = torch.compile(live, backend=Prepacking())
    with torch.no_grad():
        before = compiled(X)
        change(live)
        after, wanted = compiled(X), live(X)
    assert not torch.equal(before, wanted)
    assert torch.equal(after, wanted)


def test_frozen_weights_are_handed_out_in_load_and_renewed_on_request() -> None:
    frozen, backend = model(), Prepacking()
    compiled = torch.compile(frozen, backend=backend, options=FROZEN)
    with torch.no_grad():
        assert torch.equal(compiled(X), frozen(X))
        (packed,) = backend.loaded
        assert set(packed.own) == {"0.weight", "0.bias", "2.weight", "2.bias"}
        stale = frozen(X)
        frozen[0].weight.data.add_(1)
        assert torch.equal(compiled(X), stale)  # the blind spot: no version moved, and it is documented
        assert tp.update_weights(compiled, ["0.weight"]) == 1
        assert torch.equal(compiled(X), frozen(X))
        frozen.load_state_dict({k: v + 1 for k, v in frozen.state_dict().items()}, assign=True)
        assert tp.update_weights(frozen) == 4
        assert torch.equal(compiled(X), frozen(X))
        assert tp.update_weights(backend, ["no.such"]) == 0
    assert len(backend.loaded) == 1


@pytest.mark.parametrize(
    ("check", "change", "text"),
    [
        ("version", lambda m: m[0].weight.add_(1), "'0.weight' was written to"),
        (
            "version",
            lambda m: m.load_state_dict(m.state_dict(), assign=True),
            "was replaced by another tensor",
        ),
        ("checksum", lambda m: m[2].bias.data.add_(1), "'2.bias' was written to behind PyTorch's version"),
        ("checksum", lambda m: m[2].bias.detach().numpy().__iadd__(1), "'2.bias' was written to behind"),
    ],
)
def test_a_frozen_weight_that_changed_is_found_before_the_call(check: str, change: Any, text: str) -> None:
    frozen = model()
    compiled = torch.compile(frozen, backend=Prepacking(), options={**FROZEN, "frozen_check": check})
    with torch.no_grad():
        compiled(X)
        change(frozen)
        with pytest.raises(RunError, match=text):
            compiled(X)
        tp.update_weights(frozen)
        assert torch.equal(compiled(X), frozen(X))


def test_freezing_is_refused_where_gradients_are_recorded() -> None:
    compiled = torch.compile(model(), backend=Prepacking(), options=FROZEN)
    with pytest.raises(Exception, match="freeze is for inference") as caught:
        compiled(X)
    assert isinstance(getattr(caught.value, "inner_exception", caught.value), OptionError)


def test_what_the_program_writes_to_stays_live() -> None:
    backend = Prepacking()
    batch = torch.nn.BatchNorm1d(4)
    compiled = torch.compile(batch, backend=backend, options=FROZEN)
    reference = torch.nn.BatchNorm1d(4)
    with torch.no_grad():
        for _ in range(3):
            assert torch.allclose(compiled(X), reference(X))
    assert torch.allclose(batch.running_var, reference.running_var)
    assert set().union(*(p.own for p in backend.loaded)) == {"weight", "bias"}


def test_members_of_one_name_in_two_modules_are_two_weights() -> None:
    first, second = model(), model()
    with torch.no_grad():
        second[0].weight.mul_(3)
        compiled = torch.compile(lambda x: first(x) - second(x), backend=Prepacking(), options=FROZEN)
        assert torch.equal(compiled(X), first(X) - second(X))
        second[0].weight.data.mul_(2)
        assert tp.update_weights(compiled, ["0.weight"]) == 2
        assert torch.equal(compiled(X), first(X) - second(X))


def region(weights: Iterable[str]) -> tp.Region:
    x = tp.Value("x", tp.TensorSpec((2,), (1,), torch.float32))
    inputs = tuple(tp.Value(f"w{i}", x.tensor.with_(weight_id=n)) for i, n in enumerate(weights))
    return tp.Region("r", tp.Graph((x, *inputs), (), (x,)), "inference", "1.0")


class Nothing:
    def run(self, *args: Any, **kwargs: Any) -> None: ...
    def update_weights(self, names: Iterable[str]) -> None: ...


def test_a_weight_is_materialised_once_for_all_its_regions_and_then_let_go() -> None:
    asked: Counter[str] = Counter()

    def fetch(name: str) -> torch.Tensor:
        asked[name] += 1
        return torch.ones(2)

    weights = ResidentWeights(["a", "b", "c"], fetch, {"a": 3, "b": 2, "c": 1})
    first, second = weights.of_region(region(["a", "b"])), weights.of_region(region(["a"]))
    kept = first.get("a")
    with pytest.raises(CompileError, match="once per residency"):
        first.get("a")
    with pytest.raises(CompileError, match="no frozen weight 'c'"):
        first.get("c")
    first.loaded(Nothing())
    with pytest.raises(CompileError, match="in load"):
        first.get("b")  # not asked for in load: it is an argument of run
    assert second.get("a").data_ptr() == kept.data_ptr()
    second.loaded(Nothing())
    assert (first.taken, second.taken, weights.taken) == ({"a"}, {"a"}, {"a"})
    for name in "ab":
        weights.hand(name)
    weights.passed("c")
    assert asked == {"a": 1, "b": 1}
    assert not weights._held


def test_a_weight_of_another_size_is_refused() -> None:
    weights = ResidentWeights(["a"], lambda name: torch.ones(3))
    with pytest.raises(CompileError, match="must be torch.float32 \\(2,\\)"):
        weights.of_region(region(["a"])).get("a")
    with pytest.raises(CompileError, match="no such weights"):
        weights.update(["z"])
