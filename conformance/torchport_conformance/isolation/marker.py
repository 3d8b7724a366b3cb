"""Which case a worker is at, in memory that its parent can read after the worker is dead.

Plain memory costs nothing per case, and survives a backend that closes every descriptor it finds.
"""

from __future__ import annotations

import mmap
import struct

from torchport_conformance.stages import Stage

_FORMAT = struct.Struct("<II")


class Marker:
    """A case's index in the messages of its worker, and its stage."""

    size = _FORMAT.size

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, self.size)

    def set(self, index: int, stage: Stage) -> None:
        """Where the worker is now."""
        _FORMAT.pack_into(self._memory, 0, index, stage)

    def get(self) -> tuple[int, Stage]:
        """Where the worker is, or was; for a value that means nothing the stage is unknown."""
        index, stage = _FORMAT.unpack_from(self._memory, 0)
        return index, Stage(stage) if stage in tuple(Stage) else Stage.UNKNOWN

    def close(self) -> None:
        """Unmaps the memory."""
        self._memory.close()
