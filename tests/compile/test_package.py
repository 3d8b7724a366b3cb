"""A compiled graph as bytes: the same steps, reports and results from the bytes, and a reason where it cannot
be packed.
"""

import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.capture.aot import CapturedGraph
from torchport.compile.package import (
    MAGIC,
    CompiledRegion,
    GraphPackage,
    NotPackable,
    loaded_report,
    pack,
    unpack,
)
from torchport.compile.reports import Reports
from torchport.compile.uncached import Uncached
from torchport.errors import ArtifactError
from torchport.pipeline import Session, assemble, compile_regions, divide, link, lower, session_for
from torchport.run.program import build


class JsonBackend(tp.EagerBackend):
    """Claims what it is told to; its artifact is the region as JSON, run by eager PyTorch."""

    name = "json"
    refused = ("aten.tanh.default",)

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.no(tp.Reason.OP, "not here") if node.op in self.refused else super().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        return tp.Artifact("json", region.to_json().encode(), 16, {}, {"compiler": "none"})

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Any:
        region = tp.Region.from_json(artifact.payload.decode())
        inner = tp.EagerBackend().compile(region, target, tp.Options({}))
        assert isinstance(inner, tp.InProcess)

        class Loaded:
            def run(
                self, args: Any, outs: Any, stream: Any = None, *, workspace: Any = None, symbols: Any = ()
            ) -> None:
                assert workspace.numel() == 16
                for out, value in zip(outs, inner.fn(tuple(symbols), *args), strict=True):
                    out.copy_(value)

            def update_weights(self, names: Any) -> None: ...

        return Loaded()


def packages(
    fn: Callable[..., Any], *inputs: torch.Tensor, backend: tp.Backend | None = None, dynamic: bool = False
) -> list[tuple[GraphPackage, Session]]:
    """What the compile stage makes of each graph of ``fn``, forward and backward."""
    found = []
    session = session_for(
        [backend or JsonBackend()],
        tp.Options({"strict": False, "cache": False, "raise_macros": True, "max_refusals": 8}),
        Reports(),
    )

    def stages(captured: CapturedGraph) -> Any:
        lowered = lower(captured, session)
        compiled = compile_regions(divide(lowered, session), lowered, captured, session)
        found.append((assemble(captured, compiled, session), session))
        return build(link(found[-1][0], session))

    from torchport.capture.aot import capture

    out = torch.compile(fn, backend=lambda gm, ex: capture(gm, ex, stages), dynamic=dynamic)(*inputs)
    if out.requires_grad:
        out.sum().backward()
    return found


def mixed(x: torch.Tensor) -> torch.Tensor:
    table = torch.tensor([[1.5, -0.0, 3.0]])
    return (x.exp() * table + x.shape[0]).tanh().t().sin()


def test_the_bytes_run_as_the_graph_does() -> None:
    x = torch.randn(4, 3, requires_grad=True)
    found = packages(mixed, x, dynamic=True)
    assert [p.phase for p, _ in found] == ["forward", "backward"]
    for package, session in found:
        again = unpack(pack(package))
        assert [type(p) for p in again.parts] == [type(p) for p in package.parts]
        assert again.report == package.report
        assert again.backends == package.backends and again.opset == package.opset
        assert again.symbols == package.symbols and again.arguments == package.arguments
        assert [r.code for r in again.regions] == [r.code for r in package.regions]
        assert str(build(link(again, session)).__dict__["source"]) == str(
            build(link(package, session)).__dict__["source"]
        )
        assert all(r.from_cache for r in loaded_report(again).regions) and again.regions
    forward, session = found[0]
    assert [r.reason for r in unpack(pack(forward)).report.rejections] == [tp.Reason.OP]
    got = build(link(unpack(pack(forward)), session))([4, x.detach()])
    torch.testing.assert_close(got[0], mixed(x))


def test_constants_keep_bytes_strides_and_dtype() -> None:
    package, _ = packages(lambda x: x + 1, torch.ones(2))[0]
    constants = {
        "nan": torch.tensor([float("nan"), -0.0, float("inf")]),
        "half": torch.arange(6, dtype=torch.float16).reshape(2, 3).t(),
        "bits": torch.tensor([[True, False]]),
        "none": torch.empty(0, 4),
        "scalar": torch.tensor(2**63 - 1),
        "complex": torch.tensor([1 + 2j]).conj(),
        "quarter": torch.tensor([0.5, -2.0]).to(torch.float8_e4m3fn),
    }
    again = unpack(pack(GraphPackage(**{**vars(package), "constants": constants}))).constants
    for name, tensor in constants.items():
        assert again[name].dtype == tensor.dtype and again[name].stride() == tensor.stride(), name
        raw = [t.resolve_conj().contiguous().reshape(-1).view(torch.uint8) for t in (again[name], tensor)]
        assert torch.equal(*raw), name


def test_sources_are_kept_on_request() -> None:
    package, _ = packages(lambda x: x.exp() + 1, torch.ones(2))[0]
    region = unpack(pack(package, sources=True)).regions[0]
    whole = tp.Region.from_json(region.source)
    assert [n.op for n in whole.nodes] == ["aten.exp.default", "aten.add.Scalar"]
    assert unpack(pack(package)).regions[0].source == "" and len(region.region.nodes) == 1


def test_an_in_process_region_is_not_packed() -> None:
    package, _ = packages(torch.exp, torch.ones(2), backend=tp.EagerBackend())[0]
    with pytest.raises(NotPackable, match="InProcess") as caught:
        pack(package)
    assert caught.value.reason is Uncached.IN_PROCESS and "Artifact" in caught.value.hint


def test_an_argument_of_this_process_is_not_packed() -> None:
    def branches(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    package, _ = packages(branches, torch.ones(2))[0]
    with pytest.raises(NotPackable, match="cannot be serialized") as caught:
        pack(package)
    assert caught.value.reason is Uncached.ARGUMENT


def test_damage_is_one_error() -> None:
    package, _ = packages(mixed, torch.randn(4, 3))[0]
    raw = pack(package)
    for data in (b"", raw[:10], raw[:-1], raw[: len(raw) // 2], b"x" + raw[1:], raw[:40] + b"\0" + raw[41:]):
        with pytest.raises(ArtifactError, match="not a packed graph"):
            unpack(data)
    text = raw[len(MAGIC) + 8 :]
    header = json.loads(zlib.decompressobj().decompress(text))
    header["regions"][0]["payload"] = [-5, 10]
    body = zlib.compress(json.dumps(header).encode())
    with pytest.raises(ArtifactError, match="wanted at -5"):
        unpack(MAGIC + len(body).to_bytes(8, "little") + body)


def test_a_region_is_one_call_in_the_package() -> None:
    package, _ = packages(mixed, torch.randn(4, 3))[0]
    assert any(isinstance(p, CompiledRegion) for p in package.parts)
    for region, again in zip(package.regions, unpack(pack(package)).regions, strict=True):
        assert again.region.inputs == region.region.inputs and again.region.outputs == region.region.outputs
        assert again.region.symbols == region.region.symbols and again.region.name == region.region.name
