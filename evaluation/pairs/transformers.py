"""Pairs of transformers that read text: of `transformers` and of keras-hub, made small."""

from __future__ import annotations

from typing import Any, Final

from .nets import Net, Shapes, keras_hub
from .nets import transformers as hugging_face
from .pairs import Pair
from .truth import ALONE, Labels, Rules, Truth

TOKENS: Final = (1, 16)
IDS: Final = (TOKENS, "int64")
_READ: Final[Shapes] = {"input_ids": IDS, "attention_mask": IDS}
TYPED: Final[Shapes] = {**_READ, "token_type_ids": IDS}
_PADDED: Final[Shapes] = {"token_ids": TOKENS, "padding_mask": TOKENS}
SEGMENTED: Final[Shapes] = {**_PADDED, "segment_ids": TOKENS}

WORDS, LAYERS, HEADS, HIDDEN, WIDE, POSITIONS = 512, 3, 4, 128, 512, 64

PROJECTIONS: Final[Rules] = (
    (r"query_key_value|c_attn|qkv|in_proj", "qkv"),
    (r"query|\bq_?(proj|lin|norm)?\b", "qkv/q"),
    (r"key|\bk_?(proj|lin|norm)?\b", "qkv/k"),
    (r"(?<!pixel_)value|\bv_?(proj|lin|norm)?\b", "qkv/v"),
)
"""Query, key and value of an attention, which may be computed in any order or at once."""

_GATED: Final[Rules] = (
    *PROJECTIONS,
    (r"gate|ffw_gating/", "gate"),
    (r"up_proj|ffw_gating_2|intermediate_dense", "up"),
)

_LOOKED_UP: Final[Rules] = ((r"position_embeddings|wpe|embed_positions", ALONE),)
"""Positions: in `transformers` looked up by number, in keras-hub an operand of an addition."""


def read(model: str, config: str, inputs: Shapes = _READ, **settings: Any) -> Net:
    """A network of `transformers`; a setting of None is one that its configuration lacks."""
    told = {
        "vocab_size": WORDS,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": HIDDEN,
        "intermediate_size": WIDE,
        "max_position_embeddings": POSITIONS,
        **settings,
    }
    return hugging_face(model, config, _given(told), inputs)


def backbone(model: str, inputs: Shapes = _PADDED, **args: Any) -> Net:
    """A network of keras-hub of the same size."""
    told = {
        "vocabulary_size": WORDS,
        "num_layers": LAYERS,
        "num_heads": HEADS,
        "hidden_dim": HIDDEN,
        "intermediate_dim": WIDE,
        **args,
    }
    return keras_hub(model, _given(told), inputs)


def _given(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value is not None}


def alike(name: str, a: Net, b: Net, rules: Rules = PROJECTIONS) -> Pair:
    """Labelled alike on both sides: what is called alike is alike, block after block."""
    labels = Labels((*_LOOKED_UP, *rules))
    return Pair(name, a, b, Truth(labels, labels))


_TYPES: Final[Rules] = ((r"token_type|segment", "segments"), *PROJECTIONS)
_UNPOOLED: Final[Rules] = ((r"pooled", ALONE), *_TYPES)
_PARALLEL: Final[Rules] = ((r"mlp|feedforward|post_attention", "wide"), *PROJECTIONS)
_UNTYPED: Final[Rules] = ((r"token_type", ALONE), *PROJECTIONS)
PLACES: Final[dict[str, Any]] = {"max_sequence_length": POSITIONS}

_DISTILLED: Final = {
    "vocab_size": WORDS,
    "n_layers": LAYERS,
    "n_heads": HEADS,
    "dim": HIDDEN,
    "hidden_dim": WIDE,
    "max_position_embeddings": POSITIONS,
}

BERT: Final = read("BertModel", "BertConfig", TYPED)
GPT_2: Final = read("GPT2Model", "GPT2Config", intermediate_size=None, n_inner=WIDE)
LLAMA: Final = read("LlamaModel", "LlamaConfig", num_key_value_heads=2)
QWEN_3: Final = read("Qwen3Model", "Qwen3Config", num_key_value_heads=2, head_dim=32)

ENCODERS: Final = (
    alike(
        "BERT",
        BERT,
        backbone("BertBackbone", SEGMENTED, **PLACES),
        _TYPES,
    ),
    alike(
        "ELECTRA",
        read("ElectraModel", "ElectraConfig", TYPED, embedding_size=64),
        backbone(
            "ElectraBackbone",
            SEGMENTED,
            embedding_dim=64,
            vocabulary_size=None,
            vocab_size=WORDS,
            **PLACES,
        ),
        _UNPOOLED,
    ),
    alike(
        "RoBERTa",
        read("RobertaModel", "RobertaConfig"),
        backbone("RobertaBackbone", **PLACES),
        ((r"pooler", ALONE), *_UNTYPED),
    ),
    alike(
        "DistilBERT",
        hugging_face("DistilBertModel", "DistilBertConfig", _DISTILLED, _READ),
        backbone("DistilBertBackbone", **PLACES),
    ),
)

_GROUPED: Final[dict[str, Any]] = {
    "num_heads": None,
    "num_query_heads": HEADS,
    "num_key_value_heads": 2,
}

DECODERS: Final = (
    alike(
        "GPT-2",
        GPT_2,
        backbone("GPT2Backbone", **PLACES),
    ),
    alike(
        "OPT",
        read(
            "OPTModel",
            "OPTConfig",
            intermediate_size=None,
            ffn_dim=WIDE,
            word_embed_proj_dim=HIDDEN,
        ),
        backbone("OPTBackbone", **PLACES),
    ),
    alike(
        "BLOOM",
        read("BloomModel", "BloomConfig", intermediate_size=None, max_position_embeddings=None),
        backbone("BloomBackbone"),
    ),
    alike(
        "GPT-NeoX",
        read("GPTNeoXModel", "GPTNeoXConfig"),
        backbone("GPTNeoXBackbone", **PLACES),
        _PARALLEL,
    ),
    alike(
        "Llama",
        LLAMA,
        backbone("LlamaBackbone", **_GROUPED),
        _GATED,
    ),
    alike(
        "Mistral",
        read("MistralModel", "MistralConfig", num_key_value_heads=2),
        backbone("MistralBackbone", **_GROUPED),
        _GATED,
    ),
    alike(
        "Qwen 2",
        read("Qwen2Model", "Qwen2Config", num_key_value_heads=2),
        backbone("QwenBackbone", **_GROUPED),
        _GATED,
    ),
    alike(
        "Qwen 3",
        QWEN_3,
        backbone("Qwen3Backbone", **_GROUPED, head_dim=32),
        _GATED,
    ),
    alike(
        "Gemma",
        read("GemmaModel", "GemmaConfig", num_key_value_heads=2, head_dim=32),
        backbone("GemmaBackbone", **_GROUPED, head_dim=32, intermediate_dim=2 * WIDE),
        _GATED,
    ),
)
