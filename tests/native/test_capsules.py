"""Without the DLPack exchange API tensors are read through __dlpack__ capsules, with the same results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from torchport import _native

PROGRAM = """
import sys
import torch

del torch.Tensor.__dlpack_c_exchange_api__

from torchport import _native

assert not _native.has_exchange_api()
library = _native.KernelLibrary(sys.argv[1])
add, describe, reverse = (library.kernel(name) for name in ("add", "describe", "reverse"))

a = torch.randn(4, 6, requires_grad=True)
b = torch.nn.Parameter(torch.randn(6, 4)).t()
out = torch.empty(8, 6)[::2]
add.run((a, b), (out,), (3.0,))
assert torch.equal(out, (a + 3 * b).detach())

row = torch.full((16,), -99)
describe.run((torch.arange(24).reshape(4, 6)[1:, ::2],), (row,))
assert row[:13].tolist() == [1, 0, 64, 1, 1, 2, -2, 0, 0, 3, 3, 6, 2]
describe.run((torch.tensor(True),), (row,))
assert row[:6].tolist() == [1, 6, 8, 1, 1, 0]

out, serial = torch.empty(3, dtype=torch.int64), torch.zeros((), dtype=torch.int64)
reverse.run((torch.arange(3),), (out, serial))
assert out.tolist() == [2, 1, 0]

(out,) = library.kernel("nonzero").run((torch.tensor([False, True]),), (None,), (0,))
assert out.tolist() == [[1]]
"""


def test_the_exchange_api_is_used_here() -> None:
    assert _native.has_exchange_api()


def test_capsules(kernels_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM, str(kernels_path)], check=True)
