"""The derived pages of the manual say everything that they are derived from."""

from __future__ import annotations

from types import ModuleType

import torchport as tp
from torchport.cli.application import COMMANDS, GROUPS
from torchport.contract import higher_order
from torchport.contract.profiles import profile_names
from torchport.contract.version import LOG


def test_every_operator_has_a_section_with_its_labels(manual: ModuleType) -> None:
    assert manual.PAGES.keys() >= {f"operators-{version}.md" for version in LOG}
    for version in LOG:
        index = manual.PAGES[f"operators-{version}.md"]()
        pages = {c: manual.PAGES[manual.category_page(version, c)]() for c in manual.by_category(version)}
        for spec in tp.opset(version).ops.values():
            text = pages[spec.category.value]
            page = manual.category_page(version, spec.category.value)
            assert f"| [{spec.name}]({page}#{manual.anchor(spec.name)}) |" in index
            assert f"\n## {manual.heading(spec.name)}\n" in text
            assert f"\n{spec.schema}\n" in text
            for constraint in (*spec.constraints, *spec.errors):
                assert f"| {constraint.label} |" in text


def test_every_command_has_a_section_with_its_options(manual: ModuleType) -> None:
    text = manual.command_line()
    for name in (*COMMANDS, *GROUPS, "conformance"):
        assert f"\n## torchport {name}\n" in text
    for option in ("--kernels", "--backend", "--profile", "--json"):
        assert f"{option}" in text


def test_every_public_name_is_documented(manual: ModuleType) -> None:
    text = manual.api()
    names = [name for name in tp.__all__ if not name.startswith("_")]
    assert len(names) > 40
    for name in names:
        assert f":: torchport.{name}\n" in text


def test_options_and_templates_are_listed(manual: ModuleType) -> None:
    assert "| `strict` | bool | `False` |" in manual.options()
    shipped = manual.shipped()
    assert "| dynamo | cpp |" in shipped
    assert "| dynamo | python |" in shipped
    assert "| `torchport_openmp` |" in shipped


def test_bars_in_cells_are_escaped(manual: ModuleType) -> None:
    assert manual.table(("a", "b"), [("x|y", "z")]) == "| a | b |\n|---|---|\n| x\\|y | z |"


def test_every_macro_and_form_is_listed(manual: ModuleType) -> None:
    text = manual.macros()
    for name in tp.opset().macros:
        assert f"`{name}`" in text
    assert "| rms_norm.P1 |" in text
    assert "| cross_entropy.P10 |" in text


def test_the_scope_names_every_higher_order_operator(manual: ModuleType) -> None:
    text = manual.scope_page()
    for name, row in higher_order.ROWS.items():
        assert f"| `{name}` | {row.treatment.value} |" in text
    assert "| out | sparse |" in text and "| composite | composite |" in text


def test_versions_and_profiles_have_pages(manual: ModuleType) -> None:
    text = manual.versions()
    for version in LOG:
        assert f"`{tp.opset(version).sha256}`" in text
    assert "- aten.cholesky.default" in text
    assert "| `aten.linalg_polar.default` | from 2.14 |" in text
    pages = manual.profiles_page()
    for name in profile_names():
        assert f"\n## {name}\n" in pages
