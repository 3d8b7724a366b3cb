"""Arguments beside those that an entry chooses: what its constraints and its siblings allow at the edge.

An entry's choices say what is usual. From them and from the entry's rules follow others that kernels trip
over: the ends of the range of a number, a number that a tensor of the same meaning may hold, a size of 1,
sizes with many elements.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from torchport.contract.dtype_rules import accepted_names
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.specs import all_specs

_MANY = "[65, 257]"
"""As many draws as tell a law, and what happens to one in a thousand."""
_LITERAL_SIZES = re.compile(r"\[(\d+(?:, \d+)*)\]$")


def derived_choices(spec: OpSpec, name: str, schema_type: str, choices: Sequence[Any]) -> tuple[Any, ...]:
    """What follows from the choices of an argument that is no tensor, without those themselves."""
    found: dict[str, Any] = {}
    if schema_type in ("number", "float", "Optional[number]", "Optional[float]"):
        for number in (*_ends(spec, name), *_of_a_tensor(spec, name)):
            found[repr(number)] = number
    if name == "input_size":
        for choice in choices:
            found.update({repr(text): text for text in _of_unit_size(choice)})
    if name == "size" and spec.category is Category.RANDOM:
        found[_MANY] = _MANY
    known = {float(c) for c in choices if type(c) in (int, float)}
    return tuple(v for v in found.values() if isinstance(v, str) or v not in known)


def _ends(spec: OpSpec, name: str) -> Iterator[float]:
    """The ends of the range that a constraint gives a number on both sides: a probability of 0 and of 1."""
    for constraint in spec.constraints:
        low = re.search(rf"\b{name} >= (-?[\d.]+)", constraint.text)
        high = re.search(rf"\b{name} <= (-?[\d.]+)", constraint.text)
        if low and high:
            yield from (float(low[1]), float(high[1]))
        elif high and re.search(rf"\b{name} > ", constraint.text):
            yield float(high[1])


def _of_a_tensor(spec: OpSpec, name: str) -> Iterator[float]:
    """0 and infinity, where the overload with a tensor in the number's place takes any value."""
    base, _, overload = spec.name.rpartition(".")
    sibling = all_specs().get(f"{base}.Tensor")
    if spec.category is not Category.ELEMENTWISE or overload != "Scalar" or sibling is None:
        return
    operand = sibling.operands.get(name)
    if operand is None or operand.pattern is None or operand.values != "any":
        return
    yield 0
    if "float32" in accepted_names(sibling.dtypes, name):
        yield math.inf


def _of_unit_size(choice: Any) -> Iterator[str]:
    """Sizes of 1 in place of the first and of the last of those that an expression ends with."""
    match = _LITERAL_SIZES.search(choice) if isinstance(choice, str) else None
    if match is None:
        return
    sizes = match[1].split(", ")
    for changed in (["1", *sizes[1:]], [*sizes[:-1], "1"]):
        yield f"{choice[: match.start()]}[{', '.join(changed)}]"
