"""Known faults: what public reports say that real backends got wrong, each planted in a right backend."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.mutants.kernel import Call

Kernel = Callable[[Call], None]
"""A kernel of one operator, which computes a call into its destinations: wrongly, where it has a fault."""

Compiler = Callable[[torch.fx.GraphModule, Sequence[Any]], Callable[..., Any]]
"""A whole compiler of ``torch.compile``, for faults in what it makes of results, not in a kernel."""


@dataclass(frozen=True, slots=True)
class KnownFault:
    """A fault that was reported of a real backend, in our own words.

    ``op`` is the operator in whose kernel it is planted. ``layer`` has to find it in the cases of ``select``
    (an operator, or a family of programs), with a cause that ``cause`` matches; ``cases`` matches ids or
    calls of those that are likely to trigger it, and only the order in which cases are run depends on it.
    A fault is a ``kernel`` or a ``compiler``; ``isolated`` ones end their process.
    """

    id: str
    op: str
    kind: str
    text: str
    cause: str
    cases: str
    layer: str = "op"
    select: str = ""
    kernel: Kernel | None = None
    compiler: Compiler | None = None
    isolated: bool = False

    @property
    def selection(self) -> str:
        """What to select of the profile."""
        return self.select or self.op

    def triggers(self, case: AnyCase) -> bool:
        """Whether a case is likely to trigger the fault."""
        return re.search(self.cases, f"{case.id} {case.call()}") is not None

    def names(self, cause: str) -> bool:
        """Whether a cause is the fault's."""
        return re.fullmatch(self.cause, cause) is not None


class KernelError(RuntimeError):
    """What a faulty kernel raises."""


def in_kernel(
    op: str,
    kind: str,
    *,
    cases: str,
    cause: str,
    layer: str = "op",
    select: str = "",
    isolated: bool = False,
) -> Callable[[Kernel], KnownFault]:
    """Makes a known fault of a kernel; its name is the fault's id, its docstring the fault's text."""

    def made(kernel: Kernel) -> KnownFault:
        name, text = _named(kernel)
        return KnownFault(name, op, kind, text, cause, cases, layer, select, kernel=kernel, isolated=isolated)

    return made


def in_compiler(
    op: str, kind: str, *, cases: str, cause: str, layer: str, select: str = ""
) -> Callable[[Compiler], KnownFault]:
    """Makes a known fault of a compiler, as :func:`in_kernel` does of a kernel."""

    def made(compiler: Compiler) -> KnownFault:
        name, text = _named(compiler)
        return KnownFault(name, op, kind, text, cause, cases, layer, select, compiler=compiler)

    return made


def _named(fn: Callable[..., Any]) -> tuple[str, str]:
    return fn.__name__, " ".join((fn.__doc__ or "").split())
