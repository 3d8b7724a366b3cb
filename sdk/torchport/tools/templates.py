"""Templates of backend packages, found through the entry-point group ``torchport.templates``.

Each entry point holds the path of a directory with one folder per template. A broken provider or template is
a problem that is told when it could matter; the other templates work.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from torchport.errors import ScaffoldError

GROUP = "torchport.templates"
TEMPLATE_FILE = "template.toml"


@dataclass(frozen=True, slots=True)
class Template:
    """One template: what it is for and where its files are, the most specific folder first."""

    level: str
    kernels: str
    summary: str
    folders: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Discovery:
    """Every installed template, sorted by level and kernel language, and what could not be used and why."""

    templates: tuple[Template, ...]
    problems: tuple[str, ...]

    def select(self, level: str, kernels: str) -> Template:
        """The template for a level and a kernel language.

        Raises:
            ScaffoldError: there is none, or two packages provide one.
        """
        matches = [t for t in self.templates if (t.level, t.kernels) == (level, kernels)]
        asked = f"--level {level} --kernels {kernels}"
        if len(matches) > 1:
            raise ScaffoldError(
                f"several packages provide a template for {asked}",
                got=", ".join(str(t.folders[0]) for t in matches),
                hint="uninstall all but one",
            )
        if not matches:
            known = [f"--level {t.level} --kernels {t.kernels} ({t.summary})" for t in self.templates]
            broken = [f"not usable: {problem}" for problem in self.problems]
            raise ScaffoldError(
                "there is no template for this level and kernel language",
                got=asked,
                hint="; ".join([f"available: {'; '.join(known) or 'none, reinstall torchport'}", *broken]),
            )
        return matches[0]


def discover() -> Discovery:
    """Looks for templates in every installed package."""
    found: list[Template] = []
    problems: list[str] = []
    for provider in metadata.entry_points(group=GROUP):
        try:
            files = sorted(Path(provider.load()).glob(f"*/{TEMPLATE_FILE}"))
        except (ImportError, AttributeError, SyntaxError, TypeError) as error:
            problems.append(f"provider {provider.value}: {type(error).__name__}: {error}")
            continue
        for file in files:
            try:
                found.append(_read(file))
            except (OSError, ValueError, KeyError, TypeError) as error:
                problems.append(f"template {file}: {type(error).__name__}: {error}")
    return Discovery(tuple(sorted(found, key=lambda t: (t.level, t.kernels, t.folders))), tuple(problems))


def _read(file: Path) -> Template:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    folders = [file.parent]
    if "extends" in data:
        folders.append(file.parent.parent / data["extends"])
        if not (folders[-1] / TEMPLATE_FILE).is_file():
            raise ValueError(f"extends {data['extends']!r}, which is not a template beside it")
    return Template(str(data["level"]), str(data["kernels"]), str(data["summary"]), tuple(folders))
