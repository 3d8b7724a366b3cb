"""Kernel.run: what reaches a kernel and what comes back."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from torchport import _native
from torchport._native import Kernel, KernelLibrary

from .conftest import Compile

DTYPES = [
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
]  # fmt: skip


def describe(kernel: Kernel, tensor: torch.Tensor | None) -> list[int]:
    out = torch.full((16,), -99)
    kernel.run((tensor,), (out,))
    return out.tolist()


# --- tensors ---


@pytest.mark.parametrize("permutation", list(itertools.permutations(range(3))))
def test_strided(kernels: KernelLibrary, permutation: tuple[int, ...]) -> None:
    a = torch.randn(4, 6, 5)[:, ::2, 1:].permute(permutation)
    b = torch.randn(a.shape[::-1]).mT.transpose(0, 2).transpose(1, 2).reshape(a.shape).transpose(0, 1)
    b = b.contiguous().transpose(0, 1)
    out = torch.full((2, *a.shape), torch.nan)[1].transpose(0, 2).contiguous().transpose(0, 2)
    (returned,) = kernels.kernel("add").run((a, b), (out,), (-2.5,))
    assert returned is out
    torch.testing.assert_close(out, a - 2.5 * b)


def test_expanded_input(kernels: KernelLibrary) -> None:
    row, out = torch.randn(1, 5).expand(3, 5), torch.empty(3, 5)
    kernels.kernel("add").run((row, row), (out,), (1,))
    torch.testing.assert_close(out, row * 2, rtol=0, atol=0)


def test_writes_nothing_outside_a_strided_output(kernels: KernelLibrary) -> None:
    buffer, ones = torch.full((6, 6), 7.0), torch.ones(2, 3)
    kernels.kernel("add").run((ones, ones), (buffer[1:5:2, 1:4],), (1,))
    expected = torch.full((6, 6), 7.0)
    expected[1:5:2, 1:4] = 2.0
    assert torch.equal(buffer, expected)


def test_zero_dimensions(kernels: KernelLibrary) -> None:
    out = torch.zeros(())
    kernels.kernel("add").run((torch.tensor(1.5), torch.tensor(2.0)), (out,), (2,))
    assert out.item() == 5.5
    # shape and strides are checked to be non-NULL by the kernel itself
    assert describe(kernels.kernel("describe"), torch.tensor(3.0))[:6] == [1, 2, 32, 1, 1, 0]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 0)])
def test_empty(kernels: KernelLibrary, shape: tuple[int, ...]) -> None:
    empty = torch.empty(shape)
    (returned,) = kernels.kernel("add").run((empty, empty), (torch.empty(shape),), (1,))
    assert returned.shape == shape
    assert describe(kernels.kernel("describe"), empty)[8:9] == [1]


def test_describes_shape_strides_and_storage_offset(kernels: KernelLibrary) -> None:
    tensor = torch.arange(24).reshape(4, 6)[1:, ::2]
    assert describe(kernels.kernel("describe"), tensor)[:13] == [1, 0, 64, 1, 1, 2, -2, 0, 0, 3, 3, 6, 2]


@pytest.mark.parametrize("shape", [(1,), (1, 1, 4), (2, 1, 3)])
def test_size_one_strides_do_not_break_contiguity(kernels: KernelLibrary, shape: tuple[int, ...]) -> None:
    odd = torch.empty(64).as_strided(
        shape, [17 if n == 1 else math.prod(shape[i + 1 :]) for i, n in enumerate(shape)]
    )
    assert describe(kernels.kernel("describe"), odd)[8] == 1


def test_absent_input(kernels: KernelLibrary) -> None:
    assert describe(kernels.kernel("describe"), None)[:2] == [0, -99]


def test_parameter_that_requires_grad(kernels: KernelLibrary) -> None:
    parameter, out = torch.nn.Parameter(torch.ones(3)), torch.empty(3)
    kernels.kernel("add").run((parameter, parameter), (out,), (1,))
    assert out.tolist() == [2.0] * 3
    assert not out.requires_grad


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(kernels: KernelLibrary, name: str) -> None:
    """The bits arrive unchanged, and a dtype scalar has the code that a tensor of that dtype has."""
    dtype = getattr(torch, name)
    bits = torch.randint(0, 2 if name == "bool" else 256, (4 * dtype.itemsize,), dtype=torch.uint8)
    tensor, out = bits.view(dtype), torch.zeros_like(bits).view(dtype)
    kernels.kernel("copy").run((tensor,), (out,))
    assert torch.equal(out.view(torch.uint8), bits)
    as_scalar = torch.zeros(5, dtype=torch.float64)
    kernels.kernel("scalars").run((), (as_scalar,), (dtype,))
    assert as_scalar[2:].tolist() == describe(kernels.kernel("describe"), tensor)[1:4]


# --- tensors that are refused ---


class Subclass(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("make", "error", "complaint"),
    [
        (lambda: torch.randn(3).as_subclass(Subclass), TypeError, "input 1: .*plain .* subclass Subclass"),
        (lambda: 3.0, TypeError, "input 1: .*needs torch.Tensor arguments, got float"),
        (lambda: torch._efficientzerotensor((3,)), TypeError, "input 1: .*data pointer is NULL"),
        (lambda: torch.randn(3).cfloat().conj(), _native.UnresolvedView, "input 1: .*resolve_conj"),
        (lambda: torch.randn(3).cfloat().conj().imag, _native.UnresolvedView, "input 1: .*resolve_neg"),
        (lambda: torch.empty(3, device="meta"), RuntimeError, "meta"),
        (lambda: torch.eye(3).to_sparse(), RuntimeError, "storage"),
    ],
)  # fmt: skip
def test_refused_tensors(kernels: KernelLibrary, make, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        kernels.kernel("describe").run((None, make()), (torch.empty(16, dtype=torch.int64),))


def test_fake_tensors_are_refused(kernels: KernelLibrary) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(3)
    with pytest.raises(TypeError, match="FakeTensor.*kernels run after tracing"):
        kernels.kernel("add").run((fake, fake), (fake,), (1,))


def test_lazily_negated_output_is_refused(kernels: KernelLibrary) -> None:
    out = torch.zeros(3, dtype=torch.cfloat).conj().imag
    with pytest.raises(_native.UnresolvedView, match="output 0"):
        kernels.kernel("add").run((torch.ones(3), torch.ones(3)), (out,), (1,))


@pytest.mark.parametrize("position", range(4))
def test_arguments_must_be_sequences(kernels: KernelLibrary, position: int) -> None:
    arguments: list[object] = [(), (), (), 0, ()]
    arguments[position if position < 3 else 4] = 5
    name = ["inputs", "outputs", "scalars", "aliases"][position]
    with pytest.raises(TypeError, match=f"{name} must be a sequence, got int"):
        kernels.kernel("live").run(*arguments)


# --- aliases ---


def test_alias_reaches_the_kernel(kernels: KernelLibrary) -> None:
    kernel, out, x = kernels.kernel("describe"), torch.empty(16, dtype=torch.int64), torch.zeros(3)
    kernel.run((x,), (out, x), aliases=(-1, 0))
    assert out[6] == 0
    kernel.run((x,), (out, x))
    assert out[6] == -1


@pytest.mark.parametrize("aliases", [(0,), (1, -1), (2, -1), (-2, -1), (-1, -1, -1)])
def test_aliases_are_checked(kernels: KernelLibrary, aliases: tuple[int, ...]) -> None:
    x = torch.zeros(16, dtype=torch.int64)
    with pytest.raises(ValueError, match="aliases"):
        kernels.kernel("describe").run((x, None), (x, x), aliases=aliases)


# --- scalars ---


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (None, [0, 0]),
        (True, [1, 0, 1]),
        (-(2**52), [2, 0, -(2**52)]),
        (0.1, [3, 0, 0.1]),
        (1 - 2j, [4, 0, 1, -2]),
        ("né\0!", [5, 5, *"né\0!".encode()]),
        ("", [5, 0]),
        ([3, -4], [6, 2, 3, -4]),
        ((3, True), [6, 2, 3, 1]),
        ([], [6, 0]),
        ([0.5, 2], [7, 2, 0.5, 2]),
        ((True, False, True), [8, 3, 1, 0, 1]),
        (torch.bfloat16, [9, 0, 4, 16, 1]),
        (torch.Size([5, 6]), [6, 2, 5, 6]),
    ],
)
def test_scalar_kinds(kernels: KernelLibrary, value, encoded: list[float]) -> None:
    out = torch.full((32,), -99.0, dtype=torch.float64)
    kernels.kernel("scalars").run((), (out,), (value, 77))
    expected = [*encoded, 2, 0, 77, -99]
    assert out[: len(expected)].tolist() == expected


def test_many_scalars(kernels: KernelLibrary) -> None:
    """More lists than any buffer starts with: earlier ones must not move."""
    out = torch.zeros(400, dtype=torch.float64)
    kernels.kernel("scalars").run((), (out,), [[i, i + 1] for i in range(100)])
    assert out.view(100, 4)[:, 2:].tolist() == [[i, i + 1] for i in range(100)]


@pytest.mark.parametrize(
    ("value", "error", "complaint"),
    [
        (torch.device("cpu"), TypeError, "scalar 1 is a torch.device"),
        ([1, "a"], TypeError, "scalar 1 is a str"),
        (torch.qint8, TypeError, "no type code for torch.qint8"),
        (2**63, OverflowError, "int too"),
        ([2**63], OverflowError, "int too"),
    ],
)
def test_refused_scalars(kernels: KernelLibrary, value, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        kernels.kernel("scalars").run((), (torch.zeros(8, dtype=torch.float64),), (0, value))


# --- prepare, state, workspace ---


def reverse(kernel: Kernel, n: int, *scalars: int) -> int:
    """Runs `reverse`, checks its result and returns the serial number of the state that served it."""
    x, out, serial = torch.arange(n), torch.full((n,), -1), torch.zeros((), dtype=torch.int64)
    kernel.run((x,), (out, serial), scalars)
    assert torch.equal(out, x.flip(0))
    return int(serial.item())


def live(library: KernelLibrary) -> int:
    out = torch.zeros((), dtype=torch.int64)
    library.kernel("live").run((), (out,))
    return int(out.item())


def test_prepares_once_per_signature(kernels: KernelLibrary) -> None:
    kernel = kernels.kernel("reverse")
    first, second = reverse(kernel, 5), reverse(kernel, 6)
    assert first != second
    assert [reverse(kernel, n) for n in (5, 6, 6, 5)] == [first, second, second, first]
    assert kernel.prepared == 2


def test_signature_has_everything_that_prepare_sees(kernels: KernelLibrary) -> None:
    kernel = kernels.kernel("reverse")

    def serial(
        x: torch.Tensor, out: torch.Tensor, scalars: tuple = (64,), aliases: tuple[int, ...] = ()
    ) -> int:
        number = torch.zeros((), dtype=torch.int64)
        kernel.run((x,), (out, number), scalars, 0, aliases)
        return int(number.item())

    a = torch.arange(8)
    serials = [
        serial(a, a.clone()),
        serial(a.view(torch.float64), a.clone()),
        serial(torch.arange(16)[::2], a.clone()),
        serial(a, torch.empty(16, dtype=torch.int64)[::2]),
        serial(a, torch.empty(8, 1, dtype=torch.int64)),
        serial(a, a.clone(), (128,)),
        serial(a, a.clone(), (64, 1)),
        serial(a, a.clone(), (64, True)),
        serial(a, a.clone(), (64, 1.0)),
        serial(a, a.clone(), (64, None)),
        serial(a, a.clone(), (64, "ab")),
        serial(a, a.clone(), (64, "ac")),
        serial(a, a.clone(), (64, [1, 2])),
        serial(a, a.clone(), (64, [1], 2)),
        serial(a, a.clone(), (64, [1.0, 2.0])),
        serial(a, a.clone(), (64, torch.int32)),
        serial(a, a.clone(), aliases=(0, -1)),
    ]
    assert len(set(serials)) == len(serials) == kernel.prepared
    # not the address, and not the identity of the tensors
    assert serial(a.clone(), a.clone()) == serials[0]
    assert kernel.prepared == len(serials)


@pytest.mark.parametrize("alignment", [0, 1, 8, 64, 4096])
def test_workspace_is_aligned(kernels: KernelLibrary, alignment: int) -> None:
    for n in (1, 3, 1000, 3):
        reverse(kernels.kernel("reverse"), n, alignment)


def test_no_workspace_for_size_zero(kernels: KernelLibrary) -> None:
    reverse(kernels.kernel("reverse"), 0)


def test_odd_alignment_is_refused_and_its_state_released(kernels: KernelLibrary) -> None:
    before = live(kernels)
    with pytest.raises(
        _native.KernelFailed, match="failed to prepare: internal error: workspace_alignment 48"
    ):
        reverse(kernels.kernel("reverse"), 3, 48)
    assert (live(kernels), kernels.kernel("reverse").prepared) == (before, 0)


def test_failed_prepare_is_reported_and_not_kept(kernels: KernelLibrary) -> None:
    x, kernel = torch.zeros(2, 2, dtype=torch.int64), kernels.kernel("reverse")
    for _ in range(2):
        with pytest.raises(
            _native.KernelFailed, match="'reverse' .*failed to prepare: invalid argument: one dimension"
        ):
            kernel.run((x,), (x, x))
    assert kernel.prepared == 0


def test_least_recently_used_states_are_released(kernels_path: Path) -> None:
    library = KernelLibrary(str(kernels_path), cache_limit=2)
    kernel, before = library.kernel("reverse"), live(library)
    one, two = reverse(kernel, 1), reverse(kernel, 2)
    assert reverse(kernel, 1) == one
    three = reverse(kernel, 3)  # drops 2
    assert (reverse(kernel, 1), reverse(kernel, 3)) == (one, three)
    assert reverse(kernel, 2) != two
    assert (kernel.prepared, live(library)) == (2, before + 2)


def test_states_are_released_with_the_kernel(kernels_path: Path) -> None:
    library = KernelLibrary(str(kernels_path))
    kernel, before = library.kernel("reverse"), live(library)
    for n in range(4):
        reverse(kernel, n)
    assert live(library) == before + 4
    del kernel, library
    assert live(KernelLibrary(str(kernels_path))) == before


# --- errors ---


@pytest.mark.parametrize(
    ("status", "text", "hint"),
    [
        (1, "invalid argument", "eager should refuse it too"),
        (2, "unsupported", "narrow what the backend claims"),
        (3, "out of memory", "free memory"),
        (4, "device error", "driver"),
        (5, "internal error", "vendor"),
        (99, "internal error", "vendor"),
    ],
)
def test_status_and_message(kernels: KernelLibrary, status: int, text: str, hint: str) -> None:
    with pytest.raises(_native.KernelFailed) as caught:
        kernels.kernel("fail").run((torch.zeros(1, 1),), (), (status, 0))
    assert caught.value.message == (
        f"kernel 'fail' of library 'testkernels' 1.2.3 failed to run: {text}: rank 2 is too much"
    )
    assert (caught.value.status, caught.value.code) == (status, 0)
    assert hint in caught.value.hint


def test_code_of_the_vendor(kernels: KernelLibrary) -> None:
    with pytest.raises(_native.KernelFailed, match=r"too much \(code -1234\)") as caught:
        kernels.kernel("fail").run((torch.zeros(1),), (), (4, -1234))
    assert caught.value.code == -1234


def test_cpp_exceptions_are_reported(compile_library: Compile) -> None:
    library = KernelLibrary(str(compile_library("threads.cpp")))
    with pytest.raises(
        _native.KernelFailed, match="'throws' .*failed to run: .*C\\+\\+ exception.*out of cheese"
    ):
        library.kernel("throws").run((), ())
    with pytest.raises(_native.KernelFailed, match="failed to prepare: .*out of milk"):
        library.kernel("throws_early").run((), ())


# --- outputs whose shape depends on data ---


@pytest.mark.parametrize("flags", [[True, False, True, True], [False, False], []])
def test_kernel_allocates_its_output(kernels: KernelLibrary, flags: list[bool]) -> None:
    mask = torch.tensor(flags, dtype=torch.bool)
    (out,) = kernels.kernel("nonzero").run((mask,), (None,), (0,))
    assert out.dtype == torch.int64
    assert torch.equal(out, mask.nonzero())


def test_given_and_allocated_outputs_keep_their_order(kernels: KernelLibrary) -> None:
    mask, given = torch.tensor([False, True]), torch.zeros(2)
    first, second = kernels.kernel("nonzero").run((mask,), [given, None], (1,))
    assert first is given
    assert second.tolist() == [[1]]


@pytest.mark.parametrize(
    ("outputs", "asked", "complaint"),
    [
        ((None,), 1, "output 1 is not one to allocate"),
        ((None,), -1, "output -1 is not one to allocate"),
        ((torch.zeros(1),), 0, "output 0 is not one to allocate"),
        ((None, None), 0, "returned without allocating output 1"),
    ],
)
def test_allocator_rules(kernels: KernelLibrary, outputs: tuple, asked: int, complaint: str) -> None:
    with pytest.raises(_native.KernelFailed, match=complaint):
        kernels.kernel("nonzero").run((torch.tensor([True]),), outputs, (asked,))


def test_allocator_serves_an_output_once(kernels: KernelLibrary) -> None:
    kernel = kernels.kernel("allocate")
    (out,) = kernel.run((), (None,), ([2, 3], torch.bfloat16, 1))
    assert (out.dtype, out.shape) == (torch.bfloat16, (2, 3))
    with pytest.raises(_native.KernelFailed, match="already allocated"):
        kernel.run((), (None,), ([2, 3], torch.bfloat16, 2))


def test_failed_allocation_raises_what_torch_raised(kernels: KernelLibrary) -> None:
    with pytest.raises(RuntimeError, match="negative dimension") as caught:
        kernels.kernel("allocate").run((), (None,), ([-5], torch.float32, 1))
    assert not isinstance(caught.value, _native.KernelFailed)


# --- threads ---


def test_runs_concurrently_with_distinct_workspaces(compile_library: Compile) -> None:
    """The kernel returns only once two runs are inside: the GIL is free, and no lock is held around run."""
    kernel = KernelLibrary(str(compile_library("threads.cpp"))).kernel("meet")
    outs = [torch.zeros((), dtype=torch.int64) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda out: kernel.run((), (out,)), outs))
    assert outs[0].item() != outs[1].item() != 0


def test_prepares_once_across_threads(kernels: KernelLibrary) -> None:
    kernel = kernels.kernel("reverse")
    with ThreadPoolExecutor(4) as pool:
        serials = list(pool.map(lambda i: (i % 3, reverse(kernel, i % 3 + 1)), range(300)))
    assert len(set(serials)) == kernel.prepared == 3
