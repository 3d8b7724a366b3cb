"""Python processes that a case starts: what they are given lies in a file, since a command line is short.

Linux takes at most 128 KiB for one argument. The search path of a worker, or a backend that holds tables, can
be longer than that, and may grow while a worker runs.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any

_START = """
import pickle, sys
with open(sys.argv[1], "rb") as file:
    sys.path[:] = dict.fromkeys([*pickle.load(file), *sys.path])
    given = pickle.load(file)
"""


def python_command(script: str, given: Any, folder: str) -> list[str]:
    """The command of a process that runs ``script``, with ``given`` in a variable of that name.

    It finds the modules that this process finds. Arguments that are added are ``sys.argv[2:]``.

    Args:
        script: Python source.
        given: anything that can be pickled.
        folder: an existing folder, which must be there until the process has ended.
    """
    file = Path(folder) / "given"
    paths = [*dict.fromkeys(p or os.getcwd() for p in sys.path)]
    file.write_bytes(pickle.dumps(paths) + pickle.dumps(given))
    return [sys.executable, "-W", "ignore", "-c", _START + script, str(file)]
