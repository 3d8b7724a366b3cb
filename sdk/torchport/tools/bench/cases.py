"""What is benchmarked. A case is a function of tensors with its inputs; suites name lists of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Program = Callable[..., Any]
Build = Callable[[], tuple[Program, tuple[Tensor, ...]]]


@dataclass(frozen=True, slots=True)
class Case:
    """One benchmark.

    ``build`` makes the program (a function or a module) and its inputs, the same ones after the same seed.
    With ``training`` the gradients of all inputs and parameters that require them are computed as well.
    """

    name: str
    build: Build
    training: bool = False


def _rand(*shape: int, grad: bool = False) -> Tensor:
    return torch.randn(*shape, requires_grad=grad)


def _softmax_gelu_sigmoid() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x: torch.sigmoid(F.gelu(torch.softmax(x, -1))), (_rand(512, 1024),)


def _pointwise_chain() -> tuple[Program, tuple[Tensor, ...]]:
    def program(x: Tensor, y: Tensor) -> Tensor:
        return torch.relu(x * y + 0.5).sub(y).clamp(-1, 1) * 2.0

    return program, (_rand(2048, 2048), _rand(2048, 2048))


def _bias_residual() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x, bias, residual: x + bias + residual, (_rand(2048, 1024), _rand(1024), _rand(2048, 1024))


def _layer_norm(grad: bool) -> Build:
    def build() -> tuple[Program, tuple[Tensor, ...]]:
        inputs = (_rand(1024, 1024, grad=grad), _rand(1024, grad=grad), _rand(1024, grad=grad))
        return lambda x, weight, bias: F.layer_norm(x, (1024,), weight, bias), inputs

    return build


def _rms_norm() -> tuple[Program, tuple[Tensor, ...]]:
    def program(x: Tensor, weight: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight

    return program, (_rand(1024, 1024), _rand(1024))


def _gelu() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x: F.gelu(x), (_rand(512, 3072, grad=True),)


def _softmax() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x: torch.softmax(x, -1), (_rand(4096, 512, grad=True),)


def _cross_entropy() -> tuple[Program, tuple[Tensor, ...]]:
    labels = torch.randint(0, 8192, (256,))
    return lambda logits: F.cross_entropy(logits, labels), (_rand(256, 8192, grad=True),)


def _column_sum() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x: x.square().sum(0), (_rand(2048, 1024),)


def _transpose_add() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x, y: x.t() + y, (_rand(2048, 2048), _rand(2048, 2048))


def _linear_gelu() -> tuple[Program, tuple[Tensor, ...]]:
    return lambda x, w, b: F.gelu(F.linear(x, w, b)), (_rand(512, 768), _rand(3072, 768), _rand(3072))


def _tiny() -> tuple[Program, tuple[Tensor, ...]]:
    """Three kernels on tensors of 64 elements: what is measured is the call."""

    def program(x: Tensor, w: Tensor) -> Tensor:
        return torch.softmax(torch.relu(x + 1) @ w, -1)

    return program, (_rand(8, 8), _rand(8, 8))


MICRO = (
    Case("softmax+gelu+sigmoid 512x1024", _softmax_gelu_sigmoid),
    Case("pointwise chain 2048x2048", _pointwise_chain),
    Case("bias + residual 2048x1024", _bias_residual),
    Case("layer_norm 1024x1024", _layer_norm(grad=False)),
    Case("layer_norm 1024x1024 fwd+bwd", _layer_norm(grad=True), training=True),
    Case("rms_norm 1024x1024", _rms_norm),
    Case("gelu 512x3072 fwd+bwd", _gelu, training=True),
    Case("softmax 4096x512 fwd+bwd", _softmax, training=True),
    Case("cross_entropy 256x8192 fwd+bwd", _cross_entropy, training=True),
    Case("column sum 2048x1024", _column_sum),
    Case("transpose + add 2048x2048", _transpose_add),
    Case("linear+gelu 512x768x3072", _linear_gelu),
    Case("tiny, 3 kernels", _tiny),
)


class _Tokens(nn.Module):
    """Gives a transformers model plain tensors: embeddings in, the main output out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model.train(False)

    def forward(self, embeddings: Tensor) -> Tensor:
        output: Tensor = self.model(inputs_embeds=embeddings)[0]
        return output


class _Images(nn.Module):
    """Gives a transformers vision model plain tensors."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model.train(False)

    def forward(self, images: Tensor) -> Tensor:
        output: Tensor = self.model(images)[0]
        return output


def _gpt2() -> tuple[Program, tuple[Tensor, ...]]:
    from transformers import GPT2Config, GPT2Model

    config = GPT2Config(n_layer=4, n_embd=384, n_head=6, n_positions=256, use_cache=False,
                        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)  # fmt: skip
    return _Tokens(GPT2Model(config)), (_rand(1, 256, 384),)


def _bert() -> tuple[Program, tuple[Tensor, ...]]:
    from transformers import BertConfig, BertModel

    config = BertConfig(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536,
                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
    return _Tokens(BertModel(config)), (_rand(1, 256, 384),)


def _resnet() -> tuple[Program, tuple[Tensor, ...]]:
    from transformers import ResNetConfig, ResNetModel

    config = ResNetConfig(embedding_size=32, hidden_sizes=[64, 128, 256], depths=[2, 2, 2])
    return _Images(ResNetModel(config)), (_rand(1, 3, 128, 128),)


MODELS = tuple(
    Case(f"{name}{' training step' if training else ''}", build, training)
    for name, build in (("gpt2 4x384", _gpt2), ("bert 4x384", _bert), ("resnet 3 stages", _resnet))
    for training in (False, True)
)

SUITES: Mapping[str, Sequence[Case]] = MappingProxyType({"micro": MICRO, "models": MODELS})
"""Cases by suite name."""
