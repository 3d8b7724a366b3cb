"""Whether a compiled decoder with a static KV cache generates the tokens that eager generates."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch import nn

from torchport.compile.backend import Backend
from torchport.dynamo import DynamoBackend
from torchport_conformance.public_models.entry import Sizes
from torchport_conformance.public_models.results import GenerationResult
from torchport_conformance.public_models.table import public_model

TOKENS = 50
MOVE = 0.5
"""How far weights are moved from their start: with small ones a model repeats the last token."""
PROMPT = Sizes(batch=2, length=8)


def generate(name: str, backend: Backend, *, count: int = TOKENS, seed: int = 0) -> GenerationResult:
    """Generates ``count`` tokens greedily, in eager and compiled, and compares them.

    The prompt and every token run through the same compiled model, over a cache of fixed length that the
    model writes in place.

    Raises:
        OptionError: the table has no such architecture.
    """
    started = time.perf_counter()
    entry = public_model(name)
    model = entry.build(seed, MOVE).model.eval()
    prompt = entry.batch(PROMPT, seed)["input_ids"]
    dynamo = DynamoBackend((backend,))
    graphs, seen = 0, list[int]()

    def counting(gm: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        nonlocal graphs
        graphs += 1
        return dynamo(gm, inputs)

    torch._dynamo.reset()
    compiled = torch.compile(model, backend=counting, dynamic=False)
    with warnings.catch_warnings():  # transformers announces changes of its own interface
        warnings.simplefilter("ignore", FutureWarning)
        eager, _ = _greedy(model, model, prompt, count, lambda: None)
        tokens, size = _greedy(model, compiled, prompt, count, lambda: seen.append(graphs))
    reports = dynamo.reports
    return GenerationResult(
        tokens=count,
        distinct=len(set(eager.flatten().tolist())),
        equal=int((tokens == eager).all(0).sum()),
        graphs=seen[1],
        later=seen[-1] - seen[1],
        claimed_share=round(reports.claimed_share, 4),
        cache_copies=sum(copy.bytes >= size for copy in reports.copies),
        seconds=round(time.perf_counter() - started, 2),
    )


def _greedy(
    model: nn.Module,
    call: Callable[..., Any],
    prompt: torch.Tensor,
    count: int,
    after: Callable[[], None],
) -> tuple[torch.Tensor, int]:
    """The next ``count`` tokens, int64[n, count], by the largest logit, and the bytes of one tensor of the
    cache; ``after`` is called after each token.
    """
    from transformers import StaticCache

    length = prompt.shape[1]
    config: Any = model.config
    cache: Any = StaticCache(config=config, max_cache_len=length + count)
    found: list[torch.Tensor] = []
    ids, positions = prompt, torch.arange(length)
    with torch.no_grad():
        for step in range(count):
            result = call(
                input_ids=ids,
                position_ids=positions.unsqueeze(0),
                past_key_values=cache,
                use_cache=True,
            )
            ids = result.logits[:, -1:].argmax(-1)
            found.append(ids)
            positions = torch.tensor([length + step])
            after()
    return torch.cat(found, 1), cache.layers[0].keys.nbytes
