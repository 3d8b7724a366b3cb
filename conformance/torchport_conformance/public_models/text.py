"""Text: encoders, decoders, and models from one sequence to another."""

from __future__ import annotations

from typing import Any

from torchport_conformance.public_models.entry import Family, PublicModel, class_loss
from torchport_conformance.public_models.inputs import (
    VOCABULARY,
    ordered_boxes,
    pairs_of_tokens,
    together,
    tokens,
)

_WIDTH: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
_TEXT: dict[str, Any] = {"vocab_size": VOCABULARY, "max_position_embeddings": 64, **_WIDTH}
_GROUPED: dict[str, Any] = {"num_key_value_heads": 2, "pad_token_id": 0, "use_cache": False, **_TEXT}
_GPT: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "n_positions": 64,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "use_cache": False,
}
_MARIAN: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "pad_token_id": 0,
    "use_cache": False,
}
_T5: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "use_cache": False,
}


def _encoder(name: str, stem: str, model: str = "ForMaskedLM", **overrides: Any) -> PublicModel:
    settings = {**_TEXT, **overrides}
    return PublicModel(name, Family.ENCODER, f"{stem}Config", stem + model, settings, tokens(), class_loss())


def _decoder(name: str, stem: str, model: str = "ForCausalLM", **settings: Any) -> PublicModel:
    made = tokens(mask=False)
    return PublicModel(name, Family.DECODER, f"{stem}Config", stem + model, settings, made, class_loss())


def _seq2seq(name: str, stem: str, model: str = "ForConditionalGeneration", **settings: Any) -> PublicModel:
    made = pairs_of_tokens()
    return PublicModel(name, Family.SEQ2SEQ, f"{stem}Config", stem + model, settings, made, class_loss())


MODELS: tuple[PublicModel, ...] = (
    _encoder("albert", "Albert", embedding_size=16),
    _encoder("bert", "Bert"),
    _encoder("big_bird", "BigBird", attention_type="original_full"),
    _encoder("convbert", "ConvBert", embedding_size=32, conv_kernel_size=3),
    _encoder("deberta", "Deberta", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    _encoder("deberta_v2", "DebertaV2", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    _encoder(
        "distilbert",
        "DistilBert",
        dim=32,
        n_layers=2,
        n_heads=4,
        hidden_dim=64,
    ),
    _encoder("electra", "Electra", embedding_size=16),
    _encoder("ernie", "Ernie"),
    _encoder("esm", "Esm", pad_token_id=1, mask_token_id=2, position_embedding_type="rotary"),
    PublicModel(
        "fnet", Family.ENCODER, "FNetConfig", "FNetForMaskedLM", _TEXT, tokens(mask=False), class_loss()
    ),
    _encoder("ibert", "IBert"),
    PublicModel(
        "layoutlm",
        Family.ENCODER,
        "LayoutLMConfig",
        "LayoutLMForMaskedLM",
        _TEXT,
        together(tokens(), ordered_boxes()),
        class_loss(),
    ),
    _encoder("luke", "Luke", entity_vocab_size=20, entity_emb_size=16),
    _encoder("megatron_bert", "MegatronBert"),
    _encoder("mobilebert", "MobileBert", embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32),
    _encoder("modernbert", "ModernBert", pad_token_id=0, global_attn_every_n_layers=2, local_attention=8),
    _encoder("mpnet", "MPNet"),
    _encoder("rembert", "RemBert", input_embedding_size=16, output_embedding_size=16),
    _encoder("roberta", "Roberta"),
    _encoder("roformer", "RoFormer", embedding_size=32),
    _encoder("squeezebert", "SqueezeBert", embedding_size=32),
    _decoder(
        "xlnet", "XLNet", "LMHeadModel", vocab_size=VOCABULARY, d_model=32, n_layer=2, n_head=4, d_inner=64
    ),
    _encoder("xmod", "Xmod", languages=["en_XX"], default_language="en_XX"),
    _decoder("gpt2", "GPT2", "LMHeadModel", **_GPT, bos_token_id=0, eos_token_id=0),
    _decoder("gpt_bigcode", "GPTBigCode", **_GPT, bos_token_id=0, eos_token_id=0),
    _decoder(
        "gpt_neo",
        "GPTNeo",
        vocab_size=VOCABULARY,
        max_position_embeddings=64,
        hidden_size=32,
        num_layers=2,
        num_heads=4,
        intermediate_size=64,
        attention_types=[[["global", "local"], 1]],
        window_size=8,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    ),
    _decoder("gpt_neox", "GPTNeoX", **_TEXT, use_cache=False),
    _decoder("gptj", "GPTJ", **_GPT, rotary_dim=4, bos_token_id=0, eos_token_id=0),
    _decoder("codegen", "CodeGen", **_GPT, rotary_dim=4, bos_token_id=0, eos_token_id=0),
    _decoder("openai_gpt", "OpenAIGPT", "LMHeadModel", **{k: v for k, v in _GPT.items() if k != "use_cache"}),
    _decoder("bloom", "Bloom", vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4, use_cache=False),
    _decoder("biogpt", "BioGpt", **_TEXT, use_cache=False, pad_token_id=0),
    _decoder(
        "opt",
        "OPT",
        vocab_size=VOCABULARY,
        max_position_embeddings=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        ffn_dim=64,
        word_embed_proj_dim=32,
        use_cache=False,
    ),
    _decoder("llama", "Llama", **_GROUPED),
    _decoder("mistral", "Mistral", **_GROUPED, sliding_window=8),
    _decoder("qwen2", "Qwen2", **_GROUPED),
    _decoder("qwen3", "Qwen3", **_GROUPED, head_dim=8),
    _decoder("gemma", "Gemma", **_GROUPED, head_dim=8),
    _decoder("gemma2", "Gemma2", **_GROUPED, head_dim=8, sliding_window=8),
    PublicModel(
        "gemma3",
        Family.DECODER,
        "Gemma3TextConfig",
        "Gemma3ForCausalLM",
        {**_GROUPED, "head_dim": 8, "sliding_window": 8},
        tokens(mask=False),
        class_loss(),
    ),
    _decoder("phi", "Phi", **_TEXT, use_cache=False),
    _decoder("phi3", "Phi3", **_GROUPED),
    _decoder("falcon", "Falcon", **_TEXT, new_decoder_architecture=True, num_kv_heads=2, use_cache=False),
    _decoder(
        "mpt",
        "Mpt",
        vocab_size=VOCABULARY,
        d_model=32,
        n_heads=4,
        n_layers=2,
        max_seq_len=64,
        use_cache=False,
    ),
    _decoder("stablelm", "StableLm", **_GROUPED),
    _decoder("starcoder2", "Starcoder2", **_GROUPED),
    _decoder("olmo", "Olmo", **_GROUPED),
    _decoder("olmo2", "Olmo2", **_GROUPED),
    _decoder("cohere", "Cohere", **_GROUPED),
    _decoder("granite", "Granite", **_GROUPED),
    _decoder("glm", "Glm", **_GROUPED, head_dim=8),
    _decoder("helium", "Helium", **_GROUPED, head_dim=8),
    _decoder("nemotron", "Nemotron", **_GROUPED),
    _decoder("persimmon", "Persimmon", **_TEXT, use_cache=False, pad_token_id=0),
    _decoder(
        "xglm",
        "XGLM",
        vocab_size=VOCABULARY,
        max_position_embeddings=64,
        d_model=32,
        num_layers=2,
        attention_heads=4,
        ffn_dim=64,
        use_cache=False,
    ),
    _decoder(
        "mixtral",
        "Mixtral",
        **_GROUPED,
        num_local_experts=3,
        num_experts_per_tok=2,
        experts_implementation="eager",
    ),
    _decoder(
        "mamba",
        "Mamba",
        vocab_size=VOCABULARY,
        hidden_size=16,
        state_size=4,
        num_hidden_layers=1,
        pad_token_id=0,
        use_cache=False,
    ),
    _seq2seq("t5", "T5", **_T5),
    _seq2seq("mt5", "MT5", **_T5),
    _seq2seq("umt5", "UMT5", **_T5),
    _seq2seq("bart", "Bart", **_MARIAN),
    _seq2seq("mbart", "MBart", **_MARIAN),
    _seq2seq("pegasus", "Pegasus", **_MARIAN),
    _seq2seq("marian", "Marian", "MTModel", **_MARIAN, decoder_start_token_id=0, eos_token_id=1),
    _seq2seq("blenderbot", "Blenderbot", **_MARIAN),
    _seq2seq("m2m_100", "M2M100", **_MARIAN),
    _seq2seq("plbart", "PLBart", **_MARIAN),
)
