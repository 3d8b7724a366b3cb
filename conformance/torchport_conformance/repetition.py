"""Whether a result depends on anything but its operands: on the call before, on what the destination held, on
memory around an operand, on another thread, or on chance.

A case that passed is run again with other values, then with its own in other surroundings. Where the contract
has the operator deterministic, the bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError

import torch

from torchport_conformance.buffers import OTHER_CANARY_BYTE, USUAL, Surroundings
from torchport_conformance.causes import Diagnosis
from torchport_conformance.closeness import same

_FROM_RUN_TO_RUN = Diagnosis("results differ from run to run", "the same operands gave other bits")
Values = Mapping[str, torch.Tensor]
Run = Callable[[Values, Surroundings], Sequence[torch.Tensor]]
"""Runs a case with operands of some values in some surroundings; returns its outputs on the host."""
RunWhenReady = Callable[[Values, Callable[[], object]], Sequence[torch.Tensor]]
"""The same in the usual ones; what is given is called when all is ready for the kernel."""


def unsteady(
    run: Run,
    values: Values,
    others: Values,
    got: Sequence[torch.Tensor],
    is_right: Callable[[Values, Sequence[torch.Tensor]], bool],
    repeats: Callable[[Sequence[torch.Tensor]], bool],
) -> Diagnosis | None:
    """What the outputs of a case depend on that they may not; None where nothing is found.

    Args:
        run: runs the case.
        values: its operands.
        others: operands of the same shapes and dtypes with other values.
        got: its outputs, right ones.
        is_right: whether outputs are right for operands.
        repeats: whether outputs of the same operands are the same once more: bit for bit, save for what the
            contract leaves open.
    """
    between = run(others, USUAL)
    if same(between, got) and not is_right(others, between):
        return Diagnosis("the value of an earlier call", "operands with other values give the same result")
    again = run(values, Surroundings(frozenset(values), OTHER_CANARY_BYTE))
    if not repeats(again):
        return _what_differs(run, values, repeats)
    # A fault of every other call shows in one of two in a row.
    return None if repeats(run(values, USUAL)) else _FROM_RUN_TO_RUN


def entangled(
    run: RunWhenReady,
    values: Values,
    others: Values,
    got: Sequence[torch.Tensor],
    is_right: Callable[[Values, Sequence[torch.Tensor]], bool],
) -> Diagnosis | None:
    """What is wrong where two threads call at once, each with its own values; None where nothing is.

    The threads wait for each other with their operands in place, so that what is between the two calls is no
    more than the calls. Either may get what is the other's.

    Args:
        run: runs the case, and calls what it is given right before the kernel.
        values: its operands.
        others: operands of the same shapes and dtypes with other values.
        got: its outputs, right ones.
        is_right: whether outputs are right for operands.
    """
    barrier = Barrier(2)

    def calls(operands: Values) -> list[Sequence[torch.Tensor]]:
        try:
            return [run(operands, lambda: barrier.wait(_PATIENCE)) for _ in range(_CALLS_AT_ONCE)]
        except BaseException:
            barrier.abort()
            raise

    alone = (got, run(others, lambda: None))
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(calls, operands) for operands in (values, others)]
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        # What a kernel raised, before what the other thread waited for in vain.
        raise min(errors, key=lambda error: isinstance(error, BrokenBarrierError))
    together = [future.result() for future in futures]
    for operands, by_itself, results in zip((values, others), alone, together, strict=True):
        for found in results:
            if same(found, by_itself) or is_right(operands, found) or not is_right(operands, by_itself):
                continue
            return Diagnosis("thread-unsafe", "called from two threads at once, the results are others")
    return None


_CALLS_AT_ONCE = 3
_PATIENCE = 60.0


def _what_differs(run: Run, values: Values, repeats: Callable[[Sequence[torch.Tensor]], bool]) -> Diagnosis:
    if not repeats(run(values, USUAL)):
        return _FROM_RUN_TO_RUN
    if not repeats(run(values, Surroundings(canary=OTHER_CANARY_BYTE))):
        return Diagnosis("the destination is read before it is written", "what it held shows in the result")
    for name in values:
        if not repeats(run(values, Surroundings(frozenset((name,))))):
            return Diagnosis(f"memory around {name!r} is read", "what lies there shows in the result")
    if not repeats(run(values, Surroundings(frozenset(values)))):
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


def deaf(run: Run, values: Values, got: Sequence[torch.Tensor], keys: Mapping[str, int]) -> Diagnosis | None:
    """What is wrong where draws follow from a key among the operands, and a part of the key changes nothing;
    None where nothing is.

    Args:
        run: runs the case.
        values: its operands.
        got: its outputs, of which others are the same with a probability that nobody sees.
        keys: the operands that are keys, and how many each may be of.
    """
    for name, count in keys.items():
        for bit in range((count - 1).bit_length()):
            if same(run({**values, name: values[name] ^ (1 << bit)}, USUAL), got):
                text = f"other draws need another {name!r}, and bit {bit} of it changes none"
                return Diagnosis("a part of a key is ignored", text)
    return None
