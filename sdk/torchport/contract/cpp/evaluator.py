"""Runs the C++ shape rules from Python, to hold them against the Python ones."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from torchport.contract.cpp.header import PATH
from torchport.contract.dims import DataDependent
from torchport.contract.opset import OpSet
from torchport.contract.shape_rules import Bindings, bind, parse
from torchport.contract.spec import OpSpec
from torchport.errors import ContractError

SOURCE = Path(__file__).with_name("evaluate.cpp")


class CppEvaluator:
    """``evaluate.cpp`` built in ``folder`` by the system's C++ compiler.

    Raises:
        ContractError: there is no compiler, or the header does not compile.
    """

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("g++") or shutil.which("clang++")
        if compiler is None:
            raise ContractError("no C++ compiler", got="neither g++ nor clang++", hint="install one of them")
        self.program = folder / "evaluate"
        command = [compiler, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{PATH.parents[1]}"]
        done = subprocess.run(
            [*command, str(SOURCE), "-o", str(self.program)], capture_output=True, text=True
        )
        if done.returncode:
            raise ContractError("the shape rules do not compile", got=done.stderr[:2000])

    def answers(self, calls: Sequence[str]) -> list[str]:
        """What the C++ rules say about each call, in the form of :func:`expected`."""
        text = "\n".join(calls) + "\n" if calls else ""
        done = subprocess.run([str(self.program)], input=text, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def differences(self, calls: Iterable[tuple[str, str]]) -> list[str]:
        """Calls (with the expected answer) on which the C++ rules say something else."""
        pairs = list(calls)
        found = []
        for (call, wanted), got in zip(pairs, self.answers([c for c, _ in pairs]), strict=True):
            same = got.startswith("!") if wanted == "!" else got == wanted
            if not same:
                found.append(f"{call}: {got} instead of {wanted}")
        return found


def encoded_call(name: str, bound: Bindings) -> str:
    """A call with static sizes as a line for the evaluator."""
    values = [f"{key} {_encoded(value)}" for key, value in bound.values.items()]
    dtypes = [f"{key} {dtype}" for key, dtype in bound.dtypes.items()]
    return " ".join([name, str(len(values)), *values, str(len(dtypes)), *dtypes])


def expected(spec: OpSpec, bound: Bindings) -> str:
    """The Python rules' answer: the outputs and the first violated constraint, or ``!`` for an error."""
    try:
        outputs = [parse(text).raw(bound) for text in spec.shape]
    except ContractError:
        return "!"
    own = (c for c in spec.constraints if c.tier is None)
    broken = next((c.label for c in own if parse(c.text).holds(bound) is False), "-")
    return f"{_encoded(tuple(outputs))} {broken}"


def check_calls(
    opset: OpSet, calls: Iterable[tuple[str, dict[str, Any]]], folder: Path
) -> tuple[int, list[str]]:
    """Evaluates calls (operator, arguments) in both languages; how many, and the differences."""
    pairs = []
    for name, arguments in calls:
        bound = bind(arguments)
        pairs.append((encoded_call(name, bound), expected(opset.ops[name], bound)))
    return len(pairs), CppEvaluator(folder).differences(pairs)


def _encoded(value: Any) -> str:
    if value is None:
        return "N"
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, int):
        return f"I{value}"
    if isinstance(value, float):
        return f"R{value!r}"
    if isinstance(value, DataDependent):
        return "D"
    if isinstance(value, tuple | list):
        return " ".join([f"L{len(value)}", *map(_encoded, value)])
    return f"S{quote(str(value), safe='')}"
