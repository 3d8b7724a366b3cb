"""``torchport minify``: from a model that crashes or is wrong on a backend to the few nodes that show it.

In the order of use: :mod:`recording` runs the program in eager PyTorch and keeps its graphs and tensors,
:mod:`candidate` makes smaller graphs of them, :mod:`subject` runs one on the backend, :mod:`rule` judges its
results, :mod:`isolation` does both in another process, :mod:`reduce` and :mod:`simplify` search,
:mod:`script` writes what is left, :mod:`minifier` holds it together.
"""

from torchport.tools.minify.checking import fault_of
from torchport.tools.minify.minifier import Minified, Progress, minify

__all__ = ["Minified", "Progress", "fault_of", "minify"]
