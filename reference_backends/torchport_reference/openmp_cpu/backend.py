"""The backend class: what is claimed, how a region becomes one C++ file and a list of steps, how they run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import torch

from torchport.compile.artifact import Artifact, Executable, WeightSource
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Capabilities, DynamicShapes, Target
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, no, yes
from torchport.compile.region import Region
from torchport.compile.unfit_numbers import unfit_number
from torchport.contract.composites import composites
from torchport.contract.graph import Node, TensorSpec, dtype_name, symbols_in
from torchport.contract.symbols import is_float
from torchport.errors import ArtifactError, LoweringError
from torchport.loops import ir
from torchport.loops.fusion import Kernel, fuse
from torchport.loops.index import evaluate, product
from torchport.loops.lowering import not_covered, supported_ops
from torchport.loops.lowering.definition import Scope
from torchport.loops.schedule import schedule
from torchport.run.updates import is_update
from torchport_reference.openmp_cpu.batches import joined
from torchport_reference.openmp_cpu.donations import in_place, outside, updates_input
from torchport_reference.openmp_cpu.executable import OpenMPExecutable
from torchport_reference.openmp_cpu.extern import EXTERN_OPS
from torchport_reference.openmp_cpu.printer import HEADER, NAME, print_kernel
from torchport_reference.openmp_cpu.shared_builds import SharedBuild, build_together
from torchport_reference.openmp_cpu.toolchain import Toolchain, machine_identity
from torchport_reference.openmp_cpu.update_printer import print_update, same_elements
from torchport_reference.openmp_cpu.value_printer import ELEMENT

FORMAT = "openmp-cpp-3"


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
            donation=True,
        )

    def may_claim(self, op: str) -> bool:
        """Operators with a loop rule, those that ``extern`` runs, and updates that may run in place; no
        composites, whose parts fuse with what is around them.
        """
        runs = op in supported_ops() or op in EXTERN_OPS or is_update(op)
        return runs and op not in composites()

    def claims(self, node: Node, target: Target) -> Claim:
        """Operators with a loop rule, those that ``extern`` runs, and updates of tensors that the program
        writes to, on CPU tensors of real dtypes.
        """
        call = node.op in EXTERN_OPS or updates_input(node)
        if node.op not in supported_ops() and not call:
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
        if any(is_float(name) for _, arg in node.args for name in symbols_in(arg)):
            return no(Reason.DYNAMIC, "a float that is known at run time only")
        text = unfit_number(node)
        if text:
            return no(Reason.ARGUMENT, text)
        if call:
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
        library = toolchain.build(plan["source"]) if plan["source"] else b""
        return _artifact(region, plan, SharedBuild(library, ""), toolchain)

    def compile_many(
        self, regions: Sequence[Region], target: Target, options: Options
    ) -> list[Artifact | Exception]:
        """The artifacts of several regions, whose kernels share a library: one run of the compiler serves
        many regions, where :meth:`compile` starts one for each.
        """
        toolchain = Toolchain.find()
        plans: list[dict[str, Any] | Exception] = []
        for region in regions:
            try:
                plans.append(plan_region(region))
            except Exception as error:  # noqa: BLE001 - handed on in the region's place
                plans.append(error)
        sources = [plan["source"] for plan in plans if isinstance(plan, dict) and plan["source"]]
        built = dict(zip(sources, build_together(toolchain, sources), strict=True))
        built[""] = SharedBuild(b"", "")
        found: list[Artifact | Exception] = []
        for region, plan in zip(regions, plans, strict=True):
            if isinstance(plan, Exception):
                found.append(plan)
                continue
            library = built[plan["source"]]
            if isinstance(library, Exception):
                found.append(library)
            else:
                found.append(_artifact(region, plan, library, toolchain))
        return found

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """Loads the region's library and links its steps. For a processor of another kind the library is
        built anew from its source.

        Raises:
            ArtifactError: the payload is not one of this backend's.
            ToolchainError: the library must be built here, and cannot be.
        """
        if artifact.format != FORMAT:
            raise ArtifactError(
                "not an artifact of this backend", got=artifact.format, hint="compile the region again"
            )
        end = 8 + int.from_bytes(artifact.payload[:8], "little")
        data, library = json.loads(artifact.payload[8:end]), artifact.payload[end:]
        prefix = data["prefix"]
        if library and artifact.provenance.get("machine") != machine_identity():
            library, prefix = Toolchain.find().build(data["plan"]["source"]), ""
        region = Region.from_json(data["region"])
        region = replace(region, name=artifact.region or region.name)
        return OpenMPExecutable(region, data["plan"], library, prefix)


def _artifact(region: Region, plan: dict[str, Any], built: SharedBuild, toolchain: Toolchain) -> Artifact:
    header = json.dumps({"plan": plan, "region": region.to_json(), "prefix": built.prefix}).encode()
    payload = len(header).to_bytes(8, "little") + header + built.payload
    return Artifact(FORMAT, payload, aliases=dict(plan["aliases"]), provenance=toolchain.provenance)


def plan_region(region: Region) -> dict[str, Any]:
    """The C++ source of a region and its steps, as plain data."""
    graph = region.graph
    replaced = [output for output, _ in region.donations]
    fused = fuse(graph, graph.output_values, outside=outside(region), once=replaced)
    donated = in_place(region, fused)
    symbols = [s.name for s in graph.symbols]
    kernels: dict[str, str] = {}  # name by text: layers of one shape share their kernels
    steps: list[dict[str, Any]] = []
    for step in fused.steps:
        if not isinstance(step, Kernel):
            update = print_update(step) if step.name in donated.calls else None
            if update is None:
                steps.append({"node": step.name, "in_place": step.name in donated.calls})
                continue
            steps.append(
                {
                    "update": step.name,
                    "kernel": kernels.setdefault(update.source, f"kernel_{len(kernels)}"),
                    "reads": [same_elements(graph, v).name for v in update.reads],
                    "checks": update.checks,
                    "work": update.work,
                }
            )
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
    steps, batches = joined(steps)
    sources = [text.replace(NAME, name, 1) for text, name in kernels.items()]
    source = HEADER + "\n" + "\n".join([*sources, *batches]) if sources else ""
    outputs, inputs = ([v.name for v in values] for values in (graph.output_values, graph.inputs))
    aliases = [(outputs.index(out), inputs.index(base)) for out, base in donated.aliases]
    return {"source": source, "steps": steps, "aliases": aliases}


@lru_cache(maxsize=1)
def _source_hash() -> str:
    digest = hashlib.sha256()
    for folder in (Path(ir.__file__).parent, Path(__file__).parent):
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".h")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
