"""Digests of the functions that backends are given."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import torch

import torchport as tp
from torchport.compile.callable_digest import callable_digest
from torchport.compile.instance_state import source_digest


def typed(source: str) -> Any:
    """What a text defines as ``made``; its source is nowhere to be read."""
    names: dict[str, Any] = {"torch": torch, "tp": tp, "__name__": "nowhere"}
    exec(source, names)
    return names["made"]


def scaled(factor: Any) -> Callable[..., Any]:
    def run(x: torch.Tensor) -> torch.Tensor:
        return x * factor

    return run


def with_itself() -> Callable[..., Any]:
    def run(depth: int) -> int:
        return run(depth - 1) if depth else 0

    return run


DIFFERENT = [
    "def made(x): return torch.relu(x)",
    "def made(x): return torch.abs(x)",
    "def made(x): return x * 2",
    "def made(x): return x * 3",
    "def made(x, n=2): return x * n",
    "def made(x, n=3): return x * n",
    "def made(x, *, n=3): return x * n",
    "made = lambda x: (lambda y: y + 1)(x)",
    "made = lambda x: (lambda y: y + 2)(x)",
    "def outer(n):\n  def run(x): return x * n\n  return run\nmade = outer(2)",
    "def outer(n):\n  def run(x): return x * n\n  return run\nmade = outer(3)",
    "def outer():\n  def run(x): return run(x - 1) if x else late\n  return run\n  late = 1\nmade = outer()",
    "def outer(f):\n  def run(x): return f(x)\n  return run\nmade = outer(lambda x: x + 1)",
    "def outer(f):\n  def run(x): return f(x)\n  return run\nmade = outer(lambda x: x - 1)",
]


def test_functions_without_a_source_count_by_what_they_do() -> None:
    digests = [callable_digest(typed(source)) for source in DIFFERENT]
    assert len(set(digests)) == len(DIFFERENT)
    assert digests == [callable_digest(typed(source)) for source in DIFFERENT]


def test_a_backend_of_functions_typed_at_a_prompt_has_a_source_hash() -> None:
    def of(source: str) -> str:
        return tp.EagerBackend({"aten.relu.default": typed(source)}).source_hash()

    assert of(DIFFERENT[0]) == of(DIFFERENT[0]) != of(DIFFERENT[1])
    assert of(DIFFERENT[2]) != of(DIFFERENT[3])


def test_functions_of_one_source_differ_by_what_they_close_over() -> None:
    assert callable_digest(scaled(2)) == callable_digest(scaled(2)) != callable_digest(scaled(3))
    assert callable_digest(scaled(torch.abs)) != callable_digest(scaled(torch.relu))
    assert callable_digest(scaled(torch.ones(2))) == callable_digest(scaled(torch.zeros(3))), "by its type"
    assert callable_digest(with_itself()) == callable_digest(with_itself())
    one, other = (functools.partial(scaled(2), n=n) for n in (1, 2))
    assert (
        callable_digest(one) == callable_digest(functools.partial(scaled(2), n=1)) != callable_digest(other)
    )


def test_classes_without_a_file_count_by_their_constants_too() -> None:
    one, other = (typed(f"class made(tp.EagerBackend):\n  def f(self): return {n}") for n in (1, 2))
    assert source_digest(one) != source_digest(other)


def test_digests_are_the_same_in_other_processes() -> None:
    made = (
        "torch.relu",
        "torch.ops.aten.relu.default",
        "functools.partial(torch.add, alpha=2)",
        "lambda x: x in {'a', 'b', 'c', 'd'}",
        "torch.nn.ReLU().forward",
        "torch.nn.ReLU()",
    )
    program = (
        "import functools, torch; from torchport.compile.callable_digest import callable_digest; "
        f"print([callable_digest(f) for f in ({', '.join(made)})])"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout and not any(run.stderr for run in runs)
    assert len(set(ast.literal_eval(runs[0].stdout))) == len(made)
