"""Special functions against independent values (mpmath, 30 digits): PyTorch's own float64 is no reference for
some of them. Errors are in spacings of the dtype at 1 or at the value, whichever is larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest
import torch

from torchport.contract.decompositions import chebyshev, special, special_tables
from torchport.contract.term_sizes import term_sizes
from torchport.errors import ContractError
from torchport.tools import special_tables as generator


def spread(low: float, high: float) -> torch.Tensor:
    """60 points in [low, high], more of them near 0."""
    t = torch.linspace(0, 1, 60, dtype=torch.float64)
    return low + (high - low) * t * t


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any], tuple[float, float], float]] = {
    "i0": (special.i0, lambda x: mp.besseli(0, x), (0.0, 80.0), 4),
    "i0e": (special.i0e, lambda x: mp.exp(-x) * mp.besseli(0, x), (0.0, 200.0), 3),
    "i1": (special.i1, lambda x: mp.besseli(1, x), (0.0, 80.0), 4),
    "i1e": (special.i1e, lambda x: mp.exp(-x) * mp.besseli(1, x), (0.0, 200.0), 3),
    "k0": (special.k0, lambda x: mp.besselk(0, x), (1e-6, 60.0), 4),
    "k1": (special.k1, lambda x: mp.besselk(1, x), (1e-3, 60.0), 4),
    "scaled_k0": (special.scaled_k0, lambda x: mp.exp(x) * mp.besselk(0, x), (1e-6, 500.0), 4),
    "scaled_k1": (special.scaled_k1, lambda x: mp.exp(x) * mp.besselk(1, x), (1e-3, 500.0), 4),
    "bessel_j0": (special.bessel_j0, lambda x: mp.besselj(0, x), (0.0, 40.0), 2),
    "bessel_j1": (special.bessel_j1, lambda x: mp.besselj(1, x), (0.0, 40.0), 2),
    "bessel_y0": (special.bessel_y0, lambda x: mp.bessely(0, x), (1e-6, 40.0), 3),
    "bessel_y1": (special.bessel_y1, lambda x: mp.bessely(1, x), (1e-3, 40.0), 3),
    "spherical_bessel_j0": (special.spherical_bessel_j0, lambda x: mp.sinc(x), (0.0, 40.0), 2),
    "airy_ai": (special.airy_ai, mp.airyai, (0.0, 8.0), 2),
    "airy_ai of negative arguments": (special.airy_ai, mp.airyai, (-20.0, 0.0), 16),
    "entr": (special.entr, lambda x: -x * mp.log(x) if x else mp.mpf(0), (0.0, 9.0), 2),
    "log_ndtr": (special.log_ndtr, lambda x: mp.log(mp.ncdf(x)), (-30.0, 3.0), 3),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_accurate(name: str, dtype: torch.dtype) -> None:
    ours, exact, (low, high), allowed = FUNCTIONS[name]
    x = spread(low, high).to(dtype)
    eps = torch.finfo(dtype).eps
    with mp.workdps(30):
        for point, got in zip(x.tolist(), ours(x).tolist(), strict=True):
            truth = exact(mp.mpf(point))
            error = float(abs(mp.mpf(got) - truth) / (max(1, abs(truth)) * eps))
            assert error <= allowed, f"{name}({point}) = {got}, off by {error:.2f} eps"


def test_scaled_functions_are_accurate_relative_to_their_value() -> None:
    x = spread(1e-3, 300.0)
    with mp.workdps(30):
        for function, exact in (
            (special.i0e, lambda v: mp.exp(-v) * mp.besseli(0, v)),
            (special.i1e, lambda v: mp.exp(-v) * mp.besseli(1, v)),
            (special.scaled_k0, lambda v: mp.exp(v) * mp.besselk(0, v)),
            (special.scaled_k1, lambda v: mp.exp(v) * mp.besselk(1, v)),
        ):
            for point, got in zip(x.tolist(), function(x).tolist(), strict=True):
                assert abs(mp.mpf(got) / exact(mp.mpf(point)) - 1) <= 8 * 2.0**-52, (function, point)


def test_values_at_the_ends() -> None:
    inf, nan = math.inf, math.nan
    x = torch.tensor([0.0, -1.0, inf, -inf, nan], dtype=torch.float64)
    expected = {
        special.bessel_j0: [1.0, float(mp.besselj(0, 1)), nan, nan, nan],
        special.bessel_j1: [0.0, -float(mp.besselj(1, 1)), nan, nan, nan],
        special.bessel_y0: [-inf, nan, nan, nan, nan],
        special.bessel_y1: [-inf, nan, nan, nan, nan],
        special.k0: [inf, nan, 0.0, nan, nan],
        special.k1: [inf, nan, 0.0, nan, nan],
        special.scaled_k0: [inf, nan, 0.0, nan, nan],
        special.scaled_k1: [inf, nan, 0.0, nan, nan],
        special.i0e: [1.0, float(mp.besseli(0, 1) / mp.e), 0.0, 0.0, nan],
        special.i1e: [0.0, -float(mp.besseli(1, 1) / mp.e), 0.0, -0.0, nan],
        special.spherical_bessel_j0: [1.0, math.sin(1.0), 0.0, 0.0, nan],
        special.entr: [0.0, -inf, -inf, -inf, nan],
        special.log_ndtr: [-math.log(2.0), float(mp.log(mp.ncdf(-1))), 0.0, -inf, nan],
    }
    for function, values in expected.items():
        torch.testing.assert_close(
            function(x), torch.tensor(values, dtype=torch.float64), rtol=1e-14, atol=0, equal_nan=True
        )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_polygamma(n: int) -> None:
    x = torch.tensor([0.1, 0.5, 1.0, 3.7, 20.0], dtype=torch.float64)
    truth = torch.tensor([float(mp.polygamma(n, v)) for v in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(special.polygamma(n, x), truth, rtol=1e-13, atol=0)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("kind", list("tuvw"))
def test_chebyshev_polynomials(kind: str, shifted: bool) -> None:
    """Against ratios of the defining cosines and sines, with complex angles, in 30 digits."""

    def exact(x: Any, n: int) -> Any:
        x = 2 * x - 1 if shifted else x
        with mp.workdps(60):
            theta = mp.acos(x + mp.mpf(10) ** -40)
            ratio = {
                "t": lambda: mp.cos(n * theta),
                "u": lambda: mp.sin((n + 1) * theta) / mp.sin(theta),
                "v": lambda: mp.cos((n + mp.mpf(0.5)) * theta) / mp.cos(theta / 2),
                "w": lambda: mp.sin((n + mp.mpf(0.5)) * theta) / mp.sin(theta / 2),
            }[kind]()
        return mp.re(ratio)

    function = chebyshev.chebyshev(kind, shifted=shifted)
    points = torch.tensor(
        [-1.75, -1.0, -0.875, -0.25, 0.0, 0.375, 0.75, 1.0, 1.125, 2.5], dtype=torch.float64
    )
    for n in (0, 1, 2, 5, 12, 13, 14, 25):
        got = function(points, torch.full_like(points, n))
        for x, y in zip(points.tolist(), got.tolist(), strict=True):
            truth = exact(mp.mpf(x), n)
            assert abs(mp.mpf(y) - truth) <= 2.0**-45 * max(1, abs(truth)), (kind, n, x, y, truth)
    assert function(points, -1).tolist() == [0.0] * len(points)
    assert torch.equal(function(points, 3.9), function(points, 3))


def test_what_overflows_is_infinite() -> None:
    x = torch.tensor([1e30, -1e30])
    for kind in "tuvw":
        value = chebyshev.chebyshev(kind)(x, 3)
        assert value.tolist() == [math.inf, -math.inf]
        assert (
            chebyshev.chebyshev(kind)(x, 1)[0] == torch.tensor([1e30, -1e30]).mul(1 if kind == "t" else 2)[0]
        )
    assert special.airy_ai(torch.tensor([-1e38])).isfinite().all()


def test_sizes_of_terms() -> None:
    """H_4 is 16 x^4 - 48 x² + 12 and He_3 is x³ - 3 x."""
    x = torch.tensor([0.5, -2.0])
    sizes = term_sizes("aten.special_hermite_polynomial_h.default", {"x": x, "n": 4.0})
    assert sizes.tolist() == [1.0 + 12.0 + 12.0, 256.0 + 192.0 + 12.0]
    assert term_sizes("aten.special_hermite_polynomial_he.n_scalar", {"x": x, "n": 3}).tolist() == [
        1.625,
        14.0,
    ]
    with pytest.raises(ContractError):
        term_sizes("aten.exp.default", {"x": x, "n": 3})


def test_tables_are_the_functions_they_are_named_after() -> None:
    with mp.workdps(generator.DIGITS):
        for name, (_, function) in generator.functions().items():
            table = getattr(special_tables, name)
            scale = sum(abs(c) for c in table)
            for t in (-0.9375, 0.125, 1.0):
                value = sum(mp.mpf(c) * mp.mpf(t) ** k for k, c in enumerate(table))
                assert abs(value - function(mp.mpf(t))) <= 2.0**-52 * scale, (name, t)


def test_a_table_is_computed_anew() -> None:
    with mp.workdps(generator.DIGITS):
        _, function = generator.functions()["K1_LOG"]
        assert tuple(float(c) for c in generator.polynomial(function)) == special_tables.K1_LOG
