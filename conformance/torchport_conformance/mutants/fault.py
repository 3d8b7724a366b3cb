"""Mutation operators: what each plants into a correct kernel, and where it can be planted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch

from torchport.contract.dtype_rules import accepted_names, dtype_from_name
from torchport.contract.eager_defects import Operands
from torchport.contract.missing_kernels import missing_kernel
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.kernel import ANY_DTYPE, Call

Plant = Callable[[Call, str], None]
"""Runs a call wrongly. The text is the variant of the fault: an argument, a width, a dtype."""

_PREFERRED = ("float32", "int64", "bool", "complex64")
UNRUN = (Category.COLLECTIVE, Category.EFFECT)
"""Categories without tensor results in one process."""


def variant_free(spec: OpSpec) -> tuple[str, ...]:
    """The variants of a fault that has none."""
    return ("",)


def every_dtype(spec: OpSpec, variant: str) -> Sequence[str]:
    """All dtypes that the operator accepts."""
    return dtypes_of(spec)


@dataclass(frozen=True, slots=True)
class Fault:
    """A mutation operator.

    ``kinds`` are the kinds of public faults that it stands for. ``variants`` are the ways in which it can be
    planted into an operator, none where it cannot; ``dtypes`` the dtypes of its first tensor operand in which
    it shows. ``level`` is ``op`` for a faulty kernel; ``isolated`` faults take the process with them;
    ``outside`` faults write memory that only the suite's guards make safe to write.
    """

    name: str
    text: str
    kinds: tuple[str, ...]
    plant: Plant
    variants: Callable[[OpSpec], Iterable[str]] = variant_free
    dtypes: Callable[[OpSpec, str], Sequence[str]] = every_dtype
    isolated: bool = False
    outside: bool = False
    level: str = "op"

    def places(self, specs: Mapping[str, OpSpec]) -> list[tuple[str, str, str]]:
        """``(operator, variant, dtype)`` wherever the fault can be planted, in contract order."""
        return [
            (name, variant, dtype)
            for name, spec in specs.items()
            if spec.category not in UNRUN
            for variant in self.variants(spec)
            for dtype in self.dtypes(spec, variant)
            if runs(name, dtype)
        ]

    def fits(self, spec: OpSpec, variant: str, dtype: str) -> bool:
        """Whether a place is one of :meth:`places`."""
        planted = spec.category not in UNRUN and variant in self.variants(spec)
        return planted and dtype in self.dtypes(spec, variant) and runs(spec.name, dtype)


def runs(op: str, dtype: str) -> bool:
    """Whether eager PyTorch runs an operator in a dtype, so that there is a right kernel to spoil."""
    return dtype == ANY_DTYPE or missing_kernel(op, Operands(dtypes={dtype}, strided=set())) is None


def tensors_of(spec: OpSpec) -> tuple[str, ...]:
    """Names of the tensor arguments."""
    return tuple(name for name, operand in spec.operands.items() if operand.pattern is not None)


def dtypes_of(spec: OpSpec) -> tuple[str, ...]:
    """Dtypes of the first tensor argument, the usual one first; ``any`` where there is none."""
    tensors = tensors_of(spec)
    if not tensors:
        return (ANY_DTYPE,)
    accepted = accepted_names(spec.dtypes, tensors[0])
    return tuple(sorted(accepted, key=lambda d: _PREFERRED.index(d) if d in _PREFERRED else len(_PREFERRED)))


def floats_of(spec: OpSpec, variant: str = "") -> tuple[str, ...]:
    """Real floating dtypes among :func:`dtypes_of`, narrow ones of eight bits left out."""
    return tuple(d for d in dtypes_of(spec) if d in ("float32", "float64", "float16", "bfloat16"))


def integers_of(spec: OpSpec, variant: str = "") -> tuple[str, ...]:
    """Integer dtypes among :func:`dtypes_of`."""
    usual = ("int64", "int32", "int16", "int8", "uint8")
    return tuple(d for d in usual if d in dtypes_of(spec))


def complex_of(spec: OpSpec, variant: str = "") -> tuple[str, ...]:
    """Complex dtypes among :func:`dtypes_of`."""
    return tuple(d for d in dtypes_of(spec) if d in ("complex64", "complex128"))


def accepts(spec: OpSpec, name: str, kind: str) -> bool:
    """Whether an argument accepts ``float``, ``integer`` or ``complex`` tensors."""
    for dtype in map(dtype_from_name, accepted_names(spec.dtypes, name)):
        found = "float" if dtype.is_floating_point else "complex" if dtype.is_complex else "integer"
        if found == kind and dtype is not torch.bool:
            return True
    return False


def most_dimensions(pattern: str) -> int:
    """How many dimensions an operand of a shape pattern can have; patterns that are rules have any number."""
    if not pattern.startswith("[") or "*" in pattern or "~" in pattern:
        return 99
    return pattern.count(",") + 1 if pattern.strip("[] ") else 0


def named(*ops: str) -> Callable[[OpSpec], Iterable[str]]:
    """Variants of a fault of an algorithm, which these operators of ATen have."""
    wanted = frozenset(f"aten.{op}" for op in ops)
    return lambda spec: ("",) if spec.name in wanted else ()


def computes_values(spec: OpSpec) -> bool:
    """Whether results are computed: neither random nor uninitialized."""
    return spec.numerics.kind != "law" and spec.category is not Category.RANDOM
