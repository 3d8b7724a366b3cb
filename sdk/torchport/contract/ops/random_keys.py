"""Random keys that depend on data: new in contract 1.1, from PyTorch 2.14 on."""

from __future__ import annotations

from torchport.contract.ops.builders import EXACT, entry
from torchport.contract.spec import Category, Operand, OpSpec

ENTRIES: tuple[OpSpec, ...] = (
    # Version 1.0 folds a number known while compiling into a key; a value known at run time is another thing.
    entry(
        "aten._philox_key_fold_in.Tensor",
        category=Category.RANDOM,
        accepts={"key": ("uint64",), "data": ("uint64",)},
        results="same:key",
        shape="key",
        layout="contiguous",
        numerics=EXACT,
        operands={"key": Operand("[*B, 2]"), "data": Operand("[]")},
        constraints=(
            ("rank(key) >= 1 and key[-1] == 2", "a key is two words"),
            ("numel(data) == 1", "one value"),
        ),
        errors=(("numel(data) != 1", "data of several values"),),
        prim=True,
        since="1.1",
    ),
)
