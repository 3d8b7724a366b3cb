"""What a result may not depend on, asked of kernels that depend on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import pytest
import torch

from torchport_conformance.repetition import deaf, entangled, unsteady

Values = Mapping[str, torch.Tensor]
MINE, OTHERS = {"x": torch.zeros(4)}, {"x": torch.ones(4)}


def is_right(operands: Values, results: Sequence[torch.Tensor]) -> bool:
    return torch.equal(results[0], operands["x"] + 1)


def own_memory(operands: Values, ready: Callable[[], object]) -> list[torch.Tensor]:
    ready()
    return [operands["x"] + 1]


@pytest.mark.parametrize("late", ["", "mine", "others"])
def test_memory_that_threads_share_is_found_however_long_one_of_them_prepares(late: str) -> None:
    scratch = torch.empty(4)

    def run(operands: Values, ready: Callable[[], object]) -> list[torch.Tensor]:
        if late == ("mine" if operands is MINE else "others"):
            time.sleep(0.02)
        ready()
        scratch.copy_(operands["x"] + 1)
        time.sleep(0.005)
        return [scratch.clone()]

    for _ in range(5):
        found = entangled(run, MINE, OTHERS, [MINE["x"] + 1], is_right)
        assert found is not None and found.cause == "thread-unsafe"


def test_threads_with_memory_of_their_own_are_right() -> None:
    assert entangled(own_memory, MINE, OTHERS, [MINE["x"] + 1], is_right) is None


def test_values_that_are_wrong_on_one_thread_as_well_are_not_the_threads_fault() -> None:
    def run(operands: Values, ready: Callable[[], object]) -> list[torch.Tensor]:
        ready()
        return [torch.rand(4) if operands is OTHERS else operands["x"] + 1]

    assert entangled(run, MINE, OTHERS, [MINE["x"] + 1], is_right) is None


def test_what_a_thread_raises_does_not_keep_the_other_waiting() -> None:
    def run(operands: Values, ready: Callable[[], object]) -> list[torch.Tensor]:
        if operands is OTHERS and ready() is not None:
            raise ArithmeticError("in the kernel")
        return own_memory(operands, ready)

    started = time.monotonic()
    with pytest.raises(ArithmeticError):
        entangled(run, MINE, OTHERS, [MINE["x"] + 1], is_right)
    assert time.monotonic() - started < 10


def test_results_repeat_as_far_as_the_contract_says() -> None:
    calls = iter(range(100))

    def run(operands: Values, around: object) -> list[torch.Tensor]:
        return [operands["x"] + 1 + next(calls) % 2]

    got = [MINE["x"] + 1]
    right = [lambda results: torch.equal(results[0], got[0]), lambda results: True]
    found = [unsteady(run, MINE, OTHERS, got, lambda o, r: True, repeats) for repeats in right]
    assert found[0] is not None and found[1] is None


def test_every_bit_of_a_key_counts() -> None:
    values = {"seed": torch.tensor(300), "offset": torch.tensor(5)}

    def draws(of: Callable[[Values], int]) -> Callable[[Values, object], list[torch.Tensor]]:
        return lambda operands, around: [torch.tensor([of(operands)])]

    keys = {"seed": 1000, "offset": 10}
    whole = draws(lambda v: int(v["seed"]) * 1000 + int(v["offset"]))
    assert deaf(whole, values, whole(values, None), keys) is None
    for of, text in (
        (lambda v: (int(v["seed"]) & 0x7F) * 1000 + int(v["offset"]), "bit 7"),
        (lambda v: int(v["seed"]), "another 'offset', and bit 0"),
    ):
        run = draws(of)
        found = deaf(run, values, run(values, None), keys)
        assert found is not None and text in found.detail
