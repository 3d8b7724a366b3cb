"""The SIMD prelude, on every instruction set that this processor runs, against PyTorch and float64."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy
import pytest
import torch

from torchport_reference.openmp_cpu.kernel_store import KernelLibrary, load
from torchport_reference.openmp_cpu.toolchain import Toolchain, cpu_features

INSTRUCTION_SETS = {
    "avx512": ("avx512f avx512bw avx512dq avx512vl", ("-march=native", "-mprefer-vector-width=512")),
    "avx2": ("avx2 fma f16c", ("-mavx2", "-mfma", "-mf16c")),
    "plain": ("", ()),
}
TYPES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.int16: "int16_t",
    torch.int32: "int32_t",
    torch.int64: "int64_t",
    torch.bool: "bool",
    torch.bfloat16: "tp::bf16",
    torch.float16: "tp::f16",
}
FLOATS = (torch.float32, torch.float64)
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
_spec = importlib.util.spec_from_file_location(
    "check_all_floats", Path(__file__).with_name("check_all_floats.py")
)
assert _spec is not None
assert _spec.loader is not None
check_all_floats = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_all_floats)
FUNCTIONS: dict[str, float] = check_all_floats.FUNCTIONS
LIBRARY = ("exp2", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atanh", "erfc")
SLEEF_ULP, LIBM_ULP = 1.01, 3.0


@dataclass(frozen=True)
class Kernel:
    """``out[i] = expression`` over vecs ``a`` and ``b`` loaded from two inputs, tail included."""

    name: str
    expression: str
    inputs: tuple[torch.dtype, ...]
    output: torch.dtype

    @property
    def source(self) -> str:
        names = "ab"[: len(self.inputs)]
        pointers = ", ".join(f"const {TYPES[t]}* p{n}" for n, t in zip(names, self.inputs, strict=True))
        full = " ".join(f"auto {n} = load(p{n} + i);" for n in names)
        part = " ".join(f"auto {n} = load(p{n} + i, n - i);" for n in names)
        return (
            f'extern "C" __attribute__((visibility("default")))\n'
            f"void {self.name}({pointers}, {TYPES[self.output]}* out, int64_t n) {{\n"
            f"  int64_t i = 0;\n"
            f"  for (; i + lanes <= n; i += lanes) {{ {full} store(out + i, {self.expression}); }}\n"
            f"  if (i < n) {{ {part} store(out + i, {self.expression}, n - i); }}\n}}\n"
        )


def short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def kernels() -> list[Kernel]:
    found = []
    for t in FLOATS:
        for f in (*FUNCTIONS, *LIBRARY, "lgamma", "sqrt", "rsqrt", "floor", "ceil", "trunc", "nearest"):
            found.append(Kernel(f"{f}_{short(t)}", f"{f}(a)", (t,), t))
        for f in ("pow", "atan2", "hypot", "copysign", "nextafter"):
            found.append(Kernel(f"{f}_{short(t)}", f"{f}(a, b)", (t, t), t))
        for f in ("isnan", "isinf", "signbit"):
            found.append(Kernel(f"{f}_{short(t)}", f"{f}(a)", (t,), torch.bool))
        found.append(Kernel(f"div_{short(t)}", "a / b", (t, t), t))
    for t in (*FLOATS, *INTEGERS):
        for f in ("abs", "sign"):
            found.append(Kernel(f"{f}_{short(t)}", f"{f}(a)", (t,), t))
        for f in ("maximum", "minimum", "fmod", "mod", "floordiv"):
            found.append(Kernel(f"{f}_{short(t)}", f"{f}(a, b)", (t, t), t))
        for f, symbol in (("add", "+"), ("sub", "-"), ("mul", "*")):
            found.append(Kernel(f"{f}_{short(t)}", f"a {symbol} b", (t, t), t))
        for f, symbol in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
            found.append(Kernel(f"{f}_{short(t)}", f"a {symbol} b", (t, t), torch.bool))
        found.append(Kernel(f"where_{short(t)}", "where(a, b, -b)", (torch.bool, t), t))
        found.append(Kernel(f"neg_{short(t)}", "-a", (t,), t))
    for t in INTEGERS:
        for f, text in (
            ("truncdiv", "truncdiv(a, b)"), ("shl", "shl(a, b)"), ("shr", "shr(a, b)"),
            ("and", "a & b"), ("or", "a | b"), ("xor", "a ^ b"),
        ):  # fmt: skip
            found.append(Kernel(f"{f}_{short(t)}", text, (t, t), t))
        found.append(Kernel(f"not_{short(t)}", "~a", (t,), t))
    for a in (*FLOATS, *INTEGERS, torch.bool):
        for b in (*FLOATS, *INTEGERS, torch.bool):
            found.append(Kernel(f"cast_{short(a)}_{short(b)}", f"cast<{TYPES[b]}>(a)", (a,), b))
    for h in (torch.bfloat16, torch.float16):
        found.append(Kernel(f"widen_{short(h)}", "a", (h,), torch.float32))
        found.append(Kernel(f"narrow_{short(h)}", "a", (torch.float32,), h))
        found.append(Kernel(f"round_{short(h)}", f"round_to<{TYPES[h]}>(a)", (torch.float32,), torch.float32))
    found.append(Kernel("logic", "((a & !b) | (a ^ b)) == (a != b)", (torch.bool, torch.bool), torch.bool))
    return found


KERNELS = {k.name: k for k in kernels()}
EXTRA = """
template <class T> void gather_all(const T* base, const int64_t* at, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i += lanes) store(out + i, gather(base, load(at + i, n - i), n - i), n - i);
}
template <class T> void scatter_all(T* base, const int64_t* at, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; i += lanes) scatter(base, load(at + i, n - i), load(from + i, n - i), n - i);
}
template <class T> void strided(const T* from, int64_t stride, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i += lanes)
    store_strided(out + i * stride, stride, load_strided(from + i * stride, stride, n - i), n - i);
}
template <class T> void reductions(const T* p, T* out) {
  auto v = load(p);
  out[0] = reduce_sum(v); out[1] = reduce_prod(v); out[2] = reduce_max(v); out[3] = reduce_min(v);
  out[4] = maximum(p[0], p[1]); out[5] = minimum(p[0], p[1]); out[6] = abs(p[0]); out[7] = iota<T>(T(3))[2];
}
#define EXPORT extern "C" __attribute__((visibility("default")))
#define FOR(T, name) \\
  EXPORT void gather_##name(const T* b, const int64_t* at, T* o, int64_t n) { gather_all(b, at, o, n); } \\
  EXPORT void scatter_##name(T* b, const int64_t* at, const T* v, int64_t n) { scatter_all(b, at, v, n); } \\
  EXPORT void strided_##name(const T* b, int64_t stride, T* o, int64_t n) { strided(b, stride, o, n); } \\
  EXPORT void reduce_##name(const T* p, T* o) { reductions(p, o); }
FOR(float, float32) FOR(double, float64) FOR(int8_t, int8) FOR(uint8_t, uint8) FOR(int16_t, int16)
FOR(int32_t, int32) FOR(int64_t, int64)
EXPORT int64_t lane_count() { return lanes; }
EXPORT void any_all(const bool* p, int64_t n, bool* out) {
  auto m = load(p, n);
  out[0] = any(m);
  out[1] = all(m);
}
EXPORT float scalar_exp(float x) { return exp(x); }
"""


class Prelude:
    """The kernels built for one instruction set."""

    def __init__(self, library: KernelLibrary, library_ulp: float) -> None:
        self.library, self.library_ulp = library, library_ulp
        self.lanes = ctypes.CFUNCTYPE(ctypes.c_int64)(library.address("lane_count"))()

    def raw(self, symbol: str, *arguments: object) -> None:
        types, values = [], []
        for a in arguments:
            types.append(ctypes.c_void_p if isinstance(a, torch.Tensor) else ctypes.c_int64)
            values.append(a.data_ptr() if isinstance(a, torch.Tensor) else a)
        ctypes.CFUNCTYPE(None, *types)(self.library.address(symbol))(*values)

    def __call__(self, name: str, *inputs: torch.Tensor) -> torch.Tensor:
        kernel = KERNELS[name]
        assert tuple(t.dtype for t in inputs) == kernel.inputs
        out = torch.empty(inputs[0].shape, dtype=kernel.output)
        self.raw(name, *inputs, out, inputs[0].numel())
        return out


@pytest.fixture(scope="module", params=list(INSTRUCTION_SETS))
def prelude(request: pytest.FixtureRequest) -> Prelude:
    needed, flags = INSTRUCTION_SETS[request.param]
    if not set(needed.split()) <= set(cpu_features().split()):
        pytest.skip(f"this processor has no {needed}")
    found = Toolchain.find()
    kept = tuple(f for f in found.flags if not f.startswith(("-m", "-O")))
    toolchain = replace(found, flags=(*kept, "-O1", *flags))
    source = '#include "tp.h"\nusing namespace tp;\n' + "".join(k.source for k in KERNELS.values()) + EXTRA
    sleef = needed and "-DTP_SLEEF=1" in toolchain.link_flags
    return Prelude(load(toolchain.build(source)), SLEEF_ULP if sleef else LIBM_ULP)


def every_kind_of_float(dtype: torch.dtype, count: int = 9_001) -> torch.Tensor:
    """Random bit patterns (all magnitudes, denormals, NaN), ordinary values, and the special ones."""
    generator = torch.Generator().manual_seed(5)
    bits = torch.int32 if dtype == torch.float32 else torch.int64
    info = torch.iinfo(bits)
    patterns = torch.randint(info.min, info.max, (count,), dtype=bits, generator=generator).view(dtype)
    ordinary = torch.randn(count, dtype=dtype, generator=generator) * 3
    tiny = torch.finfo(dtype).tiny
    special = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        tiny,
        -tiny,
        tiny / 8,
        88.8,
        -104.5,
    ]
    return torch.cat([patterns, ordinary, torch.tensor(special, dtype=dtype)])


def every_kind_of_integer(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    info = torch.iinfo(dtype)
    edge = torch.tensor(
        [info.min, info.min + 1, -1 if info.min else 1, 0, 1, 2, 7, info.max - 1, info.max], dtype=dtype
    )
    generator = torch.Generator().manual_seed(6)
    random = torch.randint(info.min, info.max, (61,), dtype=dtype, generator=generator)
    values = torch.cat([edge, random])
    pairs = torch.cartesian_prod(values, values)
    return pairs[:, 0].contiguous(), pairs[:, 1].contiguous()


def ulp_error(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Distance to the float64 truth in units in the last place; infinite where a special value differs."""
    near = want.to(got.dtype)
    info = torch.finfo(got.dtype)
    _, exponent = torch.frexp(near)
    digits = 24 if got.dtype == torch.float32 else 53
    spacing = torch.ldexp(
        torch.ones_like(want), (exponent - digits).clamp(min=int(math.log2(info.tiny)) - digits + 1)
    )
    error = (got.double() - want).abs() / spacing
    exact = (got == near) | (got.isnan() & want.isnan())
    error = torch.where(
        exact, torch.where(got == near, error.nan_to_num(0, 0, 0), 0.0), error.nan_to_num(math.inf)
    )
    signed_zero = (near == 0) & (got == 0) & (near.signbit() != got.signbit())
    return torch.where(signed_zero, math.inf, error)


def same(got: torch.Tensor, want: torch.Tensor) -> None:
    """Equal in every bit but those of NaN's payload."""
    assert got.dtype == want.dtype
    if want.dtype.is_floating_point:
        assert torch.equal(got.isnan(), want.isnan())
        keep = ~want.isnan()
        assert torch.equal(got[keep], want[keep])
        assert torch.equal(got[keep].signbit(), want[keep].signbit())
    else:
        assert torch.equal(got, want)


FLOAT64 = {"sigmoid": torch.sigmoid, **{n: getattr(torch, n) for n in (*FUNCTIONS, *LIBRARY)}}


@pytest.mark.parametrize("name", [*FUNCTIONS, *LIBRARY])
def test_unary_float32_is_within_its_ulp(prelude: Prelude, name: str) -> None:
    x = every_kind_of_float(torch.float32)
    error = ulp_error(prelude(f"{name}_float32", x), FLOAT64[name](x.double()))
    worst = error.argmax()
    bound = FUNCTIONS.get(name, prelude.library_ulp * (1.5 if name == "erfc" else 1))
    assert error[worst] <= bound, f"{name}({x[worst].item().hex()})"


@pytest.mark.parametrize("name", [*FUNCTIONS, *LIBRARY])
def test_unary_float64_agrees_with_eager(prelude: Prelude, name: str) -> None:
    x = every_kind_of_float(torch.float64)
    x = x[(x.abs() < 1e10) | ~x.isfinite()]
    assert ulp_error(prelude(f"{name}_float64", x), FLOAT64[name](x)).max() <= 4


def exact_fmod(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The C library's: PyTorch's own gives NaN for large quotients."""
    with numpy.errstate(invalid="ignore"):
        return torch.from_numpy(numpy.fmod(a.numpy(), b.numpy()))


def exact_sqrt(a: torch.Tensor) -> torch.Tensor:
    """Correctly rounded: PyTorch's own may come from MKL, which is not."""
    with numpy.errstate(invalid="ignore"):
        return torch.from_numpy(numpy.sqrt(a.numpy()))


def exact_mod(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    m = exact_fmod(a, b)
    return torch.where((m != 0) & ((m < 0) != (b < 0)), m + b, m)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_operations_are_exact(prelude: Prelude, dtype: torch.dtype) -> None:
    x = every_kind_of_float(dtype)
    y = x[torch.randperm(len(x), generator=torch.Generator().manual_seed(7))]
    t = short(dtype)
    for name, f in {
        "sqrt": exact_sqrt, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc,
        "nearest": torch.round,
        "abs": torch.abs, "neg": torch.neg, "sign": torch.sign,
        "isnan": torch.isnan, "isinf": torch.isinf, "signbit": torch.signbit,
    }.items():  # fmt: skip
        same(prelude(f"{name}_{t}", x), f(x))
    for name, f in {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "fmod": exact_fmod,
        "mod": exact_mod, "maximum": torch.maximum, "minimum": torch.minimum, "copysign": torch.copysign,
        "nextafter": torch.nextafter, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le,
        "gt": torch.gt, "ge": torch.ge,
    }.items():  # fmt: skip
        same(prelude(f"{name}_{t}", x, y), f(x, y))
    same(prelude(f"rsqrt_{t}", x), 1 / exact_sqrt(x))


def test_float_floor_division_follows_python(prelude: Prelude) -> None:
    values = [7.0, -7.0, 0.1, -0.1, 1e20, 3.0, -3.0, 0.0, -0.0, 0.3, math.inf, -math.inf, math.nan, 2.5]
    pairs = torch.cartesian_prod(
        torch.tensor(values, dtype=torch.float64), torch.tensor(values, dtype=torch.float64)
    )
    a, b = pairs[:, 0].contiguous(), pairs[:, 1].contiguous()
    want = torch.tensor([x // y if y else math.nan for x, y in pairs.tolist()], dtype=torch.float64)
    got = prelude("floordiv_float64", a, b)
    nonzero = b != 0
    same(got[nonzero], want[nonzero])
    same(got[~nonzero], (a / b)[~nonzero])


@pytest.mark.parametrize("dtype", FLOATS)
def test_two_argument_functions(prelude: Prelude, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(8)
    special = torch.tensor(
        [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, math.inf, -math.inf, math.nan], dtype=dtype
    )
    pairs = torch.cartesian_prod(special, special)
    random = torch.randn(20_000, 2, dtype=dtype, generator=generator) * 4
    a, b = torch.cat([pairs, random]).unbind(1)
    a, b = a.contiguous(), b.contiguous()
    for name, f in {"pow": torch.pow, "atan2": torch.atan2, "hypot": torch.hypot}.items():
        bound = prelude.library_ulp if dtype == torch.float32 else 4
        assert ulp_error(prelude(f"{name}_{short(dtype)}", a, b), f(a.double(), b.double())).max() <= bound, (
            name
        )


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_operations_are_exact(prelude: Prelude, dtype: torch.dtype) -> None:
    a, b = every_kind_of_integer(dtype)
    t = short(dtype)
    for name, f in {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum,
        "minimum": torch.minimum, "and": torch.bitwise_and, "or": torch.bitwise_or, "xor": torch.bitwise_xor,
        "eq": torch.eq, "ne": torch.ne,
        "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
    }.items():  # fmt: skip
        same(prelude(f"{name}_{t}", a, b), f(a, b))
    for name, f in {"neg": torch.neg, "not": torch.bitwise_not, "sign": torch.sign, "abs": torch.abs}.items():
        same(prelude(f"{name}_{t}", a), f(a))
    bits = 8 * dtype.itemsize
    for got, count, value, left in zip(
        prelude(f"shl_{t}", a, b).tolist(),
        b.tolist(),
        a.tolist(),
        prelude(f"shr_{t}", a, b).tolist(),
        strict=True,
    ):
        inside = 0 <= count < bits
        assert (got - (value << count if inside else 0)) % (1 << bits) == 0
        assert left == (value >> count if inside else -1 if value < 0 else 0)
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    outcomes = {n: prelude(f"{n}_{t}", a, b).tolist() for n in ("truncdiv", "floordiv", "mod", "fmod")}
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        if y == 0:
            continue
        toward_zero = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        wrap = toward_zero if low <= toward_zero <= high else low
        floor = x // y if low <= x // y <= high else low
        assert outcomes["truncdiv"][i] == wrap
        assert outcomes["floordiv"][i] == floor
        assert outcomes["mod"][i] == x % y
        assert outcomes["fmod"][i] == x - toward_zero * y


def test_integer_division_by_zero_does_not_trap(prelude: Prelude) -> None:
    for dtype in INTEGERS:
        a = torch.arange(1, 40, dtype=dtype)
        for name in ("truncdiv", "floordiv", "mod", "fmod"):
            assert prelude(f"{name}_{short(dtype)}", a, torch.zeros_like(a)).tolist() == [0] * 39


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, torch.bool])
def test_casts(prelude: Prelude, source: torch.dtype) -> None:
    if source.is_floating_point:
        x = torch.cat(
            [
                torch.randn(997, dtype=source) * 50,
                torch.tensor([0.0, -0.0, 2.5, -2.5, 127.9, -128.0], dtype=source),
            ]
        )
    elif source == torch.bool:
        x = torch.rand(997) < 0.5
    else:
        x = every_kind_of_integer(source)[0]
    for target in (*FLOATS, *INTEGERS, torch.bool):
        kept = x.clamp(min=0) if target == torch.uint8 and source.is_floating_point else x
        same(prelude(f"cast_{short(source)}_{short(target)}", kept), kept.to(target))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_storage(prelude: Prelude, dtype: torch.dtype) -> None:
    every = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).view(dtype)
    same(prelude(f"widen_{short(dtype)}", every), every.float())
    x = every_kind_of_float(torch.float32)
    between = every.float() + (torch.roll(every, -1).float() - every.float()) / 2  # ties
    x = torch.cat([x, between, torch.randn(5000) * 1e-6, torch.randn(5000) * 60000])
    same(prelude(f"narrow_{short(dtype)}", x).float(), x.to(dtype).float())
    same(prelude(f"round_{short(dtype)}", x), x.to(dtype).float())


def test_masks(prelude: Prelude) -> None:
    a, b = torch.rand(101) < 0.5, torch.rand(101) < 0.5
    same(prelude("logic", a, b), ((a & ~b) | (a ^ b)) == (a != b))
    for dtype in (*FLOATS, *INTEGERS):
        values = torch.arange(101).to(dtype)
        same(prelude(f"where_{short(dtype)}", a, values), torch.where(a, values, -values))
    out = torch.zeros(2, dtype=torch.bool)
    for n, values, want in ((3, [1, 1, 1], [True, False]), (3, [0, 0, 0], [False, False])):
        prelude.raw("any_all", torch.tensor(values, dtype=torch.bool), n, out)
        assert out.tolist() == want
    prelude.raw("any_all", torch.ones(prelude.lanes, dtype=torch.bool), prelude.lanes, out)
    assert out.tolist() == [True, True]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool, torch.bfloat16, torch.float16])
def test_tails_touch_nothing_beyond(prelude: Prelude, dtype: torch.dtype) -> None:
    name = (
        f"widen_{short(dtype)}"
        if dtype in (torch.bfloat16, torch.float16)
        else f"cast_{short(dtype)}_{short(dtype)}"
    )
    kernel = KERNELS[name]
    for n in range(2 * prelude.lanes + 1):
        source = torch.ones(n, dtype=dtype)
        out = torch.full((n + 64,), 0, dtype=kernel.output)
        prelude.raw(name, source, out, n)
        assert out.tolist() == [1] * n + [0] * 64


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_indexed_access(prelude: Prelude, dtype: torch.dtype) -> None:
    base = torch.arange(100).to(dtype)
    at = torch.randint(0, 100, (45,), generator=torch.Generator().manual_seed(9))
    out = torch.empty(45, dtype=dtype)
    prelude.raw(f"gather_{short(dtype)}", base, at, out, 45)
    same(out, base[at])
    target = torch.zeros(100, dtype=dtype)
    prelude.raw(f"scatter_{short(dtype)}", target, at, out, 45)
    want = torch.zeros(100, dtype=dtype)
    for i, position in enumerate(at.tolist()):
        want[position] = out[i]
    same(target, want)
    spread = torch.zeros(100, dtype=dtype)
    prelude.raw(f"strided_{short(dtype)}", base, 3, spread, 33)
    assert torch.equal(spread[0:99:3], base[0:99:3])
    assert spread.count_nonzero() == base[0:99:3].count_nonzero()


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_horizontal_reductions(prelude: Prelude, dtype: torch.dtype) -> None:
    values = torch.arange(1, prelude.lanes + 1) % 5 + 1
    x, out = values.to(dtype), torch.zeros(8, dtype=dtype)
    prelude.raw(f"reduce_{short(dtype)}", x, out)
    want = [values.sum(), values.prod(), values.max(), values.min(), max(x[:2]), min(x[:2]), x[0], 5]
    assert out.tolist() == torch.stack([torch.as_tensor(v) for v in want]).to(dtype).tolist()
    if dtype.is_floating_point:
        for lane in range(prelude.lanes):
            x = values.to(dtype)
            x[lane] = math.nan
            prelude.raw(f"reduce_{short(dtype)}", x, out)
            assert out[:4].isnan().all(), lane


def test_scalar_code_rounds_as_vector_code(prelude: Prelude) -> None:
    one = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_float)(prelude.library.address("scalar_exp"))
    x = torch.randn(50)
    assert [one(v) for v in x.tolist()] == prelude("exp_float32", x).tolist()


def test_headers_need_no_cxx_standard_library() -> None:
    from torchport_reference.openmp_cpu.toolchain import PRELUDE

    allowed = {"stdint.h", "stdlib.h", "string.h", "immintrin.h"}
    for header in PRELUDE.glob("*.h"):
        assert set(re.findall(r"#include <(.*?)>", header.read_text())) <= allowed, header.name
