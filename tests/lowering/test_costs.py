"""A descent is kept only if its parts cost less than the whole on the next backend."""

from __future__ import annotations

import pytest
import torch

import torchport as tp

SOFTMAX = "aten._softmax.default"
PARTS = (
    "aten.amax.default",
    "aten.sub.Tensor",
    "aten.exp.default",
    "aten.sum.dim_IntList",
    "aten.div.Tensor",
)


class Priced(tp.EagerBackend):
    """Answers from a table; everything else is refused."""

    def __init__(self, name: str, answers: dict[str, tp.Claim]) -> None:
        super().__init__()
        self.__dict__["name"] = name
        self.answers = answers

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return self.answers.get(node.op, tp.no(tp.Reason.OP))


def parts(cost: float | None, count: int = 5) -> dict[str, tp.Claim]:
    return dict.fromkeys(PARTS[:count], tp.yes(cost=cost))


def lowered(*answers: dict[str, tp.Claim]) -> list[str]:
    backends = [Priced(f"backend{i}", a) for i, a in enumerate(answers)]
    chosen = tp.compose(*backends) if len(backends) > 1 else backends[0]
    result = tp.lower(lambda x: torch.softmax(x, -1), [torch.randn(3, 4)], backend=chosen)
    assert result.reasons == ()
    return [n.op for n in result.graphs["inference"].nodes]


@pytest.mark.parametrize(
    ("each", "whole", "kept"),
    [
        (0.1, 1.0, True),  # 0.5 < 1
        (0.2, 1.0, False),  # 1 is not less than 1
        (3.0, None, False),  # an unstated cost is that of a typical kernel
        (0.1, None, True),
        (None, 9.0, True),  # 5 typical kernels
        (None, 2.0, False),
        (None, None, True),  # nobody states a cost: the first backend is preferred
    ],
)
def test_parts_against_the_whole_on_the_next_backend(
    each: float | None, whole: float | None, kept: bool
) -> None:
    assert lowered(parts(each), {SOFTMAX: tp.yes(cost=whole)}) == (list(PARTS) if kept else [SOFTMAX])


def test_parts_are_kept_where_nobody_runs_the_whole() -> None:
    assert lowered(parts(100.0), {}) == list(PARTS)
    assert lowered(parts(100.0)) == list(PARTS)


def test_parts_that_are_not_all_claimed_are_not_cheaper() -> None:
    assert lowered(parts(0.1, count=4), {SOFTMAX: tp.yes(cost=50.0)}) == [SOFTMAX]


@pytest.mark.parametrize(
    ("each", "whole", "kept"), [(None, None, True), (0.1, 2.0, True), (1.0, 2.0, False), (7.0, None, True)]
)
def test_preferred_parts_must_cost_less_than_a_whole_with_a_price(
    each: float | None, whole: float | None, kept: bool
) -> None:
    answers = parts(each) | {SOFTMAX: tp.prefer_parts(cost=whole)}
    assert lowered(answers) == (list(PARTS) if kept else [SOFTMAX])


def test_claims_say_whether_they_state_a_cost() -> None:
    assert (tp.yes().cost, tp.yes().priced) == (1.0, False)
    assert (tp.yes(cost=1.0).cost, tp.yes(cost=1.0).priced) == (1.0, True)
    assert tp.prefer_parts(cost=3).cost == 3.0
