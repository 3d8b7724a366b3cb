"""Computes the polynomials of :mod:`torchport.contract.decompositions.special_tables`.

Usage:
    python -m torchport.tools.special_tables > sdk/torchport/contract/decompositions/special_tables.py

Each table approximates a smooth function on an interval: what is left of a special function after its
singular, exponential or oscillating factor is taken out. It is interpolated at the Chebyshev points
with 50 digits, at the lowest degree whose last Chebyshev coefficients are below 2^-56 of the largest, and
rewritten in powers of t in [-1, 1] (Trefethen, *Approximation Theory and Approximation Practice*, chapters
3 and 4). The functions and their relations are those of the NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mpmath as mp  # type: ignore[import-untyped]

DIGITS = 50
NEGLIGIBLE = mp.mpf(2) ** -56
Function = Callable[[Any], Any]


def chebyshev(f: Function, degree: int) -> list[Any]:
    """Chebyshev coefficients of the interpolant of ``f`` on [-1, 1] at ``degree + 1`` points."""
    n = degree + 1
    angles = [mp.pi * (2 * j + 1) / (2 * n) for j in range(n)]
    values = [f(mp.cos(a)) for a in angles]
    found = [
        2 * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True)) / n for k in range(n)
    ]
    found[0] /= 2
    return found


def powers(coefficients: list[Any]) -> list[Any]:
    """The same polynomial in powers of t, the lowest first."""
    total = [mp.mpf(0)] * len(coefficients)
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for k, c in enumerate(coefficients):
        basis = before if k == 0 else current
        if k > 1:
            following = [mp.mpf(0), *(2 * b for b in current)]
            for i, b in enumerate(before):
                following[i] -= b
            before, current = current, following
            basis = current
        for i, b in enumerate(basis):
            total[i] += c * b
    return total


def polynomial(f: Function) -> list[Any]:
    """Coefficients in powers of t of the shortest interpolant that is exact to double precision."""
    probe = chebyshev(f, 60)
    largest = max(abs(c) for c in probe)
    degree = max(k for k, c in enumerate(probe) if abs(c) > NEGLIGIBLE * largest)
    return powers(chebyshev(f, degree))


def on(low: float, high: float, f: Function) -> Function:
    """``f`` on [low, high], as a function of t in [-1, 1]."""
    return lambda t: f(mp.mpf(low) + (mp.mpf(high) - low) * (t + 1) / 2)


def _in_square(top: float, f: Function) -> Function:
    """``f(x)`` for 0 <= x <= top as a function of t, x² = top² (t + 1) / 2."""
    return lambda t: f(top * mp.sqrt((t + 1) / 2))


def _phase(order: int) -> tuple[Function, Function]:
    """P and Q of DLMF 10.17.3: √(πx/2) (J cos θ + Y sin θ) and √(πx/2) (Y cos θ - J sin θ), times x."""

    def theta(x: Any) -> Any:
        return x - mp.pi * (2 * order + 1) / 4

    def p(x: Any) -> Any:
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        return mp.sqrt(mp.pi * x / 2) * (j * mp.cos(theta(x)) + y * mp.sin(theta(x)))

    def q(x: Any) -> Any:
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        return x * mp.sqrt(mp.pi * x / 2) * (y * mp.cos(theta(x)) - j * mp.sin(theta(x)))

    return p, q


def _airy_phase() -> tuple[Function, Function]:
    """The factors of cos and sin of ζ - π/4 in DLMF 9.7.9, the second times ζ, of z = -x."""

    def both(z: Any) -> tuple[Any, Any]:
        zeta = 2 * mp.sqrt(z) ** 3 / 3
        scale = mp.sqrt(mp.pi) * mp.sqrt(mp.sqrt(z))
        a, b = scale * mp.airyai(-z), scale * mp.airybi(-z)
        # Ai = (C f + S g) / scale and Bi = (-S f + C g) / scale for C, S = cos, sin of ζ - π/4.
        c, s = mp.cos(zeta - mp.pi / 4), mp.sin(zeta - mp.pi / 4)
        return c * a - s * b, (s * a + c * b) * zeta

    return (lambda z: both(z)[0]), (lambda z: both(z)[1])


def functions() -> dict[str, tuple[str, Function]]:
    """The function behind each table, of t in [-1, 1], with what it is in words."""
    pi = mp.pi
    far = mp.mpf(10) ** 40

    def inverse(top: float, f: Function) -> Function:
        """``f(x)`` for x >= top as a function of t, top / x = (t + 1) / 2."""
        return lambda t: f(2 * top / max(t + 1, 2 * top / far))

    def inverse_square(top: float, f: Function) -> Function:
        return lambda t: f(top / mp.sqrt((t + 1) / 2))

    def inverse_power(top: float, power: Any, f: Function) -> Function:
        """``f(x)`` for x >= top as a function of t, (top / x)^power = (t + 1) / 2."""
        return lambda t: f(top / ((t + 1) / 2) ** (1 / mp.mpf(power)))

    def scaled_i(order: int) -> Function:
        return lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    def scaled_k(order: int) -> Function:
        return lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(order, x)

    def ratio_i1(x: Any) -> Any:
        return mp.besseli(1, x) / x

    def rest_j(order: int) -> Function:
        first, second = zeros(order)
        return lambda x: mp.besselj(order, x) / (x**order * (x * x - first) * (x * x - second))

    def rest_y0(x: Any) -> Any:
        return mp.bessely(0, x) - 2 / pi * mp.log(x / 2) * mp.besselj(0, x)

    def rest_y1(x: Any) -> Any:
        return (mp.bessely(1, x) - 2 / pi * (mp.log(x / 2) * mp.besselj(1, x) - 1 / x)) / x

    def airy_decay(x: Any) -> Any:
        return 2 * mp.sqrt(pi) * mp.sqrt(mp.sqrt(x)) * mp.exp(2 * mp.sqrt(x) ** 3 / 3) * mp.airyai(x)

    p0, q0 = _phase(0)
    p1, q1 = _phase(1)
    cosine, sine = _airy_phase()
    return {
        "I0_NEAR": ("exp(-x) I0(x), x = 4 (t + 1)", on(0, 8, lambda x: mp.exp(-x) * mp.besseli(0, x))),
        "I0_FAR": ("sqrt(x) exp(-x) I0(x), 8 / x = (t + 1) / 2", inverse(8, scaled_i(0))),
        "I1_NEAR": ("exp(-x) I1(x) / x, x = 4 (t + 1)", on(0, 8, lambda x: mp.exp(-x) * ratio_i1(x))),
        "I1_FAR": ("sqrt(x) exp(-x) I1(x), 8 / x = (t + 1) / 2", inverse(8, scaled_i(1))),
        "K0_LOG": ("I0(x), x² = 2 (t + 1)", _in_square(2, lambda x: mp.besseli(0, x))),
        "K0_REST": (
            "K0(x) + log(x / 2) I0(x), x² = 2 (t + 1)",
            _in_square(2, lambda x: mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)),
        ),
        "K0_FAR": ("sqrt(x) exp(x) K0(x), 2 / x = (t + 1) / 2", inverse(2, scaled_k(0))),
        "K1_LOG": ("I1(x) / x, x² = 2 (t + 1)", _in_square(2, ratio_i1)),
        "K1_REST": (
            "x (K1(x) - log(x / 2) I1(x)), x² = 2 (t + 1)",
            _in_square(2, lambda x: x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))),
        ),
        "K1_FAR": ("sqrt(x) exp(x) K1(x), 2 / x = (t + 1) / 2", inverse(2, scaled_k(1))),
        "J0_NEAR": (
            "J0(x) over its first two zeros in x², x² = 12.5 (t + 1)",
            _in_square(5, rest_j(0)),
        ),
        "J1_NEAR": (
            "J1(x) / x over its first two zeros, x² = 12.5 (t + 1)",
            _in_square(5, rest_j(1)),
        ),
        "Y0_REST": ("Y0(x) - (2/π) log(x / 2) J0(x), x² = 12.5 (t + 1)", _in_square(5, rest_y0)),
        "Y1_REST": (
            "(Y1(x) - (2/π) (log(x / 2) J1(x) - 1/x)) / x, x² = 12.5 (t + 1)",
            _in_square(5, rest_y1),
        ),
        "P0_FAR": ("P of order 0, (5 / x)² = (t + 1) / 2", inverse_square(5, p0)),
        "Q0_FAR": ("x Q of order 0, (5 / x)² = (t + 1) / 2", inverse_square(5, q0)),
        "P1_FAR": ("P of order 1, (5 / x)² = (t + 1) / 2", inverse_square(5, p1)),
        "Q1_FAR": ("x Q of order 1, (5 / x)² = (t + 1) / 2", inverse_square(5, q1)),
        "AIRY_POSITIVE": ("Ai(x), x = t + 1", on(0, 2, mp.airyai)),
        "AIRY_NEGATIVE": ("Ai(x), x = 2 (t - 1)", on(-4, 0, mp.airyai)),
        "AIRY_DECAY": (
            "2 √π x^(1/4) exp(ζ) Ai(x), (2 / x)^(3/2) = (t + 1) / 2",
            inverse_power(2, mp.mpf(3) / 2, airy_decay),
        ),
        "AIRY_COSINE": (
            "factor of cos(ζ - π/4) in Ai(-z), (4 / z)³ = (t + 1) / 2",
            inverse_power(4, 3, cosine),
        ),
        "AIRY_SINE": (
            "ζ times the factor of sin(ζ - π/4), (4 / z)³ = (t + 1) / 2",
            inverse_power(4, 3, sine),
        ),
    }


def zeros(order: int) -> list[Any]:
    """Squares of the first two positive zeros of J0 or J1."""
    return [mp.besseljzero(order, k) ** 2 for k in (1, 2)]


def tables() -> dict[str, tuple[str, list[Any]]]:
    """Name, what it approximates and coefficients of every table."""
    found = {name: (text, polynomial(f)) for name, (text, f) in functions().items()}
    for order in (0, 1):
        found[f"J{order}_ZEROS"] = (f"squares of the first two positive zeros of J{order}", zeros(order))
    return found


def module_text() -> str:
    """The text of the module of tables."""
    lines = [
        '"""Polynomials of the special functions, in powers of t in [-1, 1], the constant first.',
        "",
        "Generated by ``python -m torchport.tools.special_tables``, which says how.",
        '"""',
        "",
        "from __future__ import annotations",
    ]
    with mp.workdps(DIGITS):
        for name, (text, coefficients) in tables().items():
            lines += ["", f"{name} = (", *(f"    {float(c)!r}," for c in coefficients), ")", f'"""{text}."""']
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(module_text())
