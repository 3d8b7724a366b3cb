"""``tp.fault_of``: whether one program is right on a backend; what the scripts of ``minify`` call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from torchport.compile.region import Region
from torchport.errors import UsageError
from torchport.tools.dynamo_records import isolated
from torchport.tools.minify.candidate import candidate
from torchport.tools.minify.recording import from_region, record
from torchport.tools.minify.rule import expected, wrong
from torchport.tools.minify.spelling import named
from torchport.tools.minify.subject import ACCURACY, Fault, Subject, crash
from torchport.tools.undisturbed import undisturbed


def fault_of(
    program: Callable[..., Any] | Region,
    inputs: Sequence[torch.Tensor],
    backend: Any,
    *,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Fault | None:
    """Runs ``torch.compile(program, backend=backend)(*inputs)``, or a region, and judges it by eager PyTorch
    and float64. A program that kills its process ends this one.

    Args:
        program: a function of tensors that returns tensors and makes one graph; or a region.
        inputs: its arguments.
        backend: as for :func:`torchport.minify`.
        dynamic: as for ``torch.compile``.
        options: the backend's options.

    Returns:
        The fault; ``None`` when everything is right.

    Raises:
        UsageError: the program does not make exactly one graph.
        TorchportError: the capture failed.
    """
    subject = Subject.of(named(backend), options)
    if isinstance(program, Region):
        recording = from_region(program, inputs)
        found = candidate(recording, {n.name for n in recording.graph.nodes})
        if found is None:
            raise UsageError("the region has no output")
        return subject.judge(found, found.tensors(recording.values), values=True)
    with torch.no_grad():
        graphs = record(program, inputs, {}, subject.entry, dynamic=dynamic, gradients=False)
        if len(graphs) != 1:
            raise UsageError("the program must make one graph", got=f"{len(graphs)} graphs")
        names = [v.name for v in graphs[0].graph.output_values]
        whole = candidate(graphs[0], {n.name for n in graphs[0].graph.nodes})
        if whole is None:
            raise UsageError("the program must return tensors that it computes")
        wanted = {e.name: e for e in expected(whole, whole.tensors(graphs[0].values), subject.opset)}
        target = subject.compiler if subject.compiler is not None else subject.entry
        with undisturbed(program, inputs, {}):
            try:
                results = isolated(program, target, dynamic=dynamic)(*inputs)
            except Exception as error:  # noqa: BLE001 - any exception of the backend is the fault
                return crash(error)
    leaves = torch.utils._pytree.tree_leaves(results)
    text = wrong(leaves, [wanted[name] for name in names])
    return Fault(ACCURACY, text, ACCURACY) if text else None
