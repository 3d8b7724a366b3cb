"""The flat executor: a compiled graph as one generated Python function, with no interpreter at run time.

A :class:`Program` is a list of steps over named values. :func:`build` turns it into straight-line Python:
symbols are read once, intermediates are freed after their last use, and every region is called with
preallocated outputs.
"""

from __future__ import annotations

import itertools
import linecache
import math
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

import torch
from torch.autograd import profiler

from torchport.contract.adapters import to_running
from torchport.contract.graph import Node, Opaque, Symbol, TensorSpec, Value
from torchport.contract.reference import flatten
from torchport.contract.spec import resolve
from torchport.contract.symbols import SymExpr
from torchport.errors import RunError
from torchport.run.allocation import empty_strided_cpu


@dataclass(frozen=True, eq=False)
class OpStep:
    """One operator run by PyTorch itself (a fallback, or a view that costs nothing), or by ``fn`` in its
    place.
    """

    node: Node
    fn: Callable[..., Any] | None = None

    @property
    def reads(self) -> tuple[Value, ...]:
        """Values read."""
        return self.node.inputs

    @property
    def writes(self) -> tuple[Value, ...]:
        """Values defined."""
        return self.node.results


@dataclass(frozen=True, eq=False)
class RegionStep:
    """One compiled region.

    ``destination``: ``fn(args, outs, stream, symbols=...)`` writes into ``outs``, allocated here with the
    sizes and strides of the outputs' specs (the signature of ``Executable.run``). Otherwise ``fn(args,
    symbols)`` returns its outputs. ``homes`` has for each output the value that it is written over, or
    ``None``; empty when none is.
    """

    name: str
    fn: Callable[..., Any]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    symbols: tuple[str, ...]
    destination: bool = True
    contiguous_inputs: bool = False
    homes: tuple[Value | None, ...] = ()

    @property
    def reads(self) -> tuple[Value, ...]:
        """Values read, or written over."""
        return (*self.inputs, *(v for v in self.homes if v is not None))

    @property
    def writes(self) -> tuple[Value, ...]:
        """Values defined."""
        return self.outputs


@dataclass(frozen=True, eq=False)
class EntryStep:
    """Machine code ``void f(void** buffers, const int64_t* sizes)`` at ``address``, called without a Python
    function between. Its buffers are the inputs, then the outputs, which are allocated here where the caller
    has not done so; its sizes are the symbols.

    ``nogil``: Python's global lock is released during the call, which is worth it from some tens of
    microseconds on.
    """

    name: str
    address: int
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    symbols: tuple[str, ...]
    nogil: bool = False

    @property
    def reads(self) -> tuple[Value, ...]:
        """Values read."""
        return self.inputs

    @property
    def writes(self) -> tuple[Value, ...]:
        """Values defined."""
        return self.outputs


@dataclass(frozen=True, eq=False)
class RestrideStep:
    """Copies ``source`` into a tensor with ``target``'s strides, when it does not have them already."""

    source: Value
    target: Value

    @property
    def reads(self) -> tuple[Value, ...]:
        """Values read."""
        return (self.source,)

    @property
    def writes(self) -> tuple[Value, ...]:
        """Values defined."""
        return (self.target,)


Step = OpStep | RegionStep | EntryStep | RestrideStep


@dataclass(frozen=True, eq=False)
class Program:
    """Steps in order. ``arguments`` follow the original calling convention (values, SymExpr or constants).

    ``preallocated`` names region outputs that are arguments too: the caller allocated them.
    """

    arguments: tuple[Any, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Any, ...]
    symbols: tuple[Symbol, ...]
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)
    name: str = "graph"
    preallocated: frozenset[str] = frozenset()


def restride(tensor: torch.Tensor, size: Sequence[int], stride: Sequence[int]) -> torch.Tensor:
    """``tensor`` itself when it has these strides (dimensions of size 1 or less are ignored), or when with
    them elements would share memory: PyTorch traces that of results which it then makes dense. Else a copy
    that has them.
    """
    if tensor.stride() == tuple(stride) or all(
        n <= 1 or a == b for n, a, b in zip(size, tensor.stride(), stride, strict=True)
    ):
        return tensor
    if any(n > 1 and step == 0 for n, step in zip(size, stride, strict=True)):
        return tensor
    out = torch.empty_strided(size, stride, dtype=tensor.dtype, device=tensor.device)
    return out.copy_(tensor)


def adopt(results: Any, specs: Sequence[tuple[Any, ...]], region: str) -> list[torch.Tensor]:
    """The results of a region that allocates them itself, checked and with the strides that were promised.

    Args:
        results: what the region returned.
        specs: dtype, sizes and strides of each output.
        region: name of the region, for errors.

    Raises:
        RunError: not a sequence of the right number of tensors with these dtypes and sizes.
    """
    if not isinstance(results, list | tuple) or len(results) != len(specs):
        got = f"{len(results)} results" if isinstance(results, list | tuple) else type(results).__name__
        raise RunError(f"region {region!r} must return {len(specs)} tensors in a sequence", got=got)
    adopted = []
    for index, (tensor, (dtype, size, stride)) in enumerate(zip(results, specs, strict=True)):
        if not isinstance(tensor, torch.Tensor) or tensor.dtype != dtype or tuple(tensor.shape) != size:
            got = type(tensor).__name__
            if isinstance(tensor, torch.Tensor):
                got = f"{tensor.dtype} {tuple(tensor.shape)} on {tensor.device}"
            raise RunError(f"output {index} of region {region!r} must be {dtype} {size}", got=got)
        adopted.append(restride(tensor, size, stride))
    return adopted


def split_arguments(node: Node) -> tuple[Any, list[Any], dict[str, Any]]:
    """The operator, positional arguments and keyword-only arguments of a node; trailing defaults are
    dropped.
    """
    if node.op.startswith("higher_order."):
        op = getattr(torch.ops.higher_order, node.op.removeprefix("higher_order."))
        positional = [a for k, a in node.args if k.isdigit()]
        return op, positional, {k: a for k, a in node.args if not k.isdigit()}
    op = resolve(node.op)
    positional, keywords, defaults = [], {}, []
    for parameter, (name, arg) in zip(op._schema.arguments, to_running(node.op, node.args), strict=True):
        is_default = parameter.has_default_value() and _same(arg, parameter.default_value)
        if parameter.kwarg_only:
            if not is_default:
                keywords[name] = arg
        else:
            positional.append(arg)
            defaults.append(is_default)
    while positional and defaults[-1]:
        positional.pop()
        defaults.pop()
    return op, positional, keywords


def _same(arg: Any, default: Any) -> bool:
    if isinstance(default, list):
        default = tuple(default)
    return type(arg) is type(default) and bool(arg == default)


class _Writer:
    """Writes the source of one program; ``named``: its regions and kernels are ranges of the profiler."""

    def __init__(self, program: Program, timer: list[int] | None, named: bool = False) -> None:
        self.program, self.timer, self.named = program, timer, named
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {
            "empty_strided": torch.empty_strided,
            "empty_strided_cpu": empty_strided_cpu,
            "restride": restride,
            "adopt": adopt,
            "blame": _blame,
            "profiler": profiler,
            "record_function": profiler.record_function,
            "timer": timer,
            "now": time.perf_counter_ns,
            "sqrt": math.sqrt,
            "ceil": math.ceil,
            "floor": math.floor,
            "trunc": math.trunc,
        }
        self.names: dict[str, str] = {}
        self.marks: dict[int, str] = {}  # what each line runs, for errors
        self.scope["marks"] = self.marks
        self.pending = {s.name: s.source for s in program.symbols}

    def local(self, value: Value) -> str:
        return self.names.setdefault(value.name, f"_{len(self.names)}")

    def constant(self, payload: Any) -> str:
        name = f"k{len(self.scope)}"
        self.scope[name] = payload
        return name

    def expr(self, arg: Any, brackets: str = "[]") -> str:
        if isinstance(arg, Value):
            return self.local(arg)
        if isinstance(arg, SymExpr):
            return arg.text
        if isinstance(arg, tuple):
            items = "".join(f"{self.expr(a, brackets)}, " for a in arg)
            return f"{brackets[0]}{items}{brackets[1]}" if brackets == "()" else f"[{items[:-2]}]"
        if arg is None or isinstance(arg, bool | int | str):
            return repr(arg)
        return self.constant(arg.payload if isinstance(arg, Opaque) else arg)

    @staticmethod
    def dims(dims: Sequence[Any]) -> str:
        return f"({', '.join(str(d) for d in dims)}{',' if len(dims) == 1 else ''})"

    def write(self, executable: tuple[int, int] | None) -> str:
        program = self.program
        names = [
            self.local(a) if isinstance(a, Value) else f"arg{i}" for i, a in enumerate(program.arguments)
        ]
        if executable is None:
            head = "def call(args):"
            self.unpack(names, "args")
            self.lines.append("args.clear()")
        else:
            head = "def call(args, outs, stream=None, *, workspace=None, symbols=()):"
            inputs, outputs = executable
            self.unpack(names[:inputs], "args")
            self.unpack(names[inputs : inputs + outputs], "outs")
            self.unpack(names[inputs + outputs :], "symbols")
        if not self.named and any(_range_name(program, s) for s in program.steps):
            given = "args" if executable is None else "args, outs, stream, symbols=symbols"
            self.lines.insert(0, f"if profiler._is_profiler_enabled: return named({given})")
        known = {a.name for a in program.arguments if isinstance(a, Value)}
        for name, tensor in program.constants.items():
            self.names[name] = self.constant(tensor)
            known.add(name)
        self.bind_symbols(known)
        last = self.last_uses()
        for index, step in enumerate(program.steps):
            if self.timer is not None:
                self.lines.append("start = now()")
            first = len(self.lines)
            self.step(step)
            name = _range_name(program, step) if self.named else ""
            if name:
                self.lines[first:] = [
                    f"with record_function({name!r}):",
                    *(f"    {line}" for line in self.lines[first:]),
                ]
            self.marks.update(dict.fromkeys(range(first, len(self.lines)), _described(step)))
            if self.timer is not None:
                self.lines.append(f"timer[{index}] += now() - start")
            known.update(v.name for v in step.writes)
            self.bind_symbols(known)
            dead = [self.names[n] for n in last.get(index, ()) if n not in program.constants]
            if dead:
                self.lines.append(f"del {', '.join(sorted(dead))}")
        if executable is None:
            self.lines.append(f"return [{', '.join(self.expr(o) for o in program.outputs)}]")
        body = [f"    {line}" for line in self.lines or ["pass"]]
        tail = ["except Exception as error:", "    blame(error, marks)", "    raise"]
        return "\n    ".join([head, "try:", *body, *tail]) + "\n"

    def unpack(self, names: Sequence[str], sequence: str) -> None:
        if names:
            self.lines.append(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {sequence}")

    def last_uses(self) -> dict[int, list[str]]:
        kept = {o.name for o in self.program.outputs if isinstance(o, Value)}
        sources = {part for s in self.program.symbols for part in _names(s.source)}
        last: dict[str, int] = {}
        for index, step in enumerate(self.program.steps):
            for value in (*step.reads, *step.writes):
                last[value.name] = index
        dying: dict[int, list[str]] = {}
        for name, index in last.items():
            if name not in kept and name not in sources:
                dying.setdefault(index, []).append(name)
        return dying

    def bind_symbols(self, known: set[str]) -> None:
        for name, source in list(self.pending.items()):
            text = self.source(source, known)
            if text is not None:
                self.lines.append(f"{name} = {text}")
                del self.pending[name]

    def source(self, source: tuple[Any, ...], known: set[str]) -> str | None:
        match source:
            case ("argument", index):
                return f"arg{index}"
            case ("size", value, dim) if value in known:
                return f"{self.names[value]}.shape[{dim}]"
            case ("stride", value, dim) if value in known:
                return f"{self.names[value]}.stride({dim})"
            case ("scalar", value) if value in known:
                return self.names[value]
            case ("solve", inner, text):
                observed = self.source(tuple(inner), known)
                return None if observed is None else str(text).replace("observed", f"({observed})")
        return None

    def step(self, step: Step) -> None:
        match step:
            case OpStep(node, fn):
                self.op(node, fn)
            case RegionStep():
                self.region(step)
            case EntryStep():
                self.entry(step)
            case RestrideStep(source, target):
                spec = target.tensor
                call = f"restride({self.local(source)}, {self.dims(spec.shape)}, {self.dims(spec.stride)})"
                self.lines.append(f"{self.local(target)} = {call}")

    def op(self, node: Node, fn: Callable[..., Any] | None) -> None:
        op, positional, keywords = split_arguments(node)
        brackets = "()" if node.op.startswith("higher_order.") else "[]"  # these tell tuples from lists
        parts = [self.expr(a, brackets) for a in positional]
        parts += [f"{k}={self.expr(a, brackets)}" for k, a in keywords.items()]
        call = f"{self.constant(fn or op)}({', '.join(parts)})"
        if not node.returns_sequence:
            self.lines.append(f"{self.local(node.outputs[0])} = {call}" if node.results else call)  # type: ignore[arg-type]
            return
        if _nests_lists(node):
            call = f"{self.constant(flatten)}({call})"
        self.lines.append(f"result = {call}")
        for index, value in enumerate(node.outputs):
            if value is not None:
                self.lines.append(f"{self.local(value)} = result[{index}]")
        self.lines.append("del result")

    def region(self, step: RegionStep) -> None:
        fn = self.constant(step.fn)
        suffix = ".contiguous()" if step.contiguous_inputs else ""
        args = f"[{', '.join(self.local(v) + suffix for v in step.inputs)}]"
        symbols = self.dims(step.symbols)
        outs = [self.local(v) for v in step.outputs]
        if step.destination:
            homes = step.homes or (None,) * len(outs)
            for name, value, home in zip(outs, step.outputs, homes, strict=True):
                if home is not None:
                    self.lines.append(f"{name} = {self.local(home)}")
                elif value.name not in self.program.preallocated:
                    self.lines.append(f"{name} = {self.allocation(value.tensor)}")
            tail = f", None, symbols={symbols}" if step.symbols else ""
            self.lines.append(f"{fn}({args}, [{', '.join(outs)}]{tail})")
            return
        specs = []
        for value in step.outputs:
            spec = value.tensor
            specs.append(f"({self.constant(spec.dtype)}, {self.dims(spec.shape)}, {self.dims(spec.stride)})")
        checked = f"adopt({fn}({args}, {symbols}), [{', '.join(specs)}], {step.name!r})"
        self.lines.append(
            f"{', '.join(outs)}{',' if len(outs) == 1 else ''} = {checked}" if outs else checked
        )

    def entry(self, step: EntryStep) -> None:
        if "launch" not in self.scope:
            from torchport._native import launch

            self.scope["launch"] = launch
        for value in step.outputs:
            if value.name not in self.program.preallocated:
                self.lines.append(f"{self.local(value)} = {self.allocation(value.tensor)}")
        buffers = [self.local(v) for v in (*step.inputs, *step.outputs)]
        tail = ", nogil=True" if step.nogil else ""
        self.lines.append(
            f"launch({step.address}, {self.dims(buffers)}, {self.dims(step.symbols)}{tail})  # {step.name}"
        )

    def allocation(self, spec: TensorSpec) -> str:
        dtype, device = self.constant(spec.dtype), self.constant(torch.device(spec.device))
        layout = f"{self.dims(spec.shape)}, {self.dims(spec.stride)}"
        if spec.device == "cpu":
            return f"empty_strided_cpu({layout}, {dtype})"
        return f"empty_strided({layout}, dtype={dtype}, device={device})"


def _described(step: Step) -> str:
    match step:
        case OpStep(node):
            source = f" [{node.provenance.source}]" if node.provenance.source else ""
            return f"{node.op} ({node.name}), run by PyTorch{source}"
        case RestrideStep(source, _):
            return f"a copy of {source.name} to other strides"
    return f"region {step.name!r}"


def _blame(error: Exception, marks: Mapping[int, str]) -> None:
    """Notes in an error which step of the program it came from. Its type stays, as eager's."""
    frame = error.__traceback__
    step = marks.get(frame.tb_lineno - _FIRST_LINE) if frame is not None else None
    if step is not None:
        error.add_note(f"torchport: in {step}")


_FIRST_LINE = 3
"""The line of a program's source that its first step may be on: after ``def`` and ``try``."""


def _nests_lists(node: Node) -> bool:
    """Whether an operator returns lists beside other results; a node's outputs are without that nesting."""
    if node.op.startswith("higher_order."):
        return node.op == "higher_order.run_and_save_rng_state"
    returns = resolve(node.op)._schema.returns
    return len(returns) > 1 and any(str(r.type).startswith("List") for r in returns)


def _names(source: tuple[Any, ...]) -> list[str]:
    if source and source[0] == "solve":
        return _names(tuple(source[1]))
    return [source[1]] if len(source) > 1 and isinstance(source[1], str) else []


def build(program: Program, *, timer: list[int] | None = None) -> Callable[[list[Any]], list[Any]]:
    """Straight-line code for ``program``; the argument list is emptied by the call, so that inputs can be
    freed.

    Args:
        program: what to run.
        timer: one slot per step; when given, nanoseconds spent in each step are added to it.

    Raises:
        RunError: a symbol has no source among the values the program computes.
    """
    call: Callable[[list[Any]], list[Any]] = _compiled(program, timer, None)
    return call


def build_run(program: Program, outputs: int) -> Callable[..., None]:
    """The same with the signature of ``Executable.run``: the program's arguments are inputs, then ``outputs``
    preallocated values, then symbols; what it returns is dropped.

    Raises:
        RunError: a symbol has no source among the values the program computes.
    """
    inputs = len(program.arguments) - outputs - len(program.symbols)
    run: Callable[..., None] = _compiled(program, None, (inputs, outputs))
    return run


def _range_name(program: Program, step: Step) -> str:
    """What the profiler shows a step as: a region by its name, a kernel with the region it belongs to; empty
    for operators, which PyTorch names itself.
    """
    if isinstance(step, OpStep | RestrideStep):
        return ""
    return f"{program.name}.{step.name}" if program.preallocated else step.name


def _named(program: Program, timer: list[int] | None, executable: tuple[int, int] | None) -> Any:
    """The program with ranges for the profiler, made on the first call that is profiled."""
    made: list[Any] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        if not made:
            made.append(_compiled(program, timer, executable, named=True))
        return made[0](*args, **kwargs)

    return call


def _compiled(
    program: Program, timer: list[int] | None, executable: tuple[int, int] | None, *, named: bool = False
) -> Any:
    writer = _Writer(program, timer, named)
    source = writer.write(executable)
    if writer.pending:
        raise RunError(f"symbols {sorted(writer.pending)} are never defined", got=program.name)
    scope = writer.scope
    if not named:
        scope["named"] = _named(program, timer, executable)
    exec(_code(program.name, source), scope)
    call = scope["call"]
    call.__dict__["source"] = source
    return call


_CODES_KEPT = 256


@lru_cache(_CODES_KEPT)
def _code(name: str, source: str) -> CodeType:
    """The code of a program, which programs of equal source share; tracebacks show it while it lives."""
    filename = f"<torchport {name} {next(_NUMBERS)}>"
    code = compile(source, filename, "exec")
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    (of_call,) = (part for part in code.co_consts if isinstance(part, CodeType))
    weakref.finalize(of_call, linecache.cache.pop, filename, None)
    return code


_NUMBERS = itertools.count()
