"""A fingerprint changes with what a decomposition does, and with nothing else."""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from torchport.contract.fingerprint import fingerprint

PLAIN = """
LIMIT = 2
def scale(x):
    return x * LIMIT
def rule(x, y=1):
    return scale(x) + y
twice = lambda x: rule(rule(x))
"""

Load = Callable[[str], types.ModuleType]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Makes a module of decompositions out of a text; all have the same name."""
    name = "torchport.contract.decompositions.invented"
    count = 0

    def loaded(text: str) -> types.ModuleType:
        nonlocal count
        count += 1
        path = tmp_path / f"invented_{count}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    yield loaded
    sys.modules.pop(name, None)


def of(load: Load, text: str, name: str = "rule") -> str:
    return fingerprint(getattr(load(text), name))


def test_form_does_not_matter(load: Load) -> None:
    before = of(load, PLAIN)
    commented = PLAIN.replace(
        "    return scale(x) + y", '    """Says so."""\n    # why\n    return (\n        scale(x) + y)'
    )
    assert of(load, commented) == before
    typed = PLAIN.replace("def rule(x, y=1):", "def rule(x: int, y: int = 1) -> int:")
    assert of(load, typed) == before
    assert of(load, "\n\nUNUSED = 1\n" + PLAIN) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scale(x) + y", "scale(x) - y"),
        ("y=1", "y=2"),
        ("x * LIMIT", "x / LIMIT"),
        ("LIMIT = 2", "LIMIT = 3"),
    ],
)
def test_meaning_matters_however_far_away(load: Load, old: str, new: str) -> None:
    assert old in PLAIN
    assert of(load, PLAIN.replace(old, new)) != of(load, PLAIN)
    assert of(load, PLAIN.replace(old, new), "twice") != of(load, PLAIN, "twice")


def test_bound_arguments_and_closures_count(load: Load) -> None:
    module = load(PLAIN)
    one, two = (fingerprint(functools.partial(module.rule, y=y)) for y in (1, 2))
    assert one != two != fingerprint(module.rule)
    makers = load("def made(n):\n    def rule(x):\n        return x + n\n    return rule\n")
    assert fingerprint(makers.made(1)) != fingerprint(makers.made(2))
    assert fingerprint(makers.made(1)) == fingerprint(makers.made(1))


def test_lambdas_of_one_line_are_told_apart(load: Load) -> None:
    module = load("rules = {'a': lambda x: x + 1, 'b': lambda x: x + 2, 'c': lambda x: x + 1}\n")
    a, b, c = (fingerprint(module.rules[k]) for k in "abc")
    assert a != b
    assert a == c


def test_a_function_without_a_file_has_one() -> None:
    scope: dict[str, Callable[..., int]] = {}
    exec("def f(x):\n    return x + 1\ndef g(x):\n    return x + 2", scope)
    assert fingerprint(scope["f"]) != fingerprint(scope["g"])
