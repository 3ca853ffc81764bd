"""Decoders as litgpt and transformers have them, and what both call their layers."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net, Shapes
from ..pairs import call, torch
from ..rules import Rule, changed, renamed, split

_IDX: Final[Shapes] = {"idx": ((1, 12), "int64")}


_LIT: Final = "from litgpt.config import Config\nfrom litgpt.model import GPT"


PLAIN: Final = {"tie_word_embeddings": False, "use_cache": False}


def rope(base: float = 10000.0, **settings: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": "default", "rope_theta": base, **settings}}


def lit(name: str = "", **settings: Any) -> Net:
    size = {
        "n_layer": 2,
        "n_embd": 48,
        "n_head": 4,
        "intermediate_size": 112,
        "padded_vocab_size": 100,
        "vocab_size": 100,
        "block_size": 32,
    }
    config = "Config.from_name" if name else "Config"
    told = call(config, *([name] if name else []), **size | settings)
    return torch("litgpt", _LIT, f"GPT({told})", _IDX)


def of_lit(*sizes: int) -> tuple[Rule, ...]:
    """What litgpt calls the layers of a decoder, in the words of transformers."""
    return (
        split(
            r"^transformer\.h\.(\d)\.attn\.qkv\.weight",
            *(rf"model.layers.\1.self_attn.{part}_proj.weight" for part in "qkv"),
            sizes=sizes,
        ),
        renamed(
            (r"^transformer\.h\.", "model.layers."),
            (r"attn\.norm_([qk])", r"self_attn.\1_norm"),
            (r"attn\.proj", "self_attn.o_proj"),
            (r"norm_1", "input_layernorm"),
            (r"norm_2", "post_attention_layernorm"),
            (r"(mlp.*)\.fc_1", r"\1.gate_proj"),
            (r"(mlp.*)\.fc_2", r"\1.up_proj"),
            (r"(mlp.*)\.proj", r"\1.down_proj"),
            (r"^transformer\.wte", "model.embed_tokens"),
            (r"^transformer\.ln_f", "model.norm"),
        ),
    )


def scaled(pattern: str, factor: float) -> Rule:
    return changed(pattern, lambda array: (array * factor).astype(array.dtype))


GROUPED: Final = {"n_query_groups": 2, "head_size": 12}
