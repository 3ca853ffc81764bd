"""Networks that write text."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net
from ..fourth.writing import SIZE, hf
from ..pairs import Published
from ..rules import Arrays, Rule, changed, halved, joined, renamed, split
from . import experts
from .decoders import GROUPED, PLAIN, lit, of_lit, rope, scaled

_GLM: Final = hf(
    "GlmForCausalLM",
    "GlmConfig",
    **SIZE,
    **PLAIN,
    num_key_value_heads=2,
    head_dim=12,
    attention_bias=False,
    rms_norm_eps=1e-5,
    pad_token_id=0,
    **rope(partial_rotary_factor=1.0),
)


_ERNIE: Final = hf(
    "Ernie4_5ForCausalLM",
    "Ernie4_5Config",
    **SIZE,
    **PLAIN,
    num_key_value_heads=2,
    head_dim=12,
    rms_norm_eps=1e-5,
    **rope(),
)


_SEED: Final = hf(
    "SeedOssForCausalLM",
    "SeedOssConfig",
    **SIZE,
    **PLAIN,
    num_key_value_heads=2,
    head_dim=12,
    attention_bias=False,
    attention_out_bias=False,
    mlp_bias=False,
    rms_norm_eps=1e-5,
    **rope(),
)


def _cohere(**settings: Any) -> Net:
    return hf(
        "CohereForCausalLM",
        "CohereConfig",
        **SIZE,
        **PLAIN,
        num_key_value_heads=2,
        layer_norm_eps=1e-5,
        **rope(),
        **settings,
    )


_TO_LIT: Final[tuple[Rule, ...]] = (
    joined(
        r"^model\.layers\.(\d)\.self_attn\.(?P<part>[qkv])_proj\.weight",
        r"transformer.h.\1.attn.qkv.weight",
        "qkv",
    ),
    renamed(
        (r"^model\.layers\.", "transformer.h."),
        (r"self_attn\.o_proj", "attn.proj"),
        (r"input_layernorm", "norm_1"),
        (r"mlp\.gate_proj", "mlp.fc_1"),
        (r"mlp\.up_proj", "mlp.fc_2"),
        (r"mlp\.down_proj", "mlp.proj"),
        (r"^model\.embed_tokens", "transformer.wte"),
        (r"^model\.norm", "transformer.ln_f"),
    ),
)


def _norms_without_biases(arrays: Arrays) -> Arrays:
    """Norms with biases of 0."""
    norms = [name for name in arrays if name.endswith(("norm_1.weight", "ln_f.weight"))]
    return arrays | {name[:-6] + "bias": np.zeros_like(arrays[name]) for name in norms}


_COHERE_LIT: Final = lit(
    norm_class_name="LayerNorm",
    parallel_residual=True,
    shared_attention_norm=True,
    n_query_groups=2,
    rotary_percentage=1.0,
    bias=False,
    mlp_class_name="LLaMAMLP",
)


_STARCODER: Final = hf(
    "Starcoder2ForCausalLM",
    "Starcoder2Config",
    **SIZE,
    **PLAIN,
    num_key_value_heads=4,
    sliding_window=None,
    norm_epsilon=1e-5,
    bos_token_id=0,
    eos_token_id=0,
    **rope(),
)


def _persimmon(**settings: Any) -> Net:
    return hf(
        "PersimmonForCausalLM",
        "PersimmonConfig",
        **SIZE,
        **PLAIN,
        layer_norm_eps=1e-5,
        qk_layernorm=False,
        **rope(partial_rotary_factor=1.0),
        **settings,
    )


def _by_heads(array: np.ndarray) -> np.ndarray:
    """Rows of query, key and value of all heads, as those of one head after another."""
    return np.swapaxes(array.reshape(3, 4, 12, *array.shape[1:]), 0, 1).reshape(array.shape)


_TO_PERSIMMON: Final[tuple[Rule, ...]] = (
    joined(
        r"^(model\.layers\.\d\.self_attn)\.(?P<part>[qkv])_proj\.(\w+)",
        r"\1.query_key_value.\3",
        "qkv",
    ),
    changed(r"query_key_value", _by_heads),
    renamed(
        (r"self_attn\.o_proj", "self_attn.dense"),
        (r"mlp\.c_fc", "mlp.dense_h_to_4h"),
        (r"mlp\.c_proj", "mlp.dense_4h_to_h"),
        (r"^model\.norm", "model.final_layernorm"),
    ),
)


def _vault(*layers: str) -> Net:
    return hf(
        "VaultGemmaForCausalLM",
        "VaultGemmaConfig",
        **SIZE,
        **PLAIN,
        **rope(),
        num_key_value_heads=2,
        head_dim=12,
        query_pre_attn_scalar=12,
        rms_norm_eps=1e-5,
        sliding_window=4,
        layer_types=[f"{one}_attention" for one in layers],
        attn_implementation="eager",
    )


_VAULT_LIT: Final = lit(
    "Gemma-2-2b",
    **GROUPED,
    attention_scores_scalar=12,
    sliding_window_size=4,
    sliding_window_indices=[1, 0],
    post_attention_norm=False,
    post_mlp_norm=False,
)


_OF_VAULT: Final[tuple[Rule, ...]] = (
    *of_lit(48, 24, 24),
    renamed((r"post_attention_layernorm", "pre_feedforward_layernorm")),
)


_CWM_LIT: Final = lit(
    "Llama-3.2-1B",
    n_query_groups=2,
    sliding_window_size=5,
    sliding_window_indices=[0, 1],
    rope_adjustments={
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_seq_len": 64,
    },
)


def _cwm(rope: dict[str, Any]) -> Net:
    return hf(
        "CwmForCausalLM",
        "CwmConfig",
        **SIZE,
        **PLAIN,
        num_key_value_heads=2,
        head_dim=12,
        sliding_window=5,
        layer_types=["full_attention", "sliding_attention"],
        bos_token_id=0,
        eos_token_id=0,
        rope_parameters={"rope_theta": 500000.0, **rope},
    )


def _tiled(array: np.ndarray, size: int) -> np.ndarray:
    return np.tile(array, size // len(array))


PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "GLM and ERNIE 4.5",
        _GLM,
        _ERNIE,
        "the same; gate and up in one weight in A, rotary positions on neighbours in both",
        (
            split(
                r"^(.*\.mlp)\.gate_up_proj\.weight",
                r"\1.gate_proj.weight",
                r"\1.up_proj.weight",
            ),
        ),
    ),
    Published(
        "ERNIE 4.5 and Seed-OSS",
        _ERNIE,
        _SEED,
        "the same; rotary positions on neighbours in A, in halves in B",
        (halved(r"q_proj", 4), halved(r"k_proj", 2)),
    ),
    Published(
        "Cohere, litgpt",
        _cohere(logit_scale=0.25),
        _COHERE_LIT,
        "the same; logits over 4 in A, which B has in its weights; rotary positions on neighbours "
        "in A, in halves in B; biases of 0 of the norms in B",
        (
            scaled(r"lm_head", 0.25),
            halved(r"q_proj", 4),
            halved(r"k_proj", 2),
            *_TO_LIT,
            _norms_without_biases,
        ),
    ),
    Published(
        "StarCoder 2 and Persimmon",
        _STARCODER,
        _persimmon(hidden_act="gelu_pytorch_tanh"),
        "the same; query, key and value of one head after another in one weight in B",
        _TO_PERSIMMON,
    ),
    Published(
        "StarCoder 2 and Persimmon, other activation",
        _STARCODER,
        _persimmon(hidden_act="relu2"),
        "activation of both MLPs: Gelu by Tanh in A, Relu squared in B",
        _TO_PERSIMMON,
        kind="different",
    ),
    Published(
        "Qwen 3, litgpt, and HunYuan",
        lit("Qwen3-0.6B", **GROUPED),
        hf(
            "HunYuanDenseV1ForCausalLM",
            "HunYuanDenseV1Config",
            **SIZE,
            **PLAIN,
            **rope(1000000.0),
            num_key_value_heads=2,
            head_dim=12,
            rms_norm_eps=1e-6,
        ),
        "norms of queries and keys of both attentions: before the rotary positions in A, behind "
        "them in B, where their scales are not turned",
        (
            *of_lit(48, 24, 24),
            renamed((r"q_norm", "query_layernorm"), (r"k_norm", "key_layernorm")),
        ),
        kind="different",
    ),
    Published(
        "EXAONE 4 and OLMo 3",
        hf(
            "Exaone4ForCausalLM",
            "Exaone4Config",
            **SIZE,
            **PLAIN,
            **rope(),
            num_key_value_heads=2,
            head_dim=12,
            rms_norm_eps=1e-6,
            sliding_window=None,
            layer_types=["full_attention"] * 2,
        ),
        hf(
            "Olmo3ForCausalLM",
            "Olmo3Config",
            **SIZE,
            **PLAIN,
            rope_parameters={"full_attention": rope()["rope_parameters"]},
            num_key_value_heads=2,
            rms_norm_eps=1e-6,
            layer_types=["full_attention"] * 2,
        ),
        "norms of queries and keys of both attentions: over the 12 numbers of each head in A, over "
        "those of all heads in B",
        (
            changed(r"q_norm", lambda array: _tiled(array, 48)),
            changed(r"k_norm", lambda array: _tiled(array, 24)),
        ),
        kind="different",
    ),
    Published(
        "VaultGemma, litgpt",
        _VAULT_LIT,
        _vault("sliding", "full"),
        "the same; a window of four words in the first attention, logits and scores capped by Tanh",
        _OF_VAULT,
    ),
    Published(
        "VaultGemma, litgpt, window elsewhere",
        _VAULT_LIT,
        _vault("full", "sliding"),
        "the window of four words: in the first attention in A, in the second in B",
        _OF_VAULT,
        kind="different",
    ),
    Published(
        "CWM, litgpt",
        _CWM_LIT,
        _cwm(
            {
                "rope_type": "llama3",
                "factor": 32.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 64,
            }
        ),
        "the same; slower rotary positions for longer texts, a window in the second attention",
        of_lit(48, 24, 24),
    ),
    Published(
        "CWM, litgpt, positions not slowed",
        _CWM_LIT,
        _cwm({"rope_type": "default"}),
        "frequencies of the rotary positions of both attentions: the lower ones up to 32 times "
        "slower only in A",
        of_lit(48, 24, 24),
        kind="different",
    ),
    *experts.PAIRS,
)
