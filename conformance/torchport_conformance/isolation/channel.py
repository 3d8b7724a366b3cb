"""Messages between a parent and a worker, over a stream socket: four bytes of length, then a pickle.

A worker is not trusted to write whole messages: its backend may have written into the socket, or stopped the
process halfway. The parent never waits for the rest of one.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!I")
_LARGEST = 2**28
_READ = 2**20


class Garbled(Exception):
    """What arrived is no message."""


class Channel:
    """One end of the socket."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._buffer = bytearray()

    def fileno(self) -> int:
        """The socket's descriptor, for ``select``."""
        return self._stream.fileno()

    def send(self, message: Any) -> None:
        """Sends a message.

        Raises:
            OSError: the other end is gone, or does not read within the socket's timeout.
        """
        data = pickle.dumps(message)
        self._stream.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self) -> Any:
        """Waits for a message.

        Raises:
            EOFError: the other end is closed.
        """
        while True:
            for message in self._complete(limit=1):
                return message
            self._read()

    def arrived(self) -> list[Any]:
        """The messages that are complete by now; to be called when the socket can be read.

        Raises:
            EOFError: the other end is closed, and no message is left.
            Garbled: something else than messages arrived.
        """
        try:
            self._read()
        except EOFError:
            left = self._complete()
            if not left:
                raise
            return left
        return self._complete()

    def _read(self) -> None:
        try:
            data = self._stream.recv(_READ)
        except ConnectionResetError:
            data = b""
        if not data:
            raise EOFError
        self._buffer += data

    def _complete(self, limit: int | None = None) -> list[Any]:
        found: list[Any] = []
        while len(self._buffer) >= _LENGTH.size and len(found) != limit:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > _LARGEST:
                raise Garbled(f"a message of {length} bytes")
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                break
            data = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            try:
                found.append(pickle.loads(data))
            except Exception as error:
                raise Garbled(f"{type(error).__name__}: {error}") from error
        return found

    def close(self) -> None:
        """Closes this end."""
        self._stream.close()
