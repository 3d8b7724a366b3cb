"""Why a node is not on a backend, and what a backend says about a node."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from torchport.contract.graph import Dim


class Reason(enum.StrEnum):
    """Typed reasons for a refusal; counted in every report."""

    OP = "op"  # the backend has no kernel for this operator
    DTYPE = "dtype"
    RANK = "rank"
    SHAPE = "shape"
    LAYOUT = "layout"
    ARGUMENT = "argument"  # an attribute value is not supported
    DYNAMIC = "dynamic"  # a symbolic size where the backend needs a static one
    DEVICE = "device"
    DETERMINISM = "determinism"  # deterministic algorithms are asked for, and the backend's are not
    TRAINING = "training"  # the backend does not run forward or backward graphs
    MEMORY = "memory"
    NOT_IN_CONTRACT = "not in contract"
    NOT_SERIALIZABLE = "not serializable"
    PARTS = "parts"  # its parts were offered and not all of them were claimed
    COST = "cost"
    ALIASING = "aliasing"  # AOTAutograd would change what the graph means by writing through shared memory
    COMPILE = "compile"  # the backend claimed it and later refused
    FUEL = "fuel"


@dataclass(frozen=True, slots=True)
class Claim:
    """A backend's answer for one node. Made by :func:`yes`, :func:`no` and :func:`prefer_parts`.

    ``within`` has sizes that the claim limits: triples of a size, its least and its greatest value.
    ``priced`` says whether the backend stated ``cost``.
    """

    accepted: bool
    reason: Reason | None = None
    text: str = ""
    cost: float = 1.0
    parts_preferred: bool = False
    within: tuple[tuple[Dim, int, int], ...] = ()
    priced: bool = False


def yes(*, cost: float | None = None, within: Iterable[tuple[Dim, int, int]] = ()) -> Claim:
    """The backend will run this node.

    Args:
        cost: relative: 1 = a typical kernel of this size, which is also assumed where no cost is stated.
            Stated costs decide between the parts of a node and the whole on the next backend; where none is
            stated, the order of the backends decides.
        within: limits on sizes, as triples of a size of the node, its least and its greatest value. A call
            outside a limit on a symbolic size is specialised: the backend is asked again with numbers.
    """
    return Claim(True, cost=_cost(cost), within=tuple(within), priced=cost is not None)


def no(reason: Reason, text: str = "") -> Claim:
    """The backend refuses this node. It is then decomposed and its parts are offered, if it has any."""
    return Claim(False, reason=Reason(reason), text=text)


def prefer_parts(*, cost: float | None = None) -> Claim:
    """The backend can run this node, and would rather be offered its parts.

    It gets them if it claims them all and, where it states a ``cost`` of the whole, they cost less.
    """
    return Claim(True, cost=_cost(cost), parts_preferred=True, priced=cost is not None)


def _cost(stated: float | None) -> float:
    return 1.0 if stated is None else float(stated)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A node that runs outside the backend: who refused it and why. ``source`` is the line of the program
    that it was traced from.
    """

    node: str
    op: str
    backend: str
    reason: Reason
    text: str = ""
    source: str = ""

    def __str__(self) -> str:
        detail = f": {self.text}" if self.text else ""
        where = f" [{self.source}]" if self.source else ""
        return f"{self.op} ({self.node}) refused by {self.backend}: {self.reason}{detail}{where}"
