"""The backends with planted faults can be imported by tests, and by worker processes, which get the parent's
``sys.path``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
