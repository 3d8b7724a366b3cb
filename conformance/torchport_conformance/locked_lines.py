"""A file of JSON objects, one a line, that only grows, and that one run at a time writes to."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torchport.errors import OptionError


class LockedLines:
    """An open file of lines, which no other run may write to until it is closed.

    A line is safe from the end of this process as soon as it is written, and from the end of the machine once
    it is :meth:`sync`-ed.

    Args:
        path: the file; its folder is made.
        head: the first line of a file that is begun anew.
        resume: reads what the file holds, and returns how many bytes of it are kept; None to begin it anew,
            as is done with an empty file.

    Raises:
        OptionError: another run is writing to it. What ``resume`` raises is raised too; the file is as it
            was.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], resume: Callable[[], int] | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            self._file = stack.enter_context(path.open("ab", buffering=0))
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OptionError("another run is writing to the journal", got=str(path)) from error
            if resume is not None and path.stat().st_size:
                self._file.truncate(resume())
            else:
                self._file.truncate(0)
                self.write(head)
            stack.pop_all()

    def write(self, entry: Mapping[str, Any]) -> None:
        """Appends a line."""
        self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")

    def sync(self) -> None:
        """Waits until what was written is on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Closes the file; another run may write to it then."""
        self._file.close()


def whole_lines(data: bytes) -> tuple[list[bytes], int]:
    """The lines of a file that were written to their end, and where the last of them ends, in bytes."""
    length = data.rfind(b"\n") + 1
    return data[:length].splitlines(), length
