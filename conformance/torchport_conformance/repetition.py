"""Whether a result depends on anything but its operands: on the call before, on what the destination held, on
memory around an operand, on another thread, or on chance.

A case that passed is run again with other values, then with its own in other surroundings. Where the contract
has the operator deterministic, the bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import torch

from torchport_conformance.buffers import OTHER_CANARY_BYTE, USUAL, Surroundings
from torchport_conformance.causes import Diagnosis
from torchport_conformance.closeness import same

_FROM_RUN_TO_RUN = Diagnosis("results differ from run to run", "the same operands gave other bits")
Values = Mapping[str, torch.Tensor]
Run = Callable[[Values, Surroundings], Sequence[torch.Tensor]]
"""Runs a case with operands of some values in some surroundings; returns its outputs on the host."""


def unsteady(
    run: Run,
    values: Values,
    others: Values,
    got: Sequence[torch.Tensor],
    is_right: Callable[[Values, Sequence[torch.Tensor]], bool],
) -> Diagnosis | None:
    """What the outputs of a case depend on that they may not; None where nothing is found.

    Args:
        run: runs the case.
        values: its operands.
        others: operands of the same shapes and dtypes with other values.
        got: its outputs, right ones.
        is_right: whether outputs are right for operands.
    """
    between = run(others, USUAL)
    if same(between, got) and not is_right(others, between):
        return Diagnosis("the value of an earlier call", "operands with other values give the same result")
    again = run(values, Surroundings(frozenset(values), OTHER_CANARY_BYTE))
    if not same(again, got):
        return _what_differs(run, values, got)
    # A fault of every other call shows in one of two in a row.
    return None if same(run(values, USUAL), got) else _FROM_RUN_TO_RUN


def entangled(
    run: Run, values: Values, others: Values, is_right: Callable[[Values, Sequence[torch.Tensor]], bool]
) -> Diagnosis | None:
    """What is wrong where two threads call at once, each with its own values; None where nothing is.

    ``is_right`` says whether outputs are right for operands.
    """
    barrier = Barrier(2)

    def call(operands: Values) -> Sequence[torch.Tensor]:
        barrier.wait(_PATIENCE)
        return run(operands, USUAL)

    with ThreadPoolExecutor(2) as pool:
        for _ in range(_CALLS_AT_ONCE):
            futures = [pool.submit(call, operands) for operands in (values, others)]
            mine, _ = [future.result() for future in futures]
            if not is_right(values, mine):
                return Diagnosis("thread-unsafe", "called from two threads at once, the results are others")
    return None


_CALLS_AT_ONCE = 3
_PATIENCE = 60.0


def _what_differs(run: Run, values: Values, got: Sequence[torch.Tensor]) -> Diagnosis:
    if not same(run(values, USUAL), got):
        return _FROM_RUN_TO_RUN
    if not same(run(values, Surroundings(canary=OTHER_CANARY_BYTE)), got):
        return Diagnosis("the destination is read before it is written", "what it held shows in the result")
    for name in values:
        if not same(run(values, Surroundings(frozenset((name,)))), got):
            return Diagnosis(f"memory around {name!r} is read", "what lies there shows in the result")
    if not same(run(values, Surroundings(frozenset(values))), got):
        return Diagnosis("memory around operands is read", "what lies around all of them shows in the result")
    return Diagnosis("results differ from run to run", "but not in each: the kernel keeps something")


SEED = 20_231


def unfair(run: Run, values: Values, *, must_differ: bool) -> Diagnosis | None:
    """What is wrong with the draws of a random operator from one call to the next; None where nothing is.

    ``must_differ`` says that two draws in a row are the same with a probability that nobody sees.
    """
    accelerators = torch.accelerator.is_available()
    devices = range(torch.accelerator.device_count()) if accelerators else ()
    kind = str(torch.accelerator.current_accelerator() or "cuda").partition(":")[0]
    with torch.random.fork_rng(list(devices), device_type=kind, enabled=True):
        torch.manual_seed(SEED)
        first, second = run(values, USUAL), run(values, USUAL)
        torch.manual_seed(SEED)
        again = run(values, USUAL)
    if not same(first, again):
        return Diagnosis("a seed does not repeat its draws", "torch.manual_seed has no effect, or not all")
    if must_differ and same(first, second):
        return Diagnosis("draws in a row are the same", "the state of the generator does not advance")
    return None
