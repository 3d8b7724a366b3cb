"""Results of which the contract leaves open which of some values they have, and those beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from torchport.contract.adapters import call
from torchport.contract.numerics import judge
from torchport.contract.opset import opset
from torchport.contract.reference import flatten, reference
from torchport.contract.repeated_places import is_order_open

OPS = opset("1.0").ops
BF16 = torch.bfloat16


def arguments_of(op: str, **given: Any) -> dict[str, Any]:
    return {a.name: given.get(a.name, a.default_value) for a in OPS[op].signature.arguments}


X = torch.arange(12.0).view(1, 3, 4)
TWICE = torch.tensor([1, 0, 1])
ROWS = -torch.arange(1.0, 13.0).view(1, 3, 4)
CACHE = torch.arange(8.0).view(1, 1, 4, 2)
WRITES = [
    ("aten.put.default", {"self": X, "index": torch.tensor([5, 2, -7]), "source": ROWS[0, :, 0]}, (0, 1, 1)),
    ("aten.index_put.default", {"self": X, "indices": [None, TWICE, None], "values": ROWS}, (0, 1, 2)),
    ("aten._unsafe_index_put.default", {"self": X, "indices": [None, TWICE], "values": ROWS}, (0, 1, 0)),
    (
        "aten._index_put_impl.default",
        {"self": X, "indices": [None, TWICE, TWICE], "values": torch.tensor([-1.0, -2, -3])},
        (0, 1, 1),
    ),
    ("aten.scatter.src", {"self": X, "dim": 1, "index": TWICE.view(1, 3, 1), "src": ROWS}, (0, 1, 0)),
    ("aten.index_copy.default", {"self": X, "dim": -2, "index": TWICE, "source": ROWS}, (0, 1, 3)),
    (
        "torchport.kv_cache_write.default",
        {"cache": CACHE, "positions": TWICE, "update": -CACHE[:, :, 1:], "dim": 2},
        (0, 0, 1, 1),
    ),
    (
        "aten.as_strided_scatter.default",
        {"self": X[0], "src": ROWS[0, :2], "size": [2, 4], "stride": [1, 1], "storage_offset": None},
        (0, 1),
    ),
    (
        "aten.max_unpool2d.default",
        {"self": ROWS[:, :1, :3], "indices": torch.tensor([[[5, 2, 5]]]), "output_size": [2, 4]},
        (0, 1, 1),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("op", "given", "at"), WRITES, ids=[w[0] for w in WRITES])
def test_any_of_the_values_that_are_written_to_one_place_is_right(
    op: str, given: dict[str, Any], at: tuple[int, ...]
) -> None:
    full, spec = arguments_of(op, **given), OPS[op]
    right = flatten(call(spec, full))[0]
    assert is_order_open(spec, full) and judge(spec, full, [right]).ok

    def with_value(value: float, place: tuple[int, ...] = at) -> Tensor:
        changed = right.clone()
        changed[place] = value
        return changed

    name = next(n for n in ("source", "values", "src", "update", "self") if n in given)
    others = {v for v in given[name].reshape(-1).tolist() if judge(spec, full, [with_value(v)]).ok}
    assert len(others) == 2 and float(right[at]) in others
    assert not judge(spec, full, [with_value(sum(others))]).ok, "the values are not added"
    before = tuple(0 for _ in at)
    assert not any(judge(spec, full, [with_value(v, before)]).ok for v in others - {float(right[before])})
    narrow = {
        n: v.to(BF16) if isinstance(v, Tensor) and v.is_floating_point() else v for n, v in full.items()
    }
    assert all(judge(spec, narrow, [with_value(v).to(BF16)]).ok for v in others)


def test_where_values_are_added_or_each_place_is_written_once_nothing_is_open() -> None:
    twice, once = torch.tensor([1, 1]), torch.tensor([1, 2])
    x, source = torch.zeros(3), torch.tensor([3.0, 4.0])
    spec = OPS["aten.put.default"]
    for index, accumulate in ((twice, True), (once, False)):
        full = arguments_of(spec.name, self=x, index=index, source=source, accumulate=accumulate)
        assert not is_order_open(spec, full)
        assert not judge(spec, full, [torch.tensor([0.0, 3.0, 0.0])]).ok
    gather = arguments_of("aten.gather.default", self=x, dim=0, index=twice)
    assert not is_order_open(OPS["aten.gather.default"], gather)


def test_a_nan_that_is_written_beside_a_number_may_stand_or_not_and_zeros_keep_their_signs() -> None:
    spec = OPS["aten.index_copy.default"]
    source = torch.tensor([torch.nan, 1.0, -0.0, -0.0])
    full = arguments_of(
        spec.name, self=torch.zeros(3), dim=0, index=torch.tensor([0, 0, 1, 1]), source=source
    )
    for first in (torch.nan, 1.0):
        assert judge(spec, full, [torch.tensor([first, -0.0, 0.0])]).ok
    assert not judge(spec, full, [torch.tensor([2.0, -0.0, 0.0])]).ok
    empty = arguments_of(spec.name, self=torch.zeros(3), dim=0, index=source[:0].long(), source=source[:0])
    assert not is_order_open(spec, empty) and judge(spec, empty, [torch.zeros(3)]).ok


LAYERS = [("torchport.gru.default", 3), ("torchport.lstm.default", 4)]


def layer(op: str, gates: int, weight: float, *, turned: bool) -> dict[str, Any]:
    """Two sequences of three steps, of one number and a state of one number; the state of the first is near 0
    after a step.
    """
    state = torch.tensor([[0.8828125], [0.5]], dtype=BF16)
    cell = {"c": torch.tensor([[0.99609375], [0.5]], dtype=BF16)} if "lstm" in op else {}
    weights = torch.zeros(gates, 1, dtype=BF16)
    weights[2] = weight
    sequence = torch.tensor([[0.125], [0.25], [0.5]], dtype=BF16).expand(3, 2).unsqueeze(-1)
    return arguments_of(
        op,
        input=sequence.transpose(0, 1).flip(1) if turned else sequence,
        h=state,
        weight_ih=torch.ones(gates, 1, dtype=BF16),
        weight_hh=weights,
        batch_first=turned,
        reverse=turned,
        **cell,
    )


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("op", "gates"), LAYERS)
def test_a_state_that_rounding_made_zero_is_lost_to_an_infinite_weight(
    op: str, gates: int, turned: bool
) -> None:
    spec = OPS[op]
    full = layer(op, gates, -torch.inf, turned=turned)

    def by_step(states: Tensor) -> Tensor:
        return states.transpose(0, 1).flip(0) if turned else states

    def lost(change: Callable[[Tensor, Tensor], Any]) -> list[Tensor]:
        """The right results, changed: the states by step and row, and the last of each row."""
        states, last, *more = (r.to(BF16) for r in reference(spec, full) if r is not None)
        steps = by_step(states)
        change(steps, last)
        return [steps.flip(0).transpose(0, 1) if turned else steps, last, *more]

    def follows(states: Tensor, last: Tensor) -> None:
        states[0, 0], states[1:, 0], last[0] = 0.0, torch.nan, torch.nan

    def elsewhere(states: Tensor, last: Tensor) -> None:
        states[0, 0], states[1:, 1] = 0.0, torch.nan

    def earlier(states: Tensor, last: Tensor) -> None:
        states[0, 0], states[1, 0] = torch.nan, 0.0

    assert judge(spec, full, flatten(call(spec, full))).ok
    assert judge(spec, full, lost(lambda states, last: None)).ok
    assert judge(spec, full, lost(follows)).ok
    assert not judge(spec, full, lost(elsewhere)).ok and not judge(spec, full, lost(earlier)).ok
    assert not judge(spec, full, lost(lambda states, last: states[1:, 0].fill_(torch.nan))).ok
    full["weight_hh"] = full["weight_hh"].nan_to_num()
    full["weight_hh"][2] = -2.0
    assert not judge(spec, full, lost(follows)).ok


def test_an_exact_zero_before_an_infinite_weight_may_be_a_small_number() -> None:
    x, weight = torch.tensor([[2.0, 2.0]]), torch.tensor([torch.inf, 1.0])
    given = arguments_of(
        "torchport.layer_norm.default", input=x, weight=weight, normalized_shape=[2], eps=1e-3
    )
    spec = OPS["torchport.layer_norm.default"]
    for first in (torch.nan, torch.inf, -torch.inf):
        assert judge(spec, given, [torch.tensor([[first, 0.0]])]).ok
    for wrong in ([0.0, 0.0], [torch.nan, torch.inf]):
        assert not judge(spec, given, [torch.tensor([wrong])]).ok


@pytest.mark.parametrize(
    ("x", "decimals", "right", "wrong"),
    [
        # 10 x is 2113.4999…, and 2113.5 in float32.
        (211.35, 1, (211.3, 211.4), (211.2, 211.5)),
        # Exact ties go to the even neighbour alone.
        (2.5, 0, (2.0,), (3.0,)),
        (0.25, 1, (0.2,), (0.3,)),
    ],
)
def test_decimals_go_to_either_neighbour_where_rounding_makes_a_tie(
    x: float, decimals: int, right: tuple[float, ...], wrong: tuple[float, ...]
) -> None:
    spec, given = OPS["aten.round.decimals"], {"self": torch.tensor([x]), "decimals": decimals}
    assert all(judge(spec, given, [torch.tensor([value])]).ok for value in right)
    assert not any(judge(spec, given, [torch.tensor([value])]).ok for value in wrong)


def test_the_logarithm_of_what_may_be_singular_may_be_infinite() -> None:
    A = torch.ones(3, 3)
    spec = OPS["aten._linalg_slogdet.default"]
    sign, logarithm, LU, pivots = torch.ops.aten._linalg_slogdet(A)
    for value in (torch.tensor(-torch.inf), torch.tensor(-20.0)):
        assert judge(spec, {"A": A}, [torch.zeros(()), value, LU, pivots]).ok, (sign, logarithm)
    regular = torch.tensor([[2.0, 0.0], [0.0, 3.0]])
    results = list(torch.ops.aten._linalg_slogdet(regular))
    assert judge(spec, {"A": regular}, results).ok
    results[1] = torch.tensor(-torch.inf)
    assert not judge(spec, {"A": regular}, results).ok
