"""Compiles by ``torch.compile`` that know nothing of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch._dynamo
import torch._dynamo.guards

_LATENCY = "profile_guard_manager"
"""By which Dynamo measures, after each compile, how long its guards take: it empties the processor's caches
first, and that takes as long as a fifth of compiling a small graph. The figure goes to its own statistics.
"""


@contextmanager
def fresh_dynamo(**settings: Any) -> Iterator[None]:
    """Compiles inside know nothing of earlier ones, and leave nothing to later ones.

    Args:
        settings: of ``torch._dynamo.config``, inside.
    """
    torch._dynamo.reset()
    with ExitStack() as inside:
        inside.callback(torch._dynamo.reset)
        inside.enter_context(torch._dynamo.config.patch(**settings))
        if hasattr(torch._dynamo.guards, _LATENCY):
            inside.enter_context(mock.patch.object(torch._dynamo.guards, _LATENCY, lambda *_: 0.0))
        yield
