"""``torchport backends``: which backends are installed, and which of them are broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchport.cli.output import write_json, write_table

if TYPE_CHECKING:
    from torchport.compile.backend import Backend
    from torchport.compile.registry import InstalledBackend


def command(json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """List the installed backends. Exit code 1 when one of them is broken; the others work all the same."""
    from torchport.compile.registry import backends

    found = [_describe(entry) for entry in backends()]
    if json:
        write_json(found)
    else:
        columns = ("name", "version", "opset", "abi", "distribution")
        rows = [(*(b[c] or "" for c in columns), "broken" if b["error"] else "ok") for b in found]
        write_table("Installed backends", (*columns, "state"), rows)
        for broken in (b for b in found if b["error"]):
            typer.echo(f"\n{broken['name']} is broken: {broken['error']}")
    if any(entry["error"] for entry in found):
        raise typer.Exit(1)


def _describe(entry: InstalledBackend) -> dict[str, Any]:
    """Plain data; ``abi`` is the kernel.h version of the backend's C libraries, if it has any."""
    backend = entry.backend
    return {
        "name": entry.name,
        "version": backend.version if backend is not None else None,
        "opset": backend.opset if backend is not None else None,
        "abi": _kernel_abi(backend) if backend is not None else None,
        "distribution": entry.distribution,
        "target": entry.target,
        "error": str(entry.error) if entry.error is not None else None,
    }


def _kernel_abi(backend: Backend) -> str | None:
    from torchport.compile.c_kernels import CKernel
    from torchport.compile.kernel_table import KernelBackend

    if not isinstance(backend, KernelBackend):
        return None
    versions = {kernel.fn.abi for kernel in backend.kernels if isinstance(kernel.fn, CKernel)}
    return ", ".join(f"{major}.{minor}" for major, minor in sorted(versions)) or None
