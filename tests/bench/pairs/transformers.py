"""Pairs of transformers that read text: of `transformers` and of keras-hub, made small."""

from __future__ import annotations

from typing import Any, Final

from .nets import Net, Shapes, keras_hub
from .nets import transformers as hugging_face
from .pairs import Pair
from .truth import ALONE, Labels, Rules, Truth

_TOKENS: Final = (1, 16)
_IDS: Final = (_TOKENS, "int64")
_READ: Final[Shapes] = {"input_ids": _IDS, "attention_mask": _IDS}
_TYPED: Final[Shapes] = {**_READ, "token_type_ids": _IDS}
_PADDED: Final[Shapes] = {"token_ids": _TOKENS, "padding_mask": _TOKENS}
_SEGMENTED: Final[Shapes] = {**_PADDED, "segment_ids": _TOKENS}

_WORDS, _LAYERS, _HEADS, _HIDDEN, _WIDE, _POSITIONS = 512, 3, 4, 128, 512, 64

PROJECTIONS: Final[Rules] = (
    (r"query_key_value|c_attn|qkv|in_proj", "qkv"),
    (r"query|\bq_?(proj|lin|norm)?\b", "qkv/q"),
    (r"key|\bk_?(proj|lin|norm)?\b", "qkv/k"),
    (r"value|\bv_?(proj|lin|norm)?\b", "qkv/v"),
)
"""Query, key and value of an attention, which may be computed in any order or at once."""

_GATED: Final[Rules] = (
    *PROJECTIONS,
    (r"gate|ffw_gating/", "gate"),
    (r"up_proj|ffw_gating_2|intermediate_dense", "up"),
)

_LOOKED_UP: Final[Rules] = ((r"position_embeddings|wpe|embed_positions", ALONE),)
"""Positions: in `transformers` looked up by number, in keras-hub an operand of an addition."""


def _read(model: str, config: str, inputs: Shapes = _READ, **settings: Any) -> Net:
    """A network of `transformers`; a setting of None is one that its configuration lacks."""
    told = {
        "vocab_size": _WORDS,
        "num_hidden_layers": _LAYERS,
        "num_attention_heads": _HEADS,
        "hidden_size": _HIDDEN,
        "intermediate_size": _WIDE,
        "max_position_embeddings": _POSITIONS,
        **settings,
    }
    return hugging_face(model, config, _given(told), inputs)


def _backbone(model: str, inputs: Shapes = _PADDED, **args: Any) -> Net:
    """A network of keras-hub of the same size."""
    told = {
        "vocabulary_size": _WORDS,
        "num_layers": _LAYERS,
        "num_heads": _HEADS,
        "hidden_dim": _HIDDEN,
        "intermediate_dim": _WIDE,
        **args,
    }
    return keras_hub(model, _given(told), inputs)


def _given(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value is not None}


def _text(name: str, a: Net, b: Net, rules: Rules = PROJECTIONS) -> Pair:
    """Labelled alike on both sides: what is called alike is alike, block after block."""
    labels = Labels((*_LOOKED_UP, *rules))
    return Pair(name, a, b, Truth(labels, labels))


_TYPES: Final[Rules] = ((r"token_type|segment", "segments"), *PROJECTIONS)
_UNTYPED: Final[Rules] = ((r"token_type", ALONE), *PROJECTIONS)
_PLACES: Final = {"max_sequence_length": _POSITIONS}

_DISTILLED: Final = {
    "vocab_size": _WORDS,
    "n_layers": _LAYERS,
    "n_heads": _HEADS,
    "dim": _HIDDEN,
    "hidden_dim": _WIDE,
    "max_position_embeddings": _POSITIONS,
}

ENCODERS: Final = (
    _text(
        "BERT",
        _read("BertModel", "BertConfig", _TYPED),
        _backbone("BertBackbone", _SEGMENTED, **_PLACES),
        _TYPES,
    ),
    _text(
        "ELECTRA",
        _read("ElectraModel", "ElectraConfig", _TYPED, embedding_size=64),
        _backbone(
            "ElectraBackbone",
            _SEGMENTED,
            embedding_dim=64,
            vocabulary_size=None,
            vocab_size=_WORDS,
            **_PLACES,
        ),
        _TYPES,
    ),
    _text(
        "RoBERTa",
        _read("RobertaModel", "RobertaConfig"),
        _backbone("RobertaBackbone", **_PLACES),
        ((r"pooler", ALONE), *_UNTYPED),
    ),
    _text(
        "DistilBERT",
        hugging_face("DistilBertModel", "DistilBertConfig", _DISTILLED, _READ),
        _backbone("DistilBertBackbone", **_PLACES),
    ),
)

_GROUPED: Final = {"num_heads": None, "num_query_heads": _HEADS, "num_key_value_heads": 2}

DECODERS: Final = (
    _text(
        "GPT-2",
        _read("GPT2Model", "GPT2Config", intermediate_size=None, n_inner=_WIDE),
        _backbone("GPT2Backbone", **_PLACES),
    ),
    _text(
        "OPT",
        _read(
            "OPTModel",
            "OPTConfig",
            intermediate_size=None,
            ffn_dim=_WIDE,
            word_embed_proj_dim=_HIDDEN,
        ),
        _backbone("OPTBackbone", **_PLACES),
    ),
    _text(
        "BLOOM",
        _read("BloomModel", "BloomConfig", intermediate_size=None, max_position_embeddings=None),
        _backbone("BloomBackbone"),
    ),
    _text(
        "GPT-NeoX",
        _read("GPTNeoXModel", "GPTNeoXConfig"),
        _backbone("GPTNeoXBackbone", **_PLACES),
    ),
    _text(
        "Llama",
        _read("LlamaModel", "LlamaConfig", num_key_value_heads=2),
        _backbone("LlamaBackbone", **_GROUPED),
        _GATED,
    ),
    _text(
        "Mistral",
        _read("MistralModel", "MistralConfig", num_key_value_heads=2),
        _backbone("MistralBackbone", **_GROUPED),
        _GATED,
    ),
    _text(
        "Qwen 2",
        _read("Qwen2Model", "Qwen2Config", num_key_value_heads=2),
        _backbone("QwenBackbone", **_GROUPED),
        _GATED,
    ),
    _text(
        "Qwen 3",
        _read("Qwen3Model", "Qwen3Config", num_key_value_heads=2, head_dim=32),
        _backbone("Qwen3Backbone", **_GROUPED, head_dim=32),
        _GATED,
    ),
    _text(
        "Gemma",
        _read("GemmaModel", "GemmaConfig", num_key_value_heads=2, head_dim=32),
        _backbone("GemmaBackbone", **_GROUPED, head_dim=32, intermediate_dim=2 * _WIDE),
        _GATED,
    ),
)
