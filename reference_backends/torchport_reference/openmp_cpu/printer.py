"""Scheduled kernels as C++ on the SIMD values of ``prelude/``: one function a kernel, one file a region.

Every value is a vector; one that does not vary with the vectorised loop has equal lanes. An expression is
written where the loop that it varies with most begins, so what is constant along a row is computed once a
row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from torchport.loops.expand import Dim
from torchport.loops.fusion import Store
from torchport.loops.index import product
from torchport.loops.ir import Expr
from torchport.loops.schedule import Schedule
from torchport_reference.openmp_cpu.reduction_printer import (
    BLOCK_ELEMENTS,
    BLOCK_ROWS,
    LANE_BLOCK,
    Reductions,
    initial,
    is_blocked,
)
from torchport_reference.openmp_cpu.value_printer import ELEMENT, Scope, Values

HEADER = '#include "tp.h"\n#include "loops.h"\n'
NAME = "kernel_name"
"""Stands for the name in a printed kernel."""
PARALLEL_WORK = 16384
"""Elements from which a kernel starts its threads."""
ROW_BLOCK, CHUNK_ROWS, TURNED_BLOCK = 8192, 32, 16


@dataclass(frozen=True)
class Printed:
    """A kernel's C++, with :data:`NAME` in the place of its name; ``checks`` describe its index checks by
    code.

    ``void NAME(void** p, const int64_t* n)``: ``p`` are the buffers that the kernel reads, those that it
    stores and, when there are checks, an ``int64_t`` that receives the number of a failed one; ``n`` are the
    values of the symbols.
    """

    source: str
    checks: tuple[str, ...]


def print_kernel(schedule: Schedule, symbols: Sequence[str]) -> Printed:
    """The C++ function of a scheduled kernel. ``symbols`` are the names of the region's size symbols, in
    order.
    """
    return _Printer(schedule, symbols).run()


class _Printer:
    def __init__(self, schedule: Schedule, symbols: Sequence[str]) -> None:
        self.s, self.symbols = schedule, symbols
        self.kernel, self.lane = schedule.kernel, schedule.lanes.var
        self.values = Values(schedule)
        self.reductions = Reductions(self.values)

    # --- the function ---------------------------------------------------------------------------------------

    def run(self) -> Printed:
        body = self._columns() if self.s.form == "columns" else self._rows()
        declared = [
            *(f"const int64_t {symbol} = n[{k}];" for k, symbol in enumerate(self.symbols)),
            *(self._pointer(k, v.name, v.tensor.dtype, "const ") for k, v in enumerate(self.kernel.reads)),
            *(
                self._pointer(len(self.kernel.reads) + k, s.value.name, s.value.tensor.dtype, "")
                for k, s in enumerate(self.kernel.stores)
            ),
        ]
        if self.values.checks:
            declared.append("int64_t failed = 0;")
            body.append(
                f"if (failed) *(int64_t*)p[{len(self.kernel.reads) + len(self.kernel.stores)}] = failed;"
            )
        used = {symbol for symbol in self.symbols if any(_mentions(line, symbol) for line in body)}
        declared = [d for k, d in enumerate(declared) if k >= len(self.symbols) or self.symbols[k] in used]
        ops = ", ".join(dict.fromkeys(n.op.removeprefix("aten.") for n in self.kernel.nodes))
        lines = [f"// {ops}", f"KERNEL {NAME}(void** p, const int64_t* n) {{"]
        lines += ["  " + line for line in (*declared, *body)]
        return Printed("\n".join([*lines, "}"]) + "\n", tuple(self.values.checks))

    def _pointer(self, position: int, value: str, dtype: torch.dtype, const: str) -> str:
        kind = f"{const}{ELEMENT[dtype]}*"
        return f"{kind} {self.values.buffers[value]} = ({kind})p[{position}];"

    def _parallel(self, count: str, work: str, setup: Sequence[str], body: Sequence[str]) -> list[str]:
        if work.isdigit() and int(work) < PARALLEL_WORK:
            return [
                "{",
                *setup,
                f"  for (int64_t u = 0; u < {count}; ++u) {{",
                *("    " + line for line in body),
                "  }",
                "}",
            ]
        reduction = " reduction(max : failed)" if self.values.checks else ""
        return [
            f"#pragma omp parallel if ({work} >= {PARALLEL_WORK}){reduction}",
            "{",
            *("  " + line for line in setup),
            "#pragma omp for schedule(static)",
            f"  for (int64_t u = 0; u < {count}; ++u) {{",
            *("    " + line for line in body),
            "  }",
            "}",
        ]

    def _decoded(self, position: str) -> list[str]:
        """Declares the outer loop variables from their common row-major position."""
        outer = self.s.outer
        if len(outer) == 1:
            return [f"const int64_t {outer[0].var.name} = {position};"]
        lines = []
        for k in range(len(outer) - 1, -1, -1):
            step = self.values.size(product(d.size for d in outer[k + 1 :]))
            at = position if step == "1" else f"{position} / {step}"
            rest = (
                at
                if k == 0
                else f"{at} % {self.values.size(outer[k].size)}"
                if step == "1"
                else f"({at}) % {self.values.size(outer[k].size)}"
            )
            lines.append(f"const int64_t {outer[k].var.name} = {rest};")
        return lines

    def _outer_scope(self) -> Scope:
        return Scope(frozenset(d.var for d in self.s.outer))

    @property
    def _outer_count(self) -> str:
        return self.values.size(product(d.size for d in self.s.outer))

    @property
    def _work(self) -> str:
        s = self.s
        turned = (s.turned,) if s.turned else ()
        return self.values.size(product(d.size for d in (*s.outer, *turned, *s.inner, s.lanes)))

    # --- pointwise and rows ---------------------------------------------------------------------------------

    def _rows(self) -> list[str]:
        s = self.s
        unit, setup = self._outer_scope(), []
        begin, end = "0", self.values.size(s.lanes.size)
        count = self._outer_count
        if s.turned is not None:
            return self._turned_rows(s.turned)
        if s.form == "pointwise":
            rows, size = product(d.size for d in s.outer).value, s.lanes.size.value
            if size is None or size > ROW_BLOCK:
                block = end if rows is not None and rows >= 64 else str(ROW_BLOCK)
                if block != end:
                    setup.append(f"const int64_t blocks = tp::blocks({end}, {block});")
                    unit.lines += [
                        f"const int64_t begin = u % blocks * {block};",
                        f"const int64_t end = tp::smaller(begin + {block}, {end});",
                    ]
                    unit.lines += self._decoded("(u / blocks)")
                    begin, end, count = (
                        "begin",
                        "end",
                        f"{count} * tp::blocks({self.values.size(s.lanes.size)}, {block})",
                    )
            if begin == "0":
                unit.lines += self._decoded("u")
            self._sweep(unit, s.passes[0].stores, (), (), begin, end, None)
            return self._parallel(count, self._work, setup, unit.lines)
        if s.split:
            return self._split_rows()
        if s.column_stores:
            return self._crossed_rows()
        unit.lines += self._decoded("u")
        self._row(unit, setup)
        return self._parallel(count, self._work, setup, unit.lines)

    def _turned_rows(self, turned: Dim) -> list[str]:
        """A block of the turned dimension per unit, inside the vectorised loop."""
        size, name = self.values.size(turned.size), turned.var.name
        unit = self._outer_scope()
        unit.lines += [
            f"const int64_t first = u % tp::blocks({size}, {TURNED_BLOCK}) * {TURNED_BLOCK};",
            f"const int64_t last = tp::smaller(first + {TURNED_BLOCK}, {size});",
            *self._decoded(f"(u / tp::blocks({size}, {TURNED_BLOCK}))"),
        ]
        lanes = Scope(unit.bound | {self.lane}, unit, count="m")
        body = Scope(lanes.bound | {turned.var}, lanes, count="m")
        for store in self.s.passes[0].stores:
            self.values.store(body, store)
        body.close([f"for (int64_t {name} = first; {name} < last; ++{name}) {{"], ["}"])
        end = self.values.size(self.s.lanes.size)
        lanes.close([f"tp::over<1>(0, {end}, [&](int64_t {self.lane.name}, auto m, auto) {{"], ["});"])
        count = f"{self._outer_count} * tp::blocks({size}, {TURNED_BLOCK})"
        return self._parallel(count, self._work, (), unit.lines)

    def _row(self, unit: Scope, setup: list[str]) -> None:
        """All passes over one row; ``setup`` receives the declarations of row buffers."""
        for number, p in enumerate(self.s.passes):
            for e in p.keeps:
                self.values.declare_keep(e, setup)
            self._row_pass(unit, number, "0", self.values.size(self.s.lanes.size), None)
        for store in self.s.row_stores:
            self.values.store(unit, store)

    def _row_pass(
        self, unit: Scope, number: int, begin: str, end: str, chunk: tuple[str, str] | None
    ) -> None:
        p = self.s.passes[number]
        cheap = not any(a.heavy for e in p.reductions for a in e.args) and not (
            p.keeps or p.stores or p.columns
        )
        unroll = (
            4 if cheap and p.reductions and not any(e.attr[0].startswith("arg") for e in p.reductions) else 1
        )
        for e in p.reductions:
            unit.lines += self.reductions.registers(e, unroll)
        self._sweep(unit, p.stores, p.reductions, p.keeps, begin, end, chunk, unroll, p.columns)
        for e in p.reductions:
            unit.lines += self.reductions.finished(unit, e, unroll)

    def _sweep(
        self,
        unit: Scope,
        stores: Iterable[Store],
        reductions: Iterable[Expr],
        keeps: Iterable[Expr],
        begin: str,
        end: str,
        chunk: tuple[str, str] | None,
        unroll: int = 1,
        columns: Iterable[Expr] = (),
        finals: Iterable[Expr] = (),
        counter: str = "",
    ) -> None:
        """One pass: the loops over ``inner``, the vectorised loop, and everything in it. ``counter`` counts
        the rows of the columns form.
        """
        scopes, scope = [], unit
        for d in self.s.inner:
            scope = Scope(scope.bound | {d.var}, scope)
            scopes.append(scope)
        body = Scope(scope.bound | {self.lane}, scope, count="m")
        for e in finals:
            self._combine_chunks(body, e)
        for e in keeps:
            value = self.values.value(body, e)
            body.lines.append(f"tp::store({self.values.kept[e.uid]} + {self.values.kept_at()}, {value}, m);")
        for store in stores:
            self.values.store(body, store)
        in_columns = self.s.form == "columns"
        for e in reductions:
            self.reductions.accumulate(body, e, None if in_columns else "[k.value]" if unroll > 1 else "[0]")
        for e in columns:
            self.reductions.accumulate(body, e, None, self.values.kept_at())
        self.values.ready |= {e.uid for e in keeps}
        lane = f"[&](int64_t {self.lane.name}, auto m, auto k) {{"
        if in_columns:
            folds = self._counted(counter, self.reductions.fold_arrays(reductions, "end - begin"))
            body.close([f"tp::over<1>({begin}, {end}, {lane}"], ["});", *folds])
        else:
            folds = self.reductions.fold_registers(reductions)
            block = BLOCK_ELEMENTS * unroll
            if not folds or (begin == "0" and end.isdigit() and int(end) <= block):
                body.close([f"tp::over<{unroll}>({begin}, {end}, {lane}"], ["});", *folds])
            else:
                blocks = Scope(scope.bound, scope)
                body.parent = blocks
                last = f"tp::smaller(block + {block}, {end})"
                body.close([f"tp::over<{unroll}>(block, {last}, {lane}"], ["});", *folds])
                blocks.close([f"for (int64_t block = {begin}; block < {end}; block += {block}) {{"], ["}"])
        for position in range(len(scopes) - 1, -1, -1):
            d = self.s.inner[position]
            low, high = chunk if chunk and position == 0 else ("0", self.values.size(d.size))
            name = d.var.name
            scopes[position].close([f"for (int64_t {name} = {low}; {name} < {high}; ++{name}) {{"], ["}"])

    @staticmethod
    def _counted(counter: str, folds: Sequence[str]) -> list[str]:
        """Counts a row, and folds the sums at the end of a block of rows."""
        return [f"if (++{counter} % {BLOCK_ROWS} == 0) {{ {' '.join(folds)} }}"] if folds else []

    # --- rows that also contribute to columns ---------------------------------------------------------------

    def _crossed_rows(self) -> list[str]:
        """Chunks of rows, each with accumulators for the columns; a second loop combines the chunks."""
        s, rows = self.s, self._outer_count
        size = self.values.size(product(d.size for d in (*s.inner, s.lanes)))
        crossing = [e for p in s.passes for e in p.columns]
        lines = [f"const int64_t chunks = tp::chunks({rows} / {CHUNK_ROWS}, {self._work});"]
        unit, setup, body = Scope(frozenset()), list[str](), self._outer_scope()
        for e in crossing:
            zipped = zip(
                self.reductions.parts(e),
                self.reductions.array_names(e),
                self.reductions.part_dtypes(e),
                initial(e),
                strict=True,
            )
            for part, name, dtype, start in zipped:
                lines.append(f"const tp::scratch<{ELEMENT[dtype]}> {part}(chunks * {size});")
                unit.lines.append(f"{ELEMENT[dtype]}* const {name} = {part} + u * {size};")
                unit.lines.append(f"for (int64_t c = 0; c < {size}; ++c) {name}[c] = {start};")
        for e in filter(is_blocked, crossing):
            name = f"{self.reductions.array_names(e)[0]}_block"
            lines.append(f"const tp::scratch<{ELEMENT[e.dtype]}> {name}s(chunks * {size});")
            unit.lines.append(f"{ELEMENT[e.dtype]}* const {name} = {name}s + u * {size};")
            unit.lines.append(f"for (int64_t c = 0; c < {size}; ++c) {name}[c] = 0;")
        folds = self.reductions.fold_arrays(crossing, size)
        unit.lines += ["int64_t rows = 0;"] if folds else []
        body.lines += self._decoded("row")
        self._row(body, setup)
        unit.lines.append(
            f"for (int64_t row = {rows} * u / chunks; row < {rows} * (u + 1) / chunks; ++row) {{"
        )
        body.lines += self._counted("rows", folds)
        unit.lines += [*("  " + line for line in body.lines), "}", *folds]
        lines += self._parallel("chunks", self._work, setup, unit.lines)
        final = Scope(frozenset())
        self._sweep(
            final, s.column_stores, (), (), "0", self.values.size(s.lanes.size), None, finals=crossing
        )
        return [*lines, *final.lines]

    def _combine_chunks(self, body: Scope, e: Expr) -> None:
        """The total of every chunk's accumulator, in registers."""
        body.lines += self.reductions.accumulator(e)
        chunk = Scope(body.bound, body, count=body.count)
        size = self.values.size(product(d.size for d in (*self.s.inner, self.s.lanes)))
        at = f"chunk * {size} + {self.values.kept_at()}"
        loads = [f"tp::load({part} + {at}, m)" for part in self.reductions.parts(e)]
        self.reductions.combine(chunk, e, loads, "[0]")
        chunk.close(["for (int64_t chunk = 0; chunk < chunks; ++chunk) {"], ["}"])
        self.reductions.name_total(body, e)

    # --- split rows -----------------------------------------------------------------------------------------

    def _split_rows(self) -> list[str]:
        s = self.s
        cut = s.inner[0] if s.inner else s.lanes
        size, rows = self.values.size(cut.size), self._outer_count
        lines = [f"const int64_t chunks = tp::chunks({size}, {self._work} / {rows});"]
        unit = self._outer_scope()
        unit.lines += [
            "const int64_t chunk = u % chunks, row = u / chunks;",
            f"const int64_t begin = {size} * chunk / chunks, end = {size} * (chunk + 1) / chunks;",
            *self._decoded("row"),
        ]
        if s.inner:
            self._row_pass(unit, 0, "0", self.values.size(s.lanes.size), ("begin", "end"))
        else:
            self._row_pass(unit, 0, "begin", "end", None)
        for e in s.passes[0].reductions:
            for part, dtype in zip(self.reductions.parts(e), self.reductions.part_dtypes(e), strict=True):
                lines.append(f"const tp::scratch<{ELEMENT[dtype]}> {part}({rows} * chunks);")
            for part, name in zip(self.reductions.parts(e), self.reductions.part_names(unit, e), strict=True):
                unit.lines.append(f"{part}[u] = tp::first({name});")
        lines += self._parallel(f"{rows} * chunks", self._work, (), unit.lines)
        final = self._outer_scope()
        final.lines += self._decoded("u")
        for e in s.passes[0].reductions:
            final.lines += self.reductions.accumulator(e)
            inner = Scope(final.bound, final, count="tp::whole{}")
            parts = [f"tp::spread({p} + u * chunks + chunk)" for p in self.reductions.parts(e)]
            self.reductions.combine(inner, e, parts, "[0]")
            inner.close(["for (int64_t chunk = 0; chunk < chunks; ++chunk) {"], ["}"])
            self.reductions.name_total(final, e)
        for store in s.row_stores:
            self.values.store(final, store)
        return [
            *lines,
            f"for (int64_t u = 0; u < {rows}; ++u) {{",
            *("  " + line for line in final.lines),
            "}",
        ]

    def _columns(self) -> list[str]:
        s, lane = self.s, self.lane.name
        size, rows = self.values.size(s.lanes.size), self._outer_count
        lines = [f"const int64_t tiles = tp::blocks({size}, {LANE_BLOCK});"]
        unit = self._outer_scope()
        chunk = None
        if s.split:
            cut = self.values.size(s.inner[0].size)
            lines.append(f"const int64_t chunks = tp::chunks({cut}, {self._work});")
            unit.lines += [
                "const int64_t chunk = u / (tiles * " + rows + f"), unit = u % (tiles * {rows});",
                f"const int64_t first = {cut} * chunk / chunks, last = {cut} * (chunk + 1) / chunks;",
            ]
            chunk = ("first", "last")
        else:
            unit.lines.append("const int64_t unit = u;")
        tile = [
            f"const int64_t begin = unit % tiles * {LANE_BLOCK};",
            f"const int64_t end = tp::smaller(begin + {LANE_BLOCK}, {size});",
            *self._decoded("(unit / tiles)"),
        ]
        unit.lines += tile
        for number, p in enumerate(s.passes):
            for e in p.reductions:
                self.reductions.declare_array(unit, e)
                self.reductions.declare_block(unit, e)
            counter, folds = f"rows{number}", self.reductions.fold_arrays(p.reductions, "end - begin")
            unit.lines += [f"int64_t {counter} = 0;"] if folds else []
            if p.reductions or p.stores:
                own = chunk if number == 0 else None
                self._sweep(unit, p.stores, p.reductions, (), "begin", "end", own, counter=counter)
            unit.lines += folds
        if not s.split:
            self._row_sweep(unit)
            return [*lines, *self._parallel(f"{rows} * tiles", self._work, (), unit.lines)]
        for e in s.passes[0].reductions:
            for part, dtype, name in zip(
                self.reductions.parts(e),
                self.reductions.part_dtypes(e),
                self.reductions.array_names(e),
                strict=True,
            ):
                lines.append(f"const tp::scratch<{ELEMENT[dtype]}> {part}(chunks * {rows} * {size});")
                unit.lines.append(
                    f"__builtin_memcpy({part} + (chunk * {rows} + unit / tiles) * {size} + begin, {name}, "
                    f"(end - begin) * sizeof({ELEMENT[dtype]}));"
                )
        lines += self._parallel(f"{rows} * tiles * chunks", self._work, (), unit.lines)
        final = self._outer_scope()
        final.lines += ["const int64_t unit = u;", *tile]
        for e in s.passes[0].reductions:
            self.reductions.declare_array(final, e)
            chunks = Scope(final.bound, final)
            body = Scope(final.bound | {self.lane}, chunks, count="m")
            at = f"(chunk * {rows} + unit / tiles) * {size} + {lane}"
            self.reductions.combine(
                body, e, [f"tp::load({p} + {at}, m)" for p in self.reductions.parts(e)], None
            )
            body.close([f"tp::over<1>(begin, end, [&](int64_t {lane}, auto m, auto) {{"], ["});"])
            chunks.close(["for (int64_t chunk = 0; chunk < chunks; ++chunk) {"], ["}"])
        self._row_sweep(final)
        return [*lines, *self._parallel(f"{rows} * tiles", f"{rows} * {size} * chunks", (), final.lines)]

    def _row_sweep(self, unit: Scope) -> None:
        if not self.s.row_stores:
            return
        body = Scope(unit.bound | {self.lane}, unit, count="m")
        for store in self.s.row_stores:
            self.values.store(body, store)
        body.close([f"tp::over<1>(begin, end, [&](int64_t {self.lane.name}, auto m, auto) {{"], ["});"])


def _mentions(line: str, symbol: str) -> bool:
    at = line.find(symbol)
    while at >= 0:
        before, after = line[at - 1 : at], line[at + len(symbol) : at + len(symbol) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = line.find(symbol, at + 1)
    return False
