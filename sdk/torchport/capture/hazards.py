"""Graphs whose writes and shared memory AOTAutograd does not keep: they are found before it sees them.

AOTAutograd turns writes into values. What a program means by writing through memory that it also reads in
another shape (overlapping inputs, a view that covers an element twice or leaves gaps, strides taken as
numbers) is then lost or refused. The graph is replayed once on fake tensors, and only where it writes at all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._C._dynamo.guards import compute_overlapping_tensors
from torch._dispatch.python import enable_python_dispatcher
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchport.compile.reason import Reason, Rejection

_REBINDS = ("aten::set_", "aten::set_data", "aten::resize_", "aten::resize_as_")
_TAKES_STRIDES = (
    "aten::as_strided",
    "aten::as_strided_",
    "aten::as_strided_copy",
    "aten::as_strided_scatter",
)
_WRITERS = frozenset(
    {
        "setitem",
        *(f"i{op}" for op in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")),
    }
)
_NUMBERS = (bool, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)


@dataclass(frozen=True, slots=True)
class Hazard:
    """A call that AOTAutograd would change the meaning of: the operator, and what it does to memory."""

    op: str
    text: str

    def __str__(self) -> str:
        return f"{self.op}: {self.text}"

    def rejection(self, backend: str) -> Rejection:
        """The hazard as the reason why a graph is left to eager PyTorch."""
        return Rejection("graph", self.op, backend, Reason.ALIASING, self.text)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What a Dynamo graph does to memory.

    ``hazards`` is empty when AOTAutograd keeps the meaning. ``written`` names the inputs that are written.
    """

    hazards: tuple[Hazard, ...]
    written: frozenset[str]


def memory_use(gm: torch.fx.GraphModule) -> MemoryUse:
    """What a Dynamo graph writes, and which of its calls AOTAutograd would change the meaning of.

    A graph that did not come from Dynamo (its nodes have no traced values) is taken to be free of hazards.
    """
    backwards = tuple(_writing_backwards(gm))
    if backwards or not _may_write(gm):
        return MemoryUse(backwards, frozenset())
    mode = next(v.fake_mode for v in _traced(gm) if isinstance(v, FakeTensor))
    watch = _Watch()
    replay = _Replay(gm, watch)
    with _without_guards(mode), enable_python_dispatcher(), mode, watch:
        replay.run(*[_stand_in(n.meta.get("example_value")) for n in gm.graph.find_nodes(op="placeholder")])
    written = frozenset(name for name, key in replay.inputs.items() if key in watch.written)
    shared = _overlapping(gm)
    hazards = list(watch.found())
    if shared & written:
        names = ", ".join(sorted(shared))
        hazards.append(Hazard(watch.writer, f"writes an input that overlaps another in memory ({names})"))
    return MemoryUse(tuple(dict.fromkeys(hazards)), written)


def apart(
    gm: torch.fx.GraphModule,
    written: frozenset[str],
    compiled: Callable[..., Any],
    overlapped: Callable[[], None],
) -> Callable[..., Any]:
    """``compiled`` for calls in which no written input overlaps another input, else ``gm`` in eager PyTorch;
    ``overlapped`` is then called, to count it.

    Dynamo guards identity, sizes and strides of inputs, not whether they share memory. Parameters are not
    looked at: they are not rebound from call to call, and an optimizer writes hundreds.
    """
    placeholders = gm.graph.find_nodes(op="placeholder")
    loose = [i for i, node in enumerate(placeholders) if _is_loose(node.meta.get("example_value"))]
    targets = frozenset(i for i in loose if placeholders[i].name in written)
    if len(loose) < 2 or not targets:
        return compiled
    places, count = tuple(loose), len(loose)

    def call(*args: Any) -> Any:
        storages = {args[i].untyped_storage()._cdata for i in places}
        if len(storages) < count and _collide(args, places, targets):
            overlapped()
            return gm.forward(*args)
        return compiled(*args)

    return call


def _is_loose(value: Any) -> bool:
    plain = isinstance(value, FakeTensor) and value.layout is torch.strided
    return plain and not isinstance(value, torch.nn.Parameter)


def _leaves_gaps(self: torch.Tensor, dimension: int, size: int, step: int) -> bool:
    """Whether windows, as far as the trace knows, do not cover all of their dimension."""
    if step > size or not self.dim():
        return step > size
    return not statically_known_true((self.shape[dimension] - size) % step == 0)


def _collide(args: Sequence[Any], places: Sequence[int], targets: frozenset[int]) -> bool:
    """Whether an argument at ``targets`` has elements in common with another one at ``places``."""
    return any(
        _storage(args[i]) == _storage(args[j]) and _meet(args[i], args[j])
        for i in targets
        for j in places
        if i != j
    )


def _traced(gm: torch.fx.GraphModule) -> Iterator[torch.Tensor]:
    for node in gm.graph.nodes:
        for leaf in tree_leaves(node.meta.get("example_value")):
            if isinstance(leaf, torch.Tensor):
                yield leaf


def _writing_backwards(gm: torch.fx.GraphModule) -> Iterator[Hazard]:
    """Autograd functions whose backward writes what was saved for it: AOTAutograd cannot partition them."""
    for node in gm.graph.nodes:
        if node.op != "call_function" or str(node.target) != "autograd_function_apply":
            continue
        for writer in getattr(gm, node.args[1].target).graph.nodes:
            target = writer.args[0] if writer.args else None
            saved = isinstance(target, torch.fx.Node) and target.op == "placeholder"
            if saved and writer.op in ("call_function", "call_method") and _named_as_writer(writer):
                yield Hazard("autograd_function_apply", "its backward writes what was saved for it")


def _may_write(gm: torch.fx.GraphModule) -> bool:
    """Whether it is worth a replay: some call has the name of one that writes, or a traced value was written.

    Version counters alone do not tell: on fake tensors, batch norms, lists of tensors and ``.data`` do not
    count.
    """
    values = [v for v in _traced(gm) if isinstance(v, FakeTensor)]
    if not values:
        return False
    if any(v.is_inference() or v._version for v in values):
        return True
    return any(_named_as_writer(n) for n in gm.graph.nodes if n.op in ("call_function", "call_method"))


def _named_as_writer(node: torch.fx.Node) -> bool:
    if isinstance(node.target, OpOverload):
        return node.target._schema.is_mutable
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    ends = name.endswith("_") and not name.endswith("__")
    return ends or name in _WRITERS or "out" in node.kwargs or "_norm" in name


def _overlapping(gm: torch.fx.GraphModule) -> set[str]:
    """Names of the inputs that share elements with another input."""
    nodes = [
        n
        for n in gm.graph.find_nodes(op="placeholder")
        if isinstance(n.meta.get("example_value"), torch.Tensor)
    ]
    groups: dict[int, list[torch.fx.Node]] = {}
    for node in nodes:
        value = node.meta["example_value"]
        if value.layout is torch.strided and not torch._C._functorch.is_functorch_wrapped_tensor(value):
            groups.setdefault(_storage(value), []).append(node)
    found: set[str] = set()
    for group in groups.values():
        if len(group) > 1:
            tensors = [n.meta["example_value"] for n in group]
            found.update(
                group[i].name for i in compute_overlapping_tensors(tensors, symbolic=_symbolic(tensors))
            )
    return found


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _symbolic(tensors: Sequence[torch.Tensor]) -> bool:
    numbers = (n for t in tensors for n in (*t.shape, *t.stride(), t.storage_offset()))
    return any(isinstance(n, torch.SymInt) for n in numbers)


@contextlib.contextmanager
def _without_guards(mode: FakeTensorMode) -> Iterator[None]:
    if mode.shape_env is None:
        yield
        return
    with mode.shape_env.suppress_guards(), mode.shape_env.ignore_fresh_unbacked_symbols():
        yield


def _stand_in(value: Any) -> Any:
    """A fake tensor like ``value`` in memory of its own, so that the replay leaves the traced one alone."""
    if not isinstance(value, FakeTensor) or value.layout is not torch.strided:
        return value
    with value.fake_mode:
        twin = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        twin = twin.conj() if value.is_conj() else twin
        return torch._neg_view(twin) if value.is_neg() else twin


class _Replay(torch.fx.Interpreter):
    """Runs a Dynamo graph on fake tensors; bodies of higher-order operators are taken as traced."""

    def __init__(self, gm: torch.fx.GraphModule, watch: _Watch) -> None:
        super().__init__(gm)
        self.watch = watch
        self.inputs: dict[str, int] = {}

    def run_node(self, n: torch.fx.Node) -> Any:
        traced = n.meta.get("example_value")
        if isinstance(n.target, HigherOrderOperator) or (
            n.op != "placeholder" and isinstance(traced, _NUMBERS)
        ):
            return traced  # a number that was read from a tensor cannot be read again from a stand-in
        if n.op == "get_attr" and isinstance(traced, FakeTensor):
            return _stand_in(traced)  # a parameter that the graph holds, as those of a compiled optimizer
        result = super().run_node(n)
        if n.op == "placeholder" and isinstance(result, FakeTensor):
            self.inputs[n.name] = self.watch.key(result)
        return result


@dataclass
class _Watch(TorchDispatchMode):
    """Looks at every ATen call of a replay."""

    written: set[int] = field(default_factory=set)
    writer: str = ""
    by_storage: list[tuple[int, Hazard]] = field(default_factory=list)
    always: list[Hazard] = field(default_factory=list)
    alive: list[torch.UntypedStorage] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, OpOverload):
            self.look(func, args, kwargs)
        return func(*args, **kwargs)

    def key(self, tensor: torch.Tensor) -> int:
        """Identifies a tensor's memory, which is kept: another one could take its place otherwise."""
        self.alive.append(tensor.untyped_storage())
        return _storage(tensor)

    def found(self) -> Iterator[Hazard]:
        """Hazards, of which some are so only if the memory is written somewhere in the graph."""
        yield from self.always
        for storage, hazard in self.by_storage:
            if storage in self.written:
                yield hazard

    def look(self, func: OpOverload, args: Any, kwargs: Any) -> None:
        name = func._schema.name
        op = f"{name.replace('::', '.')}.{func._overloadname}"
        arguments = {**dict(zip((a.name for a in func._schema.arguments), args, strict=False)), **kwargs}
        if name in _REBINDS:
            self.always.append(Hazard(op, "gives a tensor other memory"))
        if name in _TAKES_STRIDES:
            hazard = Hazard(op, "takes strides as numbers, in memory that the graph writes")
            self.by_storage.append((self.key(arguments["self"]), hazard))
        if name == "aten::unfold" and _leaves_gaps(**arguments):
            hazard = Hazard(op, "leaves gaps between its windows, in memory that the graph writes")
            self.by_storage.append((self.key(arguments["self"]), hazard))
        writes = [
            a.name for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write
        ]
        if arguments.get("training") and "running_mean" in arguments:
            writes += ["running_mean", "running_var"]
        if writes and torch.Tag.inplace_view not in func.tags:  # those give a tensor another shape
            self.writes(op, arguments, writes)

    def writes(self, op: str, arguments: dict[str, Any], names: Sequence[str]) -> None:
        targets = [(n, i, t) for n in names for i, t in enumerate(_listed(arguments.get(n)))]
        operands = [(n, i, t) for n, value in arguments.items() for i, t in enumerate(_listed(value))]
        by_list = any(isinstance(arguments.get(n), list | tuple) for n in names)
        for name, index, target in targets:
            key = self.key(target)
            self.written.add(key)
            self.writer = op
            if not op.startswith(("aten.", "prims.")) and target._is_view():
                why = "writes a view whose place in memory PyTorch takes from the first call"
                self.always.append(Hazard(op, why))
            if _covers_twice(target):
                self.always.append(Hazard(op, "writes a tensor that has elements in common with itself"))
            for other, place, operand in operands:
                if (other == name and place == index) or self.key(operand) != key:
                    continue
                same = _geometry(operand) == _geometry(target) and operand.dtype == target.dtype
                if same and not (by_list and place != index):
                    continue
                if _meet(target, operand):
                    text = f"writes {name!r} while it reads the same memory otherwise, through {other!r}"
                    self.always.append(Hazard(op, text))


def _listed(value: Any) -> list[torch.Tensor]:
    values = value if isinstance(value, list | tuple) else (value,)
    return [v for v in values if isinstance(v, torch.Tensor) and v.layout is torch.strided]


def _geometry(tensor: torch.Tensor) -> tuple[Any, ...]:
    return (*map(str, tensor.shape), *map(str, tensor.stride()), str(tensor.storage_offset()))


def _meet(first: torch.Tensor, second: torch.Tensor) -> bool:
    pair = [first, second]
    return bool(compute_overlapping_tensors(pair, symbolic=_symbolic(pair)))


def _number(size: int | torch.SymInt) -> int:
    """A size, or for a symbolic one what it was when traced (2 for symbols that depend on data)."""
    if isinstance(size, int):
        return size
    if size.node.has_hint():
        return int(size.node.hint)
    return int(size.node.expr.xreplace(dict.fromkeys(size.node.expr.free_symbols, 2)))


def _covers_twice(tensor: torch.Tensor) -> bool:
    """Whether two indices may mean one element. Exact for strides that nest, else true."""
    sizes, strides = ([_number(n) for n in numbers] for numbers in (tensor.shape, tensor.stride()))
    if 0 in sizes:
        return False
    reach = 0
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
