"""Closure of the contract over PyTorch's own operator tests: ``torchport opset closure``."""

from torchport.tools.closure.report import ClosureReport, Excluded, Open
from torchport.tools.closure.runner import closure, entry_names

__all__ = ["ClosureReport", "Excluded", "Open", "closure", "entry_names"]
