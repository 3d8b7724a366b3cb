"""Benchmarks of a backend against its rivals, in one interleaved run.

:func:`run_bench` is what ``torchport bench`` calls.
"""

from torchport.tools.bench.cases import SUITES, Case
from torchport.tools.bench.report import BenchReport, CaseResult, Measurement
from torchport.tools.bench.runner import run_bench

__all__ = ["SUITES", "BenchReport", "Case", "CaseResult", "Measurement", "run_bench"]
