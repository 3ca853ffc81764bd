"""Mixtures of experts, latent attention, and state spaces."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..fourth.writing import SIZE, hf
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, changed, interleaved, renamed
from .decoders import GROUPED, PLAIN, lit, of_lit, rope, scaled

_EXPERTS: Final = {"experts_implementation": "batched_mm"}


def _stacked(arrays: Arrays) -> Arrays:
    """The experts of a layer, each a weight in litgpt, in one weight of three axes."""
    found: Arrays = {}
    pieces: dict[str, list[np.ndarray]] = {}
    for name, array in arrays.items():
        match = re.search(r"^(.*\.experts\.)\d+\.(\w+)\.weight", name)
        if match is None:
            found[name] = array
        else:
            pieces.setdefault(match[1] + match[2], []).append(array)
    stacks = {name: np.stack(one) for name, one in pieces.items()}
    for name, stack in stacks.items():
        if name.endswith("gate_proj"):
            both = [stack, stacks[name.replace("gate", "up")]]
            found[name.replace("gate", "gate_up")] = np.concatenate(both, 1)
        elif name.endswith("down_proj"):
            found[name] = stack
    return found


_LATENT: Final = {
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "num_key_value_heads": 4,
    "rms_norm_eps": 1e-6,
}


def _turned(change: Any) -> tuple[Rule, ...]:
    """Rows of the turned part of queries and of the one key of all heads, in another order."""

    def queries(array: np.ndarray) -> np.ndarray:
        heads = array.reshape(4, 16, -1)
        kept, turned = heads[:, :8], heads[:, 8:]
        (ordered,) = change("", 4)({"": turned.reshape(32, -1)}).values()
        return np.concatenate([kept, ordered.reshape(4, 8, -1)], 1).reshape(array.shape)

    def key(array: np.ndarray) -> np.ndarray:
        (ordered,) = change("", 1)({"": array[16:]}).values()
        return np.concatenate([array[:16], ordered])

    return changed(r"q_b_proj", queries), changed(r"kv_a_proj_with_mqa", key)


_DEPTH: Final = 1.4 / 2**0.5


_V3: Final = lit(
    norm_class_name="RMSNorm",
    norm_eps=1e-6,
    parallel_residual=False,
    bias=False,
    mlp_class_name="LLaMAMoE",
    latent_attention={
        key: value for key, value in _LATENT.items() if key.endswith(("rank", "head_dim"))
    },
    moe_intermediate_size=32,
    first_k_dense_replace=1,
    n_expert=8,
    n_expert_groups=2,
    n_topk_groups=1,
    n_topk_scores_per_group=2,
    n_expert_per_token=2,
    n_shared_expert=1,
    norm_topk_prob=True,
    routed_scaling_factor=2.5,
)


_QWEN_MOE: Final = lit(
    "Qwen3-30B-A3B", **GROUPED, moe_intermediate_size=32, n_expert=4, n_expert_per_token=2
)


def _qwen_moe(*, normed: bool) -> Net:
    return hf(
        "Qwen3MoeForCausalLM",
        "Qwen3MoeConfig",
        **SIZE,
        **PLAIN,
        **_EXPERTS,
        **rope(1000000.0),
        num_key_value_heads=2,
        head_dim=12,
        moe_intermediate_size=32,
        num_experts=4,
        num_experts_per_tok=2,
        norm_topk_prob=normed,
    )


_LAYERS: Final = """
import torch
import transformers


class Layers(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.layers = network.layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


_STATES: Final[Shapes] = {"x": (1, 16, 32)}


def _ones_within(arrays: Arrays) -> Arrays:
    """Scales of 1 of the norms within a block."""
    sizes = {"dt": 2, "B": 16, "C": 16}
    return arrays | {
        f"layers.{n}.mixer.{part}_layernorm.weight": np.ones(size, np.float32)
        for n in range(2)
        for part, size in sizes.items()
    }


_SUMS: Final = """
import torch
import transformers
{}


class Sums(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
"""
_MAMBA_2: Final = torch(
    "transformers",
    _SUMS.format("from transformers.models.mamba2.modeling_mamba2 import Mamba2Mixer"),
    "Sums(*(Mamba2Mixer(transformers.Mamba2Config(hidden_size=32, num_heads=4, head_dim=16, "
    "state_size=8, n_groups=2, expand=2, chunk_size=16, num_hidden_layers=2), n) for n in "
    "range(2)))",
    _STATES,
)


def _bamba(**settings: Any) -> Net:
    config = call(
        "transformers.BambaConfig",
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        mamba_n_heads=4,
        mamba_d_head=16,
        mamba_d_state=8,
        mamba_n_groups=2,
        mamba_expand=2,
        mamba_chunk_size=4,
        **settings,
    )
    before = _SUMS.format("from transformers.models.bamba.modeling_bamba import BambaMixer")
    build = f"Sums(*(BambaMixer({config}, n) for n in range(2)))"
    return torch("transformers", before, build, _STATES)


PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "MiniCPM 3 and DeepSeek v2",
        hf(
            "MiniCPM3ForCausalLM",
            "MiniCPM3Config",
            **SIZE,
            **PLAIN,
            **_LATENT,
            **rope(),
            scale_emb=12,
            scale_depth=1.4,
            dim_model_base=24,
        ),
        hf(
            "DeepseekV2ForCausalLM",
            "DeepseekV2Config",
            **SIZE,
            **PLAIN,
            **_LATENT,
            **rope(),
            first_k_dense_replace=2,
        ),
        "the same; scales of embeddings, sums and logits in A, which B has in its weights; rotary "
        "positions in halves in A, on neighbours as complex numbers in B",
        (
            scaled(r"embed_tokens", 12),
            scaled(r"o_proj|down_proj", _DEPTH),
            scaled(r"lm_head", 0.5),
            *_turned(interleaved),
        ),
    ),
    Published(
        "Granite MoE and Mixtral",
        hf(
            "GraniteMoeForCausalLM",
            "GraniteMoeConfig",
            **SIZE,
            **PLAIN,
            **rope(),
            **_EXPERTS,
            num_key_value_heads=2,
            rms_norm_eps=1e-5,
            num_local_experts=4,
            num_experts_per_tok=2,
            embedding_multiplier=12.0,
            residual_multiplier=0.5,
            attention_multiplier=0.125,
            logits_scaling=4.0,
        ),
        hf(
            "MixtralForCausalLM",
            "MixtralConfig",
            **SIZE,
            **PLAIN,
            **rope(),
            **_EXPERTS,
            num_key_value_heads=2,
            rms_norm_eps=1e-5,
            sliding_window=None,
            num_local_experts=4,
            num_experts_per_tok=2,
        ),
        "the same; scales of embeddings, scores, sums and logits in A, which B has in its weights; "
        "Softmax over the scores of the two chosen experts in A, over all and then divided in B",
        (
            scaled(r"embed_tokens", 12),
            scaled(r"o_proj|down_proj", 0.5),
            scaled(r"q_proj", 0.125 * 12**0.5),
            scaled(r"lm_head", 0.25),
            renamed((r"block_sparse_moe\.router", "mlp.gate"), (r"block_sparse_moe", "mlp")),
        ),
    ),
    Published(
        "DeepSeek v3, litgpt",
        _V3,
        hf(
            "DeepseekV3ForCausalLM",
            "DeepseekV3Config",
            **SIZE,
            **PLAIN,
            **_LATENT,
            **rope(),
            **_EXPERTS,
            moe_intermediate_size=32,
            first_k_dense_replace=1,
            n_routed_experts=8,
            n_group=2,
            topk_group=1,
            num_experts_per_tok=2,
            n_shared_experts=1,
            num_mtp_layers=0,
        ),
        "the same; each expert run on its words in A, all at once in B; rotary positions in halves "
        "in A, on neighbours in B",
        (
            *of_lit(),
            renamed(
                (r"attn\.(q_a|q_b|kv_a|kv_b)_", r"self_attn.\1_"), (r"_a_norm", "_a_layernorm")
            ),
            _stacked,
            *_turned(interleaved),
        ),
    ),
    Published(
        "Qwen 3 MoE, litgpt",
        _QWEN_MOE,
        _qwen_moe(normed=True),
        "the same; Softmax over the scores of the two chosen experts in A, over all and then "
        "divided in B",
        (*of_lit(48, 24, 24), _stacked),
    ),
    Published(
        "Qwen 3 MoE, litgpt, weights not normed",
        _QWEN_MOE,
        _qwen_moe(normed=False),
        "weights of the two chosen experts of both MLPs: their sum is 1 in A, less in B",
        (*of_lit(48, 24, 24), _stacked),
        kind="different",
    ),
    Published(
        "Falcon Mamba, mambapy",
        torch(
            "transformers",
            _LAYERS,
            "Layers(transformers.FalconMambaModel(transformers.FalconMambaConfig(vocab_size=100, "
            "hidden_size=32, num_hidden_layers=2, layer_norm_epsilon=1e-6)))",
            _STATES,
        ),
        torch(
            "mambapy",
            "from mambapy.mamba import Mamba, MambaConfig",
            "Mamba(MambaConfig(d_model=32, n_layers=2, inner_layernorms=True, rms_norm_eps=1e-6))",
            _STATES,
        ),
        "the same; norms of step, input and output without scales in A, with scales of 1 in B; the "
        "scan is one step after another in A, parallel in B",
        (_ones_within,),
    ),
    Published(
        "Mamba 2 and Bamba",
        _MAMBA_2,
        _bamba(rms_norm_eps=1e-5),
        "the same; the scan runs over one block of 16 steps in A, over four blocks of 4 in B",
    ),
    Published(
        "Mamba 2 and Bamba, small steps",
        _MAMBA_2,
        _bamba(rms_norm_eps=1e-5, time_step_limit=(0.0, 0.5)),
        "steps of both scans: of any size in A, cut at 0.5 in B",
        kind="different",
    ),
)
