"""Writes a new backend package from a template: ``torchport new``.

Either the whole package is written or nothing is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2

from torchport.contract.version import CURRENT
from torchport.errors import ScaffoldError
from torchport.tools.backend_names import validate_name
from torchport.tools.templates import TEMPLATE_FILE, Template, discover
from torchport.version import __version__

RENDERED = ".jinja"
NAME_IN_PATH = "__name__"


@dataclass(frozen=True, slots=True)
class Variables:
    """What a template may refer to."""

    name: str
    class_name: str
    opset: str
    torchport_version: str


@dataclass(frozen=True, slots=True)
class Scaffolded:
    """What was written: ``files`` are relative to ``directory``, sorted."""

    name: str
    level: str
    kernels: str
    directory: Path
    files: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for ``torchport new --json``."""
        return {**asdict(self), "directory": str(self.directory), "files": list(self.files)}


def new(
    name: str, *, level: str = "dynamo", kernels: str = "python", directory: str | os.PathLike[str] = "."
) -> Scaffolded:
    """Writes the package of a new backend into ``directory/name``.

    Args:
        name: what ``torch.compile(backend=...)`` takes, and the name of the package and the distribution.
        level: where the backend plugs in; ``"dynamo"`` is right after AOTAutograd.
        kernels: the language of the kernels, ``"python"`` or ``"cpp"``.
        directory: the parent directory; made when it does not exist.

    Raises:
        ScaffoldError: the name, the directory, or the combination is refused; nothing was written.
    """
    template = discover().select(level, kernels)
    parent = Path(directory).absolute()
    # Before the name check: a directory of that name in the working directory is an importable name too.
    if isinstance(name, str) and name.isidentifier() and os.path.lexists(parent / name):
        raise ScaffoldError(
            f"{parent / name} already exists", hint="choose another name or --directory, or remove it first"
        )
    validate_name(name)
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Backend"
    contents = _render(template, Variables(name, class_name, CURRENT, __version__))
    target = _write(parent, name, contents)
    return Scaffolded(name, level, kernels, target, tuple(sorted(contents)))


def _files(template: Template) -> Iterator[tuple[str, Path]]:
    """Relative path in the template and source file; a folder's own file hides the one it would inherit."""
    sources: dict[str, Path] = {}
    for folder in template.folders:
        for source in sorted(folder.rglob("*")):
            relative = source.relative_to(folder).as_posix()
            if source.is_file() and relative != TEMPLATE_FILE and "__pycache__" not in source.parts:
                sources.setdefault(relative, source)
    yield from sources.items()


def _render(template: Template, variables: Variables) -> dict[str, bytes]:
    """File contents by path relative to the new package's directory."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False
    )
    contents: dict[str, bytes] = {}
    for relative, source in _files(template):
        data = source.read_bytes()
        path = relative.replace(NAME_IN_PATH, variables.name)
        if path.endswith(RENDERED):
            path = path.removesuffix(RENDERED)
            try:
                data = environment.from_string(data.decode("utf-8")).render(asdict(variables)).encode("utf-8")
            except (jinja2.TemplateError, UnicodeDecodeError) as error:
                raise ScaffoldError(f"template file {source} cannot be rendered", got=f"{error}") from error
        contents[path] = data
    return contents


def _write(parent: Path, name: str, contents: dict[str, bytes]) -> Path:
    """Writes into a hidden sibling directory and renames it: the package appears whole or not at all."""
    target = parent / name
    with contextlib.ExitStack() as undo:
        try:
            made = _make_directories(parent)
            undo.callback(_remove_directories, made)
            staging = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=parent))
            undo.callback(shutil.rmtree, staging, ignore_errors=True)
            for relative, data in contents.items():
                file = staging / PurePosixPath(relative)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            staging.chmod(0o777 & ~_umask())
            # A rename replaces an empty directory silently; that directory is not ours to replace.
            if os.path.lexists(target):
                raise FileExistsError(f"{target} appeared meanwhile")
            staging.rename(target)
        except OSError as error:
            raise ScaffoldError(
                f"{target} cannot be written",
                got=str(error),
                hint="nothing was written; choose another --directory",
            ) from error
        undo.pop_all()
    return target


def _make_directories(path: Path) -> list[Path]:
    """Makes a directory and its parents; returns those that were missing, outermost first."""
    missing = [p for p in (path, *path.parents) if not p.exists()][::-1]
    path.mkdir(parents=True, exist_ok=True)
    return missing


def _remove_directories(made: list[Path]) -> None:
    for path in reversed(made):
        with contextlib.suppress(OSError):
            path.rmdir()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
