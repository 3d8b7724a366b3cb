"""Writes ``mutants.md``, what the suite finds of planted faults, from the published results.

``torchport mutants --profile PROFILE --json FILE`` makes a column, and
``python -m torchport_conformance.mutants.results FILE`` takes it into the published results. With ``--check``
nothing is written, and the exit code is 1 when the page has drifted.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from torchport_conformance.mutants.freeze import digests
from torchport_conformance.mutants.kinds import kind_of
from torchport_conformance.mutants.mutant import frozen, known_faults
from torchport_conformance.mutants.results import Published, equivalents, published
from torchport_conformance.mutants.table import Fate, KillTable

PAGE = Path(__file__).resolve().parent / "mutants.md"
COLUMNS = {"quick": "quick", "full": "full", "opinfo": "OpInfo", "torchcts": "TorchCTS"}

HEADER = """\
# Mutants

A conformance suite is worth what it finds. A *mutant* is a right kernel with one fault planted in it: strides
ignored, the tail dropped, sums in a narrow accumulator, NaN dropped, an argument that sticks. Each of the
{faults} mutation operators is planted in operators and dtypes drawn from a seed. The list was frozen before
the suite was tuned on it and only grows (`torchport_conformance/mutants/frozen.txt`,
[decision 0020](decisions/0020-mutants-are-drawn-frozen-and-confirmed.md)).

A mutant is killed when a case fails, crashes or hangs on it **and passes on the kernel without the fault**.
The last columns are the same mutants under the samples of PyTorch's OpInfo with PyTorch's own tolerances,
forward and backward, contiguous and not{torchcts}.

```console
$ torchport mutants --profile quick --jobs 4 --json quick.json       # --select FAULT|OP|ID, --shard i/n
$ torchport mutants --profile full --journal full.jsonl --resume --json full.json
$ torchport mutants --profile opinfo --json opinfo.json
$ python -m torchport_conformance.mutants.results quick.json full.json opinfo.json
$ python docs/mutant_table.py
```

`--resume` continues a run that was ended. The results, with the case that killed each mutant, are
`torchport_conformance/mutants/results.json` (schema beside it). This page is written by
`docs/mutant_table.py`.
"""
NO_CTS = """\
No TorchCTS column: `torchport_conformance.mutants.torchcts_plugin` plants the mutants under its forward tests
of operators, with CPU in the place of the device. TorchCTS 0.4.1 supports PyTorch up to 2.12.1; with 2.13 it
loads with a warning, and collecting its tests did not end within 15 minutes on a share of two busy cores.
Nothing about what it would find follows from that."""
CTS_TEXT = ", and under TorchCTS's forward tests of operators, with CPU in the place of the device"


def rows(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    text = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return "\n".join([*text, *(f"| {' | '.join(line)} |" for line in lines)])


def share(fates: Sequence[Fate]) -> str:
    """``killed/judged``; what was not judged is left out, and nothing is a dash."""
    judged = [f for f in fates if (f.killed or not f.equivalent) and not f.unjudged]
    return f"{sum(f.killed for f in judged)}/{len(judged)}" if judged else "–"


def grouped(tables: dict[str, KillTable], name: str, key: str) -> list[str]:
    """The cells of a row: one for each column."""
    return [share([f for f in table.fates if getattr(f, key) == name]) for table in tables.values()]


def totals(results: Published, tables: dict[str, KillTable]) -> str:
    """The first table."""
    lines = []
    for name, table in tables.items():
        unjudged = sum(bool(f.unjudged) for f in table.fates)
        judged = [f for f in table.judged if not f.unjudged]
        rate = table.killed / len(judged) if judged else 1.0
        lines.append(
            (
                COLUMNS.get(name, name),
                str(len(table.fates)) + ("" if results.is_whole(name) else " (not all)"),
                str(sum(bool(f.equivalent) and not f.killed for f in table.fates)),
                str(unjudged),
                str(table.killed),
                f"{rate:.1%}",
                f"{table.killed / len(table.judged):.1%}" if table.judged else "–",
                f"{table.seconds / 60:.0f}",
            )
        )
    header = (
        "",
        "mutants tried",
        "equivalent",
        "not reached",
        "killed",
        "of those reached",
        "of all",
        "minutes",
    )
    return rows(header, lines)


def survivors(table: KillTable) -> list[str]:
    """A line for each."""
    return [f"- `{f.mutant}`" for f in table.survivors if not f.unjudged]


def page() -> str:
    """The page as text."""
    results = published()
    tables = {name: results.judged(name) for name in COLUMNS if name in results.tables}
    names = [COLUMNS[name] for name in tables]
    faults = known_faults()
    lists = ", ".join(f"`{digest[:16]}…` for the first {count}" for count, digest in digests().items())
    parts = [
        HEADER.format(faults=len(faults), torchcts=CTS_TEXT if "torchcts" in tables else ""),
        f"{len(frozen())} mutants; SHA-256 of the list: {lists}.",
    ]
    if not results.is_current:
        parts.append("**The results are of an earlier list.**")
    for name, table in tables.items():
        facts = ", ".join(f"{k} {v[:40]}" for k, v in table.environment.items())
        parts.append(f"- {COLUMNS[name]}: {facts or 'no environment recorded'}")
    parts.append(totals(results, tables))
    if "torchcts" not in tables:
        parts.append(NO_CTS)
    for name in ("quick", "full"):
        if name in tables:
            parts.append(f"## What kills under {name}")
            kinds = Counter(kind_of(f.killer) for f in tables[name].fates if f.killed)
            parts.append("The first case that killed a mutant, by what it is about:")
            parts.append(
                rows(("kind of case", "mutants killed"), [(k, str(n)) for k, n in kinds.most_common()])
            )
            causes = Counter(
                f.cause.partition(" '")[0] or "none named" for f in tables[name].fates if f.killed
            )
            shown = ", ".join(f"{cause} {n}" for cause, n in causes.most_common(25))
            parts.append(f"Causes that the suite named most: {shown}.")
    parts.append("## By mutation operator")
    listed = dict.fromkeys(m.fault for m in frozen())
    lines = [(f"`{f}`", faults[f].text, *grouped(tables, f, "fault")) for f in listed]
    parts.append(rows(("mutation operator", "what is wrong", *names), lines))
    parts.append("## By operator")
    ops = sorted({m.op for m in frozen()})
    parts.append(rows(("operator", *names), [(f"`{op}`", *grouped(tables, op, "op")) for op in ops]))
    for name in ("full", "quick"):
        if name in tables:
            alive = survivors(tables[name])
            lost = [f for f in tables[name].fates if f.unjudged]
            parts.append(f"## Survivors under {name}")
            parts.append("\n".join(alive) if alive else "None.")
            if lost:
                parts.append("Not judged:")
                parts.append("\n".join(f"- `{f.mutant}`: {f.unjudged}" for f in lost))
    parts.append("## Equivalent mutants")
    parts.append(
        "No case can tell these from the right kernel, whatever it asks. The tests compare each with the "
        "right kernel, bit for bit, over the operator's cases and draws of layouts and special values; where "
        "the argument is that the contract allows other results, these are held against its bounds."
    )
    arguments: dict[str, list[str]] = {}
    for mutant, argument in equivalents().items():
        arguments.setdefault(argument, []).append(f"`{mutant}`")
    text = [f"- {', '.join(ids)}: {argument}" for argument, ids in arguments.items()]
    parts.append("\n".join(text) if text else "None is argued.")
    parts.append("## Cases that kill nothing")
    idle = {name: table.idle for name, table in tables.items() if table.idle}
    if not idle:
        parts.append(
            "Not measured in these results: `torchport mutants --all-cases` runs every case on every mutant, "
            "and lists those that fail on none (`idle` in the JSON)."
        )
    for name, cases in idle.items():
        kinds = Counter(map(kind_of, cases))
        parts.append(
            f"{len(cases)} cases of {name} failed on no mutant of their operator (`idle` in the JSON):"
        )
        parts.append(rows(("kind of case", "cases"), [(k, str(n)) for k, n in kinds.most_common()]))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page(), "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != page():
        print("docs/mutants.md has drifted: run docs/mutant_table.py")
        raise SystemExit(1)
