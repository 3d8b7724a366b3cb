"""Values of a kernel as C++: where each expression is written, and how loads, stores and indices look."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from torchport.errors import CompileError
from torchport.loops.fusion import Store
from torchport.loops.index import ONE, Atom, Index, flatten, product
from torchport.loops.ir import Expr
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
STACK_BUFFER = 4096
"""Elements up to which a row buffer lives on the stack."""


@dataclass(eq=False)
class Scope:
    """A block being written: its lines, the values named in it, and the loop variables bound so far."""

    bound: frozenset[Atom]
    parent: Scope | None = None
    lines: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    count: str = ""  # name of the lane count inside the vectorised loop

    def find(self, uid: int) -> str | None:
        """The name that a value has here, if it was written already."""
        scope: Scope | None = self
        while scope is not None:
            if uid in scope.names:
                return scope.names[uid]
            scope = scope.parent
        return None

    def close(self, head: Sequence[str], tail: Sequence[str]) -> None:
        """Appends this block to its parent."""
        assert self.parent is not None
        self.parent.lines += [*head, *("  " + line for line in self.lines), *tail]


class Values:
    """Writes the values of one kernel into scopes. ``buffers`` are the C++ names of what is loaded and
    stored.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.s, self.lane = schedule, schedule.lanes.var
        kernel = schedule.kernel
        self.buffers = {v.name: f"a{k}" for k, v in enumerate(kernel.reads)}
        self.buffers.update({s.value.name: f"o{k}" for k, s in enumerate(kernel.stores)})
        self.checks: list[str] = []
        self.arrays: dict[int, str] = {}  # accumulators of the columns form
        self.kept: dict[int, str] = {}
        self.numbers: dict[int, int] = {}
        self.ready: set[int] = set()  # kept values that an earlier pass has written

    def declare_keep(self, e: Expr, setup: list[str]) -> None:
        """Declares the row buffer of a value that several passes use."""
        name = self.kept[e.uid] = f"keep{len(self.kept)}"
        size = product(d.size for d in (*self.s.inner, self.s.lanes))
        if size.value is not None and size.value <= STACK_BUFFER:
            setup.append(f"alignas(64) {ELEMENT[e.dtype]} {name}[{size.value}];")
        else:
            setup.append(f"const tp::scratch<{ELEMENT[e.dtype]}> {name}({self.scalar(size)});")

    def number_of(self, e: Expr) -> int:
        """A number for naming a value, counted within the kernel, so that equal kernels have equal texts."""
        return self.numbers.setdefault(e.uid, len(self.numbers))

    def size(self, index: Index) -> str:
        """An index over sizes and loop variables, safe as a factor."""
        text = self.scalar(index)
        return text if text.isalnum() else f"({text})"

    def scalar(self, index: Index, scope: Scope | None = None) -> str:
        """An index as an ``int64_t`` expression; values in it must not vary from lane to lane."""
        return index_printer.scalar(index, lambda atom: f"tp::first({self.value(scope, atom.payload)})")

    def kept_at(self) -> str:
        """Position in a row buffer."""
        dims = (*self.s.inner, self.s.lanes)
        return self.size(flatten([Index({(d.var,): 1}) for d in dims], [d.size for d in dims]))

    def deps(self, e: Expr) -> frozenset[Atom]:
        """Loop variables that a value varies with; accumulators of the columns form differ by lane."""
        deps = self.s.deps(e)
        return deps | {self.lane} if self.s.form == "columns" and e.depth else deps

    def _home(self, scope: Scope, e: Expr) -> Scope:
        """The outermost open block in which everything that ``e`` varies with is bound."""
        deps, home = self.deps(e), scope
        while home.parent is not None and deps <= home.parent.bound:
            home = home.parent
        return home

    def value(self, scope: Scope | None, e: Expr) -> str:
        """The name of a value, written into the right block if it has none yet."""
        assert scope is not None, "a size cannot depend on values"
        found = scope.find(e.uid)
        if found is not None:
            return found
        if e.op == "const":
            return f"{VECTOR[e.dtype]}({number(e.attr, e.dtype)})"
        home = self._home(scope, e)
        text = self._expression(home, e)
        name = f"t{self.number_of(e)}"
        home.lines.append(f"const {VECTOR[e.dtype]} {name} = {text};")
        home.names[e.uid] = name
        return name

    def _expression(self, scope: Scope, e: Expr) -> str:
        if e.uid in self.ready and scope.count:
            return f"tp::load({self.kept[e.uid]} + {self.kept_at()}, {scope.count})"
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
                array = self.arrays[e.uid] + ("_at" if e.attr[0].startswith("arg") else "")
                return narrowed(e, f"tp::load({array} + ({self.lane.name} - begin), {scope.count})")
            case "check":
                return self._check(scope, e)
        values = [self.value(scope, a) for a in e.args]
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

    def _check(self, scope: Scope, e: Expr) -> str:
        size, wrap = e.attr
        self.checks.append(f"index out of range for a dimension of size {size}")
        value = self.value(scope, e.args[0])
        count = scope.count or "tp::whole{}"
        flag, code = "true" if wrap else "false", len(self.checks)
        mask = f", {self.value(scope, e.args[1])}" if len(e.args) > 1 else ""
        return f"tp::check({value}, {self.scalar(size)}, {flag}, {count}, failed, {code}{mask})"

    def varies(self, e: Expr) -> bool:
        """Whether a value differs from lane to lane."""
        return self.lane in self.deps(e)

    def _index(self, scope: Scope, index: Index) -> str:
        def value(atom: Atom) -> str:
            name = self.value(scope, atom.payload)
            return name if self.varies(atom.payload) else f"tp::first({name})"

        return index_printer.vector(index, self.lane, value, lambda atom: self.varies(atom.payload))

    def _lane_stride(self, index: Index) -> Index | None:
        """Elements between neighbouring lanes; ``None`` where that is no constant of the row."""
        for leaf in index.leaves():
            if leaf.kind == "value" and self.varies(leaf.payload):
                return None
        stride = index.coefficient(self.lane)
        if stride is None or any(leaf == self.lane for leaf in stride.leaves()):
            return None
        rest = index.without(self.lane)
        return None if any(leaf == self.lane for leaf in rest.leaves()) else stride

    def _load(self, scope: Scope, e: Expr) -> str:
        index = self.s.index(e.at)
        base = self.buffers[e.buffer]
        stride = self._lane_stride(index)
        mask = f", {self.value(scope, e.args[0])}" if e.args else ""
        if stride is not None and not stride.terms:
            if mask and self.varies(e.args[0]):
                return f"tp::gather({base}, i64({self.scalar(index, scope)}){mask}, {scope.count})"
            return f"tp::spread({base} + {self.scalar(index, scope)}{mask})"
        if stride == ONE:
            return f"tp::load({base} + {self.scalar(index, scope)}{mask}, {scope.count})"
        return f"tp::gather({base}, {self._index(scope, index)}{mask}, {scope.count})"

    def store(self, scope: Scope, store: Store) -> None:
        """Writes a store and all that it needs."""
        value = self.value(scope, store.expr)
        index, base = self.s.index(store.index), self.buffers[store.value.name]
        stride = self._lane_stride(index)
        if stride is not None and not stride.terms:
            line = f"tp::store_one({base} + {self.scalar(index, scope)}, tp::first({value}));"
        elif stride == ONE:
            line = f"tp::store({base} + {self.scalar(index, scope)}, {value}, {scope.count});"
        else:
            line = f"tp::scatter({base}, {self._index(scope, index)}, {value}, {scope.count});"
        scope.lines.append(line)


def accumulator_dtype(e: Expr) -> torch.dtype:
    """The dtype that a reduction ends in. Sums of float32 end in float64: gradients of normalisations are
    small differences of large sums, and eager accumulates these in float64 as well.
    """
    kind = e.attr[0]
    if kind.startswith("arg"):
        return e.args[0].dtype
    return torch.float64 if kind == "sum" and e.dtype == torch.float32 else e.dtype


def narrowed(e: Expr, total: str) -> str:
    """A vector of accumulators as one of results."""
    return (
        total
        if e.attr[0].startswith("arg") or accumulator_dtype(e) == e.dtype
        else f"tp::cast<{ELEMENT[e.dtype]}>({total})"
    )


def number(value: bool | int | float, dtype: torch.dtype) -> str:
    """A number as a C++ expression of the element type of ``dtype``."""
    if dtype == torch.bool:
        return "true" if value else "false"
    element = ELEMENT[dtype]
    if dtype.is_floating_point:
        value = float(value)
        if math.isnan(value):
            return f'{element}(__builtin_nan(""))'
        if math.isinf(value):
            return f"{element}({'-' if value < 0 else ''}__builtin_inf())"
        return f"{value!r}f" if dtype == torch.float32 and _short(value) else f"{element}({value!r})"
    if value == torch.iinfo(torch.int64).min:
        return "INT64_MIN"
    return f"{element}({int(value)})"


def _short(value: float) -> bool:
    return (value.is_integer() and abs(value) < 1 << 20) or value in (0.5, 0.25, -0.5)
