"""Networks that read text, and those of x-transformers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net
from ..pairs import Published, torch
from ..rules import Arrays, Rule, changed, copied, dropped, halved, renamed
from .writing import SIZE, hf

_X: Final = """
import torch
import x_transformers


class States(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.token_emb = network.token_emb
        self.attn_layers = network.attn_layers

    def forward(self, x):
        return self.attn_layers(self.token_emb(x))
"""

_T5_SIZE: Final = {
    "vocab_size": 100,
    "d_model": 48,
    "d_kv": 12,
    "d_ff": 96,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "relu",
}


def _x(layers: str, whole: str = "{}") -> Net:
    build = (
        "x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, use_abs_pos_emb=False, "
        f"attn_layers={layers})"
    )
    return torch("x_transformers", _X, whole.format(build), {"x": ((1, 12), "int64")})


def _with_types(arrays: Arrays) -> Arrays:
    """Types of words that add nothing."""
    return arrays | {"embeddings.token_type_embeddings.weight": np.zeros((2, 48), np.float32)}


_FROM_XLM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^position_embeddings", "embeddings.position_embeddings"),
        (r"^embeddings\.weight", "embeddings.word_embeddings.weight"),
        (r"^layer_norm_emb", "embeddings.LayerNorm"),
        (r"^attentions\.(\d)\.out_lin", r"encoder.layer.\1.attention.output.dense"),
        (r"^attentions\.(\d)\.q_lin", r"encoder.layer.\1.attention.self.query"),
        (r"^attentions\.(\d)\.k_lin", r"encoder.layer.\1.attention.self.key"),
        (r"^attentions\.(\d)\.v_lin", r"encoder.layer.\1.attention.self.value"),
        (r"^layer_norm1\.(\d)", r"encoder.layer.\1.attention.output.LayerNorm"),
        (r"^layer_norm2\.(\d)", r"encoder.layer.\1.output.LayerNorm"),
        (r"^ffns\.(\d)\.lin1", r"encoder.layer.\1.intermediate.dense"),
        (r"^ffns\.(\d)\.lin2", r"encoder.layer.\1.output.dense"),
    ),
    _with_types,
)


def _bert(**settings: Any) -> Net:
    return hf("BertModel", "BertConfig", ", add_pooling_layer=False", **SIZE | settings)


_TO_SQUEEZED: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^encoder\.layer\.", "encoder.layers."),
        (r"attention\.self", "attention"),
        (r"attention\.output\.dense", "post_attention.conv1d"),
        (r"attention\.output\.LayerNorm", "post_attention.layernorm"),
        (r"intermediate\.dense", "intermediate.conv1d"),
        (r"output\.dense", "output.conv1d"),
        (r"output\.LayerNorm", "output.layernorm"),
    ),
    changed(
        r"(query|key|value|conv1d)\.weight",
        lambda array: array[..., None],
    ),
)

_BIAS: Final = r"block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.weight"

_UNSCALED: Final = np.float32(12**-0.5)

_X_BLOCKS: Final = (
    (r"layers\.1\.", "layers.0."),
    (r"layers\.[23]\.", "layers.1."),
)

_X_T5: Final[tuple[Rule, ...]] = (
    changed(r"to_q", lambda array: array * _UNSCALED),
    changed(r"relative_attention_bias", lambda array: array / _UNSCALED),
    renamed(
        (r"^token_emb\.emb", "shared"),
        (r"^attn_layers\.rel_pos\.", "encoder.block.0.layer.0.SelfAttention."),
        (r"^attn_layers\.final_norm\.g", "encoder.final_layer_norm.weight"),
        (r"^attn_layers\.", ""),
        (r"([02])\.0\.0\.g$", r"\1.layer.0.layer_norm.weight"),
        (r"([13])\.0\.0\.g$", r"\1.layer.1.layer_norm.weight"),
        (r"\.1\.to_([qkv])", r".layer.0.SelfAttention.\1"),
        (r"\.1\.to_out", ".layer.0.SelfAttention.o"),
        (r"\.1\.ff\.0\.0", ".layer.1.DenseReluDense.wi"),
        (r"\.1\.ff\.2", ".layer.1.DenseReluDense.wo"),
        (r"^layers\.1\.", "encoder.block.0."),
        (r"^layers\.[23]\.", "encoder.block.1."),
        (r"^layers\.0\.", "encoder.block.0."),
    ),
    copied(r"^shared", "shared.weight", "encoder.embed_tokens.weight"),
    changed(r"norm\.weight", lambda array: array + 1),
)

_X_NEMOTRON: Final[tuple[Rule, ...]] = (
    dropped("inv_freq"),
    renamed(
        (r"^token_emb\.emb", "model.embed_tokens"),
        (r"^to_logits", "lm_head"),
        (r"^attn_layers\.final_norm\.gamma", "model.norm.weight"),
        (r"^attn_layers\.layers\.", "model.layers."),
        (r"([02])\.0\.0\.gamma$", r"\1.input_layernorm.weight"),
        (r"([13])\.0\.0\.gamma$", r"\1.post_attention_layernorm.weight"),
        (r"\.1\.to_([qkv])", r".self_attn.\1_proj"),
        (r"\.1\.to_out", ".self_attn.o_proj"),
        (r"\.1\.ff\.0\.0", ".mlp.up_proj"),
        (r"\.1\.ff\.2", ".mlp.down_proj"),
        *_X_BLOCKS,
    ),
)


def _turned(pattern: str) -> Rule:
    """Rows of the half of each head that is turned, from pairs to halves."""

    def change(array: np.ndarray) -> np.ndarray:
        heads = array.reshape(4, 12, -1)
        turned, rest = np.split(heads, 2, 1)
        halves = halved("", 4)({"": turned.reshape(24, -1)})[""].reshape(4, 6, -1)
        return np.concatenate([halves, rest], 1).reshape(array.shape)

    return changed(pattern, change)


def _with_biases(arrays: Arrays) -> Arrays:
    """Norms with biases of 0."""
    norms = [name for name in arrays if name.endswith("norm.weight")]
    return arrays | {name[:-6] + "bias": np.zeros_like(arrays[name]) for name in norms}


PAIRS: Final = (
    Published(
        "XLM and BERT",
        hf(
            "XLMModel",
            "XLMConfig",
            vocab_size=100,
            emb_dim=48,
            n_layers=2,
            n_heads=4,
            max_position_embeddings=32,
            gelu_activation=True,
        ),
        _bert(intermediate_size=192, max_position_embeddings=32),
        "the same; no types of words in A, those of B add 0",
        _FROM_XLM,
    ),
    Published(
        "BERT and SqueezeBERT",
        _bert(),
        hf(
            "SqueezeBertModel",
            "SqueezeBertConfig",
            **SIZE,
            embedding_size=48,
            q_groups=1,
            k_groups=1,
            v_groups=1,
            post_attention_groups=1,
            intermediate_groups=1,
            output_groups=1,
        ),
        "the same up to the pooled token, which B alone returns; Gemm in A, Conv of 1 in B",
        _TO_SQUEEZED,
        unset="pooler",
    ),
    Published(
        "T5 and UMT5",
        hf("T5EncoderModel", "T5Config", **_T5_SIZE),
        hf("UMT5EncoderModel", "UMT5Config", **_T5_SIZE),
        "the same; positions read in the first block alone in A, in every one in B",
        (
            copied(
                rf"^encoder\.{_BIAS}",
                *(
                    f"encoder.block.{n}.layer.0.SelfAttention.relative_attention_bias.weight"
                    for n in range(2)
                ),
            ),
        ),
    ),
    Published(
        "T5's encoder, x-transformers",
        _x(
            "x_transformers.Encoder(dim=48, depth=2, heads=4, attn_dim_head=12, rel_pos_bias=True, "
            "use_rmsnorm=True, ff_custom_activation=torch.nn.ReLU(), ff_no_bias=True, ff_mult=2)",
            "States({})",
        ),
        hf("T5EncoderModel", "T5Config", **_T5_SIZE, layer_norm_epsilon=1e-12),
        "the same; scores over the root of 12 in A, as they are in B, which has the scale in its "
        "weights; scales of norms held less 1 in A",
        _X_T5,
    ),
    Published(
        "Nemotron, x-transformers",
        _x(
            "x_transformers.Decoder(dim=48, depth=2, heads=4, attn_dim_head=12, "
            "rotary_pos_emb=True, rotary_emb_dim=6, ff_relu_squared=True, ff_no_bias=True, "
            "ff_mult=2)",
        ),
        hf(
            "NemotronForCausalLM",
            "NemotronConfig",
            **SIZE | {"intermediate_size": 96},
            num_key_value_heads=4,
            head_dim=12,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 0.5,
            },
            use_cache=False,
        ),
        "the same; half of each head turned, in pairs in A and in halves in B; Relu squared; "
        "scales of norms held less 1 in both, biases of 0 in B",
        (*_X_NEMOTRON, _turned(r"[qk]_proj"), _with_biases),
    ),
)
