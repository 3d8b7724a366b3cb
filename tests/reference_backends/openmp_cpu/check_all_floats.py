"""Every float32 value through the prelude's own functions: prints the worst error of each in ulp, and where.

    python tests/reference_backends/openmp_cpu/check_all_floats.py [STEP] [FUNCTION ...]

takes some minutes on two cores. STEP > 1 takes every STEP-th bit pattern. test_prelude.py samples the same
functions under the same bounds. Exit code 1 when a bound is exceeded.
"""

from __future__ import annotations

import ctypes
import sys

from torchport_reference.openmp_cpu.kernel_store import load
from torchport_reference.openmp_cpu.toolchain import Toolchain

FUNCTIONS = {
    "exp": 1.05, "expm1": 1.7, "log": 0.85, "log1p": 1.5, "tanh": 1.1, "erf": 1.3, "sigmoid": 2.4,
    "sinh": 1.6, "cosh": 1.5, "asinh": 1.7, "acosh": 3.0,
}  # fmt: skip
"""Bounds in ulp by function."""

SOURCE = """
#include "tp.h"
#include <cmath>
using namespace tp;

static double sigmoid_exact(double x) { return 1 / (1 + std::exp(-x)); }

// Distance in ulp of the float nearest to the truth; 1e30 where a special value or a zero's sign differs.
static double distance(float got, double want) {
  float nearest_float = (float)want;
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e30;
  if (std::isinf(nearest_float)) return got == nearest_float || std::fabs(got) == 0x1.fffffep127f ? 0 : 1e30;
  if (std::isnan(got)) return 1e30;
  if (std::isinf(got)) return std::fabs(nearest_float) == 0x1.fffffep127f ? 1 : 1e30;
  if (nearest_float == 0 && got == 0) return std::signbit(nearest_float) == std::signbit(got) ? 0 : 1e30;
  int exponent;
  std::frexp(nearest_float, &exponent);
  return std::fabs((double)got - want) / std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

template <class F, class G>
static void check(F f, G exact, int64_t step, double* worst, float* at) {
#pragma omp parallel
  {
    double w = 0;
    float a = 0;
#pragma omp for schedule(dynamic, 4096)
    for (int64_t b = 0; b < int64_t(1) << 32; b += lanes * step) {
      float x[lanes], y[lanes];
      for (int i = 0; i < lanes; ++i) x[i] = tp::bitcast<float>(uint32_t(b + i * step));
      store(y, f(load(x)));
      for (int i = 0; i < lanes; ++i) {
        double d = distance(y[i], exact((double)x[i]));
        if (d > w) w = d, a = x[i];
      }
    }
#pragma omp critical
    if (w > *worst) *worst = w, *at = a;
  }
}
"""


def entry(name: str) -> str:
    """The exported checker of one function."""
    exact = "sigmoid_exact" if name == "sigmoid" else f"std::{name}"
    return (
        f'extern "C" __attribute__((visibility("default")))\n'
        f"void check_{name}(int64_t step, double* worst, float* at) {{\n"
        f"  auto ours = [](vec<float> x) {{ return tp::{name}(x); }};\n"
        f"  check(ours, [](double x) {{ return {exact}(x); }}, step, worst, at);\n}}\n"
    )


def main(arguments: list[str]) -> int:
    """Checks the named functions, all of them by default."""
    step = int(arguments[0]) if arguments else 1
    library = load(Toolchain.find().build(SOURCE + "".join(map(entry, FUNCTIONS))))
    exceeded = False
    for name in arguments[1:] or FUNCTIONS:
        worst, at = ctypes.c_double(0), ctypes.c_float(0)
        checker = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
        checker(library.address(f"check_{name}"))(step, ctypes.addressof(worst), ctypes.addressof(at))
        sys.stdout.write(f"{name:8} {worst.value:.3f} ulp at {at.value.hex()}, bound {FUNCTIONS[name]}\n")
        sys.stdout.flush()
        exceeded |= worst.value > FUNCTIONS[name]
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
