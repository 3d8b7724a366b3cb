"""Searches the error cases anew, lets eager PyTorch raise for each, and writes the data file.

``python -m torchport_conformance.cases.freeze_errors [OPERATOR …]`` prints what it found; without operators
it writes the file. Every call runs in a forked child: what eager PyTorch does not survive is no case.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from torchport.contract import shape_rules
from torchport.contract.spec import Category, OpSpec
from torchport.errors import ContractError
from torchport_conformance import oracle
from torchport_conformance.cases import frozen
from torchport_conformance.cases.arguments import bindings_of
from torchport_conformance.cases.case import Argument, Case, TensorPlan
from torchport_conformance.cases.errors import FILE, Corruption, ErrorCase
from torchport_conformance.cases.violations import Search, Violation
from torchport_conformance.error_execution import corrupt, region_of_wrong
from torchport_conformance.specs import all_specs, spec_of

_SECONDS = 10.0
_INTEGERS = (-1, -1000, 1000, 2**31 - 1)
_REALS = (-1.0, 2.0, float("nan"))
_UNBOUNDED = ("any", "small", "finite", "sorted", "unit")
_PER_LABEL = {"E": 2, "C": 1, "T": 3, "A": 3, "V": 8}
"""How many calls are kept for a label, by its kind."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that eager PyTorch is to raise for."""

    label: str
    prose: str
    valid: Case
    wrong: Case
    changed: tuple[tuple[str, Argument], ...]
    corruption: Corruption | None
    others: tuple[str, ...]


def candidates(spec: OpSpec) -> Iterator[Candidate]:
    """Wrong calls of an operator: of its metadata, of numbers, of values."""
    search = Search(spec)
    for violation in search.violations():
        yield _of_violation(violation)
    for violation in search.unfit_numbers():
        yield _of_violation(violation)
    yield from _value_candidates(search)


def _of_violation(violation: Violation) -> Candidate:
    wrong = Case(f"{violation.label}", violation.valid.op, violation.arguments)
    return Candidate(
        violation.label, violation.prose, violation.valid, wrong, violation.changed, None, violation.others
    )


def _value_candidates(search: Search) -> Iterator[Candidate]:
    """One element of one operand out of its value class."""
    names = list(search.types)
    for valid in search.bases()[:3]:
        for operand, plan in valid.tensors():
            argument = operand.partition("[")[0]
            kind = search.spec.operands[argument].values.partition("(")[0]
            for value in _bad_values(search.spec, kind, plan):
                for position in ("first", "last"):
                    label = f"{search.stem}.V{names.index(argument) + 1}"
                    prose = f"{operand!r} has a value outside of its range ({plan.values})"
                    yield Candidate(label, prose, valid, valid, (), Corruption(operand, position, value), ())


def _bad_values(spec: OpSpec, kind: str, plan: TensorPlan) -> Iterator[float]:
    if 0 in plan.shape or plan.dtype is torch.bool or plan.dtype.is_complex:
        return
    if spec.category is Category.ELEMENTWISE:
        return  # counts of bits and orders of polynomials: no value is refused
    if not plan.dtype.is_floating_point:
        if kind in _UNBOUNDED and spec.category not in (Category.INDEXING, Category.RANDOM, Category.LOSS):
            return
        bound = plan.values.partition(":")[2]
        limits = torch.iinfo(plan.dtype)
        edges = (int(bound), -int(bound) - 1) if bound.isdigit() else ()
        wanted = (*edges, *_INTEGERS)
        yield from (v for v in wanted if limits.min <= v <= limits.max)
    elif kind in ("probability", "positive") and spec.category in (Category.RANDOM, Category.LOSS):
        yield from _REALS


def _concrete(case: Case, corruption: Corruption | None) -> dict[str, Any]:
    """Arguments of a call, with its wrong element."""
    values = oracle.operands(case, 0)
    if corruption is not None:
        corrupt(values, corruption)
    return oracle.arguments_of(case, values)


def settled(case: Case) -> Case:
    """The case with literal sizes, and value classes whose bounds are resolved."""
    given = dict(case.arguments)

    def resolve(name: str, argument: Argument) -> Argument:
        if isinstance(argument, tuple):
            return tuple(resolve(name, a) for a in argument)
        if not isinstance(argument, TensorPlan):
            return argument
        argument = replace(argument, dims=argument.shape)
        kind, _, expression = argument.values.partition("(")
        if kind in ("index", "ends", "offsets"):
            try:
                bound = shape_rules.parse(expression[:-1]).raw(bindings_of(given, {}))
            except ContractError:
                bound = 1
            return replace(argument, values=f"{kind}:{max(int(bound), 1)}")
        return argument

    return replace(case, arguments=tuple((n, resolve(n, a)) for n, a in case.arguments), sizes=())


def attempts(calls: Sequence[tuple[Case, Corruption | None]]) -> list[str]:
    """What eager PyTorch does for each call: the name of the exception, ``""`` where it returns, ``"drawn"``
    where the operands cannot be made, ``"died"`` where the process did not survive.
    """
    context = multiprocessing.get_context("fork")
    found: list[str] = []
    while len(found) < len(calls):
        mine, theirs = context.Pipe()
        child = context.Process(target=_attempt_all, args=(theirs, calls[len(found) :]))
        child.start()
        theirs.close()
        while len(found) < len(calls):
            if not mine.poll(_SECONDS):
                child.kill()
                found.append("died")
                break
            try:
                found.append(mine.recv())
            except EOFError:
                found.append("died")
                break
        child.join()
    return found


def _attempt_all(connection: Connection, calls: Sequence[tuple[Case, Corruption | None]]) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # PyTorch's own warnings about what is wrong here
    for case, corruption in calls:
        connection.send(_attempt(case, corruption))


def _attempt(case: Case, corruption: Corruption | None) -> str:
    try:
        arguments = _concrete(case, corruption)
    except Exception:  # noqa: BLE001 - whatever cannot be made is no call
        return "drawn"
    try:
        with torch.no_grad():
            spec_of(case.op).overload(**arguments)
    except Exception as error:  # noqa: BLE001 - its name is the result
        return type(error).__name__
    return ""


def confirmed(spec: OpSpec) -> tuple[list[tuple[Candidate, str]], dict[str, str]]:
    """The candidates that eager PyTorch raises for while it runs the valid call, each with the exception; and
    what it does for labels that have none.
    """
    found = list(candidates(spec))
    found = [replace(c, valid=settled(c.valid), wrong=settled(c.wrong)) for c in found]
    valid = list({c.valid.id: c.valid for c in found}.values())
    runs = dict(zip((c.id for c in valid), attempts([(c, None) for c in valid]), strict=True))
    unrunnable = {c.label for c in found} if not any(r == "" for r in runs.values()) else set()
    found = [c for c in found if runs[c.valid.id] == ""]
    calls = [(c.wrong, c.corruption) for c in found]
    # Twice, each time in other memory: what depends on memory that is not initialised is no case.
    results = [a if a == b else "" for a, b in zip(attempts(calls), attempts(calls), strict=True)]
    good: list[tuple[Candidate, str]] = []
    outcomes: dict[str, set[str]] = {}
    for candidate, result in zip(found, results, strict=True):
        outcomes.setdefault(candidate.label, set()).add(result)
        if result not in ("", "drawn", "died"):
            good.append((candidate, result))
    covered = {c.label for c, _ in good}
    why = dict.fromkeys(unrunnable, "eager PyTorch does not run the valid call on a CPU")
    why |= {label: _reason(seen) for label, seen in outcomes.items() if label not in covered}
    return good, why


def _reason(seen: set[str]) -> str:
    if "died" in seen:
        return "eager PyTorch does not survive the call"
    return "eager PyTorch does not raise" if "" in seen else "its operands cannot be made"


def chosen(good: Sequence[tuple[Candidate, str]]) -> list[tuple[Candidate, str]]:
    """For each label the calls that break the fewest others, of different kinds. A constraint that is broken
    by the call of an error condition, and by that alone, has no call of its own.
    """
    kept: list[tuple[Candidate, str]] = []
    kinds: dict[str, list[Any]] = {}
    implied = {c.others[0] for c, _ in good if _kind_of(c.label) == "E" and len(c.others) == 1}
    for candidate, raises in good:
        label, kind = candidate.label, _distinction(candidate)
        if _kind_of(label) == "C" and label in implied:
            continue
        taken = kinds.setdefault(label, [])
        if kind not in taken and len(taken) < _PER_LABEL[_kind_of(label)]:
            taken.append(kind)
            kept.append((candidate, raises))
    return kept


def _kind_of(label: str) -> str:
    """``E`` of ``mm.E2``."""
    return label.rpartition(".")[2][0]


def _distinction(candidate: Candidate) -> Any:
    """What calls of one label differ in, for more than one to be kept."""
    if candidate.corruption is not None:
        return candidate.corruption
    dtypes = tuple(str(a.dtype) for _, a in candidate.changed if isinstance(a, TensorPlan))
    return tuple(n for n, _ in candidate.changed), dtypes or candidate.wrong.dtype


def entries(spec: OpSpec, kept: Sequence[tuple[Candidate, str]]) -> dict[str, Any]:
    """The calls of one operator as the file has them."""
    valid: dict[str, tuple[int, Any]] = {}
    errors: list[dict[str, Any]] = []
    number: dict[str, int] = {}
    for candidate, raises in kept:
        base = candidate.valid
        given = {name: frozen.encoded(a) for name, a in base.arguments}
        index, _ = valid.setdefault(base.id, (len(valid), given))
        entry: dict[str, Any] = {
            "label": candidate.label,
            "prose": candidate.prose,
            "of": index,
            "raises": raises,
        }
        if candidate.corruption is not None:
            at = candidate.corruption
            entry["value"] = [at.operand, at.position, at.value]
        else:
            wrong = dict(candidate.wrong.arguments)
            changed = {
                n: frozen.encoded(a) for n, a in wrong.items() if a != dict(base.arguments).get(n, ...)
            }
            changed |= {n: frozen.encoded(a) for n, a in candidate.changed if n not in changed}
            entry["changed"] = changed
            if not _asked_as_region(spec, candidate):
                entry["road"] = "compiled"
        key = f"{candidate.label}{candidate.corruption or ''}"
        number[key] = number.get(key, 0) + 1
        if number[key] > 1:
            entry["n"] = number[key]
        errors.append(entry)
    return {"valid": [given for _, given in valid.values()], "errors": errors}


def _asked_as_region(spec: OpSpec, candidate: Candidate) -> bool:
    """Whether a backend is asked for the wrong call itself: what is wrong is a dtype, a number or an
    attribute, and the contract's rules give results to write. Sizes that do not fit are kept from backends.
    """
    if _kind_of(candidate.label) in "EC":
        tensors = {n for n, o in spec.operands.items() if o.pattern is not None}
        conditions = {c.label: c.text for c in (*spec.errors, *spec.constraints)}
        broken = [conditions[n] for n in (candidate.label, *candidate.others) if n in conditions]
        if any(tensors & set(shape_rules.parse(text).names) for text in broken):
            return False
    case = ErrorCase("", candidate.valid, candidate.wrong, candidate.label, "", "")
    return region_of_wrong(case, "cpu") is not None


def freeze(specs: Sequence[OpSpec]) -> dict[str, Any]:
    """The content of the data file for some operators."""
    ops: dict[str, Any] = {}
    uncovered: dict[str, str] = {}
    for spec in specs:
        if spec.category is Category.COLLECTIVE:
            uncovered |= {c.label: "a collective: its process group decides" for c in spec.errors}
            continue
        good, why = confirmed(spec)
        kept = chosen(good)
        if kept:
            ops[spec.name] = entries(spec, kept)
        have = {c.label for c, _ in kept}
        uncovered |= {
            c.label: why.get(c.label, "the search found no call that breaks it")
            for c in spec.errors
            if c.label not in have
        }
    return {"ops": ops, "uncovered": uncovered, "torch": torch.__version__.partition("+")[0]}


def main(arguments: Sequence[str]) -> None:
    """Writes the file, or prints what it would have for some operators."""
    names = set(arguments)
    data = freeze([s for s in all_specs().values() if not names or s.name in names])
    count = sum(len(o["errors"]) for o in data["ops"].values())
    sys.stdout.write(f"{count} error cases, {len(data['uncovered'])} labelled conditions without one\n")
    if names:
        for op, kept in data["ops"].items():
            for entry in kept["errors"]:
                sys.stdout.write(f"{op} {entry}\n")
        return
    path = frozen.write(Path(__file__).parent / "data", FILE, data)
    sys.stdout.write(f"{path} {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
