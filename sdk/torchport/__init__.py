"""torchport: the vendor backend integration SDK for PyTorch 2.

``import torchport as tp`` gives the whole public API. Names are loaded on first use, so that the command line
starts without importing PyTorch; ``__init__.pyi`` is the list of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
