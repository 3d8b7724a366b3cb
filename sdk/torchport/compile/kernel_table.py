"""Backends made of kernels: a table of functions by operator, and a backend that runs them one by one."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch

from torchport.compile.artifact import Artifact, Executable, InProcess, WeightSource
from torchport.compile.backend import Backend
from torchport.compile.c_kernels import CKernel, split_arguments
from torchport.compile.callable_digest import callable_digest
from torchport.compile.capabilities import Target
from torchport.compile.options import Options
from torchport.compile.predicate import Predicate, Undecided
from torchport.compile.reason import Claim, Reason, no, yes
from torchport.compile.region import Region
from torchport.compile.unfit_numbers import unfit_number
from torchport.contract.graph import Node, Opaque, TensorSpec, Value, dtype_name, symbols_in
from torchport.contract.graph_json import graph_from_json
from torchport.contract.opset import opset
from torchport.contract.spec import resolve
from torchport.contract.symbols import SymExpr
from torchport.errors import ArtifactError, CompileError, SchemaError
from torchport.run.program import Program, RegionStep, build

KernelFunction = Callable[..., Any]
FORMAT = "kernel-table-1"
IMPLIED_BY_OUT = frozenset({"dtype", "layout", "device", "pin_memory"})


@dataclass(frozen=True, eq=False)
class Kernel:
    """One kernel and where it applies. ``dtypes`` are dtype names; empty accepts every dtype."""

    op: str
    fn: KernelFunction | CKernel
    dtypes: tuple[str, ...]
    when: Predicate | None
    cost: float | None

    def check(self, node: Node) -> Claim:
        """Whether this kernel runs ``node``."""
        problem = self._dtype_problem(node)
        if problem:
            return no(Reason.DTYPE, problem)
        untaken = self._untaken(node)
        if untaken:
            return no(Reason.ARGUMENT, f"the kernel does not take {untaken}")
        if self.when is not None:
            try:
                if not self.when.holds(node):
                    return no(Reason.ARGUMENT, f"outside `{self.when.text}`")
            except Undecided as symbol:
                return no(Reason.DYNAMIC, f"`{self.when.text}` depends on the symbolic size {symbol}")
        return yes(cost=self.cost)

    def _untaken(self, node: Node) -> str:
        """A keyword argument that a Python kernel has no parameter for, where the node gives another value
        than the default.

        dtype, layout, device and pin_memory may be left out: the allocated ``out`` says the same.
        """
        if isinstance(self.fn, CKernel):
            return ""
        parameters = inspect.signature(self.fn).parameters
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
            return ""
        for argument in resolve(self.op)._schema.arguments:
            if not argument.kwarg_only or argument.name in parameters or argument.name in IMPLIED_BY_OUT:
                continue
            value = node.arg(argument.name)
            if value is not None and value != argument.default_value:
                return f"{argument.name}={value}"
        return ""

    def _dtype_problem(self, node: Node) -> str:
        """Operands that could have one of ``dtypes`` must have one, and all the same."""
        if not self.dtypes:
            return ""
        spec = opset(KernelBackend.opset).ops.get(self.op)
        found: set[str] = set()
        for name, arg in node.args:
            accepted = spec.dtypes.accepts.get(name, ()) if spec is not None else ()
            tied = any(a.startswith("same:") for a in accepted)
            if accepted and not tied and not set(accepted) & set(self.dtypes):
                continue  # an index or a mask: never one of the kernel's dtypes
            found.update(dtype_name(v.tensor.dtype) for v in _tensors(arg))
        for value in node.results:
            if isinstance(value.spec, TensorSpec) and not found:
                found.add(dtype_name(value.spec.dtype))
        outside = sorted(found - set(self.dtypes))
        if outside:
            return f"{', '.join(outside)} is not among {', '.join(self.dtypes)}"
        if len(found) > 1:
            return f"operands of different dtypes ({', '.join(sorted(found))})"
        return next((text for dtype in found for text in _promoting_numbers(node, dtype)), "")


def _tensors(arg: Any) -> Iterator[Value]:
    if isinstance(arg, Value) and isinstance(arg.spec, TensorSpec):
        yield arg
    elif isinstance(arg, tuple):
        for item in arg:
            yield from _tensors(item)


def _promoting_numbers(node: Node, dtype: str) -> Iterator[str]:
    """Python numbers in the place of tensors that promote operands of ``dtype`` to another one: 2.5 beside
    int32.
    """
    for argument in resolve(node.op)._schema.arguments:
        number = node.arg(argument.name)
        if _takes_tensor(argument) and isinstance(number, bool | int | float | complex):
            promoted = dtype_name(torch.result_type(torch.empty(1, dtype=getattr(torch, dtype)), number))
            if promoted != dtype:
                yield f"{argument.name} = {number!r} promotes {dtype} to {promoted}"


def _takes_tensor(argument: Any) -> bool:
    return "Tensor" in str(argument.type)


class KernelTable:
    """Kernels by operator, in the order in which they are tried."""

    def __init__(self) -> None:
        self._kernels: dict[str, list[Kernel]] = {}

    def op(
        self, name: str, *, dtypes: Sequence[str] = (), when: str | None = None, cost: float | None = None
    ) -> Callable[[Any], Any]:
        """Registers a kernel for the operator ``name``.

        A Python kernel takes the operator's schema arguments (positional ones in order, keyword-only ones by
        name) and a keyword-only ``out``: the tensor to write into, or a tuple of them for an operator with
        several results. A kernel without an ``out`` parameter returns its result instead. Keyword-only
        arguments that it has no parameter for are dropped where they have their default; other values are
        then not claimed. A :class:`CKernel` is called through ``kernel.h``.

        Args:
            name: qualified operator name, such as ``"aten.gelu.default"``.
            dtypes: dtype names the kernel accepts for its operands; all operands must have the same one.
            when: a predicate on the node (see :mod:`torchport.compile.predicate`).
            cost: relative cost of a call, 1 for a typical kernel; see :func:`torchport.yes`.

        Raises:
            CompileError: PyTorch has no such operator, or ``when`` cannot be parsed.
        """
        try:
            resolve(name)
        except (AttributeError, ValueError) as error:
            raise CompileError(
                "PyTorch has no such operator", op=name, hint="write namespace.name.overload"
            ) from error
        if isinstance(dtypes, str):
            raise CompileError("dtypes is a sequence of dtype names", op=name, got=repr(dtypes))
        unknown = [
            str(d)
            for d in dtypes
            if not isinstance(d, str) or not isinstance(getattr(torch, d, None), torch.dtype)
        ]
        if unknown:
            raise CompileError("unknown dtype names", op=name, got=", ".join(unknown))
        predicate = Predicate(when) if when is not None else None
        if predicate is not None:
            predicate.check_names(name)

        def register(fn: Any) -> Any:
            if not callable(fn):
                raise CompileError("a kernel is a function or a CKernel", op=name, got=repr(fn))
            self._kernels.setdefault(name, []).append(Kernel(name, fn, tuple(dtypes), predicate, cost))
            return fn

        return register

    def __iter__(self) -> Iterator[Kernel]:
        return (kernel for group in self._kernels.values() for kernel in group)

    @property
    def ops(self) -> tuple[str, ...]:
        """Operators that have a kernel."""
        return tuple(self._kernels)

    def find(self, node: Node) -> tuple[Kernel | None, Claim]:
        """The first kernel that accepts ``node``, else ``None`` and the last refusal."""
        refusal = no(Reason.OP, "no kernel")
        for kernel in self._kernels.get(node.op, ()):
            claim = kernel.check(node)
            if claim.accepted:
                return kernel, claim
            refusal = claim
        return None, refusal

    def digest(self) -> str:
        """A hash of operators, dtypes, predicates, Python kernels and the names of others."""
        text = hashlib.sha256()
        for kernel in self:
            when = kernel.when.text if kernel.when else ""
            fn = repr(kernel.fn) if isinstance(kernel.fn, CKernel) else callable_digest(kernel.fn)
            text.update(f"{kernel.op}|{kernel.dtypes}|{when}|{fn}\n".encode())
        return text.hexdigest()


class KernelBackend(Backend):
    """A backend made of a :class:`KernelTable`: claims what has a kernel, runs kernels one after the
    other.
    """

    kernels: ClassVar[KernelTable]

    def may_claim(self, op: str) -> bool:
        """Operators that have a kernel."""
        return op in self.kernels.ops

    def claims(self, node: Node, target: Target) -> Claim:
        """As the table says; a number that the dtype of the results cannot hold is left to PyTorch, which
        raises.
        """
        claim = self.kernels.find(node)[1]
        text = unfit_number(node) if claim.accepted else ""
        return no(Reason.ARGUMENT, text) if text else claim

    def compile(self, region: Region, target: Target, options: Options) -> Artifact | InProcess:
        """The region itself: its kernels are found again in the table when it is loaded, in this process or
        in another one that has the same table. A region with an argument that cannot be written is linked
        here.
        """
        try:
            return Artifact(FORMAT, region.to_json().encode())
        except SchemaError:
            return InProcess(self._linked(region), destination=True)

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """A flat sequence of kernel calls; weights are arguments of the kernels on every call.

        Raises:
            ArtifactError: the artifact is not one of a kernel table.
            CompileError: a node has no kernel in this table.
        """
        if artifact.format != FORMAT:
            raise ArtifactError("not an artifact of a kernel table", got=artifact.format)
        data = json.loads(artifact.payload)
        name = artifact.region or data["name"]
        region = Region(name, graph_from_json(data["graph"]), data["phase"], data["opset"])
        return _KernelSequence(self._linked(region))

    def _linked(self, region: Region) -> Callable[..., None]:
        """The kernel calls of a region as one function, with the signature of ``Executable.run``."""
        steps = []
        for node in region.nodes:
            kernel, claim = self.kernels.find(node)
            if kernel is None:
                raise CompileError(
                    f"no kernel accepts a claimed node: {claim.text}", op=node.op, got=str(node)
                )
            steps.append(_step(kernel, node, tuple(s.name for s in region.symbols)))
        outs = region.output_values
        program = Program(
            arguments=(*region.input_values, *outs, *_symbol_arguments(region)),
            steps=tuple(steps),
            outputs=(),
            symbols=tuple(
                replace(s, source=("argument", len(region.input_values) + len(outs) + i))
                for i, s in enumerate(region.symbols)
            ),
            constants={},
            name=region.name,
            preallocated=frozenset(v.name for v in outs),
        )
        call = build(program)

        def run(
            args: Sequence[Any],
            results: Sequence[Any],
            stream: int | None = None,
            *,
            workspace: Any = None,
            symbols: Any = (),
        ) -> None:
            call([*args, *results, *symbols])

        return run

    def source_hash(self) -> str:
        """The class's source and the table's digest."""
        return hashlib.sha256((super().source_hash() + self.kernels.digest()).encode()).hexdigest()


class _KernelSequence:
    """A loaded region of a :class:`KernelBackend`."""

    def __init__(self, run: Callable[..., None]) -> None:
        self.run = run

    def update_weights(self, names: Iterable[str]) -> None:
        """Nothing to do: kernels are given the weights of now."""


def _symbol_arguments(region: Region) -> tuple[SymExpr, ...]:
    return tuple(SymExpr(s.name) for s in region.symbols)


def _step(kernel: Kernel, node: Node, symbols: tuple[str, ...]) -> RegionStep:
    """A step that calls ``kernel`` with the node's arguments. Unused optional outputs are allocated and
    dropped.
    """
    values = list(dict.fromkeys(v for v in node.inputs))
    launch = (
        _c_launch(kernel.fn, node, values, symbols)
        if isinstance(kernel.fn, CKernel)
        else _python_launch(kernel.fn, node, values, symbols)
    )
    return RegionStep(f"{node.op}", launch, tuple(values), node.results, symbols)


def _binder(
    node: Node, values: Sequence[Value], symbols: tuple[str, ...]
) -> Callable[[Sequence[Any], Sequence[int]], Any]:
    """A function from tensors and symbol values to (positional, keyword) arguments of the node's schema."""
    position = {v.name: i for i, v in enumerate(values)}
    kinds = [(a.name, a.kwarg_only) for a in resolve(node.op)._schema.arguments]

    def bind(args: Sequence[Any], numbers: Sequence[int]) -> tuple[list[Any], dict[str, Any]]:
        bindings = dict(zip(symbols, numbers, strict=True))

        def real(arg: Any) -> Any:
            if isinstance(arg, Value):
                return args[position[arg.name]]
            if isinstance(arg, SymExpr):
                return arg.evaluate(bindings)
            if isinstance(arg, tuple):
                return [real(a) for a in arg]
            return arg.payload if isinstance(arg, Opaque) else arg

        positional = [real(node.arg(name)) for name, keyword in kinds if not keyword]
        return positional, {name: real(node.arg(name)) for name, keyword in kinds if keyword}

    return bind


def _python_launch(fn: KernelFunction, node: Node, values: Sequence[Value], symbols: tuple[str, ...]) -> Any:
    bind = _binder(node, values, symbols)
    parameters = inspect.signature(fn).parameters
    takes_out = "out" in parameters
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    names = [a.name for a in resolve(node.op)._schema.arguments if not a.kwarg_only]
    by_keyword = {
        n for n in names if n in parameters and parameters[n].kind is inspect.Parameter.KEYWORD_ONLY
    }

    def launch(
        args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, *, symbols: Any = ()
    ) -> None:
        positional, keywords = bind(args, symbols)
        if by_keyword:
            keywords.update({n: v for n, v in zip(names, positional, strict=True) if n in by_keyword})
            positional = [v for n, v in zip(names, positional, strict=True) if n not in by_keyword]
        keywords = {n: v for n, v in keywords.items() if takes_all or n in parameters}
        if takes_out:
            fn(*positional, **keywords, out=outs[0] if len(outs) == 1 else tuple(outs))
            return
        result = fn(*positional, **keywords)
        results = result if isinstance(result, tuple | list) else (result,)
        for out, value in zip(outs, results, strict=True):
            out.copy_(value)

    return launch


def _c_launch(kernel: CKernel, node: Node, values: Sequence[Value], symbols: tuple[str, ...]) -> Any:
    """Splits the arguments into tensors and scalars once, where no symbolic size can change them."""
    bind = _binder(node, values, symbols)
    op = resolve(node.op)
    static = not any(symbols_in(arg) for _, arg in node.args)
    split: list[tuple[list[int | torch.Tensor | None], tuple[Any, ...]]] = []

    def launch(
        args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, *, symbols: Any = ()
    ) -> None:
        if split:
            template, scalars = split[0]
            inputs = [args[item] if isinstance(item, int) else item for item in template]
        else:
            positional, keywords = bind(args, symbols)
            given, scalars = split_arguments(op, positional, keywords)
            inputs = list(given)
            if static:
                place = {id(tensor): i for i, tensor in enumerate(args)}
                split.append(([place.get(id(t), t) for t in inputs], scalars))
        kernel(inputs, outs, scalars, stream=stream or 0, op=node.op)

    return launch
