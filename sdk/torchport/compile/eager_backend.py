"""The null device: a backend that claims the whole contract and runs it with PyTorch itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from torchport.compile.artifact import InProcess
from torchport.compile.backend import Backend
from torchport.compile.callable_digest import callable_digest
from torchport.compile.capabilities import Target
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, no, yes
from torchport.compile.region import Region
from torchport.contract.adapters import is_present
from torchport.contract.eager_defects import Operands
from torchport.contract.graph import Node, Opaque, TensorSpec, dtype_name, values_in
from torchport.contract.integer_division import divides, without_traps
from torchport.contract.missing_kernels import MissingKernel, missing_kernel
from torchport.contract.opset import opset
from torchport.contract.spec import Tier, resolve
from torchport.contract.symbols import SymExpr
from torchport.run.program import OpStep, Program, build


@cache
def has_kernel(op: str, device: str) -> bool:
    """Whether PyTorch has a kernel of an ATen operator for a device: its own, or one for every device.

    True for operators of other libraries, which may register theirs under any key of the dispatcher.
    """
    if not op.startswith("aten."):
        return True
    key = torch._C._dispatch_key_for_device(torch.device(device).type)
    return is_present(op) and torch._C._dispatch_has_computed_kernel_for_dispatch_key(resolve(op).name(), key)


def _operands(node: Node) -> Operands:
    """What is known of a node's operands before it runs."""
    tensors = [(n, v.spec) for n, arg in node.args for v in values_in(arg) if isinstance(v.spec, TensorSpec)]
    return Operands(
        dtypes={dtype_name(s.dtype) for s in node.input_specs},
        strided={name for name, spec in tensors if not spec.is_contiguous},
        units={name for name, spec in tensors if spec.has_unusual_units},
        inner={name for name, spec in tensors if spec.has_inner_steps},
        empty=any(0 in s.shape for s in node.input_specs),
    )


def _trapless(node: Node) -> Callable[..., Any] | None:
    """The operator of a node that divides integers, without its trap; None for any other."""
    if not divides(node.op) or any(s.dtype.is_floating_point for s in node.input_specs):
        return None
    overload = resolve(node.op)
    names = [argument.name for argument in overload._schema.arguments]

    def call(*args: Any, **keywords: Any) -> Any:
        return overload(**without_traps(node.op, {**dict(zip(names, args, strict=False)), **keywords}))

    return call


def _reason(missing: MissingKernel) -> Reason:
    if missing.empty:
        return Reason.SHAPE
    return Reason.DTYPE if missing.dtypes else Reason.LAYOUT


class EagerBackend(Backend):
    """Claims every contract operator and runs eager PyTorch; the base for tests and for planted faults.

    Args:
        macros: also claim composites whole, as the contract's macros.
        overrides: functions by operator name that run in PyTorch's place; they take the operator's arguments
            as PyTorch calls it (trailing defaults may be absent) and return its result.
    """

    name = "torchport_eager"
    version = "1"

    def __init__(
        self, overrides: Mapping[str, Callable[..., Any]] | None = None, *, macros: bool = False
    ) -> None:
        self.overrides, self.macros = dict(overrides or {}), macros

    def may_claim(self, op: str) -> bool:
        """Operators of the contract and those that are overridden; macros where they are claimed at all."""
        spec = opset(self.opset).ops.get(op)
        known = spec is not None and (self.macros or spec.tier is not Tier.MACRO)
        return known or op in self.overrides

    def claims(self, node: Node, target: Target) -> Claim:
        """Yes for contract operators that PyTorch has a kernel for, on this device and in these dtypes."""
        spec = opset(self.opset).ops.get(node.op)
        if node.op not in self.overrides and spec is None:
            return no(Reason.NOT_IN_CONTRACT)
        if node.op not in self.overrides and spec is not None and spec.tier is Tier.MACRO and not self.macros:
            return no(Reason.OP, "composites are left to their parts")
        if any(isinstance(a, Opaque) for _, a in node.args):
            return no(Reason.NOT_SERIALIZABLE)
        if node.op not in self.overrides:
            if not has_kernel(node.op, target.device):
                return no(Reason.OP, "PyTorch has no kernel on this device")
            missing = missing_kernel(node.op, _operands(node))
            if missing is not None:
                return no(_reason(missing), str(missing))
        return yes()

    def compile(self, region: Region, target: Target, options: Options) -> InProcess:
        """One flat function that calls PyTorch operator by operator."""
        symbols = region.symbols
        count = len(region.input_values)
        program = Program(
            arguments=(*region.input_values, *(SymExpr(s.name) for s in symbols)),
            steps=tuple(OpStep(n, self.overrides.get(n.op) or _trapless(n)) for n in region.nodes),
            outputs=region.output_values,
            symbols=tuple(replace(s, source=("argument", count + i)) for i, s in enumerate(symbols)),
            name=region.name,
        )
        call = build(program)
        return InProcess(lambda numbers, *args: call([*args, *numbers]), wants_symbols=True)

    def source_hash(self) -> str:
        """A digest of the class's source and of the overrides."""
        digest = hashlib.sha256(super().source_hash().encode())
        for name, fn in sorted(self.overrides.items()):
            digest.update(f"{name}|{callable_digest(fn)}".encode())
        return digest.hexdigest()
