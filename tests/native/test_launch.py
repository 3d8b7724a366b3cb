"""launch: generated code called by address."""

from __future__ import annotations

import ctypes

import pytest
import torch

from torchport import _native

from .conftest import Compile


@pytest.fixture(scope="module")
def address(compile_library: Compile):
    library = ctypes.CDLL(str(compile_library("generated.c", "-fvisibility=default")))

    def find(name: str) -> int:
        value = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        assert value is not None
        return value

    return find


@pytest.mark.parametrize("nogil", [False, True])
@pytest.mark.parametrize("make", [tuple, list])
def test_buffers_and_sizes(address, make, nogil: bool) -> None:
    x, out = torch.randn(8), torch.zeros(8)
    _native.launch(address("scale"), make((x[2:], out)), make((5, -3)), nogil=nogil)
    assert torch.equal(out, torch.cat([x[2:7] * -3, torch.zeros(3)]))


def test_sizes_are_64_bits(address) -> None:
    sizes = [2**63 - 1, -(2**63), 0, True]
    out = torch.zeros(4, dtype=torch.int64)
    _native.launch(address("echo_sizes"), (out,), (4, *sizes))
    assert out.tolist() == sizes


@pytest.mark.parametrize("count", [2, 32, 33, 500])
def test_any_number_of_buffers(address, count: int) -> None:
    tensors = [torch.tensor(i) for i in range(count)]
    _native.launch(address("gather"), tensors, (count, *range(count)))
    assert tensors[-1].item() == sum(range(count - 1))


def test_parameters_and_tensors_that_require_grad(address) -> None:
    x, out = torch.nn.Parameter(torch.ones(2)), torch.zeros(2, requires_grad=True)
    _native.launch(address("scale"), (x, out), (2, 4))
    assert out.tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("pointers", "ints", "error", "complaint"),
    [
        ((torch.zeros(1), None), (1, 1), TypeError, "needs torch.Tensor arguments, got NoneType"),
        ((torch.zeros(1), torch._efficientzerotensor((1,))), (1, 1), TypeError, "data pointer is NULL"),
        (5, (1, 1), TypeError, "sequence of tensors"),
        ((torch.zeros(1),) * 2, 5, TypeError, "sequence of integers"),
        ((torch.zeros(1),) * 2, (1, 0.5), TypeError, "float"),
        ((torch.zeros(1),) * 2, (1, 2**63), OverflowError, "int too"),
    ],
)
def test_refused(address, pointers, ints, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        _native.launch(address("scale"), pointers, ints)


def test_address_is_checked() -> None:
    with pytest.raises(ValueError, match="address 0"):
        _native.launch(0, (), ())
    with pytest.raises(TypeError):
        _native.launch("scale", (), ())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("args", "kwargs"), [((1, ()), {}), ((1, (), (), True), {}), ((1, (), ()), {"gil": 1})]
)
def test_signature_is_checked(args, kwargs) -> None:
    with pytest.raises(TypeError, match=r"launch takes \(fn_ptr, pointers, ints, \*, nogil=False\)"):
        _native.launch(*args, **kwargs)
