"""Scaling recipes and packed formats, against their layouts written out element by element."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from torchport.contract.opset import opset

OPS = opset("1.0").ops
F8 = torch.float8_e4m3fn
ROWS, COLUMNS, K = 130, 48, 320


def scaled(a: Tensor, b: Tensor, *scales: tuple[list[Tensor], list[int], list[int]]) -> Tensor:
    decomposition = OPS["aten._scaled_mm_v2.default"].decomposition
    assert decomposition is not None
    left, right = scales
    result: Tensor = decomposition(a, b, *left, *right, None, torch.float32)
    return result


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) + 0.25


@pytest.fixture(name="operands")
def _operands() -> tuple[Tensor, Tensor]:
    return random(ROWS, K, seed=1).to(F8), random(COLUMNS, K, seed=2).to(F8).t()


ONE = ([torch.ones(())], [0], [0])


@pytest.mark.parametrize(("recipe", "block"), [(2, 16), (3, 32), (4, 128)])
def test_scales_of_blocks_of_a_row(recipe: int, block: int, operands: tuple[Tensor, Tensor]) -> None:
    a, b = operands
    table = random(ROWS, -(-K // block))
    every = torch.stack([table[:, k // block] for k in range(K)], 1)
    expected = (a.double() * every) @ b.double()
    got = scaled(a, b, ([table], [recipe], [0]), ONE)
    torch.testing.assert_close(got.double(), expected, rtol=1e-5, atol=1e-4)


def test_swizzled_scales(operands: tuple[Tensor, Tensor]) -> None:
    a, b = operands
    columns = K // 32
    table, wide = random(ROWS, columns), -(-columns // 4)
    stored = torch.zeros(-(-ROWS // 128) * wide * 512)
    for row in range(ROWS):
        for column in range(columns):
            tile = row // 128 * wide + column // 4
            stored[tile * 512 + row % 32 * 16 + row % 128 // 32 * 4 + column % 4] = table[row, column]
    plain, swizzled = (scaled(a, b, ([s], [3], [z]), ONE) for s, z in ((table, 0), (stored, 1)))
    assert torch.equal(plain, swizzled)


def test_scales_of_square_blocks_lie_by_columns(operands: tuple[Tensor, Tensor]) -> None:
    a, b = operands
    table = random(4, 2)  # three blocks of columns, padded to four; two of rows
    rows = [[table[k // 128, r // 128] for k in range(K)] for r in range(ROWS)]
    expected = (a.double() * torch.tensor(rows)) @ b.double()
    torch.testing.assert_close(
        scaled(a, b, ([table], [5], [0]), ONE).double(), expected, rtol=1e-5, atol=1e-4
    )


def test_float4_and_two_levels_of_scales() -> None:
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    values += [-v for v in values]
    bytes_ = torch.tensor([[lo + 16 * hi for lo in range(16)] for hi in range(16)], dtype=torch.uint8)
    a = bytes_.view(torch.float4_e2m1fn_x2)
    unpacked = torch.tensor([[v for lo in range(16) for v in (values[lo], values[hi])] for hi in range(16)])
    scales, outer = random(16, 2), torch.tensor(0.5)
    wide = unpacked * scales.repeat_interleave(16, 1) * outer
    two = ([scales, outer], [2, 0], [0, 0])
    got = scaled(a, a.view(torch.uint8).t().view(torch.float4_e2m1fn_x2), two, two)
    torch.testing.assert_close(got, wide @ wide.t(), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("tiles", [2, 4, 8])
def test_packed_int4_weights_are_what_the_product_reads(tiles: int) -> None:
    g = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 16, (16, 256), generator=g)
    pack = OPS["aten._convert_weight_to_int4pack.default"].decomposition
    product = OPS["aten._weight_int4pack_mm.default"].decomposition
    assert pack is not None
    assert product is not None
    packed = pack((codes[:, ::2] * 16 + codes[:, 1::2]).to(torch.uint8), tiles)
    assert packed.shape == (2, 16 // tiles, 32, tiles // 2)
    ones = torch.stack([torch.ones(8, 16), torch.zeros(8, 16)], -1).to(torch.bfloat16)
    got = product(torch.eye(256).to(torch.bfloat16), packed, 32, ones)
    assert torch.equal(got, (codes.t() - 8).to(torch.bfloat16))
    # Lane 5 holds row 1 and columns 2, 3, 10 and 11 of a tile; a word begins with columns 2 and 10.
    assert packed[0, 0, 5, 0].item() & 15 == codes[1, 2]
    assert packed[0, 0, 5, 0].item() >> 4 & 15 == codes[1, 10]
