"""The suite's own test: faults planted into right kernels, and which cases find them.

Names are loaded on first use; ``__init__.pyi`` is the list of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
