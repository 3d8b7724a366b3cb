"""Writes ``docs/images/conformance-report.png``: the report of a backend with one fault, in Chromium.

Run by hand when the page changes: ``python docs/report_screenshot.py``. It needs Chromium on the path.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import torchport_conformance as tc
from torchport_conformance.report.write import write_reports

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "images" / "conformance-report.png"
SELECT = ["aten.mul.Tensor", "aten.sub.Tensor", "aten.sum.dim_IntList"]


def main() -> None:
    """Runs conformance on a planted fault and takes the picture."""
    sys.path.insert(0, str(ROOT / "tests" / "conformance"))
    report = tc.run("planted_faults:StridesIgnored", select=SELECT, layers=["op"], jobs=0)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_reports(report, Path(folder))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 1180}, color_scheme="light")
        page.goto((Path(folder) / "index.html").as_uri())
        page.locator("#failures details.failure summary").first.click()
        page.locator("#failures").evaluate("list => list.replaceChildren(...[...list.children].slice(0, 3))")
        TARGET.parent.mkdir(exist_ok=True)
        page.screenshot(path=TARGET, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
