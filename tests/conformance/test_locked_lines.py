"""Files of lines that one run at a time writes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchport.errors import OptionError
from torchport_conformance.locked_lines import LockedLines, whole_lines


def test_a_file_is_begun_continued_and_held_by_one_run(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines.jsonl"
    first = LockedLines(path, {"run": 1}, None)
    first.write({"a": [1, 2]})
    assert path.read_bytes() == b'{"run":1}\n{"a":[1,2]}\n', "a line is in the file before it is closed"
    for resume in (None, lambda: 0):
        with pytest.raises(OptionError, match="another run is writing"):
            LockedLines(path, {"run": 2}, resume)
    first.close()
    path.write_bytes(path.read_bytes() + b'{"half a l')
    second = LockedLines(path, {"run": 2}, lambda: whole_lines(path.read_bytes())[1])
    second.write({"b": None})
    second.sync()
    second.close()
    assert whole_lines(path.read_bytes()) == ([b'{"run":1}', b'{"a":[1,2]}', b'{"b":null}'], 33)
    LockedLines(path, {"run": 3}, None).close()
    assert path.read_bytes() == b'{"run":3}\n'


def test_what_cannot_be_continued_stays_as_it_was_and_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"damaged")

    def refuse() -> int:
        raise ValueError("damaged")

    for _ in range(2):
        with pytest.raises(ValueError, match="damaged"):
            LockedLines(path, {"run": 1}, refuse)
    assert path.read_bytes() == b"damaged"
    path.write_bytes(b"")
    LockedLines(path, {"run": 1}, refuse).close()
    assert path.read_bytes() == b'{"run":1}\n', "an empty file is begun"


def test_a_line_that_was_not_ended_is_none() -> None:
    assert whole_lines(b"") == ([], 0)
    assert whole_lines(b"half") == ([], 0)
    assert whole_lines(b"one\n\ntwo") == ([b"one", b""], 5)
