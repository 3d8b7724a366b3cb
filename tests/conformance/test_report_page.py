"""The HTML report in a real browser: filters, failures, reproducers, and the keyboard alone.

Needs Chromium: ``TORCHPORT_CHROMIUM`` names it, else it is looked for on the path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

import torchport_conformance as tc
from torchport_conformance.report.write import write_reports

CHROMIUM = os.environ.get("TORCHPORT_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
)
MISSING = "no Chromium on the path, none in TORCHPORT_CHROMIUM"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
SELECT = ["aten.mul.Tensor", "aten.sub.Tensor"]


@pytest.fixture(scope="module")
def report() -> tc.Report:
    return tc.run("planted_faults:StridesIgnored", select=SELECT, layers=["op"], jobs=0)


@pytest.fixture(scope="module")
def browsed(report: tc.Report, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("report")
    write_reports(report, folder)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(20_000)
        complaints: list[str] = []
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda asked: None if asked.url.startswith("file:") else complaints.append(asked.url)
        )
        page.goto((folder / "index.html").as_uri())
        yield page
        browser.close()
    complaints = [text for text in complaints if not text.startswith("file:")]
    assert complaints == [], "errors in the page's console, or requests to a network"


@pytest.fixture(autouse=True)
def fresh(browsed: Page) -> None:
    browsed.keyboard.press("Escape")
    browsed.select_option("#columns", "dtype")


def count(page: Page) -> int:
    """How many failures the page says it lists."""
    return int(page.inner_text("#failures-count").partition(" ")[0])


def test_the_numbers_are_those_of_the_report(browsed: Page, report: tc.Report) -> None:
    assert browsed.inner_text("#verdict") == "Failures"
    totals = dict(reversed(text.split("\n")) for text in browsed.locator(".total").all_inner_texts())
    assert (int(totals["passed"]), int(totals["failed"])) == (report.passed, report.failed)
    assert count(browsed) == report.failed
    bins = [int(text.split("\n")[0]) for text in browsed.locator(".bin").all_inner_texts() if "\n" in text]
    assert sum(bins) == sum(r.bound_ratio is not None for r in report.results)


def test_a_filter_leaves_what_matches(browsed: Page, report: tc.Report) -> None:
    browsed.fill("#filter", "aten.sub.Tensor")
    of_sub = [r for r in report.failures if r.op == "aten.sub.Tensor"]
    assert count(browsed) == len(of_sub) > 0
    assert browsed.locator("#matrix tbody tr").count() == 1
    browsed.select_option("#dtype", "float32")
    assert count(browsed) == sum(r.dtype == "float32" for r in of_sub)
    browsed.select_option("#columns", "layout")
    heads = browsed.locator("#matrix thead th").all_inner_texts()
    assert "columns" in heads and "float64" not in heads and "float32" not in heads
    browsed.click("#reset")
    assert count(browsed) == report.failed


def test_a_failing_cell_lists_its_failures(browsed: Page, report: tc.Report) -> None:
    browsed.locator("#matrix button.cell").nth(1).click()
    assert 0 < count(browsed) < report.failed
    assert browsed.evaluate("document.activeElement.id") == "failures"


def test_a_failure_opens_and_its_reproducer_fails_the_same_way(browsed: Page, report: tc.Report) -> None:
    entry = browsed.locator("#failures details.failure").first
    entry.locator("summary").click()
    case_id = entry.locator("summary code").inner_text()
    shown = next(r for r in report.failures if r.id == case_id)
    assert shown.message in entry.inner_text()
    pasted = entry.locator("pre.reproducer").inner_text()
    with pytest.raises(tc.ConformanceFailure) as raised:
        exec(compile(pasted, "<pasted>", "exec"), {})
    assert raised.value.message == shown.message


def test_the_keyboard_alone_is_enough(browsed: Page, report: tc.Report) -> None:
    press = browsed.keyboard.press
    press("/")
    browsed.keyboard.type("aten.mul")
    assert count(browsed) == sum(r.op == "aten.mul.Tensor" for r in report.failures)
    browsed.locator("#matrix button.cell").first.focus()
    first = browsed.evaluate("document.activeElement.title")
    press("ArrowRight")
    assert browsed.evaluate("document.activeElement.title") != first
    press("ArrowLeft")
    assert browsed.evaluate("document.activeElement.title") == first
    press("Enter")
    press("j")
    press("j")
    second = browsed.locator("#failures details.failure").nth(1)
    assert second.get_attribute("open") is not None
    assert second.locator("summary").evaluate("summary => summary === document.activeElement")
    press("k")
    assert browsed.locator("#failures details.failure").first.get_attribute("open") is not None
    press("Escape")
    assert count(browsed) == report.failed


def test_dark_and_narrow_windows_show_the_page(browsed: Page) -> None:
    browsed.emulate_media(color_scheme="dark")
    browsed.set_viewport_size({"width": 420, "height": 800})
    assert browsed.evaluate("document.documentElement.scrollWidth") <= 420
    browsed.emulate_media(color_scheme="light")
    browsed.set_viewport_size({"width": 1280, "height": 1000})
