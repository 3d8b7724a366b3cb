"""Kernel tables: which kernel is chosen, how Python and C kernels are called, and what they are given."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

import torchport as tp
from torchport.errors import AbiError, CompileError


def backend_of(table: tp.KernelTable) -> tp.KernelBackend:
    class Tabled(tp.KernelBackend):
        name = "tabled"
        kernels = table

    return Tabled()


def run(fn: Any, table: tp.KernelTable, *args: torch.Tensor, **kwargs: Any) -> tuple[Any, tp.Reports]:
    torch._dynamo.reset()
    backend = backend_of(table)
    result = torch.compile(fn, backend=backend, fullgraph=True, **kwargs)(*args)
    return result, tp.reports(backend)


class TestPythonKernels:
    def test_destination_passing(self) -> None:
        table = tp.KernelTable()
        strides = []

        @table.op("aten.gelu.default", dtypes=("float32",))
        def gelu(self: torch.Tensor, *, approximate: str, out: torch.Tensor) -> None:
            strides.append(out.stride())
            out.copy_(torch.nn.functional.gelu(self, approximate=approximate))

        x = torch.randn(4, 3).t()
        got, reports = run(lambda t: torch.nn.functional.gelu(t, approximate="tanh"), table, x)
        torch.testing.assert_close(got, torch.nn.functional.gelu(x, approximate="tanh"))
        assert strides == [got.stride()] == [(1, 3)] and reports.claimed_share == 1.0

    def test_a_kernel_may_return_its_result(self) -> None:
        table = tp.KernelTable()
        table.op("aten.exp.default")(lambda x: x.exp())
        got, _ = run(torch.exp, table, torch.ones(3))
        torch.testing.assert_close(got, torch.ones(3).exp())

    def test_several_results(self) -> None:
        table = tp.KernelTable()

        @table.op("aten.max.dim")
        def max_dim(
            self: torch.Tensor, dim: int, keepdim: bool, *, out: tuple[torch.Tensor, torch.Tensor]
        ) -> None:
            torch.max(self, dim, keepdim, out=out)

        x = torch.randn(4, 5)
        got, reports = run(lambda t: t.max(1), table, x)
        assert torch.equal(got.indices, x.max(1).indices) and reports.claimed_share == 1.0

    def test_symbolic_arguments_arrive_as_numbers(self) -> None:
        table = tp.KernelTable()
        seen: list[list[int]] = []

        @table.op("aten.full.default")
        def full(size: list[int], fill_value: float, *, out: torch.Tensor) -> None:
            seen.append(list(size))
            out.fill_(fill_value)

        torch._dynamo.reset()
        compiled = torch.compile(
            lambda t: torch.full((t.shape[0] + 1,), 2.0) * t.sum(), backend=backend_of(table), dynamic=True
        )
        for n in (3, 6):
            torch.testing.assert_close(compiled(torch.ones(n)), torch.full((n + 1,), 2.0 * n))
        assert seen == [[4], [7]]

    def test_a_chain_of_kernels_is_one_region_with_its_own_intermediates(self) -> None:
        table = tp.KernelTable()
        for op in ("aten.exp.default", "aten.tanh.default"):
            name = op.split(".")[1]
            table.op(op)(lambda x, *, out, name=name: getattr(torch, name)(x, out=out))
        x = torch.randn(5)
        (first, second), reports = run(lambda t: (t.exp().tanh(), t.tanh().exp().tanh()), table, x)
        torch.testing.assert_close(first, x.exp().tanh())
        torch.testing.assert_close(second, x.tanh().exp().tanh())
        assert [r.nodes for r in reports.graphs[0].regions] == [5]

    def test_an_argument_that_the_kernel_does_not_take_is_refused_unless_it_has_its_default(self) -> None:
        table = tp.KernelTable()
        table.op("aten.add.Tensor")(lambda a, b, *, out: torch.add(a, b, out=out))
        x = torch.ones(3)
        assert run(torch.add, table, x, x)[1].claimed_share == 1.0
        got, reports = run(lambda a, b: torch.add(a, b, alpha=3), table, x, x)
        assert torch.equal(got, 4 * x)
        assert [(r.reason, "alpha" in r.text) for r in reports.rejections] == [(tp.Reason.ARGUMENT, True)]


class TestChoice:
    def table(self) -> tp.KernelTable:
        table = tp.KernelTable()
        table.op("aten.exp.default", dtypes=("float32",), when="dim(-1) % 4 == 0")(lambda x: x.exp() * 0 + 4)
        table.op("aten.exp.default", dtypes=("float64",))(lambda x: x.exp() * 0 + 64)
        return table

    @pytest.mark.parametrize(
        ("x", "value", "reason"),
        [
            (torch.zeros(8), 4.0, None),
            (torch.zeros(8, dtype=torch.float64), 64.0, None),
            (torch.zeros(7), 1.0, tp.Reason.DTYPE),  # the last kernel tried is the float64 one
            (torch.zeros(8, dtype=torch.bfloat16), 1.0, tp.Reason.DTYPE),
        ],
    )
    def test_first_kernel_that_accepts(self, x: torch.Tensor, value: float, reason: tp.Reason | None) -> None:
        got, reports = run(torch.exp, self.table(), x)
        assert got.flatten()[0] == value
        assert [r.reason for r in reports.rejections] == ([] if reason is None else [reason])

    def test_a_symbolic_size_that_decides_is_refused(self) -> None:
        table = tp.KernelTable()
        table.op("aten.exp.default", when="dim(0) % 4 == 0")(lambda x: x.exp())
        _, reports = run(torch.exp, table, torch.zeros(8), dynamic=True)
        assert [r.reason for r in reports.rejections] == [tp.Reason.DYNAMIC]

    def test_operands_of_different_dtypes_are_refused(self) -> None:
        table = tp.KernelTable()
        table.op("aten.add.Tensor", dtypes=("float32", "float64"))(lambda a, b, *, alpha: a + b)
        x, y = torch.ones(3), torch.ones(3, dtype=torch.float64)
        _, reports = run(torch.add, table, x, y)
        assert "different dtypes" in reports.rejections[0].text
        assert run(torch.add, table, x, x)[1].claimed_share == 1.0

    def test_an_index_operand_is_not_one_of_the_kernel_dtypes(self) -> None:
        table = tp.KernelTable()
        table.op("aten.embedding.default", dtypes=("float32",))(
            lambda weight, indices, *rest: weight[indices]
        )
        weight, index = torch.randn(5, 2), torch.tensor([1, 4])
        got, reports = run(lambda w, i: torch.nn.functional.embedding(i, w), table, weight, index)
        assert torch.equal(got, weight[index]) and reports.claimed_share == 1.0


class TestRegistration:
    def test_unknown_operator(self) -> None:
        with pytest.raises(CompileError, match=r"aten\.gelux\.default"):
            tp.KernelTable().op("aten.gelux.default")

    def test_unknown_dtype(self) -> None:
        with pytest.raises(CompileError, match="float33"):
            tp.KernelTable().op("aten.exp.default", dtypes=("float33",))

    @pytest.mark.parametrize(
        ("arguments", "fn", "match"),
        [
            ({"dtypes": "float32"}, torch.exp, "sequence of dtype names"),
            ({"dtypes": [torch.float32]}, torch.exp, "unknown dtype names"),
            ({"when": "rnk == 1"}, torch.exp, "'rnk'"),
            ({}, 3, "a kernel is a function"),
        ],
    )
    def test_misuse_is_an_error_where_it_is_written(self, arguments: Any, fn: Any, match: str) -> None:
        with pytest.raises(CompileError, match=match):
            tp.KernelTable().op("aten.exp.default", **arguments)(fn)

    def test_the_digest_follows_predicates(self) -> None:
        digests = set()
        for when in ("rank == 1", "rank == 2"):
            table = tp.KernelTable()
            table.op("aten.exp.default", when=when)(torch.exp)
            digests.add(table.digest())
        assert len(digests) == 2


C_KERNELS = """
#include <string.h>
#include "torchport/kernel.h"

/* copies a complex64 or float32 operand, stride by stride: what the kernel sees is what comes out */
static tp_status copy_run(const tp_run_args* args, tp_error* error) {
  (void)error;
  const tp_tensor* in = args->inputs[0];
  const tp_tensor* out = args->outputs[0];
  size_t item = (size_t)tp_itemsize(in->dl.dtype);
  for (int64_t i = 0; i < in->dl.shape[0]; ++i)
    memcpy((char*)tp_data(out) + (size_t)(i * out->dl.strides[0]) * item,
           (const char*)tp_data(in) + (size_t)(i * in->dl.strides[0]) * item, item);
  return TP_OK;
}
static const tp_kernel copy_kernel = {sizeof(tp_kernel), 0, "copy", 0, copy_run, 0, 0};
static const tp_kernel* const kernels[] = {&copy_kernel};
static const tp_library library = {sizeof(tp_library), TP_ABI_MAJOR_USED, TP_ABI_MINOR, 1, "test", "1",
kernels, 0}; TP_EXPORT const tp_library* tp_library_get(void) { return &library; }
"""


def build(directory: Path, major: str = "TP_ABI_MAJOR") -> Path:
    source, library = directory / "kernels.c", directory / "libkernels.so"
    source.write_text(C_KERNELS)
    flags = [f"-I{tp.include_dir()}", f"-DTP_ABI_MAJOR_USED={major}", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library)], check=True)
    return library


class TestCKernels:
    @pytest.mark.parametrize(
        "lazy",
        [torch.conj, torch._neg_view, lambda t: t.conj()[::2], lambda t: t.conj().imag],
        ids=["conj", "neg", "slice", "imag"],
    )
    def test_lazy_views_reach_a_c_kernel_resolved(self, tmp_path: Path, lazy: Any) -> None:
        table = tp.KernelTable()
        table.op("aten.clone.default")(tp.CKernelLibrary(build(tmp_path)).kernel("copy"))
        x = torch.randn(6, dtype=torch.complex64)
        got, reports = run(torch.clone, table, lazy(x))
        assert not got.is_conj() and not got.is_neg() and reports.claimed_share == 1.0
        torch.testing.assert_close(got, lazy(x).resolve_conj().resolve_neg())

    def test_a_library_of_another_abi_is_one_error_and_others_still_work(self, tmp_path: Path) -> None:
        library = build(tmp_path, major="99")

        class Outdated(tp.KernelBackend):
            name = "outdated"
            kernels = tp.KernelTable()

            def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
                self.kernels.op("aten.clone.default")(tp.CKernelLibrary(library).kernel("copy"))
                return super().claims(node, target)

        torch._dynamo.reset()
        with pytest.raises(BackendCompilerFailed) as caught:
            torch.compile(torch.clone, backend=Outdated())(torch.ones(3))
        message = str(caught.value.inner_exception)
        assert "99" in message and "libkernels.so" in message
        with pytest.raises(AbiError, match="99"):
            tp.CKernelLibrary(library)
        assert torch.equal(
            torch.compile(torch.clone, backend=tp.EagerBackend())(torch.ones(3)), torch.ones(3)
        )
