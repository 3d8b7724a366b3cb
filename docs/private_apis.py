"""Lists the private PyTorch names that the sources use, by module: ``reference/private-apis.md``.

Run without arguments it rewrites the page; with ``--check`` it writes nothing and exits 1 when the page has
drifted.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "private-apis.md"
SOURCES = (
    "sdk/torchport",
    "reference_backends/torchport_reference",
    "conformance/torchport_conformance",
)
CHECKED_ON = "2.13.0"
"""The PyTorch releases on which the test suite has run."""

HEADER = f"""\
# Private PyTorch names in use

torchport stands on PyTorch's public API where there is one. What follows is the rest: names with a leading
underscore somewhere in their path, and `functorch.compile`. Each subsystem keeps its own in as few modules
as it can; nothing here is patched. A new PyTorch release is checked against this list first.

Checked on PyTorch {CHECKED_ON}. This page is written by `docs/private_apis.py`; a test fails when it has
drifted.

| module | what it is | private names |
|---|---|---|
"""


def is_private(dotted: str) -> bool:
    """Whether a dotted name is PyTorch's and not public. Dunder names are Python's, not private."""
    root, *rest = dotted.split(".")
    if root == "functorch":
        return True
    return root == "torch" and any(part.startswith("_") and not part.startswith("__") for part in rest)


def dotted_name(node: ast.expr) -> str | None:
    """``a.b.c`` of an attribute chain that starts at a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted_name(node.value)):
        return f"{owner}.{node.attr}"
    return None


def private_names(source: str) -> set[str]:
    """Private PyTorch names in one module's source, longest form only."""
    tree = ast.parse(source)
    return set(_outermost(tree))


def _outermost(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names if is_private(alias.name))
            return
        case ast.ImportFrom(module=str(module), names=names, level=0):
            full = (f"{module}.{alias.name}" for alias in names)
            yield from (name for name in full if is_private(name))
            return
        case ast.Attribute():
            dotted = dotted_name(node)
            if dotted is not None:
                if is_private(dotted):
                    yield dotted
                return
    for child in ast.iter_child_nodes(node):
        yield from _outermost(child)


def summary(source: str) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(source)) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(": ")[0].rstrip(".").replace("|", "\\|")


def page() -> str:
    """The whole page."""
    rows = []
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text()
            if names := sorted(private_names(source)):
                listing = "<br>".join(f"`{name}`" for name in names)
                rows.append(f"| `{path.relative_to(ROOT)}` | {summary(source)} | {listing} |\n")
    return HEADER + "".join(rows)


def main() -> int:
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on drift")
    written = page()
    if not parser.parse_args().check:
        PAGE.write_text(written)
        return 0
    if PAGE.exists() and PAGE.read_text() == written:
        return 0
    print(f"{PAGE.relative_to(ROOT)} has drifted: run `make gen`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
