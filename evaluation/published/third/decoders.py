"""Decoders of text."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..pairs import Published, call, torch
from ..rules import Rule, changed, dropped, interleaved, renamed, split, transposed

_IDX: Final[Shapes] = {"idx": ((1, 12), "int64")}
_LIT: Final = """
from litgpt.config import Config
from litgpt.model import GPT
"""
_LIT_SIZE: Final = {
    "n_layer": 2,
    "n_embd": 48,
    "n_head": 4,
    "intermediate_size": 112,
    "padded_vocab_size": 100,
    "vocab_size": 100,
    "block_size": 32,
}
_SIZE: Final = {
    "vocab_size": 100,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 112,
    "use_cache": False,
}
_GPT_SIZE: Final = {
    "vocab_size": 100,
    "n_embd": 48,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 32,
    "use_cache": False,
}

_CURATED: Final = """
import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import GPTNeoXCausalLM, GPTNeoXConfig, LlamaCausalLM, LlamaConfig
from curated_transformers.layers.activations import Activation


class Whole(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        mask = AttentionMask(torch.ones_like(input_ids, dtype=torch.bool))
        return self.network(input_ids, mask).logits
"""


def _lit(name: str, **settings: Any) -> Net:
    build = f"GPT({call('Config.from_name', name, **_LIT_SIZE, **settings)})"
    return torch("litgpt", _LIT, build, _IDX)


def _hf(model: str, config: str, **settings: Any) -> Net:
    build = f"transformers.{model}({call(f'transformers.{config}', **settings)})"
    return torch("transformers", "import transformers", build, IDS)


def _by_heads(array: np.ndarray) -> np.ndarray:
    """Rows of query, key and value of all heads, as those of one head after another."""
    return np.swapaxes(array.reshape(3, 4, 12, *array.shape[1:]), 0, 1).reshape(array.shape)


_PYTHIA: Final = _lit("pythia-14m", rotary_percentage=0.5)


def _neox(part: float, **settings: Any) -> Net:
    """GPT-NeoX with rotary positions on a part of each head."""
    turned = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": part}
    return _hf(
        "GPTNeoXForCausalLM",
        "GPTNeoXConfig",
        **_SIZE,
        rope_parameters=turned,
        tie_word_embeddings=False,
        **settings,
    )


_OF_PYTHIA: Final[tuple[Rule, ...]] = (
    changed(r"attn\.qkv", _by_heads),
    renamed(
        (r"^transformer\.h\.", "gpt_neox.layers."),
        (r"^transformer\.wte", "gpt_neox.embed_in"),
        (r"^transformer\.ln_f", "gpt_neox.final_layer_norm"),
        (r"attn\.qkv", "attention.query_key_value"),
        (r"attn\.proj", "attention.dense"),
        (r"norm_1", "input_layernorm"),
        (r"norm_2", "post_attention_layernorm"),
        (r"mlp\.fc", "mlp.dense_h_to_4h"),
        (r"mlp\.proj", "mlp.dense_4h_to_h"),
    ),
)
_OF_PHI: Final[tuple[Rule, ...]] = (
    split(
        r"^transformer\.h\.(\d)\.attn\.qkv\.(\w+)",
        *(rf"model.layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
    ),
    renamed(
        (r"^transformer\.h\.", "model.layers."),
        (r"^transformer\.wte", "model.embed_tokens"),
        (r"^transformer\.ln_f", "model.final_layernorm"),
        (r"attn\.proj", "self_attn.dense"),
        (r"norm_1", "input_layernorm"),
        (r"mlp\.fc", "mlp.fc1"),
        (r"mlp\.proj", "mlp.fc2"),
    ),
)


def _of_llama(*sizes: int, packed: bool = False) -> tuple[Rule, ...]:
    """What litgpt calls the layers of a decoder like Llama, in the words of transformers."""
    parts = split(
        r"^transformer\.h\.(\d)\.attn\.qkv\.(\w+)",
        *(rf"model.layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
        sizes=sizes,
    )
    return (
        *(() if packed else (parts,)),
        renamed(
            (r"^transformer\.h\.", "model.layers."),
            (r"^transformer\.wte", "model.embed_tokens"),
            (r"^transformer\.ln_f", "model.norm"),
            (r"attn\.qkv", "self_attn.qkv_proj"),
            (r"attn\.proj", "self_attn.o_proj"),
            (r"norm_1", "input_layernorm"),
            (r"norm_2", "post_attention_layernorm"),
            (r"mlp\.fc_1", "mlp.gate_proj"),
            (r"mlp\.fc_2", "mlp.up_proj"),
            (r"mlp\.proj", "mlp.down_proj"),
        ),
    )


def _gate_and_up(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Both projections of a gated MLP in one weight."""
    found = {name: one for name, one in arrays.items() if not name.endswith("up_proj.weight")}
    for name in [name for name in found if name.endswith("gate_proj.weight")]:
        up = arrays[name.replace("gate", "up")]
        found[name.replace("gate", "gate_up")] = np.concatenate([found.pop(name), up])
    return found


_LLAMA: Final = _hf("LlamaForCausalLM", "LlamaConfig", **_SIZE, num_key_value_heads=2)

PAIRS: Final = (
    Published(
        "Pythia",
        _PYTHIA,
        _neox(0.5),
        "the same; rows of query, key and value of one head after another in B",
        _OF_PYTHIA,
    ),
    Published(
        "Pythia, one after the other",
        _PYTHIA,
        _neox(0.5, use_parallel_residual=False),
        "the MLP of both blocks reads the block's input in A, the sum with the attention in B",
        _OF_PYTHIA,
        kind="different",
    ),
    Published(
        "GPT-NeoX, curated",
        torch(
            "curated_transformers",
            _CURATED,
            "Whole(GPTNeoXCausalLM(GPTNeoXConfig(hidden_width=48, intermediate_width=112, "
            "n_hidden_layers=2, n_attention_heads=4, n_pieces=100, "
            "rotary_embedding_fraction=0.5, dtype=torch.float32)))",
            IDS,
        ),
        _neox(0.5),
        "the same; rotary positions on half of each head",
        (
            renamed(
                (r"^network\.decoder\.embeddings\.piece_embeddings", "gpt_neox.embed_in"),
                (r"^network\.decoder\.layers\.", "gpt_neox.layers."),
                (r"mha\.input", "attention.query_key_value"),
                (r"mha\.output", "attention.dense"),
                (r"ffn\.intermediate", "mlp.dense_h_to_4h"),
                (r"ffn\.output", "mlp.dense_4h_to_h"),
                (r"attn_input_layer_norm", "input_layernorm"),
                (r"ffn_input_layer_norm", "post_attention_layernorm"),
                (r"^network\.decoder\.output_layer_norm", "gpt_neox.final_layer_norm"),
                (r"^network\.output_embeddings", "lm_head"),
            ),
        ),
    ),
    Published(
        "Llama, curated",
        torch(
            "curated_transformers",
            _CURATED,
            "Whole(LlamaCausalLM(LlamaConfig(hidden_width=48, intermediate_width=112, "
            "n_hidden_layers=2, n_query_heads=4, n_key_value_heads=2, n_pieces=100, "
            "activation=Activation.SiLU, rms_norm_eps=1e-6, rotary_embedding_fraction=1.0, "
            "dtype=torch.float32)))",
            IDS,
        ),
        _LLAMA,
        "the same; two query heads read one of keys and values",
        (
            renamed(
                (r"^network\.decoder\.embeddings\.piece_embeddings", "model.embed_tokens"),
                (r"^network\.decoder\.layers\.", "model.layers."),
                (r"mha\.query", "self_attn.q_proj"),
                (r"mha\.key", "self_attn.k_proj"),
                (r"mha\.value", "self_attn.v_proj"),
                (r"mha\.output", "self_attn.o_proj"),
                (r"ffn\.intermediate", "mlp.up_proj"),
                (r"ffn\.gate", "mlp.gate_proj"),
                (r"ffn\.output", "mlp.down_proj"),
                (r"attn_input_layer_norm", "input_layernorm"),
                (r"ffn_input_layer_norm", "post_attention_layernorm"),
                (r"^network\.decoder\.output_layer_norm", "model.norm"),
                (r"^network\.output_embeddings", "lm_head"),
            ),
        ),
    ),
    Published(
        "Phi",
        _lit("phi-1_5"),
        _hf("PhiForCausalLM", "PhiConfig", **_SIZE),
        "the same; rotary positions on half of each head, attention and MLP side by side",
        _OF_PHI,
    ),
    Published(
        "Phi, other activation",
        _lit("phi-1_5"),
        _hf("PhiForCausalLM", "PhiConfig", **_SIZE, hidden_act="relu"),
        "activation of both MLPs: Gelu by Tanh in A, Relu in B",
        _OF_PHI,
        kind="different",
    ),
    Published(
        "Qwen 2.5",
        _lit("Qwen2.5-0.5B", n_query_groups=2),
        _hf(
            "Qwen2ForCausalLM",
            "Qwen2Config",
            **_SIZE,
            num_key_value_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
            rms_norm_eps=1e-6,
        ),
        "the same; biases of query, key and value",
        _of_llama(48, 24, 24),
    ),
    Published(
        "Qwen 2.5, base of positions",
        _lit("Qwen2.5-0.5B", n_query_groups=2),
        _hf(
            "Qwen2ForCausalLM",
            "Qwen2Config",
            **_SIZE,
            num_key_value_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
            rms_norm_eps=1e-6,
        ),
        "base of the rotary positions of both attentions: 1,000,000 in A, 10,000 in B",
        _of_llama(48, 24, 24),
        kind="different",
    ),
    Published(
        "OLMo",
        _lit("OLMo-1B-hf"),
        _hf("OlmoForCausalLM", "OlmoConfig", **_SIZE, tie_word_embeddings=False),
        "the same; norms without weights",
        _of_llama(),
    ),
    Published(
        "Gemma",
        _lit("Gemma-2b"),
        _hf(
            "GemmaForCausalLM",
            "GemmaConfig",
            **_SIZE,
            num_key_value_heads=1,
            head_dim=12,
            rms_norm_eps=1e-5,
            tie_word_embeddings=False,
        ),
        "the same; one head of keys and values, embeddings times the root of their size",
        _of_llama(48, 12, 12),
    ),
    Published(
        "Phi 3",
        _lit("Phi-3-mini-4k-instruct", sliding_window_size=5),
        _hf(
            "Phi3ForCausalLM",
            "Phi3Config",
            **_SIZE,
            sliding_window=5,
            pad_token_id=0,
            tie_word_embeddings=False,
        ),
        "the same; gate and up in one weight in B, a window of five words",
        (*_of_llama(packed=True), _gate_and_up),
    ),
    Published(
        "Llama and Helium",
        _LLAMA,
        _hf(
            "HeliumForCausalLM",
            "HeliumConfig",
            **_SIZE,
            num_key_value_heads=2,
            head_dim=12,
            rms_norm_eps=1e-6,
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        ),
        "the same; rows of query and key in another order (halves in A, neighbours in B)",
        (interleaved(r"q_proj", 4), interleaved(r"k_proj", 2)),
    ),
    Published(
        "Llama and SmolLM 3",
        _LLAMA,
        _hf(
            "SmolLM3ForCausalLM",
            "SmolLM3Config",
            **_SIZE,
            num_key_value_heads=2,
            no_rope_layers=[1, 0],
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
            tie_word_embeddings=False,
            pad_token_id=0,
        ),
        "rotary positions of the second attention only in A",
        kind="different",
    ),
    Published(
        "GPT-2 and GPT-Neo",
        _hf("GPT2LMHeadModel", "GPT2Config", **_GPT_SIZE),
        _hf(
            "GPTNeoForCausalLM",
            "GPTNeoConfig",
            vocab_size=100,
            hidden_size=48,
            num_layers=2,
            num_heads=4,
            max_position_embeddings=32,
            attention_types=[[["global", "local"], 1]],
            window_size=5,
            use_cache=False,
        ),
        "scores of both attentions over the root of 12 in A, as they are in B; the second one sees "
        "five words in B; biases of query, key and value only in A",
        (
            dropped(r"c_attn\.bias"),
            transposed(r"(c_attn|c_proj|c_fc)\.weight"),
            split(
                r"^(transformer\.h\.\d\.attn)\.c_attn\.weight",
                *(rf"\1.attention.{part}_proj.weight" for part in "qkv"),
            ),
            renamed((r"attn\.c_proj", "attn.attention.out_proj")),
        ),
        kind="different",
    ),
)
