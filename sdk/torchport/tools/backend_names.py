"""Which names a backend may have. A name serves as backend name, Python package and distribution at once."""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import re
import sys
from importlib import metadata

from torchport.errors import ScaffoldError

MAX_LENGTH = 32
WELL_FORMED = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
WINDOWS_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{p}{i}" for p in ("com", "lpt") for i in range(10))}
)
RULE = "a name is lower-case ASCII letters, digits and single underscores, and begins with a letter: my_accel"


def validate_name(name: str) -> None:
    """Accepts a name for a new backend package, or says why not.

    Raises:
        ScaffoldError: not well formed as a Python and distribution name, reserved by Python or an operating
            system, or already taken by a module, a distribution, a torchport backend or a Dynamo backend.
    """
    refusal = _malformed(name) or _reserved(name) or _taken(name)
    if refusal:
        reason, hint = refusal
        raise ScaffoldError(f"the name {name!r} is refused: {reason}", hint=hint)


def _malformed(name: object) -> tuple[str, str] | None:
    """The most telling reason why ``name`` is not well formed."""
    if not isinstance(name, str):
        return f"it is a {type(name).__name__}, not text", RULE
    checks = (
        (not name, "it is empty"),
        (len(name) > MAX_LENGTH, f"it has {len(name)} characters, more than {MAX_LENGTH}"),
        (any(c in name for c in "/\\:") or ".." in name, "it is a path, not a name"),
        (any(c.isspace() for c in name), "it contains white space"),
        (any(c in name for c in "'\"`"), "it contains quotes"),
        (any(c in name for c in ("{{", "{%", "{#", "}}", "%}", "#}")), "it contains template syntax"),
        (not name.isascii(), "it contains characters outside ASCII"),
        (not name.isprintable(), "it contains control characters"),
        (name[:1].isdigit(), "it begins with a digit"),
        (
            name.startswith("_") or name.endswith("_"),
            "a distribution name cannot begin or end with an underscore",
        ),
        ("__" in name, "it contains a double underscore"),
        (name != name.lower(), "it contains capitals"),
        (not WELL_FORMED.fullmatch(name), "it contains characters that are not allowed in an identifier"),
    )
    for failed, reason in checks:
        if failed:
            suggestion = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
            usable = (
                WELL_FORMED.fullmatch(suggestion) and len(suggestion) <= MAX_LENGTH and "path" not in reason
            )
            return reason, f"{RULE}{f' (here: {suggestion})' if usable else ''}"
    return None


def _reserved(name: str) -> tuple[str, str] | None:
    other = "choose another name"
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        return "it is a Python keyword", other
    if hasattr(builtins, name):
        return "it is a Python builtin", other
    if name in sys.stdlib_module_names:
        return "it is a module of Python's standard library", other
    if name in WINDOWS_DEVICES:
        return "it is the name of a device on Windows", other
    return None


def _taken(name: str) -> tuple[str, str] | None:
    for group, kind in (
        ("torchport.backends", "torchport backend"),
        ("torch_dynamo_backends", "torch.compile backend"),
    ):
        for entry in metadata.entry_points(group=group, name=name):
            owner = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
            return (
                f"there is an installed {kind} of that name{owner}",
                "choose another name, or uninstall it first",
            )
    if _importable(name):
        return (
            "there is an importable module of that name",
            "choose another name, or uninstall that module first",
        )
    if _installed(name):
        return "there is an installed distribution of that name", "choose another name, or uninstall it first"
    import torch

    if name in torch.compiler.list_backends(exclude_tags=()):
        return "PyTorch has a torch.compile backend of that name", "choose another name"
    return None


def _importable(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # loaded with __spec__ None
        return True


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
