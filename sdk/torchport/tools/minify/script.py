"""The standalone script that shows a fault, and whether it does."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from torchport.compile.region import Region
from torchport.contract.graph import Node, Opaque, Value
from torchport.contract.symbols import SymExpr
from torchport.errors import SchemaError
from torchport.run.program import split_arguments
from torchport.tools.minify.candidate import Candidate
from torchport.tools.minify.spelling import Spelled
from torchport.tools.minify.subject import HANG, KILLED, Fault

APART = """\
if sys.argv[1:] != ["here"]:  # the fault ends the process: look at it from another one
    sys.exit(subprocess.run([sys.executable, __file__, "here"], timeout={timeout:g}).returncode != 0)
"""


class _CannotSpellError(Exception):
    """Something in the graph has no spelling in Python."""


def function_text(found: Candidate) -> str | None:
    """``def program(...)`` that computes a candidate with PyTorch's operators; ``None`` where it has no
    spelling.
    """
    names = {v.name: f"x{i}" for i, v in enumerate(found.inputs)}
    sizes: dict[str, str] = {}
    for value in found.inputs:
        for dim, size in enumerate(value.tensor.shape):
            if isinstance(size, SymExpr) and size.text in size.symbols:
                sizes.setdefault(size.text, f"{names[value.name]}.shape[{dim}]")
    if found.graph.constants:
        return None
    lines = [f"def program({', '.join(names.values())}):"]
    try:
        for node in found.graph.nodes:
            lines += [f"    {line}" for line in _statements(node, names, sizes)]
        results = ", ".join(names[v.name] for v in found.graph.output_values)
    except _CannotSpellError:
        return None
    one = len(found.graph.output_values) == 1
    return "\n".join([*lines, f"    return {results if one else f'({results})'}"])


def _statements(node: Node, names: dict[str, str], sizes: Mapping[str, str]) -> list[str]:
    _, positional, keywords = split_arguments(node)
    if node.op.startswith("higher_order."):
        raise _CannotSpellError
    parts = [_text(a, names, sizes) for a in positional]
    parts += [f"{key}={_text(a, names, sizes)}" for key, a in keywords.items()]
    call = f"torch.ops.{node.op}({', '.join(parts)})"
    fresh = f"v{sum(name.startswith('v') for name in names.values())}"
    if not node.returns_sequence:
        if node.results:
            names[node.results[0].name] = fresh
        return [f"{fresh} = {call}"]
    for index, value in enumerate(node.outputs):
        if value is not None:
            names[value.name] = f"{fresh}[{index}]"
    return [f"{fresh} = {call}"]


def _text(arg: Any, names: Mapping[str, str], sizes: Mapping[str, str]) -> str:
    if isinstance(arg, Value):
        return names[arg.name]
    if isinstance(arg, SymExpr):
        return _symbolic(arg, sizes)
    if isinstance(arg, tuple):
        return f"[{', '.join(_text(a, names, sizes) for a in arg)}]"
    if isinstance(arg, Opaque):
        raise _CannotSpellError
    if isinstance(arg, torch.device):
        return f"torch.device({str(arg)!r})"
    if isinstance(arg, float) and not math.isfinite(arg):
        return f"float({str(arg)!r})"
    return repr(arg)


def _symbolic(expr: SymExpr, sizes: Mapping[str, str]) -> str:
    if any(symbol not in sizes for symbol in expr.symbols):
        raise _CannotSpellError

    class Swap(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            text = sizes.get(node.id)
            return node if text is None else ast.parse(text, mode="eval").body

    return ast.unparse(Swap().visit(ast.parse(expr.text, mode="eval")))


def write_script(
    path: Path,
    found: Candidate,
    tensors: list[torch.Tensor],
    fault: Fault,
    backend: Spelled | None,
    *,
    opset: str,
    options: Mapping[str, Any] | None,
    as_region: bool,
    timeout: float,
) -> bool:
    """Writes the script; what it cannot spell goes into files beside it.

    Returns:
        Whether it could be written: a graph that can neither be spelled nor serialized cannot.
    """
    program = None if as_region else function_text(found)
    ops = ", ".join(dict.fromkeys(n.op for n in found.graph.nodes))
    apart = fault.kind in (KILLED, HANG)
    made = [s.text for s in found.sources]
    lines = [
        f'"""{ops}: {_one_line(fault)}.',
        "",
        "Written by torchport minify; exits with 1 while the fault is there.",
        '"""',
        "",
        *sorted({"import sys", *(["import subprocess"] if apart else [])}),
    ]
    if program is None or not all(made):
        lines.append("from pathlib import Path")
    lines += ["", APART.format(timeout=2 * timeout + 60)] if apart else [""]
    lines += ["import torch", "", "import torchport as tp"]
    lines += [*(backend.imports if backend is not None else ()), ""]
    if backend is None:
        lines.append('raise SystemExit("put your backend here")')
    lines.append(f"backend = {backend.expression if backend is not None else None}")
    if program is not None:
        lines += ["", "", program, "", ""]
    else:
        try:
            text = Region("minified", found.graph, found.phase, opset).to_json()
        except SchemaError:
            return False
        path.with_suffix(".json").write_text(text)
        lines.append('program = tp.Region.from_json(Path(__file__).with_suffix(".json").read_text())')
    lines.append("torch.manual_seed(0)")
    if all(made):
        lines.append(f"inputs = [{', '.join(made)}]")
    else:
        torch.save([t.clone() for t in tensors], path.with_suffix(".pt"))
        lines.append('inputs = torch.load(Path(__file__).with_suffix(".pt"))')
    extra = ", dynamic=True" if found.graph.symbols else ""
    extra += f", options={dict(options)!r}" if options else ""
    called = "torch.compile(program, backend=backend)" if program is not None else "the region on the backend"
    lines += [
        f"# {called}, judged by eager PyTorch and float64",
        f"fault = tp.fault_of(program, inputs, backend{extra})",
        'print(fault or "no fault")',
        "sys.exit(fault is not None)",
    ]
    path.write_text("\n".join(lines) + "\n")
    return True


def _one_line(fault: Fault) -> str:
    return str(fault).partition("\n")[0].replace("\\", "/").replace('"""', "'''")[:90]


def shows_fault(path: Path, fault: Fault, timeout: float) -> bool:
    """Whether the script, run by itself, exits with 1 for a fault of this kind."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        ran = subprocess.run(
            [sys.executable, str(path)],
            capture_output=True,
            text=True,
            timeout=3 * timeout + 120,
            env=environment,
            cwd=path.parent,
        )
    except subprocess.TimeoutExpired:
        return False
    named = fault.kind in (KILLED, HANG) or ran.stdout.startswith(f"{fault.kind}: ")
    return ran.returncode == 1 and named
