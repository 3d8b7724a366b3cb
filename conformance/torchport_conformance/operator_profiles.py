"""Measures the contract's profiles: which operators models need, and how often they call them.

``python -m torchport_conformance.operator_profiles`` writes ``torchport/contract/profiles/*.json``; with
``--check`` it writes nothing and exits 1 where one has drifted. Models are small configurations of public
architectures with random weights; operators and their frequencies do not depend on the sizes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import nn

import torchport as tp
from torchport.contract import profiles
from torchport.contract.opset import OpSet
from torchport.contract.views import is_view
from torchport.dynamo import DynamoBackend
from torchport.errors import ContractError
from torchport.lowering.decompose import Decomposer
from torchport_conformance.models.architecture import architecture, inputs_of

FOLDER = Path(profiles.__file__).parent
OPSET = "1.0"

Example = tuple[nn.Module, Mapping[str, Any]]
Build = Callable[[], Example]


def _ids(vocabulary: int) -> torch.Tensor:
    return torch.randint(vocabulary, (2, 16))


def _known(name: str) -> Build:
    """An architecture of the suite, with one of its batches."""

    def build() -> Example:
        known = architecture(name)
        return known.build(), inputs_of(known.batches(1)[0])

    return build


def _language(config: str, model: str, **sizes: Any) -> Build:
    """A language model of transformers over token ids."""

    def build() -> Example:
        import transformers

        settings = {"vocab_size": 128, "pad_token_id": 0, "use_cache": False, **sizes}
        made = getattr(transformers, model)(getattr(transformers, config)(**settings))
        given = {"input_ids": _ids(128)}
        if made.config.is_encoder_decoder:
            given["decoder_input_ids"] = _ids(128)
        return made, given

    return build


def _vision(config: str, model: str, size: int = 32, **sizes: Any) -> Build:
    """A vision model of transformers over images."""

    def build() -> Example:
        import transformers

        made = getattr(transformers, model)(getattr(transformers, config)(**sizes))
        return made, {"pixel_values": torch.randn(2, 3, size, size)}

    return build


_SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}

MODELS: Mapping[str, Build] = {
    "gpt2": _known("gpt2"),
    "bert": _known("bert"),
    "resnet": _known("resnet"),
    "llama": _language("LlamaConfig", "LlamaForCausalLM", num_key_value_heads=2, **_SMALL),
    "qwen3": _language("Qwen3Config", "Qwen3ForCausalLM", num_key_value_heads=2, head_dim=8, **_SMALL),
    "gemma2": _language("Gemma2Config", "Gemma2ForCausalLM", num_key_value_heads=2, head_dim=8, **_SMALL),
    "phi": _language("PhiConfig", "PhiForCausalLM", **_SMALL),
    "gpt_neox": _language("GPTNeoXConfig", "GPTNeoXForCausalLM", **_SMALL),
    "t5": _language(
        "T5Config", "T5ForConditionalGeneration", d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4
    ),
    "vit": _vision("ViTConfig", "ViTForImageClassification", image_size=32, patch_size=8, **_SMALL),
    "convnext": _vision(
        "ConvNextConfig", "ConvNextForImageClassification", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]
    ),
    "swin": _vision(
        "SwinConfig", "SwinForImageClassification", image_size=32, patch_size=2, embed_dim=16, depths=[2, 2],
        num_heads=[2, 2], window_size=4,
    ),
    "mobilenet_v2": _vision("MobileNetV2Config", "MobileNetV2ForImageClassification", depth_multiplier=0.35),
    "segformer": _vision(
        "SegformerConfig", "SegformerForSemanticSegmentation", 64, depths=[1, 1, 1, 1],
        hidden_sizes=[8, 16, 16, 32], decoder_hidden_size=16,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """The models of a profile, and whether they are trained."""

    models: tuple[str, ...]
    training: bool = False


PLANS: Mapping[str, Plan] = {
    "transformer-inference": Plan(
        ("gpt2", "bert", "llama", "qwen3", "gemma2", "phi", "gpt_neox", "t5"),
    ),
    "vision-inference": Plan(("resnet", "vit", "convnext", "swin", "mobilenet_v2", "segformer")),
    "training": Plan(("gpt2", "bert", "llama", "t5", "resnet", "vit", "convnext"), training=True),
}


class Recorder(tp.EagerBackend):
    """Runs regions in eager PyTorch and keeps their nodes."""

    name: ClassVar[str] = "torchport_recorder"

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[tp.Node] = []

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        """Eager PyTorch, after the nodes have been noted."""
        self.nodes += region.nodes
        return super().compile(region, target, options)


def captured(name: str, *, training: bool) -> list[tp.Node]:
    """Every node of one run of a model, backward included where it trains.

    Raises:
        ContractError: an operator of the model is not in the contract.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model, batch = MODELS[name]()
        model.train(training)
        recorder = Recorder()
        entry = DynamoBackend((recorder,))
        torch._dynamo.reset()
        with torch.set_grad_enabled(training):
            result = torch.compile(model, backend=entry)(**batch)
            if training:
                _first(result).float().square().mean().backward()
        torch._dynamo.reset()
    left: Counter[str] = sum((Counter(graph.fallback_ops) for graph in entry.reports.graphs), Counter())
    if left:
        raise ContractError(f"operators of {name!r} are left to eager PyTorch", got=str(dict(left)))
    return [node for node in recorder.nodes if not is_view(node.op)]


def _first(result: Any) -> torch.Tensor:
    values = result.values() if isinstance(result, Mapping) else (result,)
    return next(v for v in values if isinstance(v, torch.Tensor))


def primitives(nodes: Sequence[tp.Node], contract: OpSet) -> Counter[str]:
    """What nodes reduce to: calls of each primitive, views apart."""
    decomposer = Decomposer(contract, {})

    def reduced(node: tp.Node) -> Iterator[str]:
        if contract.is_primitive(node):
            if not is_view(node.op):
                yield node.op
            return
        parts = decomposer.parts(node)
        if parts is None:
            raise ContractError("nothing decomposes this call", op=node.op, got=str(node))
        for part in parts.nodes:
            yield from reduced(part)

    return Counter(op for node in nodes for op in reduced(node))


def measure(name: str, plan: Plan) -> profiles.Profile:
    """Runs the models of a plan and counts."""
    contract = tp.opset(OPSET)
    ops: dict[str, Counter[str]] = {}
    prims: dict[str, Counter[str]] = {}
    for model in plan.models:
        nodes = captured(model, training=plan.training)
        ops[model] = Counter(node.op for node in nodes)
        prims[model] = primitives(nodes, contract)
    return profiles.Profile(name, OPSET, plan.models, _uses(ops, contract), _uses(prims, contract))


def _uses(counted: Mapping[str, Counter[str]], contract: OpSet) -> dict[str, profiles.Use]:
    total: Counter[str] = sum(counted.values(), Counter())
    calls = total.total()
    return {
        op: profiles.Use(
            contract.ops[op].tier.value,
            count,
            round(count / calls, 6),
            sum(op in of_model for of_model in counted.values()),
        )
        for op, count in sorted(total.items(), key=lambda item: (-item[1], item[0]))
    }


def render(profile: profiles.Profile) -> str:
    """The text of a profile's file."""
    return json.dumps(profile.to_dict(), indent=1) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 0 when nothing drifted, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m torchport_conformance.operator_profiles", description=__doc__
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and name what drifted")
    parser.add_argument("profiles", nargs="*", help=f"of {', '.join(PLANS)}; all of them if left out")
    options = parser.parse_args(arguments)
    drifted = False
    for name in options.profiles or PLANS:
        text = render(measure(name, PLANS[name]))
        path = FOLDER / f"{name}.json"
        same = path.exists() and path.read_text("utf-8") == text
        drifted = drifted or not same
        if not options.check:
            path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {'as it was' if same else 'drifted' if options.check else 'written'}\n")
    return int(drifted and options.check)


if __name__ == "__main__":
    raise SystemExit(main())
