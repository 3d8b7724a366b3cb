"""Errors, exit codes, start-up and plugin commands of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from torchport.errors import ScaffoldError
from torchport.tools.templates import discover
from torchport.version import __version__

from .conftest import Run, add_distribution


def test_version(torchport: Run) -> None:
    ran = torchport("--version")
    assert (ran.returncode, ran.stdout.strip()) == (0, f"torchport {__version__}")


COMMANDS = ("new", "backends", "opset", "explain", "bench", "doctor", "conformance")


def test_help_lists_the_commands(torchport: Run) -> None:
    ran = torchport("--help")
    assert ran.returncode == 0
    for command in COMMANDS:
        assert command in ran.stdout


def test_help_of_new_names_every_template(torchport: Run) -> None:
    text = torchport("new", "--help").stdout
    level, kernels = (text.split(option, 1)[1].split("[default", 1)[0] for option in ("--level", "--kernels"))
    for template in discover().templates:
        assert template.level in level and template.kernels in kernels


def test_help_imports_no_torch() -> None:
    code = (
        "import sys\n"
        "from torchport.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: code = end.code\n"
        "heavy = {'torch', 'numpy', 'sympy', 'jinja2', 'torchport_conformance'} & sys.modules.keys()\n"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr


def test_a_refusal_is_one_message_on_stderr_and_exit_code_2(torchport: Run) -> None:
    ran = torchport("new", "my accel")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("torchport: [new] the name 'my accel' is refused: it contains white space\n")
    assert "Traceback" not in ran.stderr


def test_the_same_in_a_process_of_its_own(torchport_process: Run) -> None:
    ran = torchport_process("new", "my accel")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "white space" in ran.stderr and "Traceback" not in ran.stderr
    debug = torchport_process("new", "my accel", TORCHPORT_DEBUG="1")
    assert debug.returncode == 1
    assert "Traceback" in debug.stderr and "ScaffoldError" in debug.stderr


def test_debug_raises(torchport: Run) -> None:
    with pytest.raises(ScaffoldError):
        torchport("new", "my accel", TORCHPORT_DEBUG="1")
    assert torchport("new", "my accel", TORCHPORT_DEBUG="0").returncode == 2


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("new",), ("new", "a", "b"), ("new", "a", "--nonsense"), ("opset", "x")]
)
def test_wrong_usage_is_exit_code_2(torchport: Run, arguments: tuple[str, ...]) -> None:
    ran = torchport(*arguments)
    assert ran.returncode == 2 and "Usage" in ran.stderr


def test_new_says_what_it_wrote_as_json(torchport: Run, tmp_path: Path) -> None:
    ran = torchport("new", "my_accel", "--kernels", "cpp", "--directory", str(tmp_path / "out"), "--json")
    assert ran.returncode == 0, ran.stderr
    written = json.loads(ran.stdout)
    target = tmp_path / "out" / "my_accel"
    assert written["directory"] == str(target)
    assert (written["name"], written["level"], written["kernels"]) == ("my_accel", "dynamo", "cpp")
    found = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert set(written["files"]) == found and "native/kernels.cpp" in found


def test_new_writes_into_the_working_directory(torchport: Run, tmp_path: Path) -> None:
    ran = torchport("new", "my_accel")
    assert ran.returncode == 0, ran.stderr
    assert str(tmp_path / "work" / "my_accel") in ran.stdout
    again = torchport("new", "my_accel")
    assert again.returncode == 2 and "already exists" in again.stderr


def test_a_plugin_command_gets_its_arguments_and_sets_the_exit_code(torchport: Run, site: Path) -> None:
    source = (
        "import typer\n"
        "def greet(name: str, times: int = 1, loud: bool = False) -> None:\n"
        "    '''Greets.'''\n"
        "    typer.echo((f'hello {name} ' * times).upper() if loud else f'hello {name} ' * times)\n"
        "    raise typer.Exit(3)\n"
        "app = typer.Typer()\n"
        "app.command('one')(greet)\n"
        "app.command('two')(greet)\n"
    )
    points = "[torchport.commands]\ngreet = vendor_cli:greet\ngroup = vendor_cli:app\n"
    add_distribution(site, "vendor", points, vendor_cli=source)
    ran = torchport("greet", "--times", "2", "you", "--loud")
    assert (ran.returncode, ran.stdout.strip()) == (3, "HELLO YOU HELLO YOU")
    assert torchport("group", "two", "you").stdout.strip() == "hello you"
    assert "Greets." in torchport("greet", "--help").stdout
    assert torchport("greet").returncode == 2


def test_broken_plugin_commands_hurt_nobody_else(torchport: Run, site: Path) -> None:
    group, twice = "[torchport.commands]\n", "twice = vendor_cli:run\n"
    points = f"{group}missing = vendor_absent:run\nnumber = vendor_cli:number\n{twice}"
    source = "number = 7\ndef run() -> None: ...\n"
    add_distribution(site, "vendor", points, vendor_cli=source)
    add_distribution(site, "rival", "[torchport.commands]\ntwice = rival_cli:run\n", rival_cli=source)
    assert torchport("--help").returncode == 0
    for command, reason in (
        ("missing", "No module named 'vendor_absent'"),
        ("number", "not a Typer application or function"),
        ("twice", "two packages provide the command"),
    ):
        ran = torchport(command)
        assert ran.returncode == 2 and reason in ran.stderr and "Traceback" not in ran.stderr


def test_a_plugin_cannot_replace_a_command(torchport: Run, site: Path) -> None:
    source = "def run() -> None: raise SystemExit(77)\n"
    add_distribution(site, "vendor", "[torchport.commands]\nnew = vendor_cli:run\n", vendor_cli=source)
    assert torchport("new", "1x").returncode == 2


def test_templates_of_another_package_are_offered_and_broken_ones_hurt_nobody_else(
    torchport: Run, site: Path, tmp_path: Path
) -> None:
    for folder, description in (
        ("good", "level = 'device'\nkernels = 'python'\nsummary = 'a device'\n"),
        ("no_summary", "level = 'device'\nkernels = 'cpp'\n"),
        ("orphan", "level = 'device'\nkernels = 'triton'\nsummary = ''\nextends = 'nowhere'\n"),
    ):
        (site / "vendor_templates" / folder).mkdir(parents=True)
        (site / "vendor_templates" / folder / "template.toml").write_text(description)
    (site / "vendor_templates" / "good" / "__name__.txt.jinja").write_text("{{ name }} {{ class_name }}")
    points = "[torchport.templates]\nvendor = vendor_where:FOLDER\nbroken = vendor_absent:FOLDER\n"
    where = f"FOLDER = {str(site / 'vendor_templates')!r}\n"
    add_distribution(site, "vendor", points, vendor_where=where)
    assert torchport("new", "my_accel", "--level", "device").returncode == 0
    written = tmp_path / "work" / "my_accel" / "my_accel.txt"
    assert written.read_text() == "my_accel MyAccelBackend"
    assert torchport("new", "other_accel").returncode == 0
    refused = torchport("new", "third_accel", "--level", "device", "--kernels", "cpp")
    assert refused.returncode == 2
    told = torchport("doctor").stdout
    for text in ("no_summary", "nowhere", "vendor_absent"):
        assert text in refused.stderr and text in told
    assert "--level device --kernels python" in refused.stderr


def test_two_packages_with_one_template_break_that_template_only(torchport: Run, site: Path) -> None:
    (site / "vendor_templates" / "python").mkdir(parents=True)
    description = "level = 'dynamo'\nkernels = 'python'\nsummary = ''\n"
    (site / "vendor_templates" / "python" / "template.toml").write_text(description)
    where = f"FOLDER = {str(site / 'vendor_templates')!r}\n"
    add_distribution(site, "vendor", "[torchport.templates]\nv = vendor_where:FOLDER\n", vendor_where=where)
    ran = torchport("new", "my_accel")
    assert ran.returncode == 2 and "several packages" in ran.stderr
    assert torchport("new", "my_accel", "--kernels", "cpp").returncode == 0
