"""The backend class: what is claimed, how a region becomes one C++ file and a list of steps, how they run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import torch

from torchport._native import launch
from torchport.compile.artifact import Artifact, Executable, WeightSource
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Capabilities, DynamicShapes, Target
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, no, yes
from torchport.compile.region import Region
from torchport.contract.graph import Graph, Node, TensorSpec, Value, dtype_name
from torchport.contract.symbols import SymExpr
from torchport.errors import ArtifactError, LoweringError, RunError
from torchport.loops import ir
from torchport.loops.fusion import Kernel, alias_root, fuse, shares_memory
from torchport.loops.index import evaluate, product
from torchport.loops.lowering import not_covered, supported_ops
from torchport.loops.lowering.definition import Scope
from torchport.loops.schedule import schedule
from torchport.run.program import OpStep, Program, RegionStep, Step, build, split_arguments
from torchport_reference.openmp_cpu import kernel_store
from torchport_reference.openmp_cpu.extern import EXTERN_OPS, extern_call
from torchport_reference.openmp_cpu.printer import HEADER, NAME, print_kernel
from torchport_reference.openmp_cpu.toolchain import Toolchain
from torchport_reference.openmp_cpu.value_printer import ELEMENT

FORMAT = "openmp-cpp-1"
GIL_WORK = 1 << 16
"""Elements from which a kernel runs without holding Python's global lock."""


class OpenMPBackend(Backend):
    """Fused, vectorised C++ with OpenMP for what the loop kit lowers; ATen and oneDNN for contractions and
    the like.
    """

    name: ClassVar[str] = "torchport_openmp"
    version: ClassVar[str] = "0.1.0"
    opset: ClassVar[str] = "1.0"

    def capabilities(self, target: Target) -> Capabilities:
        """Every real dtype, any strides, any symbolic size."""
        return Capabilities(
            dtypes=tuple(ELEMENT),
            accumulators={torch.bfloat16: torch.float32, torch.float16: torch.float32},
            layouts="strided",
            dynamic=DynamicShapes.FULL,
        )

    def claims(self, node: Node, target: Target) -> Claim:
        """Operators with a loop rule, and those that ``extern`` runs, on CPU tensors of real dtypes."""
        if node.op not in supported_ops() and node.op not in EXTERN_OPS:
            return no(Reason.OP, "no loop rule and no library call")
        if not node.results:
            return no(Reason.OP, "it has no tensor result")
        for value in (*node.inputs, *node.results):
            spec = value.spec
            if not isinstance(spec, TensorSpec):
                return no(Reason.ARGUMENT, "a host scalar is an operand")
            if torch.device(spec.device).type != "cpu":
                return no(Reason.DEVICE, f"{value.name} is on {spec.device}")
            if spec.dtype not in ELEMENT:
                return no(Reason.DTYPE, f"{value.name} is {dtype_name(spec.dtype)}")
        if node.op in EXTERN_OPS:
            return yes()
        text = not_covered(node)
        if text:
            return no(Reason.ARGUMENT, text)
        return self._sizes_claim(node)

    @staticmethod
    def _sizes_claim(node: Node) -> Claim:
        scope = Scope({})
        try:
            for spec in (*node.input_specs, *node.output_specs):
                if not spec.is_static:
                    scope.shape(spec)
                    scope.strides(spec)
        except LoweringError as error:
            return no(Reason.DYNAMIC, error.message)
        return yes()

    def source_hash(self) -> str:
        """Digest of the loop kit and of this package, headers included."""
        return _source_hash()

    def compile(self, region: Region, target: Target, options: Options) -> Artifact:
        """One C++ file for all kernels of the region, and the order in which kernels and library calls run.

        Raises:
            ToolchainError: no compiler is installed, or it failed.
        """
        plan = plan_region(region)
        toolchain = Toolchain.find()
        if plan["source"]:
            toolchain.build(plan["source"])
        payload = json.dumps({"plan": plan, "region": region.to_json()}).encode()
        return Artifact(FORMAT, payload, provenance={"compiler": toolchain.identity})

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """Finds or builds the region's library and links its steps.

        Raises:
            ArtifactError: the payload is not one of this backend's.
            ToolchainError: the library must be built here, and cannot be.
        """
        if artifact.format != FORMAT:
            raise ArtifactError(
                "not an artifact of this backend", got=artifact.format, hint="compile the region again"
            )
        data = json.loads(artifact.payload)
        return OpenMPExecutable(Region.from_json(data["region"]), data["plan"])


def plan_region(region: Region) -> dict[str, Any]:
    """The C++ source of a region and its steps, as plain data."""
    graph = region.graph
    fused = fuse(graph, graph.output_values)
    symbols = [s.name for s in graph.symbols]
    kernels: dict[str, str] = {}  # name by text: layers of one shape share their kernels
    steps: list[dict[str, Any]] = []
    for step in fused.steps:
        if not isinstance(step, Kernel):
            steps.append({"node": step.name})
            continue
        printed = print_kernel(schedule(step, fused.program.hints), symbols)
        steps.append(
            {
                "kernel": kernels.setdefault(printed.source, f"kernel_{len(kernels)}"),
                "reads": [v.name for v in step.reads],
                "writes": [s.value.name for s in step.stores],
                "checks": printed.checks,
                "work": evaluate(product(step.space.sizes), fused.program.hints),
            }
        )
    sources = [text.replace(NAME, name, 1) for text, name in kernels.items()]
    return {"source": HEADER + "\n" + "\n".join(sources) if sources else "", "steps": steps}


class OpenMPExecutable:
    """A loaded region: generated kernels and library calls as one straight-line function."""

    def __init__(self, region: Region, plan: Mapping[str, Any]) -> None:
        self.region = region
        graph = region.graph
        library = kernel_store.load(Toolchain.find().build(plan["source"])) if plan["source"] else None
        nodes = {n.name: n for n in graph.nodes}
        values = {v.name: v for v in graph.inputs} | {v.name: v for n in graph.nodes for v in n.results}
        symbols = tuple(s.name for s in graph.symbols)
        outputs = graph.output_values
        steps: list[Step] = []
        known = {v.name for v in graph.inputs}
        for item in plan["steps"]:
            if "node" in item:
                node = nodes[item["node"]]
                steps += _views_before(graph, node, known)
                steps.append(_extern_step(node, {v.name for v in outputs}, symbols))
                known.update(v.name for v in node.results)
                continue
            assert library is not None
            reads = tuple(values[n] for n in item["reads"])
            writes = tuple(values[n] for n in item["writes"])
            fn = _kernel_call(library.address(item["kernel"]), item["checks"], item["work"] >= GIL_WORK)
            steps.append(RegionStep(item["kernel"], fn, reads, writes, symbols))
            known.update(item["writes"])
        arguments, seen = list[Any](graph.inputs), {v.name for v in graph.inputs}
        targets = []
        for position, value in enumerate(outputs):
            if value.name in seen:  # an input, or a value that is returned twice
                value, source = Value(f"copy__{position}", value.spec), value
                steps.append(RegionStep("copy", _copy, (source,), (value,), ()))
            seen.add(value.name)
            targets.append(value)
        count = len(arguments) + len(targets)
        bound = tuple(replace(s, source=("argument", count + k)) for k, s in enumerate(graph.symbols))
        program = Program(
            (*arguments, *targets, *(s.name for s in graph.symbols)),
            tuple(steps),
            (),
            bound,
            {},
            region.name,
            frozenset(v.name for v in targets),
        )
        self._call = build(program)

    def run(
        self,
        args: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        stream: int | None = None,
        *,
        workspace: torch.Tensor | None = None,
        symbols: Sequence[int] = (),
    ) -> None:
        """Runs the region into ``outs``.

        Raises:
            RunError: an index was out of range.
        """
        self._call([*args, *outs, *symbols])

    def update_weights(self, names: Iterable[str]) -> None:
        """Nothing to do: weights are read live."""


def _views_before(graph: Graph, node: Node, known: set[str]) -> list[Step]:
    """Views that ``node`` reads, as PyTorch calls on what they are views of."""
    steps: list[Step] = []

    def visit(value: Value) -> None:
        if value.name in known:
            return
        producer = graph.producers[value.name]
        assert shares_memory(producer), (
            f"{value.name} was not stored; it is a view of {alias_root(graph, value).name}"
        )
        visit(producer.args[0][1])
        steps.append(OpStep(producer))
        known.update(v.name for v in producer.results)

    for value in node.inputs:
        visit(value)
    return steps


def _kernel_call(address: int, checks: Sequence[str], nogil: bool) -> Any:
    def call(
        args: list[Any], outs: list[Any], stream: int | None = None, *, symbols: Sequence[int] = ()
    ) -> None:
        launch(address, args + outs, symbols, nogil=nogil)

    def checked(
        args: list[Any], outs: list[Any], stream: int | None = None, *, symbols: Sequence[int] = ()
    ) -> None:
        status = torch.zeros(1, dtype=torch.int64)
        launch(address, [*args, *outs, status], symbols, nogil=nogil)
        failed = int(status.item())
        if failed:
            raise RunError(checks[failed - 1], hint="check the values of the index tensor")

    return checked if checks else call


def _copy(args: list[Any], outs: list[Any], stream: int | None = None) -> None:
    outs[0].copy_(args[0])


def _extern_step(node: Node, outputs: set[str], symbols: tuple[str, ...]) -> RegionStep:
    """A library call: into the region's outputs where it makes one of them, else into tensors of its own."""
    call = extern_call(node)
    _, positional, keywords = split_arguments(node)
    inputs = tuple(dict.fromkeys(node.inputs))
    names = (*(v.name for v in inputs), *symbols)

    def bound(args: Sequence[Any], values: Sequence[int]) -> tuple[list[Any], dict[str, Any]]:
        bindings = dict(zip(names, (*args, *values), strict=True))
        return [_real(a, bindings) for a in positional], {k: _real(a, bindings) for k, a in keywords.items()}

    def fresh(args: Sequence[Any], values: Sequence[int]) -> list[Any]:
        results = call.fresh(*bound(args, values))
        return [r for r, v in zip(results, node.outputs, strict=True) if v is not None]

    def into(
        args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, *, symbols: Sequence[int] = ()
    ) -> None:
        written = iter(outs)
        call.into(*bound(args, symbols), [None if v is None else next(written) for v in node.outputs])

    direct = any(v.name in outputs for v in node.results)
    return RegionStep(node.name, into if direct else fresh, inputs, node.results, symbols, destination=direct)


def _real(arg: Any, bindings: Mapping[str, Any]) -> Any:
    if isinstance(arg, Value):
        return bindings[arg.name]
    if isinstance(arg, tuple):
        return [_real(a, bindings) for a in arg]
    return arg.evaluate(bindings) if isinstance(arg, SymExpr) else arg


@lru_cache(maxsize=1)
def _source_hash() -> str:
    digest = hashlib.sha256()
    for folder in (Path(ir.__file__).parent, Path(__file__).parent):
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".h")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
