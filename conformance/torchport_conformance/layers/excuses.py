"""What is PyTorch's own: how results say it, and how messages of two compilers are compared."""

from __future__ import annotations

import re

REFUSED = "refused by PyTorch"
"""The cause of a call that PyTorch refuses, so that no backend is asked."""
UNDECLARED = "as PyTorch, undeclared"
"""Beginning of the cause of a failure that ``aot_eager`` shares, and that no declaration names."""
_COMPILER = re.compile(r"backend='[^']*'|backend=<[^>]*>|<eval_with_key>\.\d+")


def anonymous(message: str) -> str:
    """A message of PyTorch without the name of the compiler and the number of its generated code."""
    return _COMPILER.sub("backend", message)
