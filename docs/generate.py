"""Writes the pages that are derived from the code into ``docs/reference/generated`` before each build.

Nothing here is committed, so nothing can drift: the operators come from the contract, the commands from the
command line itself, the names from ``torchport.__all__``, the options, templates and backends from their
registries.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer.main

import torchport as tp
from torchport.capture.raising.formulas import patterns
from torchport.capture.raising.gradients import BACKWARD
from torchport.capture.raising.patterns import Pattern
from torchport.cli.application import application
from torchport.cli.plugins import GROUP, load_command
from torchport.compile.options import SDK_OPTIONS
from torchport.contract import adapters, higher_order, profiles, scope
from torchport.contract.spec import Category, OpSpec
from torchport.contract.version import LOG
from torchport.tools.templates import discover
from torchport_conformance.known_faults import known_faults

FOLDER = Path(__file__).parent / "reference" / "generated"


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    names = list(header)
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join(lines)


def code(text: object) -> str:
    """Inline code, empty when the text is."""
    return f"`{text}`" if str(text) else ""


def operators(version: str) -> str:
    """A contract version: its counts, and its operators by tier and category, linked to their sections."""
    contract = tp.opset(version)
    tiers = {"prim": contract.prims, "aten": contract.aten, "macro": contract.macros}
    counts = [(tier, str(sum(s.tier.value == tier for s in found.values()))) for tier, found in tiers.items()]
    parts = [
        f"# Operators of contract {version}",
        f"{len(contract.ops)} operators; {contract.status}: {LOG[version]}. SHA-256 of the "
        f"snapshot: `{contract.sha256}`.",
        table(("tier", "operators"), [*counts, ("Core ATen", str(len(contract.core)))]),
    ]
    for category, specs in by_category(version).items():
        page = category_page(version, category)
        rows = (
            (
                f"[{spec.name}]({page}#{anchor(spec.name)})",
                spec.tier.value,
                "yes" if spec.core else "",
                spec.since,
            )
            for spec in specs
        )
        parts += [f"## {category.capitalize()}", table(("operator", "tier", "Core ATen", "since"), rows)]
    if contract.retired:
        rows = ((code(n), s.since, str(s.until)) for n, s in sorted(contract.retired.items()))
        parts += ["## Retired", table(("operator", "since", "until"), rows)]
    pages = "\n".join(category_page(version, category)[:-3] for category in by_category(version))
    parts.append(f"```{{toctree}}\n:hidden:\n\n{pages}\n```")
    return "\n\n".join(parts)


def by_category(version: str) -> dict[str, list[OpSpec]]:
    """The entries of a version by category, both in order of name."""
    categories: dict[str, list[OpSpec]] = defaultdict(list)
    for _, spec in sorted(tp.opset(version).ops.items()):
        categories[spec.category.value].append(spec)
    return dict(sorted(categories.items()))


def category_page(version: str, category: str) -> str:
    """The file name of the page of one category."""
    return f"operators-{version}-{category.replace(' ', '-')}.md"


def heading(name: str) -> str:
    """An operator's name as text of a heading: two underscores are not emphasis."""
    return name.replace("__", r"\_\_")


def anchor(name: str) -> str:
    """The anchor that the section of an operator gets."""
    return re.sub(r"[^a-z0-9_-]", "", name.lower())


def operators_of(version: str, category: str) -> str:
    """The sections of one category's operators."""
    parts = [f"# {category.capitalize()} operators of contract {version}"]
    return "\n\n".join([*parts, *map(operator, by_category(version).get(category, ()))])


def operator(spec: OpSpec) -> str:
    """One operator: schema, rules, numerics, labelled constraints and errors."""
    core = ", Core ATen" if spec.core else ""
    facts = [
        (
            "tier",
            f"{spec.tier.value}{core}, since {spec.since}" + (f", until {spec.until}" if spec.until else ""),
        ),
        ("dtypes", "; ".join(f"{code(a)}: {', '.join(d)}" for a, d in spec.dtypes.accepts.items())),
        ("result dtype", ", ".join(map(code, spec.dtypes.results))),
        ("shape", ", ".join(map(code, spec.shape))),
        ("layout", ", ".join(map(code, spec.layout))),
        ("numerics", numerics(spec)),
        ("decomposes", "yes" if spec.decomposition else "no, it is irreducible"),
    ]
    parts = [f"## {heading(spec.name)}", f"```text\n{spec.schema}\n```", table(("", ""), facts)]
    labelled = (*spec.constraints, *spec.errors)
    if labelled:
        parts.append(
            table(("label", "rule", "meaning"), ((c.label, code(c.text), c.prose) for c in labelled))
        )
    return "\n\n".join(parts)


def macros() -> str:
    """The macros of the current contract: schema, gradient, and every form that is raised to them."""
    contract = tp.opset()
    forms: dict[str, list[Pattern]] = defaultdict(list)
    for pattern in patterns():
        forms[f"torchport.{pattern.macro}.default"].append(pattern)
    gradients = {backward.op for backward in BACKWARD.values()}
    named = sorted(contract.macros.keys() - gradients)
    rows = (
        (
            f"[{code(name)}](operators-{contract.version}.md)",
            code(BACKWARD[name].op) if name in BACKWARD else "of the decomposition",
            str(len(forms[name])) if forms[name] else "one for each layer and direction",
        )
        for name in named
    )
    parts = [
        f"# Macros of contract {contract.version}",
        f"{len(named)} macros, {len(gradients)} gradients of macros.",
        table(("macro", "gradient", "forms"), rows),
        "## Forms",
        "The language of formulas is described in [Macros](../../macros.md).",
    ]
    for name in named:
        listed = sorted(forms[name], key=lambda p: int(p.label.rpartition("P")[2]))
        if listed:
            parts.append(f"### {name}")
            parts.append(table(("label", "formula"), ((p.label, code(p.formula)) for p in listed)))
    return "\n\n".join(parts)


def scope_page() -> str:
    """Where every overload of PyTorch stands, and every higher-order operator."""
    found, prose = scope.scope(tp.opset()), scope.reasons()
    rows = (
        (standing, key, str(count), prose.get(key, ""))
        for standing, counted in found.counts.items()
        for key, count in counted.items()
    )
    treated = (
        (code(name), row.treatment.value, row.reason, row.since and f"PyTorch {row.since}")
        for name, row in higher_order.ROWS.items()
    )
    return "\n\n".join(
        [
            "# Scope",
            f"Every operator overload that PyTorch {found.torch} registers, against contract {found.opset}: "
            f"{len(found.rows)} overloads. Rules over schema, tags, dispatch keys and name account for what "
            "the contract does not have; `torchport opset scope --reason sparse` lists those of a reason.",
            table(("standing", "reason", "overloads", ""), rows),
            "## Higher-order operators",
            "Operators on sub-graphs have no contract entry. What becomes of each:",
            table(("operator", "treatment", "", "since"), treated),
        ]
    )


def versions() -> str:
    """The contract's versions: status, digest, and what each changes."""
    rows = (
        (f"[{v}](operators-{v}.md)", tp.opset(v).status, line, code(tp.opset(v).sha256))
        for v, line in LOG.items()
    )
    parts = ["# Contract versions", table(("version", "status", "", "SHA-256 of the snapshot"), rows)]
    for older, newer in pairwise(LOG):
        parts += [
            f"## From {older} to {newer}",
            f"```text\n{tp.opset(older).diff(tp.opset(newer))}\n```",
        ]
    differing = (
        (
            code(n),
            f"from {p.first}" if p.first else "",
            f"to {p.last}" if p.last else "",
            str(len(p.others) or ""),
        )
        for n, p in adapters.pins().items()
    )
    header = ("operator", "PyTorch that has it", "", "other spellings")
    parts += ["## Operators that PyTorch versions disagree about", table(header, differing)]
    return "\n\n".join(parts)


def profiles_page() -> str:
    """The profiles: what kinds of models need."""
    parts = ["# Profiles"]
    for name in profiles.profile_names():
        found = profiles.profile_named(name)
        parts += [f"## {name}", f"Over {', '.join(found.models)}; contract {found.opset}."]
        for title, uses in (("as captured", found.ops), ("as primitives", found.prims)):
            rows = (
                (code(op), use.tier, str(use.calls), f"{use.share:.2%}", str(use.models))
                for op, use in uses.items()
            )
            parts += [
                f"### {name}, {title}: {len(uses)} operators",
                table(("operator", "tier", "calls", "share", "models"), rows),
            ]
    return "\n\n".join(parts)


def numerics(spec: OpSpec) -> str:
    """The numerics of an operator in one line."""
    ulps = ", ".join(f"{dtype} {n:g}" for dtype, n in spec.numerics.ulps.items())
    special = ", ".join(spec.numerics.special)
    length = f"length {code(spec.numerics.length)}" if spec.numerics.length else ""
    return "; ".join(filter(None, (spec.numerics.kind, ulps and f"ulp: {ulps}", length, special)))


def command_line() -> str:
    """Every command with its arguments and options, those of installed plugins included."""
    root = typer.main.get_command(application())
    plugins = {entry.name: load_command(entry.name, [entry]) for entry in entry_points(group=GROUP)}
    return "\n\n".join(["# Command line", str(root.help), *commands(root, "torchport", plugins)])


def commands(command: Any, path: str, replaced: Mapping[str, Any]) -> Iterable[str]:
    """Sections of a command's sub-commands, depth first."""
    context = command.make_context(path, [], resilient_parsing=True)
    for name, found in command.commands.items():
        inner, line = replaced.get(name, found), f"{path} {name}"
        yield f"## {line}\n\n{(inner.help or '').strip()}"
        if getattr(inner, "commands", None):
            yield from commands(inner, line, {})
            continue
        inner_context = inner.make_context(name, [], parent=context, resilient_parsing=True)
        yield f"```text\n{line} {' '.join(inner.collect_usage_pieces(inner_context))}\n```"
        rows = [record for p in inner.params if (record := help_record(p, inner_context))]
        if rows:
            yield table(("argument or option", ""), ((code(left), right) for left, right in rows))


def help_record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """Left and right column of a parameter's help; none for ``--help``."""
    if parameter.name == "help":
        return None
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper(), parameter.help or ""
    record: tuple[str, str] | None = parameter.get_help_record(context)
    return record


def api() -> str:
    """The public names of torchport, by the module that defines them."""
    modules: dict[str, list[str]] = defaultdict(list)
    for name in sorted(tp.__all__):
        if not name.startswith("_"):
            modules[getattr(getattr(tp, name), "__module__", "")].append(name)
    parts = ["# Python API", "Everything here is `import torchport as tp; tp.NAME`."]
    for module in sorted(modules):
        parts.append(f"## {module or 'constants'}")
        parts += [f"```{{eval-rst}}\n{directive(name)}\n```" for name in modules[module]]
    return "\n\n".join(parts)


def directive(name: str) -> str:
    """The autodoc directive of one public name."""
    value = getattr(tp, name)
    if isinstance(value, type):
        members = "" if issubclass(value, Mapping) else "\n   :members:"
        return f".. autoclass:: torchport.{name}{members}"
    return f".. autofunction:: torchport.{name}" if callable(value) else f".. autodata:: torchport.{name}"


def options() -> str:
    """Options of every torchport backend, and what each installed one adds."""
    header = ("option", "type", "default", "allowed", "")
    parts = ["# Options", "Every torchport backend understands:", table(header, option_rows(SDK_OPTIONS))]
    for installed in tp.backends():
        backend = tp.load_backend(installed.name)
        parts += [f"## {installed.name}", f"Modes: {', '.join(map(code, backend.modes))}."]
        if backend.options:
            parts.append(table(header, option_rows(backend.options)))
    return "\n\n".join(parts)


def option_rows(declared: Mapping[str, tp.Option]) -> Iterable[tuple[str, ...]]:
    """Rows of a table of options."""
    for name, option in sorted(declared.items()):
        allowed = ", ".join(code(repr(c)) for c in option.choices)
        if option.low is not None:
            allowed = f"{option.low} and more"
        yield code(name), option.type.__name__, code(repr(option.default)), allowed, option.doc


def shipped() -> str:
    """Templates and backends that this installation has."""
    rows = ((t.level, t.kernels, t.summary) for t in discover().templates)
    found = ((code(b.name), b.distribution, code(b.target)) for b in tp.backends())
    return "\n\n".join(
        [
            "# Templates and backends",
            table(("--level", "--kernels", "what is written"), rows),
            table(("backend", "distribution", "class"), found),
        ]
    )


def known_faults_page() -> str:
    """What real backends got wrong, and where conformance has to find it."""
    rows = (
        (code(f.id), f.kind, code(f.op), f.text, f.layer, code(f.selection)) for f in known_faults().values()
    )
    return "\n\n".join(
        [
            "# Known faults",
            "Faults of real backends, from public reports, in our own words. Each is planted in a backend "
            "that is otherwise right, with the trigger that it had; profile `full` has to fail there, with "
            "the cause, and to pass without it. `torchport_conformance.known_faults.catching.caught` runs "
            "one, `tests/conformance/test_known_faults.py` all of them.",
            table(("fault", "kind", "planted in", "what goes wrong", "layer", "found in the cases of"), rows),
        ]
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "api.md": api,
    "command-line.md": command_line,
    "known-faults.md": known_faults_page,
    "macros.md": macros,
    "options.md": options,
    "shipped.md": shipped,
    "profiles.md": profiles_page,
    "scope.md": scope_page,
    "versions.md": versions,
    **{f"operators-{version}.md": partial(operators, version) for version in LOG},
    **{
        category_page(version, category.value): partial(operators_of, version, category.value)
        for version in LOG
        for category in Category
        if category is not Category.CUSTOM
    },
}


def main() -> None:
    """Writes every page; pages that exist no longer are removed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        if old.name not in PAGES:
            old.unlink()
    for name, write in PAGES.items():
        (FOLDER / name).write_text(f"{write()}\n")


if __name__ == "__main__":
    main()
