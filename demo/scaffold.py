"""Writes a backend package with the command line, and installs it, as a vendor would."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

NAME = "myaccel"


def scaffold(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Writes ``folder/myaccel`` anew and installs it; returns its directory and the commands to type for it.

    Raises:
        subprocess.CalledProcessError: a command failed; its output has been printed.
    """
    package = folder / NAME
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    if _installed_from(package):
        subprocess.run((*pip, "uninstall", "--yes", NAME), check=True)
    if package.exists():
        shutil.rmtree(package)
    folder.mkdir(parents=True, exist_ok=True)
    torchport = str(Path(sys.executable).with_name("torchport"))
    new = (torchport, "new", NAME, "--level", "dynamo", "--kernels", "python", "--directory", str(folder))
    install = (*pip, "install", "--no-build-isolation", "--no-deps", str(package))
    for command in (new, install):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # The package arrived after this process began: entry points and import paths are looked up again.
    importlib.invalidate_caches()
    metadata.distribution(NAME)
    typed = Path(os.path.relpath(folder))
    shown = (
        f"torchport new {NAME} --level dynamo --kernels python --directory {typed}",
        f"pip install --no-build-isolation {typed / NAME}",
    )
    return package, shown


def _installed_from(package: Path) -> bool:
    """Whether an earlier demo installed the package from this folder. Another ``myaccel`` is left alone."""
    try:
        origin = metadata.distribution(NAME).read_text("direct_url.json") or ""
    except metadata.PackageNotFoundError:
        return False
    return package.resolve().as_uri() in origin
