"""From ``torch.export``: one functional inference graph, and what its inputs and outputs are to the model."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    OutputKind,
    SymIntArgument,
    TensorArgument,
)

from torchport.capture.aot import CapturedGraph
from torchport.capture.offering.twins import restore
from torchport.capture.tracing import offered
from torchport.capture.writes import OutputUse
from torchport.contract.fx_import import import_fx, tensor_spec
from torchport.contract.graph import Graph, Node, Role, TensorSpec, Value
from torchport.contract.views import is_view
from torchport.errors import ExportError


class Origin(enum.StrEnum):
    """Who gives an input of an exported graph."""

    USER = "user"
    WEIGHT = "weight"
    """A parameter or persistent buffer: it is in the model's ``state_dict``."""
    CONSTANT = "constant"
    """A buffer that is not persistent, or a tensor constant of the code."""


@dataclass(frozen=True, slots=True)
class Input:
    """One leaf of the user's arguments, or one weight or constant.

    ``name`` is the graph's value, ``target`` the qualified name of a weight or constant. A leaf that is no
    tensor has the ``constant`` it was exported with, unless it is a ``symbol``.
    """

    origin: Origin
    name: str
    target: str = ""
    role: Role = Role.INPUT
    constant: Any = None
    symbolic: bool = False
    tensor: bool = True


@dataclass(frozen=True, eq=False)
class ExportedGraph:
    """An inference graph from ``torch.export``: captured, with its calling convention and its tensors.

    ``same_as`` has for each result the name of the input that it is, because the program wrote to it, or "".
    """

    captured: CapturedGraph
    inputs: tuple[Input, ...]
    same_as: tuple[str, ...]
    in_spec: Any
    out_spec: Any
    argument_names: tuple[str, ...]
    tensors: Mapping[str, torch.Tensor]


def exported_program(
    model: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    dynamic_shapes: Any,
) -> torch.export.ExportedProgram:
    """``model`` through ``torch.export``: an ExportedProgram as it is, a module or a function exported for
    ``args``.

    Raises:
        ExportError: ``torch.export`` refused the model; its own error is the cause.
    """
    if isinstance(model, torch.export.ExportedProgram):
        return model
    module = model if isinstance(model, torch.nn.Module) else _Function(model)
    try:
        with torch.no_grad():
            return torch.export.export(
                module, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False
            )
    except Exception as error:
        raise ExportError(
            f"torch.export refuses the model: {type(error).__name__}: {str(error).splitlines()[0]}",
            hint="export it with torch.export.export first, and pass the ExportedProgram",
        ) from error


class _Function(torch.nn.Module):
    """A function as a module, with the function's own signature where Python knows one."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        if not callable(function):
            raise ExportError("neither a module, a function nor an ExportedProgram", got=repr(function))
        self.function = function
        try:
            inspect.signature(function)
        except ValueError:
            return
        self.__dict__["forward"] = function

    def forward(self, *args: Any) -> Any:
        """Calls the function."""
        return self.function(*args)


def captured_export(
    program: torch.export.ExportedProgram, offering: AbstractContextManager[None]
) -> ExportedGraph:
    """The functional graph of ``program``, with the roles and names of its inputs.

    Args:
        program: what to capture.
        offering: in which composites are offered (:func:`torchport.capture.offering.offer.offering`).

    Raises:
        ExportError: it computes gradients, orders effects by tokens, or takes objects that are no tensors.
        CaptureError: it is not expressible as a contract graph.
    """
    signature = program.graph_signature
    if signature.backward_signature is not None:
        raise ExportError("a joint graph with gradients cannot be exported", hint="export for inference")
    with offering:
        program = program.run_decompositions(_composites())
    graph_module, signature = program.graph_module, program.graph_signature
    restore(graph_module)
    placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    found = [_input(spec, node) for spec, node in zip(signature.input_specs, placeholders, strict=True)]
    writes = {
        spec.target: spec.arg.name
        for spec in signature.output_specs
        if spec.kind in _WRITES and isinstance(spec.arg, TensorArgument)
    }
    specs = {
        node.name: _spec(entry, node.meta["val"], writes)
        for entry, node in zip(found, placeholders, strict=True)
        if entry.tensor
    }
    imported = import_fx(graph_module, specs=specs)
    split, targets, same_as = _split(signature, found, imported.graph)
    kept = _used(split, found)
    present = {entry.name for entry in kept} | split.constants.keys()
    graph = replace(split, inputs=tuple(v for v in split.inputs if v.name in present))
    positions = {entry.name: i for i, entry in enumerate(found)}
    arguments = tuple(imported.arguments[positions[entry.name]] for entry in kept)
    graph = _renumbered(graph, {positions[entry.name]: i for i, entry in enumerate(kept)})
    uses = tuple(OutputUse.REBUILT if name else OutputUse.KEPT for name in same_as)
    tensors = {**program.state_dict, **program.constants}
    names = program.module_call_graph[0].signature
    return ExportedGraph(
        CapturedGraph("inference", graph, arguments, imported.fakes, targets, uses),
        tuple(kept),
        same_as,
        program.call_spec.in_spec,
        program.call_spec.out_spec,
        tuple(getattr(names, "forward_arg_names", None) or ()),
        {e.target: tensors[e.target] for e in kept if e.origin is not Origin.USER},
    )


_WRITES = (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION)


def _composites() -> dict[Any, Callable[..., Any]]:
    """PyTorch's decompositions of what it breaks up before any backend of ``torch.compile`` sees it; a
    backend may claim the whole instead.
    """
    implicit = torch._C.DispatchKey.CompositeImplicitAutograd
    return {
        op: offered(op, fn)
        for op, fn in torch.export.default_decompositions().items()
        if isinstance(op, torch._ops.OpOverload) and op.has_kernel_for_dispatch_key(implicit)
    }


def _input(spec: Any, node: torch.fx.Node) -> Input:
    match spec.arg:
        case TensorArgument():
            pass
        case SymIntArgument():
            return Input(Origin.USER, node.name, symbolic=True, tensor=False)
        case ConstantArgument():
            if spec.arg.value is not None and not isinstance(spec.arg.value, bool | int | float | str):
                raise ExportError(
                    f"argument {node.name!r} is of a type that cannot be written", got=repr(spec.arg.value)
                )
            return Input(Origin.USER, node.name, constant=spec.arg.value, tensor=False)
        case _:
            raise ExportError(f"argument {node.name!r} is no tensor", got=type(spec.arg).__name__)
    match spec.kind:
        case InputKind.USER_INPUT:
            return Input(Origin.USER, node.name)
        case InputKind.PARAMETER:
            return Input(Origin.WEIGHT, node.name, spec.target, Role.PARAMETER)
        case InputKind.BUFFER:
            origin = Origin.WEIGHT if spec.persistent else Origin.CONSTANT
            return Input(origin, node.name, spec.target, Role.BUFFER)
        case InputKind.CONSTANT_TENSOR:
            return Input(Origin.CONSTANT, node.name, spec.target, Role.BUFFER)
    raise ExportError(f"input {node.name!r} is of a kind that cannot be exported", got=spec.kind.name)


def _spec(entry: Input, value: torch.Tensor, writes: Mapping[str, str]) -> TensorSpec:
    return tensor_spec(
        value,
        role=entry.role,
        name=entry.target,
        weight_id=entry.target or None,
        mutated=(entry.target or entry.name) in writes,
    )


def _split(
    signature: Any, inputs: Sequence[Input], graph: Graph
) -> tuple[Graph, tuple[str, ...], tuple[str, ...]]:
    """The graph with what it writes to inputs behind its results, the names of those inputs, and for each
    result the input that it is.
    """
    by_target = {e.target or e.name: e.name for e in inputs}
    results: list[Any] = []
    writes: dict[str, Any] = {}
    for spec, value in zip(signature.output_specs, graph.outputs, strict=True):
        if spec.kind in _WRITES:
            writes[by_target[spec.target]] = value
        elif spec.kind is OutputKind.USER_OUTPUT:
            results.append(value)
        else:
            raise ExportError("an output of a kind that cannot be exported", got=spec.kind.name)
    written = {v.name: target for target, v in writes.items() if isinstance(v, Value)}
    same_as = []
    for value in results:
        name = written.get(value.name, "") if isinstance(value, Value) else ""
        if not name and isinstance(value, Value) and (base := _view_of(value, graph, written)):
            raise ExportError(
                f"result {value.name!r} is a view of input {base!r}, which the program writes to",
                hint="return a copy: result.clone()",
            )
        same_as.append(name)
    return replace(graph, outputs=(*results, *writes.values())), tuple(writes), tuple(same_as)


def _view_of(value: Value, graph: Graph, written: Mapping[str, str]) -> str:
    """The input that ``value`` is a view of after it was written to."""
    producer: Node | None = graph.producers.get(value.name)
    while producer is not None and is_view(producer.op):
        value = producer.inputs[0]
        if value.name in written:
            return written[value.name]
        producer = graph.producers.get(value.name)
    return ""


def _used(graph: Graph, inputs: Sequence[Input]) -> list[Input]:
    """What the user gives, and the weights that something reads, returns or writes."""
    read = {v.name for n in graph.nodes for v in n.inputs} | {v.name for v in graph.output_values}
    written = {v.name for v in graph.inputs if v.tensor.mutated}
    return [e for e in inputs if e.origin is Origin.USER or e.name in read | written]


def _renumbered(graph: Graph, positions: Mapping[int, int]) -> Graph:
    """``graph`` with the positions of its arguments renumbered, where symbols are read from them."""

    def moved(source: tuple[Any, ...]) -> tuple[Any, ...]:
        match source:
            case ("argument", index):
                return ("argument", positions[index])
            case ("solve", inner, text):
                return ("solve", moved(tuple(inner)), text)
        return source

    return replace(graph, symbols=tuple(replace(s, source=moved(s.source)) for s in graph.symbols))
