"""Random graphs of what a backend claims: judged by propagated bounds, cut down when they fail, replayed.

``run(backend, graphs=100, seed=0)`` and ``replay(backend, seed, index)``.
"""

from torchport_conformance.fuzz.run import Found, FuzzReport, replay, run
from torchport_conformance.fuzz.trial import Outcome

__all__ = ["Found", "FuzzReport", "Outcome", "replay", "run"]
