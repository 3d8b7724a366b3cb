"""Writes ``models.md``, the table of public architectures, from the results in ``models.json``.

``torchport conformance torchport_openmp --models --json docs/models.json`` makes the results. With
``--check`` nothing is written, and the exit code is 1 when the page has drifted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from torchport_conformance.public_models.results import MODES, ModelReport, ModeResult, Verdict
from torchport_conformance.public_models.table import public_models

HERE = Path(__file__).resolve().parent
RESULTS, PAGE = HERE / "models.json", HERE / "models.md"

HEADER = """\
# Public architectures

Architectures of transformers in small configurations with random weights, through `torchport_openmp`:
inference and one training step, with static and with dynamic shapes. Every output, loss, gradient and buffer
is judged by `max|ours - f64| <= 2 * max|eager - f64| + bound`, the bound of `torchport_conformance.parity`.
With dynamic shapes a second call with another batch and length is judged too, and it must not compile.
*excused*: in the same run `torch.compile(backend="eager")` fails in the same way. Everything else that is not
right is listed as it is. Each architecture's result is that of its last run; not all were run again after the
last change.

```console
$ torchport conformance torchport_openmp --models --jobs 2 --json models.json
```

A run that was ended is continued with `--resume`. This page is written by `docs/model_table.py`.
"""


def cell(result: ModeResult) -> str:
    """Verdict of a mode, with its error over the allowed one where it is right."""
    ratio = "" if result.ratio is None or result.verdict is not Verdict.RIGHT else f" {result.ratio:.2f}"
    return f"**{result.verdict}**" if result.verdict is Verdict.WRONG else f"{result.verdict}{ratio}"


def page() -> str:
    """The page as text."""
    report = ModelReport.read(RESULTS).in_order(public_models())
    known = public_models()
    unknown = [m.name for m in report.models if m.name not in known]
    if unknown:
        raise SystemExit(f"results of architectures that the table lacks: {', '.join(unknown)}")
    ran = {m.name for m in report.models}
    environment = ", ".join(f"{k} {v}" if k != "backend" else v for k, v in report.environment.items())
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(report.counts.items()))
    whole = sum(all(r.verdict is Verdict.RIGHT for r in m.modes) for m in report.models)
    lines = [
        HEADER,
        f"Ran with {environment}. {len(report.models)} architectures, {whole} right in every mode; ",
    ]
    lines[-1] += f"modes: {counts}. Numbers are the largest error over the allowed one."
    missing = [name for name in known if name not in ran]
    if missing:
        lines.append(f"Not run: {', '.join(missing)}.")
    for family in dict.fromkeys(m.family for m in report.models):
        head = " | ".join(map(str, MODES))
        lines += [f"## {family.capitalize()}", f"| architecture | {head} | nodes claimed | seconds |"]
        lines[-1] += "\n|---" + "|---" * (len(MODES) + 2) + "|"
        for m in (m for m in report.models if m.family == family):
            total = Counter(claimed=sum(r.claimed for r in m.modes))
            total["left"] = sum(sum(r.fallback.values()) for r in m.modes)
            share = total["claimed"] / max(1, total.total())
            seconds = sum(r.seconds for r in m.modes)
            row = " | ".join(cell(r) for r in m.modes)
            lines[-1] += f"\n| {m.name} | {row} | {share:.1%} | {seconds:.0f} |"
    lines += ["## Not simply right", ""]
    for m in report.models:
        for r in m.modes:
            if r.verdict is not Verdict.RIGHT:
                reason = " ".join(r.reason.split())[:220]
                lines[-1] += f"- {m.name}, {r.mode}: {r.verdict}: `{reason.replace(chr(96), chr(39))}`\n"
    lines += ["## Decoders", "Greedy generation with a static KV cache, weights drawn wide.", ""]
    lines[-1] += (
        "| decoder | tokens equal to eager's | different ones | graphs | compiled later | cache copies |"
    )
    lines[-1] += "\n|---|---|---|---|---|---|"
    for m in report.models:
        if (g := m.generation) is not None and g.tokens:
            lines[-1] += f"\n| {m.name} | {g.equal} of {g.tokens} | {g.distinct} | {g.graphs} | {g.later} | "
            lines[-1] += f"{g.cache_copies} |"
    return "\n\n".join(line.rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        print("docs/models.md has drifted: run docs/model_table.py")
        raise SystemExit(1)
