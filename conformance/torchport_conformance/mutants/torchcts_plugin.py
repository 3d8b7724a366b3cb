"""A plugin of pytest that runs the mutants under TorchCTS's forward tests of operators.

TorchCTS tests an eager device against CPU. The device here is CPU once more: what a test calls on the
device runs under :class:`~torchport_conformance.mutants.dispatch.Planted`, and what it calls for reference
does not. A test is run right first; if it passes, it is run again for each mutant that its operator reaches
and that no test has killed yet.

``pytest -p torchport_conformance.mutants.torchcts_plugin --device cpu --validation --mutants-reach REACH.json
--mutants-out OUT.json .../torchcts/opinfo/test_opinfo_forward.py``
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from torch.testing._internal import common_methods_invocations as definitions, common_utils

from torchport_conformance.mutants.dispatch import Planted
from torchport_conformance.mutants.mutant import Mutant, frozen
from torchport_conformance.mutants.programs import ProgramFault

_INFOS = 3


class Device(str):
    """The name of CPU that is not equal to it, so that tests do compare with the reference."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def pytest_addoption(parser: pytest.Parser) -> None:
    """The files that the plugin reads and writes."""
    parser.addoption("--mutants-reach", help="JSON: names of OpInfos for each operator that they reach.")
    parser.addoption("--mutants-out", help="JSON to write: runs, calls and killer of each mutant.")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the run."""
    if config.getoption("--mutants-reach"):
        config.pluginmanager.register(_Run(config), "mutants-run")


class _Run:
    def __init__(self, config: pytest.Config) -> None:
        reach = json.loads(Path(config.getoption("--mutants-reach")).read_text("utf-8"))
        self.out = Path(config.getoption("--mutants-out"))
        self.of_info: dict[str, list[Mutant]] = {}
        self.found: dict[str, dict[str, Any]] = {}
        for mutant in frozen():
            if isinstance(mutant.planted, ProgramFault):
                continue
            stem = mutant.op.split(".")[1]
            names = sorted(reach.get(mutant.op, ()), key=lambda n: (n.rpartition(".")[2] != stem, len(n)))
            for name in names[:_INFOS]:
                self.of_info.setdefault(name, []).append(mutant)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Iterator[None]:
        """Tests are made of the OpInfos that reach some mutant alone: each of the others costs seconds."""
        needed = [info for info in definitions.op_db if info.name in self.of_info]
        with mock.patch.object(definitions, "op_db", needed), _untracked():
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        """The tests."""
        with _untracked():
            yield

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keeps tests that some mutant of their dtype can show in."""
        kept: list[pytest.Item] = []
        rest: list[pytest.Item] = []
        for item in items:
            (kept if self.mutants_of(item) else rest).append(item)
        config.hook.pytest_deselected(items=rest)
        items[:] = kept

    def mutants_of(self, item: pytest.Item) -> list[Mutant]:
        """The mutants that a test may kill."""
        params = getattr(getattr(item, "callspec", None), "params", {})
        dtype = str(params.get("dtype_str", "")).removeprefix("torch.")
        return [m for m in self.of_info.get(str(params.get("op_name")), ()) if m.dtype in (dtype, "any")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """The test right, then once for each mutant; the outcome is that of the right run."""
        mutants = [m for m in self.mutants_of(pyfuncitem) if not self.found.get(m.id, {}).get("killer")]
        if not mutants:
            pytest.skip("no mutant is left for it")
        self.call(pyfuncitem, None)
        for mutant in mutants:
            entry = self.found.setdefault(mutant.id, {"tests": 0, "calls": 0, "killer": ""})
            planted = Planted(mutant)
            try:
                self.call(pyfuncitem, planted)
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - a kill
                if planted.calls and not isinstance(error, pytest.skip.Exception):
                    entry["killer"] = pyfuncitem.name
            entry["tests"] += 1
            entry["calls"] += planted.calls
        self.out.write_text(json.dumps(self.found, indent=1), "utf-8")
        return True

    def call(self, item: pytest.Function, planted: Planted | None) -> None:
        """Runs the test's function with the device and the operator of the plugin."""
        names = item._fixtureinfo.argnames
        given = {name: item.funcargs[name] for name in names}
        given["device"] = Device("cpu")
        with _patched(sys.modules[item.function.__module__], planted):
            item.obj(**given)


@contextmanager
def _untracked() -> Iterator[None]:
    """Samples that no test of unittest asks for: looking for one, up the stack, is most of their cost."""
    with mock.patch.object(common_utils, "extract_test_fn", lambda: None):
        yield


@contextmanager
def _patched(module: Any, planted: Planted | None) -> Iterator[None]:
    """The test module with operators that run a mutant where their operands were moved to the device."""
    on_device = [False]
    move, live = module._move_sample_obj, module.get_live_opinfo

    def moved(value: Any, device: str) -> Any:
        on_device[0] = isinstance(device, Device)
        return move(value, "cpu")

    def opinfo(name: str) -> Any:
        info = live(name)

        def op(*args: Any, **kwargs: Any) -> Any:
            if planted is None or not on_device[0]:
                return info.op(*args, **kwargs)
            with planted:
                return info.op(*args, **kwargs)

        return _Info(info, op)

    with (
        mock.patch.object(module, "_move_sample_obj", moved),
        mock.patch.object(module, "get_live_opinfo", opinfo),
        mock.patch.object(module, "synchronize", lambda device: None),
    ):
        yield


class _Info:
    def __init__(self, info: Any, op: Any) -> None:
        self._info, self.op = info, op

    def __getattr__(self, name: str) -> Any:
        return getattr(self._info, name)
