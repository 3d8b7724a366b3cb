"""What a backend owes: to run what it claims, to claim what it declares, and to declare what it claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from torchport.compile.bound import Bound
from torchport.compile.capabilities import Capabilities
from torchport.compile.reason import Reason, Rejection
from torchport.contract.graph import Node, dtype_name
from torchport.lowering.claims import declared_limits
from torchport_conformance.report.model import CaseResult, Status

UNDECLARED = "claims what it does not declare"
"""Cause of a case that ``claims`` accepts outside the declared capabilities. The SDK never hands it over."""
FELL_BACK = "fell back"
"""Cause of a case whose claimed nodes ran outside the backend."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise of the backend that the run as a whole does not bear out.

    ``owed`` is true where something declared is missing, which makes the run fail; otherwise it is listed.
    """

    text: str
    cases: int
    owed: bool


def undeclared(node: Node, bound: Bound) -> str | None:
    """Why a node that the backend's ``claims`` accepts lies outside what the backend declares, if it does."""
    refusal = declared_limits(node, bound, "inference")
    return None if refusal is None else f"{refusal.reason}: {refusal.text}"


def fell_back(rejections: Iterable[Rejection]) -> str:
    """What of a compiled program was claimed and yet ran outside the backend; empty where nothing did.

    That is a node that ``compile`` refused after ``claims`` had accepted it, in the sizes of the example or
    in those of a later call.

    Args:
        rejections: of the program's graphs, and of the sizes that they were specialised for.
    """
    return "; ".join(str(r) for r in rejections if r.reason is Reason.COMPILE)


def breaches(results: Sequence[CaseResult], capabilities: Capabilities, *, whole: bool) -> tuple[Breach, ...]:
    """What the results of a run say against the declared capabilities.

    Args:
        results: of every case.
        capabilities: declared for the target that was tested.
        whole: whether the profile was run in full; of a part nothing is said to be missing.
    """
    found = []
    outside = [r for r in results if r.status is Status.UNCLAIMED and r.cause == UNDECLARED]
    for text, count in _counted(r.message.partition("\n")[0] for r in outside):
        found.append(Breach(f"{UNDECLARED}: {text}", count, owed=False))
    if not whole:
        return tuple(found)
    claimed = [r for r in results if r.status is not Status.UNCLAIMED]
    if not claimed:  # which makes the run short, and is said there
        return tuple(found)
    for dtype in _missing_dtypes(capabilities, results, claimed):
        found.append(Breach(f"declares {dtype} and claims no operator in it", _of(results, dtype), owed=True))
    laid_out = [r for r in results if r.layer == "op" and r.layout != "contiguous"]
    if capabilities.layouts == "strided" and laid_out:
        unclaimed = all(r.status is Status.UNCLAIMED for r in laid_out)
        if unclaimed:
            text = "declares layouts='strided' and claims no operand that is not row-major"
            found.append(Breach(text, len(laid_out), owed=True))
    backward = [r for r in results if "_backward" in r.op or "autograd" in (r.layer, _kind_of(r))]
    if capabilities.training and backward and all(r.status is Status.UNCLAIMED for r in backward):
        text = "declares training and claims nothing of a backward graph"
        found.append(Breach(text, len(backward), owed=True))
    return tuple(found)


def _kind_of(result: CaseResult) -> str:
    """The kind of programs that a result of layer graph is of; empty for other layers."""
    return result.op.removeprefix("graph:").partition("/")[0] if result.layer == "graph" else ""


def _missing_dtypes(
    capabilities: Capabilities, results: Sequence[CaseResult], claimed: Sequence[CaseResult]
) -> list[str]:
    """Declared dtypes that the profile has cases of and that no case is claimed in."""
    known, used = {r.dtype for r in results}, {r.dtype for r in claimed}
    declared: Iterable[torch.dtype] = capabilities.dtypes
    return [name for name in map(dtype_name, declared) if name in known and name not in used]


def _of(results: Sequence[CaseResult], dtype: str) -> int:
    return sum(r.dtype == dtype for r in results)


def _counted(texts: Iterable[str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return list(counts.items())
