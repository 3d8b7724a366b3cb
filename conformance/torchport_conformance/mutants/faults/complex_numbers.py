"""Complex operands and results."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, accepts, complex_of, computes_values, named, tensors_of
from torchport_conformance.mutants.kernel import Call

_KINDS = (
    Category.ELEMENTWISE,
    Category.CONTRACTION,
    Category.REDUCTION,
    Category.SCAN,
    Category.LAYOUT,
    Category.VIEW,
    Category.TRANSFORM,
    Category.LINEAR_ALGEBRA,
)


def complex_operands(spec: OpSpec) -> Iterable[str]:
    """Operands that may be complex."""
    if spec.category in _KINDS and computes_values(spec):
        yield from (name for name in tensors_of(spec) if accepts(spec, name, "complex"))


def _conjugated(call: Call, operand: str) -> None:
    call.write(call.right(call.read(lambda x: x.conj().resolve_conj() if x.is_complex() else x, operand)))


def _real_alone(call: Call, operand: str) -> None:
    call.write(call.right(call.read(lambda x: x.real.to(x.dtype) if x.is_complex() else x, operand)))


def _strided_as_conjugate(call: Call, operand: str) -> None:
    """A copy of an operand that is not row-major keeps the conjugation of the copy before."""
    call.write(
        call.right(
            call.read(
                lambda x: x if x.is_contiguous() or not x.is_complex() else x.conj().resolve_conj(), operand
            )
        )
    )


def _conjugate_lost(call: Call, variant: str) -> None:
    x = call.tensors()[0][1]
    call.write([x if x.is_complex() else r for r in call.right()])


def _every_other(call: Call, variant: str) -> None:
    """Real results are written with the strides of complex ones."""
    results = []
    for r in call.right():
        spread = torch.zeros(2 * r.numel(), dtype=r.dtype)
        spread[::2] = r.reshape(-1)
        results.append(r if r.is_complex() else spread[: r.numel()].reshape(r.shape))
    call.write(results)


def _real_results(spec: OpSpec) -> Iterable[str]:
    stem = spec.name.split(".")[1]
    return ("",) if stem in ("abs", "angle", "linalg_vector_norm", "view_as_real_copy") else ()


def _unconjugated_product(call: Call, variant: str) -> None:
    given = call.arguments
    call.write([torch.dot(given["self"], given["other"])])


FAULTS = (
    Fault(
        "operand-conjugated",
        "an operand is read conjugated",
        ("conj-bit",),
        _conjugated,
        complex_operands,
        complex_of,
    ),
    Fault(
        "imaginary-dropped",
        "the imaginary part of an operand is dropped",
        ("complex-layout",),
        _real_alone,
        complex_operands,
        complex_of,
    ),
    Fault(
        "strided-conjugated",
        "an operand that is not row-major is read conjugated",
        ("conj-bit",),
        _strided_as_conjugate,
        complex_operands,
        complex_of,
    ),
    Fault(
        "conjugate-lost",
        "a conjugation is dropped",
        ("conj-bit",),
        _conjugate_lost,
        named("_conj_physical.default", "_conj.default", "_conj_copy.default"),
        complex_of,
    ),
    Fault(
        "real-strided-as-complex",
        "real results are written with complex strides",
        ("complex-layout",),
        _every_other,
        _real_results,
        complex_of,
    ),
    Fault(
        "vdot-unconjugated",
        "vdot does not conjugate",
        ("conj-bit",),
        _unconjugated_product,
        named("vdot.default"),
        complex_of,
    ),
)
