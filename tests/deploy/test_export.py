"""Exported programs: structure, sizes, writes, views and weights, on eager PyTorch as the backend."""

from __future__ import annotations

import collections
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.errors import ArtifactError, CompileError, ExportError, RunError

Dim = torch.export.Dim
Pair = collections.namedtuple("Pair", "left right")


class Many(torch.nn.Module):
    """Nested arguments and results, a buffer that counts, a constant, an argument that is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("offset", torch.ones(4), persistent=False)
        self.table = torch.arange(4.0)

    def forward(self, x: Any, extra: Any = None, *, state: Any, flag: bool = True) -> Any:
        self.calls.add_(1)
        state["cache"].mul_(2)
        y = self.linear(x) + self.offset * self.table + self.calls
        shifted = y if extra is None else y + extra[0]
        return {"y": shifted, "pair": Pair(x.t(), state["cache"]), "rest": [flag, None, (x.shape[0],)]}


def arguments(rows: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    generator = torch.Generator().manual_seed(rows)
    x = torch.randn(rows, 4, generator=generator)
    return (x, [torch.randn(rows, 1, generator=generator)]), {"state": {"cache": torch.ones(3)}}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: Any, portable: Any) -> Any:
    path = tmp_path_factory.mktemp("export") / "many.tp"
    torch.manual_seed(0)
    model, backend = Many(), portable(claimed=lambda node: node.op != "aten.t.default")
    rows = Dim("rows", min=2, max=9)
    args, kwargs = arguments(3)
    manifest = tp.export(
        model,
        args,
        kwargs=kwargs,
        dynamic_shapes=({0: rows}, [{0: rows}], {"cache": None}),
        backend=backend,
        path=path,
    )
    return model, backend, manifest


def test_structure_sizes_writes_and_views(exported: Any, portable: Any) -> None:
    model, _, manifest = exported
    backend = portable()
    program = tp.load(manifest.path, backends=[backend])
    reference = Many()
    reference.load_state_dict(model.state_dict())
    for rows in (2, 5, 9):
        args, kwargs = arguments(rows)
        other = {"state": {"cache": kwargs["state"]["cache"].clone()}}
        with torch.no_grad():
            wanted = reference(*args, **other)
        got = program(*args, **kwargs)
        assert list(got) == ["y", "pair", "rest"] and got["rest"] == [True, None, (rows,)]
        assert torch.allclose(got["y"], wanted["y"], rtol=1e-6, atol=1e-6)
        assert got["pair"]._fields == ("left", "right")
        assert got["pair"].left.data_ptr() == args[0].data_ptr()  # a view of the argument, as in eager
        assert got["pair"].left.stride() == wanted["pair"].left.stride()
        assert got["pair"].right is kwargs["state"]["cache"]
        assert torch.equal(kwargs["state"]["cache"], torch.full((3,), 2.0))
    assert (backend.asked, backend.compiled) == (0, 0)
    named = program(args[0], extra=args[1], state={"cache": torch.ones(3)})
    assert torch.allclose(named["y"], wanted["y"] + 1, rtol=1e-6, atol=1e-6)  # one call later


def test_the_manifest_says_what_is_in_the_file(exported: Any) -> None:
    _, _, manifest = exported
    data = manifest.data
    assert [(i["path"], i["shape"][1:], i["mutated"]) for i in data["inputs"]] == [
        ("x", [4], False),
        ("extra[0]", [1], False),
        ("state['cache']", [], True),
    ]
    assert [(s["low"], s["high"]) for s in data["symbols"]] == [(2, 9)]
    assert [o["path"] for o in data["outputs"]][:3] == ["['y']", "['pair'].left", "['pair'].right"]
    assert {(t["name"], t["origin"]) for t in data["weights"]["tensors"]} == {
        ("linear.weight", "weight"),
        ("linear.bias", "weight"),
        ("calls", "weight"),
        ("offset", "constant"),
        ("table", "constant"),
    }
    assert data["contract"]["version"] == "1.0" and len(data["contract"]["sha256"]) == 64
    assert "input x: float32[" in str(manifest) and "in [2, 9]" in str(manifest)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a, k: ((torch.ones(1, 4), [torch.ones(1, 1)]), k), "size 0 of x must be from 2 to 9"),
        (lambda a, k: ((torch.ones(10, 4), [torch.ones(10, 1)]), k), "size 0 of x must be from 2 to 9"),
        (lambda a, k: ((a[0], [torch.ones(4, 1)]), k), r"size 0 of extra\[0\] must be 3"),
        (lambda a, k: ((torch.ones(3, 5), a[1]), k), "x must have size 4 in dimension 1"),
        (lambda a, k: ((a[0].double(), a[1]), k), "x must be float32, 2-dimensional, on cpu"),
        (lambda a, k: ((a[0][0], a[1]), k), "x must be float32, 2-dimensional, on cpu"),
        (lambda a, k: ((a[0].numpy(), a[1]), k), "x must be a tensor"),
        (lambda a, k: ((a[0], (a[1][0],)), k), "extra must be a list"),
        (lambda a, k: ((a[0], []), k), "extra must have 1 items"),
        (lambda a, k: (a[:1], k), "takes 2 positional arguments"),
        (lambda a, k: (a, {}), "takes the keyword arguments it was exported with"),
        (lambda a, k: (a, {**k, "flag": False}), "unknown flag"),
        (lambda a, k: (a, {"state": {"other": 1}}), r"state must have the keys \['cache'\]"),
        (lambda a, k: ((a[0].requires_grad_(), a[1]), k), "an exported program computes none"),
    ],
)
def test_arguments_are_checked(exported: Any, portable: Any, change: Any, text: str) -> None:
    program = tp.load(exported[2].path, backends=[portable()])
    args, kwargs = change(*arguments(3))
    with pytest.raises(RunError, match=text):
        program(*args, **kwargs)


def test_strides_other_than_exported(exported: Any, portable: Any) -> None:
    program = tp.load(exported[2].path, backends=[portable()])
    args, kwargs = arguments(3)
    wanted = program(*args, **kwargs)["y"]
    wide = torch.zeros(6)[::2]
    wide += 1
    program = tp.load(exported[2].path, backends=[portable()])
    got = program(args[0], [torch.cat([args[1][0]] * 2, 1)[:, :1]], state={"cache": wide})
    assert torch.equal(got["y"], wanted)
    assert got["pair"].right is wide and torch.equal(wide, torch.full((3,), 2.0))
    with pytest.raises(RunError, match="x must have strides .* since a result shares its memory"):
        program(args[0].t().contiguous().t(), args[1], **kwargs)
    block = torch.ones(4, 4)
    with pytest.raises(RunError, match=r"state\['cache'\], which the program writes to, shares memory"):
        program(block[:3], args[1], state={"cache": block[1, :3]})


@pytest.mark.parametrize(("factor", "extra"), [(2, 0), (3, 1)])
def test_the_sizes_of_an_expression(portable: Any, tmp_path: Path, factor: int, extra: int) -> None:
    some = Dim("some", min=2, max=8)
    size = factor * some + extra if extra else factor * some
    tp.export(
        lambda x: x[extra:].reshape(-1, factor).sum(0),
        (torch.ones(factor * 3 + extra),),
        dynamic_shapes=({0: size},),
        backend=portable(),
        path=tmp_path / "p",
    )
    program = tp.load(tmp_path / "p", backends=[portable()])
    assert program(torch.ones(factor * 5 + extra)).tolist() == [5.0] * factor
    for wrong in (factor * 5 + extra + 1, factor * 9 + extra, factor + extra):
        with pytest.raises(RunError):
            program(torch.ones(wrong))


@pytest.mark.parametrize("mode", ["embed", "external", "none"])
def test_weights_by_mode(portable: Any, tmp_path: Path, mode: str) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)).requires_grad_(False)
    model[1].weight = model[0].weight  # tied
    model[0].bias = torch.nn.Parameter(torch.arange(8.0)[::2])
    x = torch.ones(2, 4)
    tp.export(model, (x,), backend=portable(), path=tmp_path / "p.tp", weights=mode)
    given = model.state_dict() if mode == "none" else None
    backend = portable(take=True)
    program = tp.load(tmp_path / "p.tp", weights=given, backends=[backend])
    assert torch.equal(program(x), model(x))
    (ran,) = backend.loaded
    assert len(ran.own) == 3  # the tied weight once
    assert all(value is None or value.numel() == 0 for value in program._arguments._template)
    model[1].bias.data += 1
    assert program.update_weights(model.state_dict()) == 3
    assert torch.equal(program(x), model(x))
    model[1].bias.data += 1
    assert tp.update_weights(program, ["1.bias"]) == 1
    assert torch.equal(program(x), model(x))
    with pytest.raises(ArtifactError, match="weight '1.bias' .* must be"):
        program.update_weights({**model.state_dict(), "1.bias": torch.ones(5)})
    with pytest.raises(CompileError, match="no such weights"):
        program.update_weights(names=["z"])
    assert torch.equal(program(x), model(x))
    if mode == "none":
        with pytest.raises(ArtifactError, match="exported without weights"):
            tp.load(tmp_path / "p.tp", backends=[portable()])
        with pytest.raises(ArtifactError, match="needs a weight '0.bias', and it was not given"):
            tp.load(tmp_path / "p.tp", weights={"1.weight": model[1].weight}, backends=[portable()])
    if mode == "external":
        beside = tmp_path / "p.safetensors"
        safetensors = pytest.importorskip("safetensors.torch")
        assert torch.equal(safetensors.load_file(beside)["0.bias"], model[0].bias)
        data = bytearray(beside.read_bytes())
        data[-1] ^= 1
        beside.write_bytes(data)
        with pytest.raises(ArtifactError, match="its hash is another"):
            tp.load(tmp_path / "p.tp", backends=[portable()])
        beside.unlink()
        with pytest.raises(ArtifactError, match="not beside it"):
            tp.load(tmp_path / "p.tp", backends=[portable()])


def test_weights_that_do_not_exist_yet(portable: Any, tmp_path: Path) -> None:
    """A model on the meta device is exported; its weights are read from a safetensors file, each once."""
    safetensors = pytest.importorskip("safetensors.torch")
    with torch.device("meta"):
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    tp.export(model, (torch.ones(2, 4),), backend=portable(), path=tmp_path / "p.tp", weights="none")
    real = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    safetensors.save_file({**real.state_dict(), "not.used": torch.ones(3)}, tmp_path / "w.safetensors")
    backend = portable(take=True)
    program = tp.load(tmp_path / "p.tp", weights=tmp_path / "w.safetensors", backends=[backend])
    with torch.no_grad():
        assert torch.equal(program(torch.ones(2, 4)), real(torch.ones(2, 4)))
    with pytest.raises(ExportError, match="on the meta device cannot be written"):
        tp.export(model, (torch.ones(2, 4),), backend=portable(), path=tmp_path / "q.tp")
    assert not (tmp_path / "q.tp").exists()


@pytest.mark.parametrize(
    ("model", "args", "changes", "text"),
    [
        (torch.sin, (torch.ones(2),), {"backend": tp.EagerBackend()}, "returned InProcess"),
        (lambda x: x.item() + 1 if x.item() > 0 else x, (torch.ones(1),), {}, "torch.export refuses"),
        (lambda x: (x.add_(1), x[0])[1], (torch.ones(2),), {}, "is a view of input 'x'"),
        (torch.sin, (torch.ones(2),), {"weights": "all"}, "weights must be one of"),
        (torch.sin, (torch.ones(2),), {"key": b"short"}, "a key is at least 16 bytes"),
        (torch.sin, (torch.ones(2),), {"target": tp.Target("huge")}, "has no such target"),
        (3, (), {}, "neither a module"),
    ],
)
def test_what_cannot_be_exported(
    portable: Any, tmp_path: Path, model: Any, args: Any, changes: Any, text: str
) -> None:
    given = {"backend": portable(), "path": tmp_path / "p.tp", **changes}
    with pytest.raises(ExportError, match=text):
        tp.export(model, args, **given)
    assert list(tmp_path.iterdir()) == []


def test_an_exported_program_and_a_target(portable: Any, tmp_path: Path) -> None:
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    backend = portable()
    manifest = tp.export(program, backend=backend, path=tmp_path / "p", target=tp.Target("large"))
    assert "large" in manifest.data["backends"][0]["target"]
    loaded = tp.load(tmp_path / "p", backends=[portable()])
    with torch.no_grad():
        assert torch.equal(loaded(torch.ones(1, 2)), program.module()(torch.ones(1, 2)))


def test_composites_are_offered_whole(portable: Any, tmp_path: Path) -> None:
    class Whole(portable):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.yes() if node.op.startswith("torchport.") else super().claims(node, target)

    backend, q = Whole(), torch.ones(1, 2, 3, 4)
    attention = torch.nn.functional.scaled_dot_product_attention
    tp.export(attention, (q, q, q), backend=backend, path=tmp_path / "p", options={"cache": False})
    assert [n.op for r in backend.regions for n in r.nodes] == [
        "torchport.scaled_dot_product_attention.default"
    ]
    assert torch.allclose(tp.load(tmp_path / "p", backends=[Whole()])(q, q, q), q)


def test_fallbacks_run_in_pytorch_and_are_listed(portable: Any, tmp_path: Path) -> None:
    manifest = tp.export(
        lambda x: torch.sin(x).cumsum(0).cos(),
        (torch.ones(3),),
        backend=portable(claimed=lambda node: "cumsum" not in node.op),
        path=tmp_path / "p",
    )
    assert manifest.fallback == {"aten.cumsum.default": 1}
    assert "1 x aten.cumsum.default in PyTorch" in str(manifest)
    x = torch.rand(3)
    assert torch.equal(tp.load(tmp_path / "p", backends=[portable()])(x), torch.sin(x).cumsum(0).cos())


def test_nothing_is_unpickled(exported: Any) -> None:
    """In a process where pickle cannot load, and where neither Dynamo nor capture is imported."""
    code = f"""
import pickle, sys, torch
def forbidden(*a, **k): raise AssertionError("unpickled")
pickle.load = pickle.loads = pickle.Unpickler = torch.load = forbidden
sys.path.insert(0, {str(Path(__file__).parent)!r})
from portable_backend import Portable
import torchport as tp
p = tp.load({str(exported[2].path)!r}, backends=[Portable()])
r = p(torch.ones(3, 4), [torch.ones(3, 1)], state={{"cache": torch.ones(3)}})
assert r["y"].shape == (3, 4) and type(r["pair"]).__name__ == "Pair"
bad = [m for m in sys.modules if m.startswith(("torch._dynamo", "torchport.capture", "torchport.pipeline"))]
assert not bad, bad
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_kernel_tables_are_exportable(tmp_path: Path) -> None:
    """A region of a kernel table is an artifact: its kernels are found in the table where it is loaded."""
    table, calls = tp.KernelTable(), list[str]()

    @table.op("aten.sin.default", dtypes=("float32",), when="rank <= 2")
    def sin(x: torch.Tensor, *, out: torch.Tensor) -> None:
        calls.append("sin")
        torch.sin(x, out=out)

    class Tabled(tp.KernelBackend):
        name = "tabled"
        kernels = table

    rows = Dim("rows", min=2, max=9)
    manifest = tp.export(
        lambda x: torch.sin(x) + 1,
        (torch.ones(3, 2),),
        dynamic_shapes=({0: rows},),
        backend=Tabled(),
        path=tmp_path / "p",
    )
    assert calls == [] and manifest.fallback == {"aten.add.Scalar": 1}
    x = torch.rand(5, 2)
    assert torch.equal(tp.load(tmp_path / "p", backends=[Tabled()])(x), torch.sin(x) + 1)
    assert calls == ["sin"]

    class Other(Tabled):
        kernels = tp.KernelTable()

    with pytest.raises(ArtifactError, match="'tabled' of other sources"):
        tp.load(tmp_path / "p", backends=[Other()])


def test_numbers_sizes_from_data_and_lazy_views(portable: Any, tmp_path: Path) -> None:
    tp.export(
        lambda x, n: (x[:n] * n, torch.nonzero(x)),
        (torch.arange(4.0), 3),
        dynamic_shapes=(None, Dim.DYNAMIC),
        backend=portable(claimed=lambda node: "nonzero" not in node.op),
        path=tmp_path / "p",
    )
    program = tp.load(tmp_path / "p", backends=[portable()])
    lazy = torch.tensor([1 + 1j, 0, 2 - 2j, 0]).conj().imag
    assert lazy.is_neg()
    first, places = program(lazy, 4)
    assert first.tolist() == [-4.0, 0.0, 8.0, 0.0] and places.tolist() == [[0], [2]]
    assert program(torch.ones(4), 2)[1].shape == (4, 1)
    with pytest.raises(RunError, match="n must be an int"):
        program(torch.ones(4), 2.0)


def test_what_only_this_process_can_run(portable: Any, tmp_path: Path) -> None:
    def choice(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))

    with pytest.raises(ExportError, match="cannot be serialized"):
        tp.export(choice, (torch.ones(3),), backend=portable(), path=tmp_path / "p")

    class Static(portable):
        def capabilities(self, target: tp.Target) -> tp.Capabilities:
            return tp.Capabilities(dynamic=tp.DynamicShapes.NONE)

    rows = Dim("rows", min=2, max=9)
    with pytest.raises(ExportError, match="compiles for static sizes only"):
        tp.export(
            torch.sin, (torch.ones(3),), dynamic_shapes=(({0: rows},),), backend=Static(), path=tmp_path / "p"
        )
    with pytest.raises(ExportError, match="take the file's own name"):
        path = tmp_path / "p.safetensors"
        tp.export(torch.nn.Linear(2, 2), (torch.ones(2),), backend=portable(), path=path, weights="external")
    assert list(tmp_path.iterdir()) == []
