"""Files that must not be loaded: damaged, cut short, forged, for something else; what a file may not do."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from packaging.requirements import Requirement

import torchport as tp
from torchport.compile.package import pack, unpack
from torchport.contract.graph import Symbol
from torchport.deploy import container, trees
from torchport.deploy.container import Container
from torchport.deploy.tensors import TensorsFile, chunks
from torchport.errors import ArtifactError, ExportError
from torchport.version import TORCH_WINDOW

KEY = b"a key of sixteen bytes or more"
X = torch.linspace(0, 1, 6).reshape(2, 3)


@pytest.fixture(scope="module")
def files(tmp_path_factory: Any, portable: Any) -> Any:
    folder, model = tmp_path_factory.mktemp("files"), torch.nn.Linear(3, 2)
    for name, key in (("plain", None), ("signed", KEY)):
        tp.export(model, (X,), backend=portable(), path=folder / name, key=key)
    return folder, model


def test_both_files_run(files: Any, portable: Any) -> None:
    folder, model = files
    for name, key, signed in (("plain", None, False), ("signed", None, True), ("signed", KEY, True)):
        program = tp.load(folder / name, key=key, backends=[portable()])
        assert program.manifest.signed is signed
        with torch.no_grad():
            assert torch.equal(program(X), model(X))


def test_any_flipped_byte_and_any_length_is_refused(files: Any, tmp_path: Path, portable: Any) -> None:
    """Every byte of the head, the tag and the checksum, and every 7th between them, in each of the files."""
    bad = tmp_path / "bad"
    for name in ("plain", "signed"):
        data = (files[0] / name).read_bytes()
        ends = {*range(120), *range(len(data) - 100, len(data))}
        for position in sorted(ends | set(range(0, len(data), 7))):
            changed = bytearray(data)
            changed[position] ^= 1 << (position % 8)
            bad.write_bytes(changed)
            with pytest.raises(ArtifactError):
                Container(bad, None)
        for length in (0, 1, 50, 104, len(data) // 2, len(data) - 1):
            bad.write_bytes(data[:length])
            with pytest.raises(ArtifactError):
                Container(bad, None)
        bad.write_bytes(data + b"\0")
        with pytest.raises(ArtifactError, match="size is not what it says"):
            tp.load(bad, backends=[portable()])


def resealed(path: Path, into: Path, key: bytes | None = None, **changes: Any) -> Path:
    """A whole file with another manifest, as somebody without the key could write it."""
    found = Container(path, None)
    names = ("program", "constants", "weights")
    given = {n: changes.pop(n) for n in names if isinstance(changes.get(n), bytes)}
    sections = {n: given.get(n) or bytes(found.section(n)) for n in names}
    manifest = {**found.manifest, **changes}
    container.write(into, manifest, {n: (len(b), [b]) for n, b in sections.items()}, key)
    return into


@pytest.mark.parametrize(
    ("name", "key", "text"),
    [
        ("plain", KEY, "is not signed, and a key was given"),
        ("signed", b"another key of sixteen bytes", "was not signed with this key"),
    ],
)
def test_other_keys(files: Any, portable: Any, name: str, key: bytes, text: str) -> None:
    with pytest.raises(ArtifactError, match=text):
        tp.load(files[0] / name, key=key, backends=[portable()])


def test_a_forged_file_is_refused_before_anything_is_read(files: Any, portable: Any, tmp_path: Path) -> None:
    forged = resealed(
        files[0] / "signed", tmp_path / "f", key=b"what the forger has", program=b"not a program"
    )
    with pytest.raises(ArtifactError, match="was not signed with this key"):
        tp.load(forged, key=KEY, backends=[portable()])
    data = bytearray(forged.read_bytes())
    data[-64:-32] = (files[0] / "signed").read_bytes()[-64:-32]  # the tag of the original
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    forged.write_bytes(data)
    with pytest.raises(ArtifactError, match="was not signed with this key"):
        tp.load(forged, key=KEY, backends=[portable()])


Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda d: {"torch_window": ">=2.5,<2.9"}, "is for PyTorch >=2.5,<2.9"),
        (lambda d: {"contract": {**d["contract"], "version": "9.9"}}, "made for another contract"),
        (lambda d: {"contract": {**d["contract"], "sha256": "0" * 64}}, "made for another contract"),
        (lambda d: {"backends": [{**d["backends"][0], "version": "2"}]}, "'portable' of other version"),
        (lambda d: {"backends": [{**d["backends"][0], "source_hash": "x"}]}, "'portable' of other sources"),
        (lambda d: {"backends": [{**d["backends"][0], "target": "Target('huge')"}]}, "for a target that"),
        (lambda d: {"backends": [{**d["backends"][0], "name": "absent"}]}, "needs backend 'absent'"),
        (lambda d: {"arguments": d["arguments"][:-1]}, "manifest of another program"),
        (lambda d: {"out_tree": {"kind": "list", "items": []}}, "manifest of another program"),
        (lambda d: {"backends": None}, "has a manifest that cannot be read"),
        (lambda d: {"program": b"torchport-graph-1\n"}, "not a packed graph"),
        (lambda d: {"weights": b"\xff" * 8}, "not a safetensors file"),
    ],
)
def test_what_does_not_fit_is_refused(
    files: Any, portable: Any, tmp_path: Path, change: Change, text: str
) -> None:
    found = Container(files[0] / "plain", None)
    changes = change(found.manifest)
    path = resealed(files[0] / "plain", tmp_path / "p", **changes)
    with pytest.raises(ArtifactError, match=text):
        tp.load(path, backends=[portable()])


@pytest.mark.parametrize(
    "symbol",
    [
        Symbol("s0 = print('in')", 0, None, None, ("argument", 0)),
        Symbol("s0", 0, None, None, ("argument", "0; print('in')")),
        Symbol("s0", 0, None, None, ("size", "x", "0]; print('in')")),
        Symbol("s0", 0, None, None, ("solve", ("argument", 0), "__import__('os')")),
        Symbol("s0", 0, None, None, ("solve", ("argument", 0), "observed  # ")),
        Symbol("arg0", 0, None, None, ("argument", 0)),
    ],
)
def test_a_program_cannot_smuggle_code(files: Any, portable: Any, tmp_path: Path, symbol: Symbol) -> None:
    package = unpack(bytes(Container(files[0] / "plain", None).section("program")))
    bad = pack(replace(package, symbols=(symbol,)))
    path = resealed(files[0] / "plain", tmp_path / "p", program=bad)
    with pytest.raises(ArtifactError, match="cannot be trusted"):
        tp.load(path, backends=[portable()])


def test_no_module_of_loading_can_unpickle() -> None:
    folder = Path(container.__file__).parent
    sources = [*folder.glob("*.py"), Path(sys.modules["torchport.compile.package"].__file__ or "")]
    for source in sources:
        text = source.read_text()
        assert "pickle" not in text.replace("without pickle", "").replace("No pickle", ""), source
        assert "torch.load" not in text and "exec(" not in text and "eval(" not in text, source


def test_an_interrupted_export_leaves_the_old_file(files: Any, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(b"old")

    def failing() -> Any:
        yield b"half"
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        container.write(path, {}, {"a": (8, failing())}, None)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_the_window_is_that_of_the_distribution() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    torch_requirement = next(r for r in map(Requirement, project["dependencies"]) if r.name == "torch")
    assert Requirement(f"torch{TORCH_WINDOW}").specifier == torch_requirement.specifier


def test_tensors_of_every_kind_survive() -> None:
    tensors = {
        "half": torch.arange(3, dtype=torch.bfloat16),
        "flags": torch.tensor([True, False, True]),
        "empty": torch.empty(0, 4),
        "number": torch.tensor(2.5, dtype=torch.float64),
        "strided": torch.arange(12.0).reshape(3, 4).t(),
        "complex": torch.tensor([1 + 2j]),
        "conj": torch.tensor([1 + 2j]).conj(),
        "eight": torch.arange(4.0).to(torch.float8_e4m3fn),
    }
    file = TensorsFile(bytearray(b"".join(chunks(tensors))), "these")
    assert file.names == tensors.keys()
    for name, tensor in tensors.items():
        found = file.get(name)
        assert found.dtype == tensor.dtype and found.shape == tensor.shape and found.is_contiguous()
        assert torch.equal(
            found.float() if name == "eight" else found, tensor.float() if name == "eight" else tensor
        )
    tight = {
        "flag": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]},
        "number": {"dtype": "F32", "shape": [1], "data_offsets": [1, 5]},
    }
    text = json.dumps(tight).encode()
    packed = len(text).to_bytes(8, "little") + text + b"\1" + b"\0\0\0\x40"
    assert TensorsFile(bytearray(packed), "packed tightly").get("number").tolist() == [2.0]
    with pytest.raises(ExportError, match="cannot be written"):
        list(chunks({"x": torch.tensor([1j], dtype=torch.complex128)}))
    header = json.dumps({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 8]}}).encode()
    with pytest.raises(ArtifactError, match="not a safetensors file"):
        TensorsFile(bytearray(len(header).to_bytes(8, "little") + header + bytes(16)), "this")


def test_trees_of_types_that_are_not_known_here() -> None:
    tree = {
        "kind": "registered",
        "type": "elsewhere.Output",
        "context": "[]",
        "fields": ["loss", "logits"],
        "items": [trees.LEAF, trees.LEAF],
    }
    result = trees.builder(tree)(iter([1, 2]))
    assert (result.loss, result["logits"], result[1]) == (1, 2, 2)
    with pytest.raises(ArtifactError, match="not registered"):
        trees.builder({k: v for k, v in tree.items() if k != "fields"})
    with pytest.raises(ArtifactError, match="fields that are no names"):
        trees.builder({"kind": "named", "type": "P", "fields": ["x=print()"], "items": [trees.LEAF]})
    with pytest.raises(ArtifactError, match="not known"):
        trees.builder({"kind": "code", "items": []})


def test_the_command_line(files: Any, tmp_path: Path, capsys: Any) -> None:
    from torchport.cli import main

    key = tmp_path / "key"
    key.write_bytes(KEY)
    with pytest.raises(SystemExit) as done:
        main(["manifest", str(files[0] / "signed"), "--key-file", str(key)])
    assert not done.value.code and "backend portable 1" in capsys.readouterr().out
    key.write_bytes(b"something else, of some length")
    with pytest.raises(SystemExit) as done:
        main(["manifest", str(files[0] / "signed"), "--key-file", str(key)])
    assert done.value.code == 2 and "was not signed with this key" in capsys.readouterr().err
    out = tmp_path / "mlp.tp"
    with pytest.raises(SystemExit) as done:
        main(["export", "mlp", "-b", "torchport_openmp", "-o", str(out), "--dynamic"])
    assert not done.value.code and "backend torchport_openmp" in capsys.readouterr().out
    assert any(not isinstance(n, int) for n in tp.load(out).manifest.data["inputs"][0]["shape"])
