"""The README's backend runs as it is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def block(text: str, language: str) -> str:
    """The only fenced block of a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return found


def without_times(text: str) -> str:
    return re.sub(r", <?\d+% of the time|, [\d.]+ (s|ms|µs) a call", "", text)


def test_the_example_prints_what_the_readme_says(root: Path, tmp_path: Path) -> None:
    readme = (root / "README.md").read_text()
    example = tmp_path / "example.py"
    example.write_text(block(readme, "python"))
    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert without_times(ran.stdout) == without_times(block(readme, "text"))


def test_the_example_is_short(root: Path) -> None:
    source = block((root / "README.md").read_text(), "python")
    start, end = source.index("KERNELS"), source.index("model =")
    assert len([line for line in source[start:end].splitlines() if line.strip()]) <= 20
