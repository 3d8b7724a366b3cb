"""The road of a vendor in one run: scaffold, integrate, prove.

Writes a backend package ``myaccel`` and installs it; trains and runs GPT-2, BERT and ResNet through it and
through the reference backend ``torchport_openmp``; compares every number with eager and float64 and every
time with eager and Inductor; runs the conformance suite. Exits 1 if anything is wrong or a graph ran without
its backend.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

HERE = Path(__file__).resolve().parent
MODELS, BACKENDS = ("gpt2", "bert", "resnet"), ("myaccel", "torchport_openmp")

TABLE_WIDTH = 136
LEGEND = """\
numerics   inference, and training steps 1, 5, 10, 20 from eager's own state. Loss, every gradient and buffer
           satisfy max|ours − f64| ≤ 2·max|eager − f64| + the contract's bound. Shown: largest error / limit.
loss       of the first and the last of 20 training steps through the backend.
nodes      share that runs on the backend, of all that compute something.
time       share spent in the backend's regions, inference / training.
compile s  the backend / Inductor: inference and training together, all caches empty.
ms, vs     inference / training step; above 1 is faster than the rival. Medians, all candidates taking turns.
"""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--no-inductor", action="store_true", help="skip the slowest part: Inductor")
    parser.add_argument("--no-conformance", action="store_true")
    parser.add_argument("--rounds", type=int, default=15, help="turns in a timing (default 15)")
    parser.add_argument("--out", type=Path, default=HERE.parent / "out" / "demo", help="output folder")
    return parser.parse_args()


def main() -> int:
    """Runs the demo; returns the exit code."""
    options = arguments()
    console, start = Console(width=max(Console().width, TABLE_WIDTH)), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="torchport-demo-") as caches:
        # Compile times are those of a machine that has seen none of this. Set before anything imports
        # PyTorch.
        os.environ |= {
            "TORCHPORT_CACHE_DIR": f"{caches}/torchport",
            "TORCHINDUCTOR_CACHE_DIR": f"{caches}/inductor",
            "HF_HUB_OFFLINE": "1",
        }
        failed = run(options, console)
    console.print(f"\n{time.perf_counter() - start:.0f} s in all; written to {options.out}", highlight=False)
    return 1 if failed else 0


def run(options: argparse.Namespace, console: Console) -> bool:
    """The three parts; true when something failed."""
    from scaffold import NAME, scaffold

    console.rule("1. Scaffold")
    package, commands = scaffold(options.out)
    for command in commands:
        console.print(f"$ {command}", style="bold", highlight=False)
    console.print(
        f"a package with its first kernels, tests and conformance run: {package}\n", highlight=False
    )

    console.rule("2. Integrate: inference, and 20 steps of training")
    failed = models(options, console)
    explain(NAME, console)
    if not options.no_conformance:
        console.rule("3. Prove")
        failed |= conformance(NAME, options, console)
    return failed


def models(options: argparse.Namespace, console: Console) -> bool:
    """Judges and times every model on every backend; true when something is wrong."""
    from measure import INDUCTOR, measure
    from verdict import Verdict, judge, table

    from torchport_conformance.models import architecture

    verdicts: list[Verdict] = []
    for name in options.models:
        chosen, start = architecture(name), time.perf_counter()
        with console.status(f"{name}: compile times and speed"):
            rivals = () if options.no_inductor else (INDUCTOR,)
            times = measure(chosen, (*options.backends, *rivals), options.rounds)
        for backend in options.backends:
            with console.status(f"{name} on {backend}: 20 steps, judged against eager and float64"):
                verdicts.append(judge(chosen, backend, times))
        console.print(f"{name}: {time.perf_counter() - start:.0f} s", highlight=False)
    console.print(table(verdicts))
    console.print(
        LEGEND,
        highlight=False,
    )
    for verdict in verdicts:
        for line in verdict.wrong:
            console.print(f"[red]wrong[/red] {verdict.model} on {verdict.backend}: {line}", highlight=False)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "demo.json").write_text(json.dumps([v.to_dict() for v in verdicts], indent=1))
    return any(v.wrong for v in verdicts)


def explain(backend: str, console: Console) -> None:
    """Shows what the command says about a program's nodes that the backend does not run."""
    command = (str(Path(sys.executable).with_name("torchport")), "explain", "attention", "--backend", backend)
    console.print(f"$ torchport {' '.join(command[1:])}", style="bold", highlight=False)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    console.print(done.stdout, highlight=False, markup=False)


def conformance(backend: str, options: argparse.Namespace, console: Console) -> bool:
    """Runs the quick profile on one backend and writes the reports; true when the run is not a pass."""
    folder = options.out / "report"
    arguments = ["conformance", backend, "--jobs", "2", "--report"]
    console.print(f"$ torchport {' '.join(arguments)} report", style="bold", highlight=False)
    done = subprocess.run(
        [str(Path(sys.executable).with_name("torchport")), *arguments, str(folder)], check=False
    )
    for name in ("index.html", "report.json", "junit.xml"):
        console.print(f"  {folder / name}", highlight=False, soft_wrap=True)
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
