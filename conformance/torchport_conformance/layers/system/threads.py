"""Several threads, several backends, several times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import torch

from torchport_conformance.layers.system.workload import Finding, Trial, program

THREADS, CALLS, REPEATS = 4, 25, 20


def one_object(trial: Trial) -> Finding:
    """One compiled function from several threads, each with inputs of its own."""
    compiled = trial.compile()
    compiled(*trial.inputs())

    def work(turn: int) -> str:
        given = trial.inputs(turn)
        wrongs = (trial.wrong(compiled(*given), turn) for _ in range(CALLS))
        return next((w for w in wrongs if w), "")

    return _of_threads(work, "thread-unsafe", "called from several threads at once")


def many_compilations(trial: Trial) -> Finding:
    """Threads that compile for themselves."""

    def work(turn: int) -> str:
        compiled = trial.subject.compile(lambda *given: program(*given), dynamic=False)
        return trial.wrong(compiled(*trial.inputs(turn)), turn)

    trial.compile()(*trial.inputs())
    return _of_threads(work, "thread-unsafe compilation", "compiled in several threads at once")


def _of_threads(work: Callable[[int], str], cause: str, how: str) -> Finding:
    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(work, turn) for turn in range(THREADS)]
        for future in futures:
            error = future.exception()
            text = future.result() if error is None else f"{type(error).__name__}: {error}"
            if text:
                return Finding(cause, f"{how}: {text}")
    return Finding()


def two_backends(trial: Trial) -> Finding:
    """This backend, then PyTorch's tracing without one, then this backend again."""
    mine = trial.compile()
    first = mine(*trial.inputs())
    other = torch.compile(lambda *given: program(*given), backend="aot_eager", dynamic=False)
    for result, turn in ((first, 0), (other(*trial.inputs(1)), 1), (mine(*trial.inputs(2)), 2)):
        if text := trial.wrong(result, turn):
            return Finding("disturbed by another backend", f"beside another backend: {text}")
    return Finding()


def repeated(trial: Trial) -> Finding:
    """Every operator of the program is deterministic: the same inputs give the same bits."""
    compiled, given = trial.compile(), trial.inputs()
    first = compiled(*given).clone()
    for turn in range(1, REPEATS):
        again = compiled(*given)
        if not torch.equal(first, again):
            different = int((first != again).sum())
            text = f"call {turn + 1} with the same inputs differs from the first in {different} elements"
            return Finding("not deterministic", text)
    return Finding("", "") if not (text := trial.wrong(first)) else Finding("wrong result", text)


def thread_counts(trial: Trial) -> Finding:
    """One thread and several: both right; whether they are equal is reported."""
    compiled, given = trial.compile(), trial.inputs()
    results = []
    for count in (1, THREADS):
        with _threads(count):
            results.append(compiled(*given).clone())
            if text := trial.wrong(results[-1]):
                return Finding("wrong on some number of threads", f"on {count} threads: {text}")
    equal = torch.equal(results[0], results[1])
    return Finding("", "" if equal else f"1 and {THREADS} threads give different bits, each within the bound")


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
