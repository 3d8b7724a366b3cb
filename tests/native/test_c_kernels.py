"""torchport.compile.c_kernels: the Python side of kernel.h."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from torchport import _native
from torchport.compile.c_kernels import CKernelLibrary, split_arguments
from torchport.errors import AbiError, KernelError, RegistrationError

from .conftest import Compile

aten = torch.ops.aten


# --- libraries ---


def test_library(c_kernels: CKernelLibrary, kernels_path: Path) -> None:
    assert (c_kernels.name, c_kernels.version, c_kernels.abi) == ("testkernels", "1.2.3", (1, 0))
    assert c_kernels.path == str(kernels_path)
    assert repr(c_kernels) == f"CKernelLibrary('testkernels' 1.2.3, '{kernels_path}')"
    kernel = c_kernels.kernel(c_kernels.kernel_names[0])
    assert (kernel.name, kernel.library, repr(kernel)) == (
        "add",
        "testkernels",
        "CKernel('add' of 'testkernels')",
    )


def test_library_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels_path: Path) -> None:
    package = tmp_path / "vendor_kernels_package"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").touch()
    shutil.copy(kernels_path, package / "lib" / "kernels.so")
    monkeypatch.syspath_prepend(str(tmp_path))
    library = CKernelLibrary.from_package("vendor_kernels_package", "lib/kernels.so")
    assert library.path == str(package / "lib" / "kernels.so")
    with pytest.raises(AbiError, match="holds no file 'lib/other.so'"):
        CKernelLibrary.from_package("vendor_kernels_package", "lib/other.so")


def test_load_errors_are_torchports(compile_library: Compile, tmp_path: Path) -> None:
    with pytest.raises(AbiError, match="cannot open") as missing:
        CKernelLibrary(tmp_path / "missing.so")
    assert isinstance(missing.value.__cause__, _native.LibraryNotLoadable)
    assert (missing.value.got, "ldd" in missing.value.hint) == (str(tmp_path / "missing.so"), True)
    with pytest.raises(AbiError, match=r"built for kernel ABI 2\.0") as other:
        CKernelLibrary(compile_library("variants.c", "-DMAJOR=2"))
    assert isinstance(other.value.__cause__, _native.AbiMismatch)


def test_unknown_kernel(c_kernels: CKernelLibrary) -> None:
    with pytest.raises(RegistrationError, match="no kernel 'mul'") as caught:
        c_kernels.kernel("mul")
    assert "add" in caught.value.hint


# --- calls ---


def test_kernel_error_names_op_arguments_and_remedy(c_kernels: CKernelLibrary) -> None:
    x = torch.zeros(2, 3, dtype=torch.float16)
    with pytest.raises(KernelError, match="unsupported: rank 2 is too much") as caught:
        c_kernels.kernel("fail")((x, None), (), (2, 0), op="aten.add.Tensor")
    assert caught.value.op == "aten.add.Tensor"
    assert caught.value.got == "inputs (float16[2, 3], None), outputs (), scalars (2, 0)"
    assert "narrow what the backend claims" in caught.value.hint
    assert isinstance(caught.value.__cause__, _native.KernelFailed)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_conjugated_input_arrives_resolved(c_kernels: CKernelLibrary, requires_grad: bool) -> None:
    x = torch.randn(5, dtype=torch.complex64, requires_grad=requires_grad)
    out = torch.empty(5, dtype=torch.complex64)
    assert x.conj().is_conj()
    c_kernels.kernel("copy")((x.conj(),), (out,))
    assert torch.equal(out, x.detach().conj().resolve_conj())
    assert not out.requires_grad


@pytest.mark.parametrize("requires_grad", [False, True])
def test_negated_input_arrives_resolved(c_kernels: CKernelLibrary, requires_grad: bool) -> None:
    x = torch.randn(5, dtype=torch.complex64, requires_grad=requires_grad).conj().imag
    out = torch.empty(5)
    assert x.is_neg()
    c_kernels.kernel("add")((x, x.detach().clone()), (out,), (1,))
    assert torch.equal(out, x.detach().resolve_neg() * 2)


def test_conjugated_and_negated_at_once(c_kernels: CKernelLibrary) -> None:
    x = torch._neg_view(torch.randn(5, dtype=torch.complex64)).conj()
    out = torch.empty(5, dtype=torch.complex64)
    assert x.is_conj() and x.is_neg()
    c_kernels.kernel("copy")((x,), (out,))
    assert torch.equal(out, x.resolve_conj().resolve_neg())


def test_lazily_negated_output_is_refused(c_kernels: CKernelLibrary) -> None:
    out = torch.zeros(3, dtype=torch.cfloat).conj().imag
    with pytest.raises(ValueError, match="output 0"):
        c_kernels.kernel("add")((torch.ones(3), torch.ones(3)), (out,), (1,))


def test_returns_allocated_outputs(c_kernels: CKernelLibrary) -> None:
    (out,) = c_kernels.kernel("nonzero")((torch.tensor([True, False, True]),), (None,), (0,))
    assert out.tolist() == [[0], [2]]


# --- the scalars convention ---

X, Y = torch.ones(2, 2), torch.zeros(2, 2)


@pytest.mark.parametrize(
    ("op", "args", "kwargs", "inputs", "scalars"),
    [
        (aten.add.Tensor, (X, Y), {"alpha": 3}, (X, Y), (3,)),
        (aten.add.Tensor, (X,), {"other": Y}, (X, Y), (1,)),
        (aten.add.out, (X, Y), {"out": X}, (X, Y), (1,)),
        (aten.sum.dim_IntList, (X, [0, -1]), {"dtype": torch.float64}, (X,), ([0, -1], False, torch.float64)),
        (aten.clamp.default, (X, None, 2.5), {}, (X,), (None, 2.5)),
        (aten.clamp.Tensor, (X, None, Y), {}, (X, None, Y), ()),
        (aten.cat.default, ([X, Y, X], 1), {}, (X, Y, X), (1,)),
        (aten.index.Tensor, (X, [None, Y]), {}, (X, None, Y), ()),
        (
            aten.native_layer_norm.default,
            (X, [2], None, Y, 1e-5), {}, (X, None, Y), ([2], 1e-5),
        ),
        (
            aten._to_copy.default,
            (X,),
            {"device": torch.device("cuda:1"), "layout": torch.strided, "memory_format": torch.channels_last},
            (X,), (None, "strided", "cuda:1", None, False, "channels_last"),
        ),
        (aten.randperm.default, (5,), {}, (), (5, torch.int64, None, None, None)),
        (aten.contiguous.default, (X,), {}, (X,), ("contiguous_format",)),
        (aten.gelu.default, (X,), {"approximate": "tanh"}, (X,), ("tanh",)),
    ],
)  # fmt: skip
def test_split(op, args, kwargs, inputs, scalars) -> None:
    got_inputs, got_scalars = split_arguments(op, args, kwargs)
    assert len(got_inputs) == len(inputs)
    assert all(got is expected for got, expected in zip(got_inputs, inputs, strict=True))
    assert got_scalars == scalars


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(True, torch.bool), (2, torch.int64), (0.1, torch.float64), (1j, torch.complex128)],
)
def test_number_for_a_tensor(number: complex, dtype: torch.dtype) -> None:
    (_, wrapped), _ = split_arguments(aten.mul.Tensor, (X, number), {})
    assert wrapped is not None
    assert (wrapped.dtype, wrapped.shape, wrapped.item()) == (dtype, (), number)


def test_missing_argument() -> None:
    with pytest.raises(TypeError, match=r"aten\.mm\.default is called without its argument 'mat2'"):
        split_arguments(aten.mm.default, (X,), {})


def test_enum_defaults_of_all_of_aten_are_known() -> None:
    """Schemas give them as C++ numbers; one that is not in the table would reach a kernel as an int."""
    seen = 0
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        packet = getattr(aten, schema.name.removeprefix("aten::"), None)
        overload = getattr(packet, schema.overload_name or "default", None)
        if not isinstance(overload, torch._ops.OpOverload):
            continue
        required = [a for a in schema.arguments if not a.has_default_value()]
        _, scalars = split_arguments(overload, (), {a.name: None for a in required})
        kinds = [str(a.real_type) for a in schema.arguments if not a.is_out and "Tensor" not in str(a.type)]
        for kind, scalar in zip(kinds, scalars, strict=True):
            if any(enum in kind for enum in ("ScalarType", "MemoryFormat", "Layout", "Device")):
                seen += 1
                assert not isinstance(scalar, int), f"{schema}"
    assert seen > 500
