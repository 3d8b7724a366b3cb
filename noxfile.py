"""Sessions of the project's checks.

``nox -s lint types docs`` makes an environment for each session; ``make lint`` runs the same sessions in the
project's own ``.venv`` (``--no-venv --no-install``). Arguments after ``--`` go to the tool of the session.
"""

from __future__ import annotations

import os
import subprocess

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["lint", "types", "docs", "gen", "tests"]
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_external_run = False

OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_WAIT_POLICY": "passive"}

# Every committed file that is generated: the module that writes it. With --check it writes nothing and fails
# on drift.
GENERATORS = (
    ("-m", "torchport.contract.snapshot"),
    ("-m", "torchport_conformance.operator_profiles"),
    ("-m", "torchport_conformance.corpus"),
    ("-m", "torchport_conformance.mutants.freeze"),
    ("-m", "torchport.contract.cpp.header"),
    ("docs/private_apis.py",),
    ("docs/model_table.py",),
    ("docs/mutant_table.py",),
)


def install_project(session: nox.Session, *extras: str) -> None:
    """Installs PyTorch by its pin, the build tools, then the project: pip never gets to choose a PyTorch."""
    torch = os.environ.get("TORCH")
    session.install(*(torch.split() if torch else ("-r", "requirements/torch.txt")))
    session.install("-r", "requirements/build.txt")
    session.install("--no-build-isolation", "--editable", f".[{','.join(extras)}]")


def tracked(*patterns: str) -> list[str]:
    """Tracked files that match git pathspecs."""
    listing = subprocess.run(["git", "ls-files", "-z", *patterns], check=True, capture_output=True, text=True)
    return [name for name in listing.stdout.split("\0") if name]


@nox.session
def lint(session: nox.Session) -> None:
    """ruff, clang-format and the layers between packages."""
    install_project(session, "dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    sources = tracked(
        "sdk/**.cpp", "sdk/**.h", "tests/**.cpp", "tests/**.c", "tests/**.h", "reference_backends/**.h"
    )
    generated = ("tests/golden/", "sdk/torchport/include/torchport/shape_rules.h")
    sources = [name for name in sources if not name.startswith(generated)]
    session.run("clang-format", "--dry-run", "-Werror", *sources)
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """mypy --strict on sdk/ and conformance/."""
    install_project(session, "dev", "test")
    session.run("mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """The whole test suite."""
    install_project(session, "test")
    session.run("pytest", "-n", "2", "--dist", "worksteal", "--durations=15", *session.posargs, env=OFFLINE)


@nox.session
def conformance(session: nox.Session) -> None:
    """Conformance of a backend: ``nox -s conformance -- torchport_openmp --profile quick``."""
    install_project(session, "test")
    arguments = session.posargs or ["torchport_openmp", "--report", "out/conformance"]
    session.run("torchport", "conformance", *arguments, env=OFFLINE)


@nox.session
def gen(session: nox.Session) -> None:
    """Rewrites every generated file that is committed; ``-- --check`` only tells whether one drifted."""
    install_project(session, "test")
    for generator in GENERATORS:
        session.run("python", *generator, *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Builds the site; warnings are errors."""
    install_project(session, "docs")
    session.run("python", "docs/generate.py")
    session.run(
        "sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html", *session.posargs
    )
