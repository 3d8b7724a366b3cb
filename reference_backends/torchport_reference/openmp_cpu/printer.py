"""Scheduled kernels as C++ on the SIMD values of ``prelude/``: one function a kernel, one file a region.

Every value is a vector; one that does not vary with the vectorised loop has equal lanes. An expression is written where
the loop that it varies with most begins, so what is constant along a row is computed once a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from torchport.errors import CompileError
from torchport.loops.fusion import Store
from torchport.loops.index import ONE, Atom, Index, flatten, product
from torchport.loops.ir import EXPENSIVE, Expr
from torchport.loops.schedule import Schedule
from torchport_reference.openmp_cpu import index_printer

ELEMENT: Mapping[torch.dtype, str] = {
    torch.float32: "float",
    torch.float64: "double",
    torch.int64: "int64_t",
    torch.int32: "int32_t",
    torch.int16: "int16_t",
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.bool: "bool",
    torch.bfloat16: "tp::bf16",
    torch.float16: "tp::f16",
}
"""C++ type of an element in memory; the keys are the dtypes that generated code handles."""
VECTOR: Mapping[torch.dtype, str] = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "b1",
}
OPERATOR = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "and": "&",
    "or": "|",
    "xor": "^",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
HEADER = '#include "tp.h"\n#include "loops.h"\n#define KERNEL extern "C" __attribute__((visibility("default"))) void\n' + "".join(
    f"using {short} = tp::vec<{ELEMENT[dtype]}>;\n" for dtype, short in VECTOR.items()
)
PARALLEL_WORK = 16384
"""Elements from which a kernel starts its threads."""
ROW_BLOCK, LANE_BLOCK = 8192, 512
STACK_BUFFER = 4096


@dataclass(frozen=True)
class Printed:
    """A kernel's C++: ``arguments`` are the buffers it takes, in order; ``checks`` describe its index checks by code."""

    name: str
    source: str
    arguments: tuple[str, ...]
    checks: tuple[str, ...]


@dataclass(eq=False)
class _Scope:
    """A block being written: its lines, the values named in it, and the loop variables bound so far."""

    bound: frozenset[Atom]
    parent: _Scope | None = None
    lines: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    count: str = ""  # name of the lane count inside the vectorised loop

    def find(self, uid: int) -> str | None:
        scope: _Scope | None = self
        while scope is not None:
            if uid in scope.names:
                return scope.names[uid]
            scope = scope.parent
        return None

    def close(self, head: Sequence[str], tail: Sequence[str]) -> None:
        """Appends this block to its parent."""
        assert self.parent is not None
        self.parent.lines += [*head, *("  " + line for line in self.lines), *tail]


def print_kernel(schedule: Schedule, name: str, symbols: Sequence[str]) -> Printed:
    """The C++ function of a scheduled kernel: ``void name(void** p, const int64_t* n)``.

    ``p`` are the buffers of ``Printed.arguments``, then, when there are checks, an ``int64_t`` that receives the number of
    a failed one; ``n`` the values of ``symbols``.
    """
    return _Printer(schedule, name, symbols).run()


class _Printer:
    def __init__(self, schedule: Schedule, name: str, symbols: Sequence[str]) -> None:
        self.s, self.name, self.symbols = schedule, name, symbols
        self.kernel = schedule.kernel
        self.buffers = {v.name: f"a{k}" for k, v in enumerate(self.kernel.reads)}
        self.buffers.update({s.value.name: f"o{k}" for k, s in enumerate(self.kernel.stores)})
        self.checks: list[str] = []
        self.lane = schedule.lanes.var
        self.arrays: dict[int, str] = {}  # accumulators of the columns form
        self.kept: dict[int, str] = {}
        self.ready: set[int] = set()  # kept values that an earlier pass has written
        self.partial: dict[int, tuple[str, ...]] = {}

    # --- the function -----------------------------------------------------------------------------------------

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
        if self.checks:
            declared.append("int64_t failed = 0;")
            body.append(f"if (failed) *(int64_t*)p[{len(self.kernel.reads) + len(self.kernel.stores)}] = failed;")
        used = {symbol for symbol in self.symbols if any(_mentions(line, symbol) for line in body)}
        declared = [d for k, d in enumerate(declared) if k >= len(self.symbols) or self.symbols[k] in used]
        ops = ", ".join(dict.fromkeys(n.op.removeprefix("aten.") for n in self.kernel.nodes))
        lines = [f"// {ops}", f'KERNEL {self.name}(void** p, const int64_t* n) {{']
        lines += ["  " + line for line in (*declared, *body)]
        arguments = (*(v.name for v in self.kernel.reads), *(s.value.name for s in self.kernel.stores))
        return Printed(self.name, "\n".join([*lines, "}"]) + "\n", arguments, tuple(self.checks))

    def _pointer(self, position: int, value: str, dtype: torch.dtype, const: str) -> str:
        return f"{const}{ELEMENT[dtype]}* {self.buffers[value]} = ({const}{ELEMENT[dtype]}*)p[{position}];"

    def _parallel(self, count: str, work: str, setup: Sequence[str], body: Sequence[str]) -> list[str]:
        if work.isdigit() and int(work) < PARALLEL_WORK:
            return ["{", *setup, f"  for (int64_t u = 0; u < {count}; ++u) {{", *("    " + line for line in body), "  }", "}"]
        reduction = " reduction(max : failed)" if self.checks else ""
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

    def _size(self, index: Index) -> str:
        text = self._scalar(index)
        return text if text.isalnum() else f"({text})"

    def _scalar(self, index: Index, scope: _Scope | None = None) -> str:
        return index_printer.scalar(index, lambda atom: f"tp::first({self._value(scope, atom.payload)})")

    def _decoded(self, position: str) -> list[str]:
        """Declares the outer loop variables from their common row-major position."""
        outer = self.s.outer
        if len(outer) == 1:
            return [f"const int64_t {outer[0].var.name} = {position};"]
        lines = []
        for k in range(len(outer) - 1, -1, -1):
            step = self._size(product(d.size for d in outer[k + 1 :]))
            at = position if step == "1" else f"{position} / {step}"
            rest = at if k == 0 else f"{at} % {self._size(outer[k].size)}" if step == "1" else f"({at}) % {self._size(outer[k].size)}"
            lines.append(f"const int64_t {outer[k].var.name} = {rest};")
        return lines

    def _outer_scope(self) -> _Scope:
        return _Scope(frozenset(d.var for d in self.s.outer))

    @property
    def _outer_count(self) -> str:
        return self._size(product(d.size for d in self.s.outer))

    @property
    def _work(self) -> str:
        s = self.s
        return self._size(product(d.size for d in (*s.outer, *s.inner, s.lanes)))

    # --- pointwise and rows -----------------------------------------------------------------------------------

    def _rows(self) -> list[str]:
        s, lane = self.s, self.lane.name
        unit, setup = self._outer_scope(), []
        begin, end = "0", self._size(s.lanes.size)
        count = self._outer_count
        if s.form == "pointwise":
            rows, size = product(d.size for d in s.outer).value, s.lanes.size.value
            if size is None or size > ROW_BLOCK:
                block = end if rows is not None and rows >= 64 else str(ROW_BLOCK)
                if block != end:
                    setup.append(f"const int64_t blocks = tp::blocks({end}, {block});")
                    unit.lines += [
                        f"const int64_t begin = u % blocks * {block}, end = tp::smaller(begin + {block}, {end});"
                    ]
                    unit.lines += self._decoded("(u / blocks)")
                    begin, end, count = "begin", "end", f"{count} * tp::blocks({self._size(s.lanes.size)}, {block})"
            if begin == "0":
                unit.lines += self._decoded("u")
            self._sweep(unit, s.passes[0].stores, (), (), begin, end, None)
            return self._parallel(count, self._work, setup, unit.lines)
        if s.split:
            return self._split_rows()
        unit.lines += self._decoded("u")
        for number, p in enumerate(s.passes):
            for e in p.keeps:
                self._declare_keep(e, setup)
            self._row_pass(unit, number, "0", end, None)
        for store in s.row_stores:
            self._store(unit, store)
        return self._parallel(count, self._work, setup, unit.lines)

    def _row_pass(self, unit: _Scope, number: int, begin: str, end: str, chunk: tuple[str, str] | None) -> None:
        p = self.s.passes[number]
        cheap = not any(_heavy(a) for e in p.reductions for a in e.args) and not p.keeps and not p.stores
        unroll = 4 if cheap and p.reductions and not any(e.attr[0].startswith("arg") for e in p.reductions) else 1
        for e in p.reductions:
            unit.lines += self._accumulator(e, unroll)
        self._sweep(unit, p.stores, p.reductions, p.keeps, begin, end, chunk, unroll)
        for e in p.reductions:
            unit.lines += self._finished(unit, e, unroll)

    def _sweep(
        self,
        unit: _Scope,
        stores: Iterable[Store],
        reductions: Iterable[Expr],
        keeps: Iterable[Expr],
        begin: str,
        end: str,
        chunk: tuple[str, str] | None,
        unroll: int = 1,
    ) -> None:
        """One pass: the loops over ``inner``, the vectorised loop, and everything in it."""
        scopes, scope = [], unit
        for d in self.s.inner:
            scope = _Scope(scope.bound | {d.var}, scope)
            scopes.append(scope)
        body = _Scope(scope.bound | {self.lane}, scope, count="m")
        for e in keeps:
            value = self._value(body, e)
            body.lines.append(f"tp::store({self.kept[e.uid]} + {self._kept_at()}, {value}, m);")
        for store in stores:
            self._store(body, store)
        for e in reductions:
            self._accumulate(body, e, unroll)
        self.ready |= {e.uid for e in keeps}
        body.close([f"tp::over<{unroll}>({begin}, {end}, [&](int64_t {self.lane.name}, auto m, auto k) {{"], ["});"])
        for position in range(len(scopes) - 1, -1, -1):
            d = self.s.inner[position]
            low, high = chunk if chunk and position == 0 else ("0", self._size(d.size))
            name = d.var.name
            scopes[position].close([f"for (int64_t {name} = {low}; {name} < {high}; ++{name}) {{"], ["}"])

    # --- split rows -------------------------------------------------------------------------------------------

    def _split_rows(self) -> list[str]:
        s = self.s
        cut = s.inner[0] if s.inner else s.lanes
        size, rows = self._size(cut.size), self._outer_count
        lines = [f"const int64_t chunks = tp::chunks({size}, {self._work} / {rows});"]
        unit = self._outer_scope()
        unit.lines += [
            "const int64_t chunk = u % chunks, row = u / chunks;",
            f"const int64_t begin = {size} * chunk / chunks, end = {size} * (chunk + 1) / chunks;",
            *self._decoded("row"),
        ]
        if s.inner:
            self._row_pass(unit, 0, "0", self._size(s.lanes.size), ("begin", "end"))
        else:
            self._row_pass(unit, 0, "begin", "end", None)
        for e in s.passes[0].reductions:
            for part, dtype in zip(self._parts(e), self._part_dtypes(e), strict=True):
                lines.append(f"const tp::scratch<{ELEMENT[dtype]}> {part}({rows} * chunks);")
            for part, name in zip(self._parts(e), self._part_names(unit, e), strict=True):
                unit.lines.append(f"{part}[u] = tp::first({name});")
        lines += self._parallel(f"{rows} * chunks", self._work, (), unit.lines)
        final = self._outer_scope()
        final.lines += self._decoded("u")
        for e in s.passes[0].reductions:
            final.lines += self._accumulator(e, 1)
            inner = _Scope(final.bound, final, count="tp::whole{}")
            parts = [f"tp::spread({p} + u * chunks + chunk)" for p in self._parts(e)]
            self._combine(inner, e, parts, "[0]")
            inner.close(["for (int64_t chunk = 0; chunk < chunks; ++chunk) {"], ["}"])
            names = self._accumulator_names(e)
            final.names[e.uid] = f"{names[-1]}[0]"
        for store in s.row_stores:
            self._store(final, store)
        return [*lines, f"for (int64_t u = 0; u < {rows}; ++u) {{", *("  " + line for line in final.lines), "}"]

    def _parts(self, e: Expr) -> tuple[str, ...]:
        if e.uid not in self.partial:
            names = (f"part{len(self.partial)}",)
            self.partial[e.uid] = (*names, f"{names[0]}_at") if e.attr[0].startswith("arg") else names
        return self.partial[e.uid]

    def _part_dtypes(self, e: Expr) -> tuple[torch.dtype, ...]:
        return (e.args[0].dtype, torch.int64) if e.attr[0].startswith("arg") else (e.dtype,)

    def _part_names(self, unit: _Scope, e: Expr) -> tuple[str, ...]:
        name = unit.names[e.uid]
        return (f"{name}_value", name) if e.attr[0].startswith("arg") else (name,)

    # --- columns ----------------------------------------------------------------------------------------------

    def _columns(self) -> list[str]:
        s, lane = self.s, self.lane.name
        size, rows = self._size(s.lanes.size), self._outer_count
        lines = [f"const int64_t tiles = tp::blocks({size}, {LANE_BLOCK});"]
        unit = self._outer_scope()
        chunk = None
        if s.split:
            cut = self._size(s.inner[0].size)
            lines.append(f"const int64_t chunks = tp::chunks({cut}, {self._work});")
            unit.lines += [
                "const int64_t chunk = u / (tiles * " + rows + f"), unit = u % (tiles * {rows});",
                f"const int64_t first = {cut} * chunk / chunks, last = {cut} * (chunk + 1) / chunks;",
            ]
            chunk = ("first", "last")
        else:
            unit.lines.append("const int64_t unit = u;")
        tile = [
            f"const int64_t begin = unit % tiles * {LANE_BLOCK}, end = tp::smaller(begin + {LANE_BLOCK}, {size});",
            *self._decoded("(unit / tiles)"),
        ]
        unit.lines += tile
        for number, p in enumerate(s.passes):
            for e in p.reductions:
                self._declare_array(unit, e)
            if p.reductions or p.stores:
                self._sweep(unit, p.stores, p.reductions, (), "begin", "end", chunk if number == 0 else None)
        if not s.split:
            self._row_sweep(unit)
            return [*lines, *self._parallel(f"{rows} * tiles", self._work, (), unit.lines)]
        for e in s.passes[0].reductions:
            for part, dtype, name in zip(self._parts(e), self._part_dtypes(e), self._array_names(e), strict=True):
                lines.append(f"const tp::scratch<{ELEMENT[dtype]}> {part}(chunks * {rows} * {size});")
                unit.lines.append(
                    f"__builtin_memcpy({part} + (chunk * {rows} + unit / tiles) * {size} + begin, {name}, "
                    f"(end - begin) * sizeof({ELEMENT[dtype]}));"
                )
        lines += self._parallel(f"{rows} * tiles * chunks", self._work, (), unit.lines)
        final = self._outer_scope()
        final.lines += ["const int64_t unit = u;", *tile]
        for e in s.passes[0].reductions:
            self._declare_array(final, e)
            chunks = _Scope(final.bound, final)
            body = _Scope(final.bound | {self.lane}, chunks, count="m")
            at = f"(chunk * {rows} + unit / tiles) * {size} + {lane}"
            self._combine(body, e, [f"tp::load({p} + {at}, m)" for p in self._parts(e)], None)
            body.close([f"tp::over<1>(begin, end, [&](int64_t {lane}, auto m, auto) {{"], ["});"])
            chunks.close(["for (int64_t chunk = 0; chunk < chunks; ++chunk) {"], ["}"])
        self._row_sweep(final)
        return [*lines, *self._parallel(f"{rows} * tiles", f"{rows} * {size} * chunks", (), final.lines)]

    def _row_sweep(self, unit: _Scope) -> None:
        if not self.s.row_stores:
            return
        body = _Scope(unit.bound | {self.lane}, unit, count="m")
        for store in self.s.row_stores:
            self._store(body, store)
        body.close([f"tp::over<1>(begin, end, [&](int64_t {self.lane.name}, auto m, auto) {{"], ["});"])

    def _array_names(self, e: Expr) -> tuple[str, ...]:
        if e.uid not in self.arrays:
            self.arrays[e.uid] = f"sum{len(self.arrays)}"
        name = self.arrays[e.uid]
        return (name, f"{name}_at") if e.attr[0].startswith("arg") else (name,)

    def _declare_array(self, scope: _Scope, e: Expr) -> None:
        for name, dtype, start in zip(self._array_names(e), self._part_dtypes(e), _initial(e), strict=True):
            scope.lines.append(f"{ELEMENT[dtype]} {name}[{LANE_BLOCK}];")
            scope.lines.append(f"for ({ELEMENT[dtype]}& x : {name}) x = {start};")

    # --- reductions -------------------------------------------------------------------------------------------

    def _accumulator_names(self, e: Expr) -> tuple[str, ...]:
        return tuple(f"r{e.uid}{suffix}" for suffix in (("_value", "") if e.attr[0].startswith("arg") else ("",)))

    def _accumulator(self, e: Expr, unroll: int) -> list[str]:
        lines = []
        for name, dtype, start in zip(self._accumulator_names(e), self._part_dtypes(e), _initial(e), strict=True):
            values = ", ".join([f"{VECTOR[dtype]}({start})"] * unroll)
            lines.append(f"{VECTOR[dtype]} {name}[{unroll}] = {{{values}}};")
        return lines

    def _accumulate(self, body: _Scope, e: Expr, unroll: int) -> None:
        values = [self._value(body, a) for a in e.args]
        self._combine(body, e, values, None if self.s.form == "columns" else "[k.value]" if unroll > 1 else "[0]")

    def _combine(self, body: _Scope, e: Expr, values: list[str], slot: str | None) -> None:
        """Adds one vector of values to an accumulator: a register (``slot``) or the array of the columns form."""
        kind, count = e.attr[0], body.count
        if slot is None:
            places = [f"{name} + ({self.lane.name} - begin)" for name in self._array_names(e)]
            old = [f"tp::load({place}, {count})" for place in places]
        else:
            places = [f"{name}{slot}" for name in self._accumulator_names(e)]
            old = places
        if kind.startswith("arg"):
            largest = "true" if kind == "argmax" else "false"
            body.lines += ["{", f"  const auto x = {values[0]}; const i64 x_at = {values[1]};"]
            body.lines.append(f"  const auto y = {old[0]}; const i64 y_at = {old[1]};")
            body.lines.append(f"  const b1 won = tp::better<{largest}>(x, x_at, y, y_at) & tp::on({count});")
            for place, x, y in ((places[0], "x", "y"), (places[1], "x_at", "y_at")):
                new = f"tp::where(won, {x}, {y})"
                body.lines.append(f"  tp::store({place}, {new}, {count});" if slot is None else f"  {place} = {new};")
            body.lines.append("}")
            return
        new = _combined(kind, old[0], values[0])
        if slot is None:
            body.lines.append(f"tp::store({places[0]}, {new}, {count});")
        else:
            body.lines.append(f"{places[0]} = tp::take({count}, {new}, {old[0]});")

    def _finished(self, unit: _Scope, e: Expr, unroll: int) -> list[str]:
        """The accumulator's lanes combined into one value, in every lane of a vector."""
        kind, names = e.attr[0], self._accumulator_names(e)
        name = f"t{e.uid}"
        unit.names[e.uid] = name
        if kind.startswith("arg"):
            largest = "true" if kind == "argmax" else "false"
            return [
                f"const int {name}_lane = tp::best_lane<{largest}>({names[0]}[0], {names[1]}[0]);",
                f"const {VECTOR[e.args[0].dtype]} {name}_value({names[0]}[0][{name}_lane]);",
                f"const i64 {name}({names[1]}[0][{name}_lane]);",
            ]
        total = f"{names[0]}[0]"
        if unroll == 4:
            pairs = [_combined(kind, f"{names[0]}[{a}]", f"{names[0]}[{b}]") for a, b in ((0, 1), (2, 3))]
            total = _combined(kind, *(f"({p})" if p[0] != "t" else p for p in pairs))
        return [f"const {VECTOR[e.dtype]} {name}(tp::reduce_{kind}({total}));"]

    # --- values -----------------------------------------------------------------------------------------------

    def _declare_keep(self, e: Expr, setup: list[str]) -> None:
        name = self.kept[e.uid] = f"keep{len(self.kept)}"
        size = product(d.size for d in (*self.s.inner, self.s.lanes))
        if size.value is not None and size.value <= STACK_BUFFER:
            setup.append(f"alignas(64) {ELEMENT[e.dtype]} {name}[{size.value}];")
        else:
            setup.append(f"const tp::scratch<{ELEMENT[e.dtype]}> {name}({self._scalar(size)});")

    def _kept_at(self) -> str:
        dims = (*self.s.inner, self.s.lanes)
        return self._size(flatten([Index({(d.var,): 1}) for d in dims], [d.size for d in dims]))

    def _deps(self, e: Expr) -> frozenset[Atom]:
        """Loop variables that a value varies with; accumulators of the columns form differ from lane to lane."""
        deps = self.s.deps(e)
        return deps | {self.lane} if self.s.form == "columns" and e.depth else deps

    def _home(self, scope: _Scope, e: Expr) -> _Scope:
        """The outermost open block in which everything that ``e`` varies with is bound."""
        deps, home = self._deps(e), scope
        while home.parent is not None and deps <= home.parent.bound:
            home = home.parent
        return home

    def _value(self, scope: _Scope | None, e: Expr) -> str:
        """The name of a value, written into the right block if it has none yet."""
        assert scope is not None, "a size cannot depend on values"
        found = scope.find(e.uid)
        if found is not None:
            return found
        if e.op == "const":
            return f"{VECTOR[e.dtype]}({_number(e.attr, e.dtype)})"
        home = self._home(scope, e)
        text = self._expression(home, e)
        name = f"t{e.uid}"
        home.lines.append(f"const {VECTOR[e.dtype]} {name} = {text};")
        home.names[e.uid] = name
        return name

    def _expression(self, scope: _Scope, e: Expr) -> str:
        if e.uid in self.ready and scope.count:
            return f"tp::load({self.kept[e.uid]} + {self._kept_at()}, {scope.count})"
        match e.op:
            case "load":
                return self._load(scope, e)
            case "index":
                return self._index(scope, self.s.index(e.attr))
            case "symbolic":
                return f"{VECTOR[e.dtype]}({ELEMENT[e.dtype]}({index_printer.symbolic(e.attr)}))"
            case "reduce":
                if e.uid not in self.arrays:
                    raise CompileError("a reduction is used before its pass", got=repr(e.attr))
                return f"tp::load({self.arrays[e.uid]}{'_at' if e.attr[0].startswith('arg') else ''} + ({self.lane.name} - begin), {scope.count})"
            case "check":
                return self._check(scope, e)
        values = [self._value(scope, a) for a in e.args]
        match e.op:
            case "cast" | "bitcast":
                return f"tp::{e.op}<{ELEMENT[e.dtype]}>({values[0]})"
            case "round":
                return f"tp::round_to<{ELEMENT[e.attr]}>({values[0]})"
            case "neg":
                return f"-{values[0]}"
            case "not":
                return f"{'!' if e.dtype == torch.bool else '~'}{values[0]}"
            case op if op in OPERATOR:
                return f"{values[0]} {OPERATOR[op]} {values[1]}"
        return f"tp::{e.op}({', '.join(values)})"

    def _check(self, scope: _Scope, e: Expr) -> str:
        size, wrap = e.attr
        self.checks.append(f"index out of range for a dimension of size {size}")
        value = self._value(scope, e.args[0])
        count = scope.count or "tp::whole{}"
        return f"tp::check({value}, {self._scalar(size)}, {'true' if wrap else 'false'}, {count}, failed, {len(self.checks)})"

    def _varies(self, e: Expr) -> bool:
        return self.lane in self._deps(e)

    def _index(self, scope: _Scope, index: Index) -> str:
        def value(atom: Atom) -> str:
            name = self._value(scope, atom.payload)
            return name if self._varies(atom.payload) else f"tp::first({name})"

        return index_printer.vector(index, self.lane, value, lambda atom: self._varies(atom.payload))

    def _lane_stride(self, index: Index) -> Index | None:
        """Elements between neighbouring lanes; ``None`` where that is no constant of the row."""
        for leaf in index.leaves():
            if leaf.kind == "value" and self._varies(leaf.payload):
                return None
        stride = index.coefficient(self.lane)
        if stride is None or any(leaf == self.lane for leaf in stride.leaves()):
            return None
        rest = index.without(self.lane)
        return None if any(leaf == self.lane for leaf in rest.leaves()) else stride

    def _load(self, scope: _Scope, e: Expr) -> str:
        index = self.s.index(e.at)
        base = self.buffers[e.buffer]
        stride = self._lane_stride(index)
        mask = f", {self._value(scope, e.args[0])}" if e.args else ""
        if stride is not None and not stride.terms:
            if mask and self._varies(e.args[0]):
                return f"tp::gather({base}, i64({self._scalar(index, scope)}){mask}, {scope.count})"
            return f"tp::spread({base} + {self._scalar(index, scope)}{mask})"
        if stride == ONE:
            return f"tp::load({base} + {self._scalar(index, scope)}{mask}, {scope.count})"
        return f"tp::gather({base}, {self._index(scope, index)}{mask}, {scope.count})"

    def _store(self, scope: _Scope, store: Store) -> None:
        value = self._value(scope, store.expr)
        index, base = self.s.index(store.index), self.buffers[store.value.name]
        stride = self._lane_stride(index)
        if stride is not None and not stride.terms:
            line = f"tp::store_one({base} + {self._scalar(index, scope)}, tp::first({value}));"
        elif stride == ONE:
            line = f"tp::store({base} + {self._scalar(index, scope)}, {value}, {scope.count});"
        else:
            line = f"tp::scatter({base}, {self._index(scope, index)}, {value}, {scope.count});"
        scope.lines.append(line)


def _mentions(line: str, symbol: str) -> bool:
    at = line.find(symbol)
    while at >= 0:
        before, after = line[at - 1 : at], line[at + len(symbol) : at + len(symbol) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = line.find(symbol, at + 1)
    return False


def _heavy(e: Expr) -> bool:
    return e.op in EXPENSIVE or (e.op != "reduce" and any(_heavy(a) for a in e.args))


def _combined(kind: str, old: str, new: str) -> str:
    match kind:
        case "sum":
            return f"{old} + {new}"
        case "prod":
            return f"{old} * {new}"
        case "any":
            return f"{old} | {new}"
    return f"tp::{'maximum' if kind == 'max' else 'minimum'}({old}, {new})"


def _initial(e: Expr) -> tuple[str, ...]:
    kind, dtype = e.attr[0], e.args[0].dtype
    if kind in ("sum", "any"):
        return (_number(0, e.dtype),)
    if kind == "prod":
        return (_number(1, e.dtype),)
    largest = kind in ("max", "argmax")
    if dtype.is_floating_point:
        start = _number(-math.inf if largest else math.inf, dtype)
    else:
        info = torch.iinfo(dtype)
        start = _number(info.min if largest else info.max, dtype)
    return (start, "INT64_MAX") if kind.startswith("arg") else (start,)


def _number(value: bool | int | float, dtype: torch.dtype) -> str:
    if dtype == torch.bool:
        return "true" if value else "false"
    element = ELEMENT[dtype]
    if dtype.is_floating_point:
        value = float(value)
        if math.isnan(value):
            return f"{element}(__builtin_nan(\"\"))"
        if math.isinf(value):
            return f"{element}({'-' if value < 0 else ''}__builtin_inf())"
        return f"{value!r}f" if dtype == torch.float32 and _short(value) else f"{element}({value!r})"
    if value == torch.iinfo(torch.int64).min:
        return "INT64_MIN"
    return f"{element}({int(value)})"


def _short(value: float) -> bool:
    return value.is_integer() and abs(value) < 1 << 20 or value in (0.5, 0.25, -0.5)
