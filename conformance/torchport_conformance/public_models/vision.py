"""Vision: classifiers, segmenters and depth estimators over images, and classifiers of videos.

Where a norm over few values magnifies rounding, a kink of an activation would turn it into another
gradient: those models have a smooth activation.
"""

from __future__ import annotations

from typing import Any

from torchport_conformance.public_models.entry import Family, Loss, PublicModel, class_loss, sine_loss
from torchport_conformance.public_models.inputs import CLASSES, images

_PATCHES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
    "num_labels": CLASSES,
}


def _classifier(name: str, stem: str, size: int = 32, **settings: Any) -> PublicModel:
    settings = {"num_labels": CLASSES, **settings}
    made = images(size)
    return PublicModel(
        name, Family.VISION, f"{stem}Config", f"{stem}ForImageClassification", settings, made, class_loss()
    )


def _dense(name: str, stem: str, model: str, loss: Loss, size: int, **settings: Any) -> PublicModel:
    made = images(size, labels=False)
    return PublicModel(name, Family.VISION, f"{stem}Config", stem + model, settings, made, loss)


MODELS: tuple[PublicModel, ...] = (
    _classifier("vit", "ViT", **_PATCHES),
    _classifier("deit", "DeiT", **_PATCHES),
    _classifier("beit", "Beit", **_PATCHES, use_relative_position_bias=True),
    _classifier("dinov2", "Dinov2", **_PATCHES),
    _classifier("vit_msn", "ViTMSN", **_PATCHES),
    _classifier("ijepa", "IJepa", **_PATCHES),
    _classifier(
        "swin",
        "Swin",
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 2],
        window_size=4,
    ),
    _classifier(
        "swinv2",
        "Swinv2",
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 2],
        window_size=4,
    ),
    _classifier("convnext", "ConvNext", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    _classifier("convnextv2", "ConvNextV2", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    _classifier(
        "resnet",
        "ResNet",
        embedding_size=8,
        hidden_sizes=[8, 16, 32],
        depths=[1, 1, 1],
        layer_type="basic",
    ),
    _classifier(
        "regnet",
        "RegNet",
        64,
        hidden_act="silu",
        embedding_size=8,
        hidden_sizes=[8, 16, 16, 24],
        depths=[1, 1, 1, 1],
        groups_width=8,
    ),
    _classifier(
        "bit", "Bit", embedding_size=8, hidden_sizes=[8, 16, 16, 24], depths=[1, 1, 1, 1], num_groups=1
    ),
    _classifier("mobilenet_v1", "MobileNetV1", 64, hidden_act="silu", depth_multiplier=0.25),
    _classifier("mobilenet_v2", "MobileNetV2", 64, hidden_act="silu", depth_multiplier=0.25),
    _classifier(
        "mobilevit",
        "MobileViT",
        96,
        image_size=96,
        hidden_sizes=[16, 20, 24],
        neck_hidden_sizes=[8, 8, 12, 16, 16, 16, 24],
        num_attention_heads=4,
    ),
    _classifier("mobilevitv2", "MobileViTV2", 64, image_size=64, width_multiplier=0.25),
    _classifier(
        "levit",
        "Levit",
        64,
        image_size=64,
        hidden_sizes=[16, 32, 48],
        num_attention_heads=[1, 2, 3],
        depths=[1, 1, 1],
        key_dim=[8, 8, 8],
    ),
    _classifier("poolformer", "PoolFormer", hidden_sizes=[8, 16, 16, 24], depths=[1, 1, 1, 1]),
    _classifier(
        "pvt",
        "Pvt",
        image_size=32,
        hidden_sizes=[8, 16, 16, 32],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 2, 4],
        sequence_reduction_ratios=[4, 2, 1, 1],
    ),
    _classifier(
        "pvt_v2",
        "PvtV2",
        hidden_sizes=[8, 16, 16, 32],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 2, 4],
    ),
    _classifier(
        "focalnet",
        "FocalNet",
        image_size=32,
        embed_dim=8,
        hidden_sizes=[8, 16],
        depths=[1, 1],
        focal_levels=[2, 2],
        focal_windows=[3, 3],
    ),
    _classifier("swiftformer", "SwiftFormer", depths=[1, 1, 1, 1], embed_dims=[8, 16, 16, 24], image_size=32),
    _classifier(
        "hgnet_v2",
        "HGNetV2",
        64,
        hidden_act="silu",
        embedding_size=8,
        stem_channels=[3, 8, 8],
        hidden_sizes=[16, 16, 24, 24],
        stage_in_channels=[8, 16, 16, 24],
        stage_mid_channels=[8, 8, 8, 8],
        stage_out_channels=[16, 16, 24, 24],
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[2, 2, 2, 2],
    ),
    _dense(
        "segformer",
        "Segformer",
        "ForSemanticSegmentation",
        sine_loss("logits"),
        64,
        depths=[1, 1, 1, 1],
        hidden_sizes=[8, 16, 16, 32],
        decoder_hidden_size=16,
        num_labels=CLASSES,
    ),
    _dense(
        "glpn",
        "GLPN",
        "ForDepthEstimation",
        sine_loss("predicted_depth"),
        64,
        depths=[1, 1, 1, 1],
        hidden_sizes=[8, 16, 20, 32],
        decoder_hidden_size=16,
    ),
    _dense(
        "yolos",
        "Yolos",
        "ForObjectDetection",
        sine_loss("logits"),
        32,
        **{**_PATCHES, "image_size": [32, 32]},
        num_detection_tokens=4,
    ),
    _dense(
        "swin2sr",
        "Swin2SR",
        "ForImageSuperResolution",
        sine_loss("reconstruction"),
        16,
        image_size=16,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[2, 2],
        window_size=4,
    ),
    PublicModel(
        "videomae",
        Family.VISION,
        "VideoMAEConfig",
        "VideoMAEForVideoClassification",
        {**_PATCHES, "num_frames": 4},
        images(frames=4),
        class_loss(),
    ),
    PublicModel(
        "timesformer",
        Family.VISION,
        "TimesformerConfig",
        "TimesformerForVideoClassification",
        {**_PATCHES, "num_frames": 4},
        images(frames=4),
        class_loss(),
    ),
)
