"""The float64 reference of an operator, and the scales that its error bound is relative to.

The reference is eager PyTorch in float64 (complex128) on widened operands. Integers stay as they are,
except where the operator turns them into floats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.adapters import call
from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.eager_defects import Operands
from torchport.contract.empty_results import empty_results
from torchport.contract.graph import dtype_name
from torchport.contract.missing_kernels import missing_kernel
from torchport.contract.roundoff import gamma, unit_roundoff
from torchport.contract.running_error import ACCURATE, NARROW, NARROW_SUMS, Charges, running_error
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Category, OpSpec
from torchport.contract.term_sizes import term_sizes
from torchport.contract.wide_product import wide_product

_WIDE = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
    torch.float8_e4m3fn: torch.float64,
    torch.float8_e4m3fnuz: torch.float64,
    torch.float8_e5m2: torch.float64,
    torch.float8_e5m2fnuz: torch.float64,
    torch.float8_e8m0fnu: torch.float64,
}
_NARROW = (torch.float16, torch.bfloat16)
REFUSALS = (
    RuntimeError,
    IndexError,
    ValueError,
    TypeError,
    AssertionError,
    ZeroDivisionError,
)
"""What PyTorch raises when it refuses arguments; ``NotImplementedError`` is a ``RuntimeError``."""
_UNSET_AT_NAN = ("aten.special_laguerre_polynomial_l", "aten.special_legendre_polynomial_p")
"""Operators whose kernels return memory that they have not set where the point is NaN."""
_WRONG_VECTORISED = ("aten.fmod.Tensor", "aten.fmod.Scalar", "aten.remainder.Tensor", "aten.remainder.Scalar")
"""Operators whose vectorised float64 loop is wrong for very large quotients; one element at a time is right.
"""
_WRONG_AT_NAN = "aten._scaled_dot_product_flash_attention_for_cpu"
"""Operators whose kernel drops NaN in some sizes, in float64 as well: with operands that are not finite,
their decomposition is the reference.
"""
FINITE_ONLY: Mapping[str, str] = {f"aten.grid_sampler_{dims}d_backward.default": "grid" for dims in (2, 3)}
"""Operators, and the operand that has to be finite: their kernels read and write anywhere where it is not:
https://github.com/pytorch/pytorch/issues/24823.
"""
_ROUNDED_BETWEEN_PASSES = tuple(
    f"aten.{kernel}.default"
    for kernel in ("upsample_bicubic2d", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa")
)
"""Operators whose kernel rounds and clamps bytes after each of its two passes, which loses what the negative
weights of the other one would bring back; the kernel for float64 is right.
"""
_PRODUCTS = ("aten.prod.default", "aten.prod.dim_int")
"""Operators whose kernels multiply past the range of float64 and back into it, in an order of their own."""
_READS_BEYOND = tuple(
    f"aten._upsample_{kernel}2d_aa.default" for kernel in ("bilinear", "bicubic", "lanczos")
)
"""Operators whose kernel reads what lies behind the image where scales lead outside of it, in float64 as
well, and multiplies that by 0: with scales, their decomposition is the reference.
"""
_SCALED_IN_FLOAT32 = (
    "aten.fake_quantize_per_tensor_affine_cachemask.default",
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default",
    "aten._fake_quantize_learnable_per_tensor_affine.default",
)
"""Operators whose kernel multiplies by the scale in float32 where the result is float64: of such a result,
their decomposition is the reference.
"""


def flatten(result: Any) -> tuple[Any, ...]:
    """An operator's result as one tuple; lists are flattened."""
    if isinstance(result, tuple | list):
        return tuple(part for item in result for part in flatten(item))
    return (result,)


def widened(spec: OpSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with float operands (and dtype arguments) widened to float64."""
    if "own-precision" in spec.numerics.special:
        return dict(arguments)
    floats_from_ints = any("promote_float" in rule for rule in spec.dtypes.results)
    found = {name: _widen(value, floats_from_ints) for name, value in arguments.items()}
    if "own-eps" in spec.numerics.special and found["eps"] is None:
        dtype = found["input"].dtype if arguments["input"].dtype is torch.float64 else torch.float32
        found["eps"] = torch.finfo(dtype).eps
    if "dtype" in found and found["dtype"] is None and not any(isinstance(v, Tensor) for v in found.values()):
        dtype = result_dtypes(spec.dtypes, arguments)[0]
        found["dtype"] = _WIDE.get(dtype, dtype)
    return found


def _widen(value: Any, floats_from_ints: bool) -> Any:
    if isinstance(value, Tensor):
        if floats_from_ints and not (value.is_floating_point() or value.is_complex()):
            return value.to(torch.float64)
        return value.to(_WIDE.get(value.dtype, value.dtype))
    if isinstance(value, torch.dtype):
        return _WIDE.get(value, value)
    if isinstance(value, tuple | list):
        return [_widen(v, floats_from_ints) for v in value]
    return value


def reference(spec: OpSpec, arguments: Mapping[str, Any]) -> tuple[Tensor | None, ...]:
    """The outputs in float64 (integers exact), lists flattened.

    Raises:
        RuntimeError, IndexError, ValueError: as eager PyTorch does for these arguments.
    """
    wide = widened(spec, arguments)
    if spec.name in _WRONG_VECTORISED:
        wide = {name: _spread(value) for name, value in wide.items()}
    own = outputs_marked(spec, "own-result")
    with torch.no_grad():
        results = flatten(_evaluated(spec, wide))
        if spec.name.startswith(_UNSET_AT_NAN):
            results = (torch.where(torch.as_tensor(wide["x"]).isnan(), torch.nan, results[0]),)
        if not own:
            return results
        narrow = flatten(_by_kernel(spec, arguments))
    return tuple(narrow[i] if i in own else r for i, r in enumerate(results))


def outputs_marked(spec: OpSpec, flag: str) -> list[int]:
    """The outputs that ``numerics.special`` names with ``flag@I``."""
    return [int(s.partition("@")[2]) for s in spec.numerics.special if s.startswith(f"{flag}@")]


def _evaluated(spec: OpSpec, wide: Mapping[str, Any]) -> Any:
    """What the reference is: PyTorch's operator, or its decomposition where the entry says so; the other one
    where that refuses what the contract allows.
    """
    if "by-decomposition" in spec.numerics.special and spec.decomposition is not None:
        try:
            return spec.decomposition(**wide)
        except REFUSALS:
            return call(spec, wide)
    return _by_kernel(spec, wide)


def _resized_bytes(spec: OpSpec, arguments: Mapping[str, Any]) -> Any:
    """Bytes are computed as float64 and rounded once. A dimension whose size stays as it is is left alone by
    the kernels for bytes, whatever its scale; those for float64 look at its scale.
    """
    exact = {**arguments, "self": arguments["self"].to(torch.float64)}
    sizes = zip(("scales_h", "scales_w"), arguments["self"].shape[2:], arguments["output_size"], strict=True)
    exact.update({scale: None for scale, before, after in sizes if before == after})
    return call(spec, exact).round().clamp(0, 255).to(torch.uint8)


def _product(spec: OpSpec, arguments: Mapping[str, Any]) -> Tensor:
    """PyTorch's product; where partial ones may have been past the range of float64, that of the factors
    without regard to the range.
    """
    found: Tensor = call(spec, arguments)
    inexact = found.is_floating_point() or found.is_complex()
    if not inexact or (_are_finite([found]) and bool((found != 0).all())):
        return found
    factors = arguments["self"].to(found.dtype)
    if not _are_finite([factors]):
        return found
    return wide_product(factors, arguments.get("dim"), bool(arguments.get("keepdim")))


def _by_kernel(spec: OpSpec, arguments: Mapping[str, Any]) -> Any:
    """PyTorch's operator; its decomposition where there is no kernel on this device or for these dtypes, or
    where the kernel refuses what the contract allows.
    """
    tensors = _tensors(list(arguments.values()))
    operands = Operands(
        dtypes={dtype_name(x.dtype) for x in tensors}, empty=any(not x.numel() for x in tensors)
    )
    if spec.decomposition is not None and (
        missing_kernel(spec.name, operands) is not None
        or (spec.name.startswith(_WRONG_AT_NAN) and not _are_finite(tensors))
        or (spec.name in _READS_BEYOND and _has_scales(arguments))
        or (spec.name in _SCALED_IN_FLOAT32 and arguments["self"].dtype is torch.float64)
    ):
        return _by_parts(spec, arguments)
    if spec.name in FINITE_ONLY and not _are_finite([arguments[FINITE_ONLY[spec.name]]]):
        raise ValueError(f"PyTorch's kernels do not bear a {FINITE_ONLY[spec.name]} that is not finite")
    if spec.name in _PRODUCTS:
        return _product(spec, arguments)
    if spec.name in _ROUNDED_BETWEEN_PASSES and arguments["self"].dtype is torch.uint8:
        return _resized_bytes(spec, arguments)
    try:
        return call(spec, arguments)
    except REFUSALS:
        if spec.decomposition is None:
            raise
        return _by_parts(spec, arguments)


def _by_parts(spec: OpSpec, arguments: Mapping[str, Any]) -> Any:
    """The entry's decomposition; results without elements where it bears none."""
    assert spec.decomposition is not None
    found = empty_results(spec, arguments)
    return spec.decomposition(**arguments) if found is None else found


def _has_scales(arguments: Mapping[str, Any]) -> bool:
    return arguments["scales_h"] is not None or arguments["scales_w"] is not None


def _are_finite(tensors: Sequence[Tensor]) -> bool:
    return all(bool(x.isfinite().all()) for x in tensors if x.is_floating_point() or x.is_complex())


def _spread(value: Any) -> Any:
    """The same tensor with gaps between its elements, which PyTorch's vectorised loops do not take."""
    return torch.stack([value, value], -1)[..., 0] if isinstance(value, Tensor) else value


def absent(spec: OpSpec, arguments: Mapping[str, Any], output: int) -> bool:
    """Whether the contract has no such output for these arguments; eager may return something there."""
    return output < len(spec.shape) and parse(spec.shape[output]).value(bind(arguments)) is None


def length(spec: OpSpec, arguments: Mapping[str, Any]) -> int:
    """The reduction length of a ``dot`` or ``reduction``; 1 for the other kinds."""
    if spec.numerics.length is None:
        return 1
    return int(parse(spec.numerics.length).value(bind(arguments)))


def magnitude(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    reference: Sequence[Tensor | None],
    accumulator: torch.dtype = torch.float32,
) -> tuple[Tensor | None, ...]:
    """What the errors of each output are relative to; None means the size of the reference.

    ``accumulator`` is the dtype that sums are accumulated in.

    ``numerics.magnitude`` is

    * ``result``: the reference itself (the default of ``ulp``);
    * ``abs``: the operator on the absolute values of its operands, scalars included (the default of ``dot``
      and ``reduction``): the sum of |terms| for whatever is linear in each operand;
    * ``derived``: the running error of the entry's own decomposition
      (:mod:`torchport.contract.running_error`), plus what flushing subnormal intermediates to zero costs;
      16-bit dtypes may also round each intermediate with ``narrow-intermediates`` in ``special``, and each
      term of a sum with ``narrow-sums``;
    * ``terms``: the sizes of a polynomial's terms (:mod:`torchport.contract.term_sizes`);
    * ``operands``: the largest operand, elementwise where the operands broadcast to the result;
    * ``euclidean``: the 2-norm of ``self`` over ``dim``, for transforms, where each result sums up all;
    * ``deviation``: for variances v of values with mean square q, v + g(n) q, after Chan, Golub and LeVeque
      (1983), §3: the error of a two-pass variance is n u v + (n u)² q; further outputs are means and get
      the mean size;
    * ``deviation-root``: the same for standard deviations.
    """
    kind = spec.numerics.magnitude or ("abs" if spec.numerics.kind in ("dot", "reduction") else "result")
    if kind == "result" or spec.numerics.kind in ("exact", "order", "law"):
        return (None,) * len(reference)
    wide = widened(spec, arguments)
    match kind:
        case "abs":
            with torch.no_grad():
                mixed = "by-decomposition" in spec.numerics.special or spec.category is Category.ELEMENTWISE
                terms = wide
                if spec.category in (Category.REDUCTION, Category.SCAN) and _has_floats(reference):
                    terms = {name: _inexact(value) for name, value in wide.items()}
                sized = flatten(_evaluated(spec, _sizes(spec, terms, mixed)))
            return tuple(None if not isinstance(s, Tensor) else _size(s) for s in sized)
        case "derived":
            return _derived(spec, arguments, wide, accumulator)
        case "euclidean":
            return (torch.linalg.vector_norm(wide["self"], dim=tuple(wide["dim"]), keepdim=True),)
        case "terms":
            return (term_sizes(spec.name, wide),)
        case "operands":
            return tuple(
                None if r is None else _largest(_position(wide, i, len(reference)), r)
                for i, r in enumerate(reference)
            )
        case _:
            growth = gamma(length(spec, arguments), unit_roundoff(accumulator))
            return _deviation(growth, wide, reference, root=kind == "deviation-root")


class Scales:
    """What the errors of a call's results are relative to (:func:`magnitude`), computed when it is asked for
    and kept: several judgements of one call need it.
    """

    def __init__(self, spec: OpSpec, arguments: Mapping[str, Any]) -> None:
        self._spec, self._arguments = spec, arguments
        self._kept: dict[torch.dtype, tuple[Tensor | None, ...]] = {}

    def of(self, reference: Sequence[Tensor | None], accumulator: torch.dtype) -> tuple[Tensor | None, ...]:
        """As :func:`magnitude`, for one reference and those that differ from it in some elements."""
        if accumulator in self._kept:
            return self._kept[accumulator]
        found = magnitude(self._spec, self._arguments, reference, accumulator)
        if self._spec.numerics.magnitude not in _OF_RESULTS:
            self._kept[accumulator] = found
        return found


_OF_RESULTS = ("operands", "deviation", "deviation-root")
"""Magnitudes that follow from the reference as well as from the arguments."""


def _derived(
    spec: OpSpec, arguments: Mapping[str, Any], wide: Mapping[str, Any], accumulator: torch.dtype
) -> tuple[Tensor | None, ...]:
    unit, special = unit_roundoff(accumulator), spec.numerics.special
    total = [
        None if e is None else e + torch.finfo(accumulator).smallest_normal / unit
        for e in _running_error(spec, wide)
    ]
    narrow = next((x.dtype for x in _tensors(list(arguments.values())) if x.dtype in _NARROW), None)
    if narrow is None or not {"narrow-intermediates", "narrow-sums"} & set(special):
        return tuple(total)
    charges = NARROW_SUMS if "narrow-sums" in special else NARROW
    # The bound multiplies by the length and by the accumulator's unit; these errors have units of their own.
    share = unit_roundoff(narrow) / (unit * length(spec, arguments))
    underflow = torch.finfo(narrow).smallest_normal
    coarse = _running_error(spec, wide, charges)
    return tuple(
        None if t is None or c is None else t + c * share + underflow / unit
        for t, c in zip(total, coarse, strict=True)
    )


def _running_error(spec: OpSpec, wide: Mapping[str, Any], charges: Charges = ACCURATE) -> list[Tensor | None]:
    """The running error of the decomposition, infinite where it overflows for finite operands. It multiplies
    what an element does not depend on by 0: where that is an infinity or NaN, the error is that without it.
    """
    found = running_error(spec, wide, charges)
    if _are_finite(_tensors(list(wide.values()))):
        return list(found)
    finite = {name: _finite(value) for name, value in wide.items()}
    pairs = zip(found, running_error(spec, finite, charges), strict=True)
    return [a if a is None or b is None else torch.maximum(_finite(a), _finite(b)) for a, b in pairs]


def _finite(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.nan_to_num(0.0, 0.0, 0.0) if value.is_floating_point() else value
    return [_finite(v) for v in value] if isinstance(value, list | tuple) else value


def _has_floats(results: Sequence[Tensor | None]) -> bool:
    return any(r is not None and (r.is_floating_point() or r.is_complex()) for r in results)


def _inexact(value: Any) -> Any:
    """Integers that are summed in floating point as such: their sizes do not wrap, and do not cancel."""
    integral = isinstance(value, Tensor) and value.dtype in _INTEGERS
    return value.to(torch.float64) if integral else value


_SIGNED = (torch.int8, torch.int16, torch.int32, torch.int64)
_INTEGERS = (*_SIGNED, torch.uint8)


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    """The tensors among values and in lists among them."""
    return [
        x
        for v in values
        for x in (_tensors(v) if isinstance(v, list | tuple) else [v])
        if isinstance(x, Tensor)
    ]


def _sizes(spec: OpSpec, arguments: Mapping[str, Any], integers: bool) -> dict[str, Any]:
    """Arguments with the sizes of floating tensors (of integers too with ``integers``) and of scalars.

    A scalar is what the schema calls a number, or a float; other integers are dimensions and sizes.
    """
    scalars = {a.name for a in spec.signature.arguments if "number" in str(a.real_type)}
    return {n: _absolute(v, integers, n in scalars) for n, v in arguments.items()}


def _absolute(value: Any, integers: bool, scalar: bool) -> Any:
    if isinstance(value, Tensor):
        integers = integers and value.dtype in _SIGNED
        return value.abs() if integers or value.is_floating_point() or value.is_complex() else value
    if isinstance(value, list | tuple):
        return type(value)(_absolute(v, integers, scalar) for v in value)
    return abs(value) if type(value) is float or (scalar and type(value) in (int, complex)) else value


def _size(x: Tensor) -> Tensor:
    # Widened first: bool has no abs, and that of the least integer wraps.
    return (x if x.is_complex() else x.to(torch.float64)).abs().to(torch.float64)


def _position(wide: Mapping[str, Any], i: int, count: int) -> dict[str, Any]:
    """The operands of output ``i``: of lists with one element for each output, that one."""
    return {n: v[i] if isinstance(v, list) and len(v) == count else v for n, v in wide.items()}


def _largest(wide: Mapping[str, Any], result: Tensor) -> Tensor:
    tensors = [_size(v) for v in wide.values() if isinstance(v, Tensor)]
    scalars = [float(abs(v)) for v in wide.values() if type(v) in (int, float)]
    total = torch.tensor(max(scalars, default=0.0), dtype=torch.float64).expand(result.shape)
    for x in tensors:
        x = x.nan_to_num(nan=0.0, posinf=0.0)
        try:
            fitted = x.expand(result.shape)
        except RuntimeError:
            fitted = (x.max() if x.numel() else x.new_zeros(())).expand(result.shape)
        total = torch.maximum(total, fitted)
    return total


def _deviation(
    growth: float, wide: Mapping[str, Any], reference: Sequence[Tensor | None], *, root: bool
) -> tuple[Tensor | None, ...]:
    x, dims, keep = wide["self"], wide.get("dim"), bool(wide.get("keepdim", False))
    over = list(range(x.dim())) if dims is None or len(dims) == 0 else list(dims)
    squares = x.abs() * x.abs()
    square = squares.mean(over, keep) if over else squares
    size = x.abs().mean(over, keep) if over else x.abs()
    found: list[Tensor | None] = []
    for i, r in enumerate(reference):
        if r is None or i:
            found.append(size)
            continue
        if root:
            error = growth * (r * r + growth * square)
            found.append(r.abs() + torch.minimum(error / r, error.sqrt()) / max(growth, 1e-300))
        else:
            found.append(r.abs() + growth * square)
    return tuple(found)
