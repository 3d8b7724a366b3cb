"""Which names `torchport new` accepts, and that a refusal writes nothing and says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from torchport.errors import ScaffoldError
from torchport.tools.backend_names import validate_name
from torchport.tools.scaffold import new

MALFORMED = {
    "": "empty",
    "my accel": "white space",
    "accel\n": "white space",
    "accel\t": "white space",
    " accel": "white space",
    "accel\u00a0x": "white space",
    "../accel": "path",
    "..": "path",
    "a/b": "path",
    "a\\b": "path",
    "/etc/accel": "path",
    "c:accel": "path",
    'my"accel': "quotes",
    "my'accel": "quotes",
    "`accel`": "quotes",
    "{{accel}}": "template syntax",
    "a{%b%}": "template syntax",
    "a{#b#}": "template syntax",
    "accélérateur": "ASCII",
    "акселератор": "ASCII",
    "\uff41ccel": "ASCII",
    "a\u200bccel": "ASCII",
    "a\x00b": "control",
    "a\x1bb": "control",
    "1accel": "digit",
    "_accel": "underscore",
    "accel_": "underscore",
    "my__accel": "double underscore",
    "MyAccel": "capitals",
    "my-accel": "not allowed",
    "my.accel": "not allowed",
    "accel;rm": "not allowed",
    "accel$x": "not allowed",
    "accel[test]": "not allowed",
    "accel>=1": "not allowed",
    "-rf": "not allowed",
    "~": "not allowed",
    "%s": "not allowed",
    "<accel>": "not allowed",
    "a" * 33: "more than 32",
}
RESERVED = {
    "class": "keyword",
    "lambda": "keyword",
    "match": "keyword",
    "print": "builtin",
    "list": "builtin",
    "json": "standard library",
    "antigravity": "standard library",
    "nul": "Windows",
    "com1": "Windows",
}
TAKEN = {
    "torch": "importable module",
    "torchport": "importable module",
    "numpy": "importable module",
    "test": "importable module",
    "torchport_templates": "importable module",
    "torchport_openmp": "torchport backend",
    "inductor": "torch.compile backend",
    "eager": "torch.compile backend",
    "aot_eager": "torch.compile backend",
    "cudagraphs": "torch.compile backend",
}


@pytest.mark.parametrize(
    ("name", "reason"), [*MALFORMED.items(), *RESERVED.items(), *TAKEN.items()], ids=repr
)
def test_refused_with_the_reason_and_nothing_written(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match=reason) as caught:
        new(name, directory=tmp_path / "parent")
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["myaccel", "a", "accel2", "my_accel", "x86_64_npu", "kernels", "a" * 32])
def test_accepted(name: str) -> None:
    validate_name(name)


def test_a_suggestion_is_itself_acceptable() -> None:
    with pytest.raises(ScaffoldError, match=r"here: my_accel\)"):
        validate_name("My-Accel")


def test_text_is_required() -> None:
    with pytest.raises(ScaffoldError, match="NoneType"):
        validate_name(None)  # type: ignore[arg-type]


def test_an_importable_name_is_refused_without_importing_it(tmp_path: Path) -> None:
    (tmp_path / "vendor_thing.py").write_text("raise RuntimeError('imported')")
    code = "from torchport.tools.backend_names import validate_name; validate_name('vendor_thing')"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert "there is an importable module of that name" in ran.stderr
    assert "RuntimeError" not in ran.stderr
