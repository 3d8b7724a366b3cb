"""Entries on disk under everything that can happen to them: damage, forgery, full disks, killed writers,
other users, clocks, growth. None of it is an error.
"""

from __future__ import annotations

import errno
import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from torchport.compile import store as store_module
from torchport.compile.store import MAGIC, Store, cache_limit, files_of, sealed

BODY = bytes(range(256)) * 3
NAME = "ab" * 32


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def kept(store: Store) -> Path:
    assert store.put("graphs", NAME, BODY)
    return store.path("graphs", NAME)


def test_round_trip_is_private(store: Store) -> None:
    assert store.get("graphs", NAME) is None and not store.root.exists()
    path = kept(store)
    assert store.get("graphs", NAME) == BODY and not store.failures
    assert store.get("artifacts", NAME) is None and store.names("graphs", "ab") == [NAME]
    for file, _, _ in files_of(store.root):
        assert file.stat().st_mode & 0o077 == 0
    assert store.root.stat().st_mode & 0o077 == 0
    assert [p.name for p in path.parent.iterdir()] == [NAME]


def test_a_change_of_any_byte_is_seen(store: Store) -> None:
    path = kept(store)
    whole = path.read_bytes()
    draws = random.Random(0)
    places = {
        0,
        len(MAGIC),
        len(MAGIC) + 32,
        len(MAGIC) + 64,
        len(whole) - 1,
        *draws.sample(range(len(whole)), 60),
    }
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << draws.randrange(8)]) + whole[place + 1 :])
        assert store.get("graphs", NAME) is None and not path.exists(), place
    assert sum(store.failures.values()) == len(places)


def test_every_truncation_is_seen(store: Store) -> None:
    path = kept(store)
    whole = path.read_bytes()
    for length in {0, 1, len(MAGIC), len(MAGIC) + 40, len(MAGIC) + 64, len(whole) // 2, len(whole) - 1}:
        path.write_bytes(whole[:length])
        assert store.get("graphs", NAME) is None and not path.exists(), length
    path.write_bytes(whole + b"x")
    assert store.get("graphs", NAME) is None
    assert store.failures["damaged entry"] == 8


def test_what_another_key_signed_is_foreign(store: Store, tmp_path: Path) -> None:
    path = kept(store)
    path.write_bytes(sealed(BODY, "graphs", NAME, os.urandom(32)))
    assert store.get("graphs", NAME) is None and store.failures == {"foreign entry": 1}
    other = Store(tmp_path / "other")
    theirs = kept(other)
    kept(store)
    path.write_bytes(theirs.read_bytes())
    assert store.get("graphs", NAME) is None and store.failures == {"foreign entry": 2}


def test_an_entry_under_another_name_or_kind_is_foreign(store: Store) -> None:
    whole = kept(store).read_bytes()
    for kind, name in (("graphs", "ab" + "cd" * 31), ("artifacts", NAME)):
        path = store.path(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(whole)
        assert store.get(kind, name) is None
    assert store.failures == {"foreign entry": 2} and store.get("graphs", NAME) == BODY


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
def test_a_disk_that_refuses_is_no_error(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    assert store.put("graphs", "cd" * 32, BODY)
    written = []

    class Full:
        def __init__(self, handle: int, mode: str) -> None:
            self.handle = handle

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *args: Any) -> None:
            os.close(self.handle)

        def write(self, data: bytes) -> None:
            written.append(os.write(self.handle, data[: len(data) // 2]))
            raise OSError(code, os.strerror(code))

    store_module._said.clear()
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "torchport.cache"):
        patch.setattr(store_module.os, "fdopen", Full)
        assert not store.put("graphs", NAME, BODY) and not store.put("graphs", NAME, BODY)
    assert store.failures == {"an entry cannot be written": 2} and len(written) == 2
    assert len(caplog.records) == 1 and os.strerror(code) in caplog.text  # said once, counted twice
    assert not [p for p, _, _ in files_of(store.root) if p.name.startswith(".")]
    assert store.get("graphs", "cd" * 32) == BODY and kept(store)


def test_a_size_limit_of_the_system_is_no_error(store: Store) -> None:
    """A real write that fails in the middle, not a played one."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from torchport.compile.store import Store\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store = Store(Path(sys.argv[1]))\n"
        "assert store.put('graphs', 'ab' * 32, b'x' * 1000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "assert not store.put('graphs', 'cd' * 32, b'x' * 100000)\n"
        "assert store.get('graphs', 'ab' * 32) == b'x' * 1000\n"
        "assert store.failures == {'an entry cannot be written': 1}\n"
    )
    subprocess.run([sys.executable, "-c", script, str(store.root)], check=True, timeout=120)
    assert [p.name for p, _, _ in files_of(store.root)] == ["key", NAME] or len(
        list(files_of(store.root))
    ) == 2


def test_a_directory_of_others_is_not_used(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(store)
    store.root.chmod(0o770)
    assert store.get("graphs", NAME) is None and not store.put("graphs", NAME, BODY)
    assert "others may write" in store.problem()
    store.root.chmod(0o700)
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 12345)
        assert store.get("graphs", NAME) is None and "belongs to user" in store.problem()
    assert store.failures == {"the cache directory is not used": 3}
    assert store.get("graphs", NAME) == BODY


def test_a_file_in_the_place_of_the_directory_is_no_error(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    for root in (blocker, blocker / "below"):
        store = Store(root)
        assert store.get("graphs", NAME) is None and not store.put("graphs", NAME, BODY)
        assert store.names("graphs", "ab") == [] and store.failures


def test_a_key_that_is_damaged_or_open_is_replaced(store: Store) -> None:
    path = kept(store)
    key = store.root / "key"
    for spoil in (lambda: key.write_bytes(b"short"), lambda: key.chmod(0o644), key.unlink):
        spoil()
        assert store.get("graphs", NAME) is None  # nothing can be verified
        assert kept(store) and store.get("graphs", NAME) == BODY
        assert key.stat().st_mode & 0o777 == 0o600 and len(key.read_bytes()) == 32
    assert path.exists()


def test_the_least_recently_used_go_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{i:02x}" * 32 for i in range(12)]
    now = time.time()
    for age, name in enumerate(names):
        store.put("graphs", name, bytes(100_000))
        os.utime(store.path("graphs", name), (now - 1000 + age, now - 1000 + age))
    assert store.get("graphs", names[0]) is not None  # used now
    future = store.path("graphs", names[11])
    os.utime(future, (now + 1e6, now + 1e6))  # a clock that was put back since
    monkeypatch.setenv("TORCHPORT_CACHE_LIMIT_MB", "1")
    removed = store.sweep(cache_limit())
    left = [name for name in names if store.path("graphs", name).exists()]
    assert removed == 12 - len(left) and names[0] in left and names[10] in left
    assert not future.exists() and left[1:] == names[12 - len(left) : 11]
    assert sum(size for _, size, _ in files_of(store.root)) <= cache_limit() * 4 // 5


def test_growth_is_bounded_while_writing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPORT_CACHE_LIMIT_MB", "1")
    for index in range(60):
        assert store.put("graphs", f"{index:02x}" * 32, bytes(60_000))
    assert sum(size for _, size, _ in files_of(store.root)) <= cache_limit() * 1.1
    assert not store.put("graphs", NAME, bytes(2**20 + 1))
    assert store.failures == {"an entry is larger than the limit": 1}


def test_the_limit_has_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHPORT_CACHE_LIMIT_MB", raising=False)
    assert cache_limit() == 4096 * 2**20
    monkeypatch.setenv("TORCHPORT_CACHE_LIMIT_MB", "many")
    assert cache_limit() == 4096 * 2**20


WRITER = """
import os, sys
from pathlib import Path
from torchport.compile.store import Store
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while True:
    number = (number + 1) % 7
    store.put("graphs", "ab" * 32, bytes([number]) * 200_000)
"""


def test_killed_and_concurrent_writers_leave_whole_entries(store: Store) -> None:
    """Two writers of one entry, killed in the middle of it, over and over."""
    command = [sys.executable, "-c", WRITER, str(store.root)]
    draws, found = random.Random(1), 0
    for _ in range(4):
        writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
        until = time.monotonic() + 0.2 + draws.random() / 10
        while time.monotonic() < until:
            body = store.get("graphs", NAME)
            assert body is None or (len(body) == 200_000 and len(set(body)) == 1)
            found += body is not None
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            assert writer.stdout is not None
            writer.stdout.close()
        body = store.get("graphs", NAME)
        assert body is not None and len(set(body)) == 1
    assert found and not store.failures
    remains = [p for p, _, _ in files_of(store.root) if p.name.startswith(".writing-")]
    for path in remains:
        os.utime(path, (0, 0))
    assert store.sweep(cache_limit()) == len(remains)
    assert {p.name for p, _, _ in files_of(store.root)} == {"key", NAME}
