"""Pairs of transformers with an encoder and a decoder."""

from __future__ import annotations

from typing import Final

from .nets import Shapes
from .nets import transformers as hugging_face
from .transformers import (
    HEADS,
    HIDDEN,
    IDS,
    PLACES,
    POSITIONS,
    PROJECTIONS,
    TOKENS,
    WIDE,
    WORDS,
    alike,
    backbone,
)
from .truth import Rules

_SIDES: Final = (
    (r"decoder\D*(\d+).*(?:EncDec|cross|encoder_attn)", r"\1 cross"),
    (r"decoder", "decoder"),
    (r"encoder", "encoder"),
)
"""What looks at the encoder has its block's number: keys of all blocks can be computed at once."""


def _of_sides(rules: Rules) -> Rules:
    """Rules within the encoder, the decoder, and what in the decoder looks at the encoder."""
    return (
        (r" decoder_\w+_ids$", "decoder tokens"),
        (r" (encoder_)?(token|input)_ids$", "encoder tokens"),
        *(
            (rf"^(?=.*{place}).*(?:{pattern})", f"{side} {label}")
            for place, side in _SIDES
            for pattern, label in (*rules, ("", "other"))
        ),
    )


_BOTH: Final = {"input_ids": IDS, "decoder_input_ids": IDS}
_BOTH_PADDED: Final[Shapes] = {
    f"{side}_{name}": TOKENS
    for side in ("encoder", "decoder")
    for name in ("token_ids", "padding_mask")
}
_BIASED: Final[Rules] = (
    (r"relative_attention_bias|self_attention/embeddings", "bias"),
    *PROJECTIONS,
)

TRANSLATORS: Final = (
    alike(
        "T5",
        hugging_face(
            "T5Model",
            "T5Config",
            {
                "vocab_size": WORDS,
                "num_layers": 2,
                "num_heads": HEADS,
                "d_model": HIDDEN,
                "d_kv": 32,
                "d_ff": WIDE,
                "attn_implementation": "eager",
            },
            _BOTH,
        ),
        backbone(
            "T5Backbone",
            _BOTH_PADDED,
            num_layers=2,
            key_value_dim=32,
            use_gated_activation=False,
        ),
        _of_sides(_BIASED),
    ),
    alike(
        "BART",
        hugging_face(
            "BartModel",
            "BartConfig",
            {
                "vocab_size": WORDS,
                "d_model": HIDDEN,
                "max_position_embeddings": POSITIONS,
                **{
                    f"{side}_{name}": value
                    for side in ("encoder", "decoder")
                    for name, value in (
                        ("layers", 2),
                        ("attention_heads", HEADS),
                        ("ffn_dim", WIDE),
                    )
                },
            },
            _BOTH,
        ),
        backbone("BartBackbone", _BOTH_PADDED, num_layers=2, **PLACES),
        _of_sides(PROJECTIONS),
    ),
)
