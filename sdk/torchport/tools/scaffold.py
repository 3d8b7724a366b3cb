"""Writes a new backend package from a template: ``torchport new``.

Templates come from the entry-point group ``torchport.templates``; each entry point holds the path of a
directory with one folder per template. Either the whole package is written or nothing is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2

from torchport.errors import ScaffoldError
from torchport.tools.backend_names import validate_name
from torchport.version import __version__

TEMPLATE_FILE = "template.toml"
RENDERED = ".jinja"
NAME_IN_PATH = "__name__"


@dataclass(frozen=True, slots=True)
class Template:
    """One template: what it is for and where its files are, the most specific folder first."""

    level: str
    kernels: str
    summary: str
    folders: tuple[Path, ...]


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


def templates() -> tuple[Template, ...]:
    """Every installed template, sorted by level and kernel language.

    Raises:
        ScaffoldError: a template provider cannot be loaded, or a template is not well formed.
    """
    found: dict[tuple[str, str], Template] = {}
    for provider in sorted(
        metadata.entry_points(group="torchport.templates"), key=lambda e: (e.name, e.value)
    ):
        try:
            root = Path(provider.load())
        except (ImportError, AttributeError, TypeError) as error:
            raise ScaffoldError(
                f"template provider {provider.name!r} cannot be loaded", got=f"{provider.value}: {error}"
            ) from error
        for file in sorted(root.glob(f"*/{TEMPLATE_FILE}")):
            template = _read_template(file)
            key = template.level, template.kernels
            if key in found:
                raise ScaffoldError(
                    f"two templates for level {key[0]!r} and kernels {key[1]!r}",
                    got=f"{found[key].folders[0]} and {file.parent}",
                    hint="uninstall one of their providers",
                )
            found[key] = template
    return tuple(found[key] for key in sorted(found))


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
    template = _select(templates(), level, kernels)
    parent = Path(directory).absolute()
    # Before the name check: a directory of that name in the working directory is an importable name too.
    if isinstance(name, str) and name.isidentifier() and os.path.lexists(parent / name):
        raise ScaffoldError(
            f"{parent / name} already exists", hint="choose another name or --directory, or remove it first"
        )
    validate_name(name)
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Backend"
    contents = _render(template, Variables(name, class_name, "1.0", __version__))
    target = _write(parent, name, contents)
    return Scaffolded(name, level, kernels, target, tuple(sorted(contents)))


def _read_template(file: Path) -> Template:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        folders = [file.parent]
        if "extends" in data:
            folders.append(file.parent.parent / data["extends"])
        return Template(str(data["level"]), str(data["kernels"]), str(data["summary"]), tuple(folders))
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ScaffoldError(
            f"template {file} is not well formed", got=f"{type(error).__name__}: {error}"
        ) from error


def _select(available: tuple[Template, ...], level: str, kernels: str) -> Template:
    for template in available:
        if (template.level, template.kernels) == (level, kernels):
            return template
    listing = "; ".join(f"--level {t.level} --kernels {t.kernels} ({t.summary})" for t in available)
    raise ScaffoldError(
        "there is no template for this level and kernel language",
        got=f"--level {level} --kernels {kernels}",
        hint=f"available: {listing}" if listing else "no templates are installed; reinstall torchport",
    )


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
