"""Audio: recognizers over waveforms and spectrograms, and a codec."""

from __future__ import annotations

from typing import Any

from torchport_conformance.public_models.entry import Family, PublicModel, class_loss, sine_loss
from torchport_conformance.public_models.inputs import (
    CLASSES,
    VOCABULARY,
    features,
    ids,
    sequence,
    together,
    waveform,
)

_WAVE = {
    "vocab_size": 32,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": [16, 16, 16],
    "conv_kernel": [10, 3, 3],
    "conv_stride": [5, 2, 2],
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
    "feat_extract_norm": "layer",
    "do_stable_layer_norm": True,
}
_SPEECH = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_source_positions": 32,
    "max_target_positions": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
    "use_cache": False,
}


def _waves(name: str, stem: str, **overrides: Any) -> PublicModel:
    settings = {**_WAVE, **overrides}
    made = waveform()
    return PublicModel(
        name, Family.AUDIO, f"{stem}Config", f"{stem}ForCTC", settings, made, sine_loss("logits")
    )


_DECODED = together(ids("decoder_input_ids", 7), ids("labels", 7))

MODELS: tuple[PublicModel, ...] = (
    _waves("wav2vec2", "Wav2Vec2"),
    _waves("wav2vec2_group_norm", "Wav2Vec2", feat_extract_norm="group", do_stable_layer_norm=False),
    _waves("hubert", "Hubert"),
    _waves("wavlm", "WavLM"),
    _waves("unispeech", "UniSpeech"),
    _waves("unispeech_sat", "UniSpeechSat"),
    _waves("sew", "SEW", squeeze_factor=2, feat_extract_norm="group"),
    _waves("data2vec_audio", "Data2VecAudio", conv_pos_kernel_size=3, num_conv_pos_embeddings=2),
    _waves("wav2vec2_conformer", "Wav2Vec2Conformer", position_embeddings_type="rotary"),
    PublicModel(
        "whisper",
        Family.AUDIO,
        "WhisperConfig",
        "WhisperForConditionalGeneration",
        {**_SPEECH, "num_mel_bins": 16, "suppress_tokens": [], "begin_suppress_tokens": []},
        together(features("input_features", 16, 64), _DECODED),
        class_loss(),
    ),
    PublicModel(
        "speech_to_text",
        Family.AUDIO,
        "Speech2TextConfig",
        "Speech2TextForConditionalGeneration",
        {**_SPEECH, "input_feat_per_channel": 16, "conv_channels": 16},
        together(sequence("input_features", 16), _DECODED),
        class_loss(),
    ),
    PublicModel(
        "audio_spectrogram_transformer",
        Family.AUDIO,
        "ASTConfig",
        "ASTForAudioClassification",
        {
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "patch_size": 8,
            "frequency_stride": 4,
            "time_stride": 4,
            "max_length": 32,
            "num_mel_bins": 16,
            "num_labels": CLASSES,
        },
        features("input_values", 32, 16),
        sine_loss("logits"),
    ),
    PublicModel(
        "wav2vec2_bert",
        Family.AUDIO,
        "Wav2Vec2BertConfig",
        "Wav2Vec2BertForCTC",
        {
            "vocab_size": 32,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "feature_projection_input_dim": 16,
            "conv_depthwise_kernel_size": 3,
            "left_max_position_embeddings": 4,
            "right_max_position_embeddings": 4,
        },
        sequence("input_features", 16),
        sine_loss("logits"),
    ),
    PublicModel(
        "moonshine",
        Family.AUDIO,
        "MoonshineConfig",
        "MoonshineForConditionalGeneration",
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 32,
            "intermediate_size": 64,
            "encoder_num_hidden_layers": 1,
            "decoder_num_hidden_layers": 1,
            "encoder_num_attention_heads": 4,
            "decoder_num_attention_heads": 4,
            "encoder_num_key_value_heads": 4,
            "decoder_num_key_value_heads": 4,
            "use_cache": False,
        },
        together(waveform(200), _DECODED),
        class_loss(),
    ),
)
