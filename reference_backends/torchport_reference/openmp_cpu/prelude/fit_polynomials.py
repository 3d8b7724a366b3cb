"""Makes the polynomial coefficients of functions.h. Run it to see them with their errors.

Each is a minimax fit: weighted least squares on Chebyshev nodes against 40-digit values, the weights
multiplied by the error after every solve (C. L. Lawson's iteration), so that the largest relative error of
the function falls. The coefficients are then rounded to float32, and the error is taken again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy

mpmath.mp.dps = 40
NODES, ITERATIONS = 600, 60
Function = Callable[[mpmath.mpf], mpmath.mpf]


@dataclass(frozen=True)
class Fit:
    """``target(x)`` by a polynomial in ``variable(x)`` on [low, high].

    ``weight(x)`` turns an error of the polynomial into a relative error of the function it serves.
    """

    name: str
    target: Function
    weight: Function
    low: float
    high: float
    degree: int
    squared: bool = False

    def solve(self) -> tuple[list[float], float, float]:
        """Float32 coefficients from the constant up, and the largest error before and after rounding them."""
        angles = numpy.pi * (numpy.arange(NODES) + 0.5) / NODES
        points = self.low + (self.high - self.low) * (1 - numpy.cos(angles)) / 2
        values = numpy.array([float(self.target(mpmath.mpf(x))) for x in points])
        weights = numpy.array([float(self.weight(mpmath.mpf(x))) for x in points])
        variable = points**2 if self.squared else points
        scale = numpy.abs(variable).max()
        matrix = numpy.vander(variable / scale, self.degree + 1, increasing=True)
        emphasis = numpy.full(NODES, 1.0 / NODES)
        best_error, best = numpy.inf, numpy.zeros(self.degree + 1)
        for _ in range(ITERATIONS):
            rows = numpy.sqrt(emphasis) * weights
            solution = numpy.linalg.lstsq(matrix * rows[:, None], values * rows, rcond=None)[0]
            errors = numpy.abs((matrix @ solution - values) * weights)
            if errors.max() < best_error:
                best_error, best = errors.max(), solution
            emphasis *= errors
            emphasis /= emphasis.sum()
        rounded = numpy.float32(best / scale ** numpy.arange(self.degree + 1))
        powers = numpy.vander(variable, self.degree + 1, increasing=True)
        after = numpy.abs((powers @ rounded.astype(float) - values) * weights).max()
        return [float(c) for c in rounded], float(best_error), float(after)


HALF_LN2 = float(mpmath.log(2)) / 2 * 1.0005
FITS = (
    Fit(
        "exp: (e^r - 1 - r) / r^2",
        lambda r: (mpmath.exp(r) - 1 - r) / r**2,
        lambda r: r**2,
        -HALF_LN2,
        HALF_LN2,
        4,
    ),
    Fit(
        "log: (log(1 + f) - f + f^2 / 2) / f^3",
        lambda f: (mpmath.log(1 + f) - f + f**2 / 2) / f**3,
        lambda f: abs(f**3 / mpmath.log(1 + f)),
        float(mpmath.sqrt(0.5)) - 1,
        float(mpmath.sqrt(2)) - 1,
        8,
    ),
    Fit(
        "tanh: (tanh(x) / x - 1) / x^2, in x^2",
        lambda x: (mpmath.tanh(x) / x - 1) / x**2,
        lambda x: x**3 / mpmath.tanh(x),
        1e-3,
        0.75,
        5,
        squared=True,
    ),
    Fit(
        "sinh: (sinh(x) / x - 1) / x^2, in x^2",
        lambda x: (mpmath.sinh(x) / x - 1) / x**2,
        lambda x: x**3 / mpmath.sinh(x),
        1e-2,
        1.0,
        3,
        squared=True,
    ),
    Fit(
        "erf near 0: erf(x) / x - 1, in x^2",
        lambda x: mpmath.erf(x) / x - 1,
        lambda x: x / mpmath.erf(x),
        1e-3,
        1.0,
        6,
        squared=True,
    ),
    Fit(
        "erf beyond 1: log(erfc(x))",
        lambda x: mpmath.log(mpmath.erfc(x)),
        mpmath.erfc,
        1.0,
        3.95,
        6,
    ),
)


def main() -> None:
    """Writes every fit."""
    for fit in FITS:
        coefficients, exact, rounded = fit.solve()
        errors = f"error 2^{numpy.log2(exact):.2f}, with float32 coefficients 2^{numpy.log2(rounded):.2f}"
        sys.stdout.write(f"{fit.name}\n  {errors}\n  {', '.join(c.hex() for c in coefficients)}\n")


if __name__ == "__main__":
    main()
