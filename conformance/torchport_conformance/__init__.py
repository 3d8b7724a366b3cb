"""Conformance suite for torchport backends: cases from the contract, judged in float64, in isolated
processes.

Names are loaded on first use; ``__init__.pyi`` is the list of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
