"""Several kinds of input at once: text with images, boxes or sound."""

from __future__ import annotations

from typing import Any

from torchport_conformance.public_models.entry import Family, PublicModel, class_loss, sine_loss
from torchport_conformance.public_models.inputs import (
    VOCABULARY,
    features,
    ids,
    images,
    ordered_boxes,
    sequence,
    together,
    tokens,
)

_WIDTH = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
_READER = {"vocab_size": VOCABULARY, "max_position_embeddings": 64, **_WIDTH}
_VIEWER = {"image_size": 32, "patch_size": 8, **_WIDTH}
_PAIR = together(tokens(), images(labels=False))


def _contrastive(name: str, stem: str, output: str = "logits_per_image", **parts: Any) -> PublicModel:
    settings = {"text_config": _READER, "vision_config": _VIEWER, **parts}
    return PublicModel(
        name, Family.MULTIMODAL, f"{stem}Config", f"{stem}Model", settings, _PAIR, sine_loss(output)
    )


MODELS: tuple[PublicModel, ...] = (
    _contrastive("clip", "CLIP", projection_dim=16, text_config={**_READER, "eos_token_id": 2}),
    _contrastive("siglip", "Siglip"),
    _contrastive("altclip", "AltCLIP", projection_dim=16, text_config={**_READER, "project_dim": 32}),
    _contrastive("chinese_clip", "ChineseCLIP", projection_dim=16),
    PublicModel(
        "blip",
        Family.MULTIMODAL,
        "BlipConfig",
        "BlipForConditionalGeneration",
        {"text_config": {**_READER, "use_cache": False}, "vision_config": _VIEWER, "projection_dim": 16},
        _PAIR,
        class_loss(),
    ),
    PublicModel(
        "git",
        Family.MULTIMODAL,
        "GitConfig",
        "GitForCausalLM",
        {**_READER, "vision_config": _VIEWER, "use_cache": False},
        _PAIR,
        sine_loss("logits"),
    ),
    PublicModel(
        "visual_bert",
        Family.MULTIMODAL,
        "VisualBertConfig",
        "VisualBertModel",
        {**_READER, "visual_embedding_dim": 16},
        together(tokens(), features("visual_embeds", 5, 16)),
        sine_loss(),
    ),
    PublicModel(
        "lxmert",
        Family.MULTIMODAL,
        "LxmertConfig",
        "LxmertModel",
        {**_READER, "visual_feat_dim": 16, "l_layers": 1, "r_layers": 1, "x_layers": 1},
        together(tokens(), features("visual_feats", 5, 16), features("visual_pos", 5, 4)),
        sine_loss("language_output"),
    ),
    PublicModel(
        "layoutlmv3",
        Family.MULTIMODAL,
        "LayoutLMv3Config",
        "LayoutLMv3Model",
        {
            **_READER,
            "input_size": 32,
            "patch_size": 8,
            "coordinate_size": 6,
            "shape_size": 4,
            "rel_pos_bins": 8,
            "rel_2d_pos_bins": 8,
            "pad_token_id": 1,
        },
        together(tokens(), ordered_boxes(), images(labels=False)),
        sine_loss(),
    ),
    PublicModel(
        "decision_transformer",
        Family.MULTIMODAL,
        "DecisionTransformerConfig",
        "DecisionTransformerModel",
        {"state_dim": 6, "act_dim": 3, "hidden_size": 32, "n_layer": 2, "n_head": 4, "max_ep_len": 32},
        together(
            sequence("states", 6),
            sequence("actions", 3),
            sequence("rewards", 1),
            sequence("returns_to_go", 1),
            ids("timesteps", below=32),
        ),
        sine_loss("action_preds"),
    ),
    PublicModel(
        "patchtst",
        Family.MULTIMODAL,
        "PatchTSTConfig",
        "PatchTSTForPrediction",
        {
            "num_input_channels": 3,
            "context_length": 32,
            "patch_length": 8,
            "patch_stride": 8,
            "d_model": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "ffn_dim": 32,
            "prediction_length": 4,
        },
        features("past_values", 32, 3),
        sine_loss("prediction_outputs"),
    ),
)
