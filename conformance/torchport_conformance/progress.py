"""What a terminal, or a log, shows while cases run: how many, how fast, how many failed, how long still."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from torchport_conformance.report.model import CaseResult

LINE_SECONDS = 20.0


class _Speed(ProgressColumn):
    """Cases per second of the last half minute."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.0f}/s")


class RunProgress:
    """A bar on a terminal; elsewhere a line every ``seconds``. Used as a context.

    Args:
        console: where it is shown.
        title: what runs.
        total: cases of the plan.
        seconds: between two lines.
    """

    def __init__(self, console: Console, title: str, total: int, *, seconds: float = LINE_SECONDS) -> None:
        self._console, self._total, self._seconds = console, total, seconds
        self._title = title
        self._done = self._failed = self._shown = 0
        self._shown_at = time.monotonic()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failed]} failed"),
            _Speed(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=console, transient=True) if console.is_terminal else None
        self._task = None if self._bar is None else self._bar.add_task(title, total=total, failed=0)

    def advance(self, result: CaseResult) -> None:
        """Counts a result."""
        self.count(result.is_failure)

    def count(self, failed: bool) -> None:
        """Counts one of what runs, a case or a graph."""
        self._done += 1
        self._failed += failed
        self._total = max(self._total, self._done)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, total=self._total, failed=self._failed)
        elif time.monotonic() - self._shown_at >= self._seconds:
            self._show()

    def _show(self) -> None:
        now = time.monotonic()
        rate = (self._done - self._shown) / max(now - self._shown_at, 1e-9)
        self._shown, self._shown_at = self._done, now
        text = f"{self._title}: {self._done} of {self._total}, {self._failed} failed, {rate:.1f} cases/s"
        left = (self._total - self._done) / rate if rate else 0.0
        minutes, seconds = divmod(round(left), 60)
        self._console.print(f"{text}, {minutes}:{seconds:02d} left", highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
