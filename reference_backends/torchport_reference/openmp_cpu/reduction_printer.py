"""Reductions as C++: accumulators in registers or arrays, partial results of chunks, and how lanes are
combined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch

from torchport.loops.ir import Expr
from torchport_reference.openmp_cpu.value_printer import (
    ELEMENT,
    VECTOR,
    Scope,
    Values,
    accumulator_dtype,
    narrowed,
    number,
)

LANE_BLOCK = 512
"""Results that one unit of the columns form accumulates at a time."""
BLOCK_ROWS, BLOCK_ELEMENTS = 8, 256
"""Rows of the columns form, and elements per register of the rows form, whose float32 sum joins the float64
total: float64 additions alone would cost up to twice the time, float32 ones too many roundings in a row.
"""


class Reductions:
    """Writes the reductions of one kernel."""

    def __init__(self, values: Values) -> None:
        self.values, self.s, self.lane = values, values.s, values.lane
        self.partial: dict[int, tuple[str, ...]] = {}

    def parts(self, e: Expr) -> tuple[str, ...]:
        """Arrays with one result per chunk."""
        if e.uid not in self.partial:
            names = (f"part{len(self.partial)}",)
            self.partial[e.uid] = (*names, f"{names[0]}_at") if e.attr[0].startswith("arg") else names
        return self.partial[e.uid]

    def part_dtypes(self, e: Expr) -> tuple[torch.dtype, ...]:
        """Element dtypes of the accumulators of a reduction."""
        dtype = accumulator_dtype(e)
        return (dtype, torch.int64) if e.attr[0].startswith("arg") else (dtype,)

    def part_names(self, unit: Scope, e: Expr) -> tuple[str, ...]:
        """Names of the combined lanes of a reduction, as they were accumulated."""
        name = unit.names[e.uid]
        if e.attr[0].startswith("arg"):
            return (f"{name}_value", name)
        return (name,) if accumulator_dtype(e) == e.dtype else (f"{name}_wide",)

    def array_names(self, e: Expr) -> tuple[str, ...]:
        """Accumulators that are arrays."""
        if e.uid not in self.values.arrays:
            self.values.arrays[e.uid] = f"sum{len(self.values.arrays)}"
        name = self.values.arrays[e.uid]
        return (name, f"{name}_at") if e.attr[0].startswith("arg") else (name,)

    def declare_array(self, scope: Scope, e: Expr) -> None:
        """Declares and initialises the arrays of a reduction's totals."""
        for name, dtype, start in zip(self.array_names(e), self.part_dtypes(e), initial(e), strict=True):
            scope.lines.append(f"{ELEMENT[dtype]} {name}[{LANE_BLOCK}];")
            scope.lines.append(f"for ({ELEMENT[dtype]}& x : {name}) x = {start};")

    def declare_block(self, scope: Scope, e: Expr) -> None:
        """Declares the array of a block's sums, where these join a wider total."""
        if is_blocked(e):
            scope.lines.append(f"{ELEMENT[e.dtype]} {self.array_names(e)[0]}_block[{LANE_BLOCK}] = {{}};")

    # --- reductions -----------------------------------------------------------------------------------------

    def accumulator_names(self, e: Expr) -> tuple[str, ...]:
        """Accumulators that are registers."""
        return tuple(
            f"r{self.values.number_of(e)}{suffix}"
            for suffix in (("_value", "") if e.attr[0].startswith("arg") else ("",))
        )

    def accumulator(self, e: Expr, unroll: int = 1) -> list[str]:
        """Declarations of a reduction's registers, ``unroll`` of them to shorten the chain of additions."""
        lines = []
        for name, dtype, start in zip(
            self.accumulator_names(e), self.part_dtypes(e), initial(e), strict=True
        ):
            values = ", ".join([f"{VECTOR[dtype]}({start})"] * unroll)
            lines.append(f"{VECTOR[dtype]} {name}[{unroll}] = {{{values}}};")
        return lines

    def registers(self, e: Expr, unroll: int) -> list[str]:
        """Declarations of what a sweep over rows accumulates in."""
        if not is_blocked(e):
            return self.accumulator(e, unroll)
        zeros = ", ".join([f"{VECTOR[e.dtype]}({number(0, e.dtype)})"] * unroll)
        block = f"{VECTOR[e.dtype]} {self.accumulator_names(e)[0]}_block[{unroll}] = {{{zeros}}};"
        return [block, *self.accumulator(e)]

    def accumulate(self, body: Scope, e: Expr, slot: str | None, at: str = "") -> None:
        """Adds the current lanes to an accumulator: a register (``slot``), or an array at ``at``."""
        values = [self.values.value(body, a) for a in e.args]
        if not is_blocked(e):
            self.combine(body, e, values, slot, at)
        elif slot is None:
            place = f"{self.array_names(e)[0]}_block + {at or self._tile_at()}"
            load = f"tp::load({place}, {body.count})"
            body.lines.append(f"tp::store({place}, {load} + {values[0]}, {body.count});")
        else:
            place = f"{self.accumulator_names(e)[0]}_block{slot}"
            body.lines.append(f"{place} = tp::take({body.count}, {place} + {values[0]}, {place});")

    def fold_registers(self, reductions: Iterable[Expr]) -> list[str]:
        """Moves the sums of a block that ends into the totals."""
        names = (self.accumulator_names(e)[0] for e in reductions if is_blocked(e))
        return [f"tp::fold({name}[0], {name}_block);" for name in names]

    def fold_arrays(self, reductions: Iterable[Expr], count: str) -> list[str]:
        """Moves the sums of a block of rows that ends into the totals."""
        names = (self.array_names(e)[0] for e in reductions if is_blocked(e))
        return [f"tp::fold({name}, {name}_block, {count});" for name in names]

    def _tile_at(self) -> str:
        return f"({self.lane.name} - begin)"

    def combine(self, body: Scope, e: Expr, values: list[str], slot: str | None, at: str = "") -> None:
        """Adds one vector of values to an accumulator: a register (``slot``), or an array at ``at``."""
        kind, count = e.attr[0], body.count
        if slot is None:
            at = at or self._tile_at()
            places = [f"{name} + {at}" for name in self.array_names(e)]
            old = [f"tp::load({place}, {count})" for place in places]
        else:
            places = [f"{name}{slot}" for name in self.accumulator_names(e)]
            old = places
        if kind.startswith("arg"):
            largest = "true" if kind == "argmax" else "false"
            body.lines += ["{", f"  const auto x = {values[0]}; const i64 x_at = {values[1]};"]
            body.lines.append(f"  const auto y = {old[0]}; const i64 y_at = {old[1]};")
            body.lines.append(f"  const b1 won = tp::better<{largest}>(x, x_at, y, y_at) & tp::on({count});")
            for place, x, y in ((places[0], "x", "y"), (places[1], "x_at", "y_at")):
                new = f"tp::where(won, {x}, {y})"
                body.lines.append(
                    f"  tp::store({place}, {new}, {count});" if slot is None else f"  {place} = {new};"
                )
            body.lines.append("}")
            return
        new = _combined(kind, old[0], values[0])
        if slot is None:
            body.lines.append(f"tp::store({places[0]}, {new}, {count});")
        else:
            body.lines.append(f"{places[0]} = tp::take({count}, {new}, {old[0]});")

    def name_total(self, scope: Scope, e: Expr) -> None:
        """Makes an accumulator's register the reduction's value in a scope."""
        total = f"{self.accumulator_names(e)[-1]}[0]"
        if e.attr[0].startswith("arg") or accumulator_dtype(e) == e.dtype:
            scope.names[e.uid] = total
            return
        name = scope.names[e.uid] = f"t{self.values.number_of(e)}"
        scope.lines.append(f"const {VECTOR[e.dtype]} {name} = {narrowed(e, total)};")

    def finished(self, unit: Scope, e: Expr, unroll: int) -> list[str]:
        """The accumulator's lanes combined into one value, in every lane of a vector."""
        kind, names = e.attr[0], self.accumulator_names(e)
        name = f"t{self.values.number_of(e)}"
        unit.names[e.uid] = name
        if kind.startswith("arg"):
            largest = "true" if kind == "argmax" else "false"
            return [
                f"const int {name}_lane = tp::best_lane<{largest}>({names[0]}[0], {names[1]}[0]);",
                f"const {VECTOR[e.args[0].dtype]} {name}_value({names[0]}[0][{name}_lane]);",
                f"const i64 {name}({names[1]}[0][{name}_lane]);",
            ]
        total = f"{names[0]}[0]"
        if unroll == 4 and not is_blocked(e):
            pairs = [_combined(kind, f"{names[0]}[{a}]", f"{names[0]}[{b}]") for a, b in ((0, 1), (2, 3))]
            total = _combined(kind, *(f"({p})" if p[0] != "t" else p for p in pairs))
        dtype = accumulator_dtype(e)
        if dtype == e.dtype:
            return [f"const {VECTOR[dtype]} {name}(tp::reduce_{kind}({total}));"]
        return [
            f"const {VECTOR[dtype]} {name}_wide(tp::reduce_{kind}({total}));",
            f"const {VECTOR[e.dtype]} {name} = {narrowed(e, f'{name}_wide')};",
        ]


def is_blocked(e: Expr) -> bool:
    """Whether a reduction adds up blocks in its own dtype and their sums in a wider one."""
    return not e.attr[0].startswith("arg") and accumulator_dtype(e) != e.dtype


def _combined(kind: str, old: str, new: str) -> str:
    match kind:
        case "sum":
            return f"{old} + {new}"
        case "prod":
            return f"{old} * {new}"
        case "any":
            return f"{old} | {new}"
    return f"tp::{'maximum' if kind == 'max' else 'minimum'}({old}, {new})"


def initial(e: Expr) -> tuple[str, ...]:
    """Where accumulators start."""
    kind, dtype = e.attr[0], e.args[0].dtype
    if kind in ("sum", "any"):
        return (number(0, accumulator_dtype(e)),)
    if kind == "prod":
        return (number(1, e.dtype),)
    largest = kind in ("max", "argmax")
    if dtype.is_floating_point:
        start = number(-math.inf if largest else math.inf, dtype)
    else:
        info = torch.iinfo(dtype)
        start = number(info.min if largest else info.max, dtype)
    return (start, "INT64_MAX") if kind.startswith("arg") else (start,)
