"""Networks that write text."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..pairs import Published, call, torch
from ..rules import Rule, changed, joined, renamed, split, transposed

_IDX: Final[Shapes] = {"idx": ((1, 12), "int64")}

_LIT: Final = "from litgpt.config import Config\nfrom litgpt.model import GPT"

SIZE: Final = {
    "vocab_size": 100,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 112,
}

_GPT_SIZE: Final = {
    "vocab_size": 100,
    "n_embd": 48,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 32,
    "bos_token_id": 0,
    "eos_token_id": 0,
}


def hf(model: str, config: str, rest: str = "", **settings: Any) -> Net:
    """A model of transformers and its config; `rest` is what the model is told besides."""
    build = f"transformers.{model}({call(f'transformers.{config}', **settings)}{rest})"
    return torch("transformers", "import transformers", build, IDS)


def _lit(name: str, **settings: Any) -> Net:
    size = {
        "n_layer": 2,
        "n_embd": 48,
        "n_head": 4,
        "intermediate_size": 112,
        "padded_vocab_size": 100,
        "vocab_size": 100,
        "block_size": 32,
    }
    return torch("litgpt", _LIT, f"GPT({call('Config.from_name', name, **size, **settings)})", _IDX)


def _of_lit(*sizes: int, norms: tuple[tuple[str, str], ...] = ()) -> tuple[Rule, ...]:
    """What litgpt calls the layers of a decoder, in the words of transformers."""
    return (
        split(
            r"^transformer\.h\.(\d)\.attn\.qkv\.weight",
            *(rf"model.layers.\1.self_attn.{part}_proj.weight" for part in "qkv"),
            sizes=sizes,
        ),
        renamed(
            *norms,
            (r"^transformer\.h\.", "model.layers."),
            (r"attn\.norm_([qk])", r"self_attn.\1_norm"),
            (r"attn\.proj", "self_attn.o_proj"),
            (r"post_attention_norm", "post_attention_layernorm"),
            (r"post_mlp_norm", "post_feedforward_layernorm"),
            (r"mlp\.fc_1", "mlp.gate_proj"),
            (r"mlp\.fc_2", "mlp.up_proj"),
            (r"mlp\.proj", "mlp.down_proj"),
            (r"^transformer\.wte", "model.embed_tokens"),
            (r"^transformer\.ln_f", "model.norm"),
        ),
    )


_GEMMA: Final = _lit(
    "Gemma-3-1b-it",
    n_query_groups=2,
    head_size=12,
    sliding_window_indices=[1, 0],
    rope_indices=[1, 0],
    sliding_window_size=5,
    attention_scores_scalar=12,
)


def _gemma(base: float) -> Net:
    """Gemma 3 with a base of the rotary positions in the attention that sees all words."""
    return hf(
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        **SIZE,
        num_key_value_heads=2,
        head_dim=12,
        query_pre_attn_scalar=12,
        rms_norm_eps=1e-5,
        sliding_window=5,
        layer_types=["sliding_attention", "full_attention"],
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": base},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
        tie_word_embeddings=False,
        use_cache=False,
    )


_OF_GEMMA: Final = _of_lit(
    48, 24, 24, norms=((r"norm_1", "input_layernorm"), (r"norm_2", "pre_feedforward_layernorm"))
)


def _by_heads(array: np.ndarray) -> np.ndarray:
    """Rows of three parts of all heads, as those of one head after another."""
    return np.swapaxes(array.reshape(3, 4, 12, *array.shape[1:]), 0, 1).reshape(array.shape)


def _by_groups(array: np.ndarray) -> np.ndarray:
    """Rows of query, key and value, as those of one group of heads after another."""
    query, key, value = np.split(array, [48, 72])
    groups = (one.reshape(2, -1, array.shape[1]) for one in (query, key, value))
    return np.concatenate([*groups], 1).reshape(array.shape)


_TAMING: Final = torch(
    "taming",
    "import transformers\n\n"
    "transformers.top_k_top_p_filtering = None  # imported where words are chosen\n"
    "from taming.modules.transformer.mingpt import GPT",
    call("GPT", vocab_size=100, block_size=32, n_layer=2, n_head=4, n_embd=48),
    _IDX,
)

_TO_GPT_2: Final[tuple[Rule, ...]] = (
    joined(
        r"^blocks\.(\d)\.attn\.(?P<part>query|key|value)\.(\w+)",
        r"transformer.h.\1.attn.c_attn.\3",
        ("query", "key", "value"),
    ),
    renamed(
        (r"^blocks\.", "transformer.h."),
        (r"attn\.proj", "attn.c_proj"),
        (r"mlp\.0", "mlp.c_fc"),
        (r"mlp\.2", "mlp.c_proj"),
        (r"\.ln(\d)", r".ln_\1"),
        (r"^tok_emb", "transformer.wte"),
        (r"^pos_emb", "transformer.wpe.weight"),
        (r"^ln_f", "transformer.ln_f"),
        (r"^head", "lm_head"),
    ),
    changed(r"wpe", lambda array: array[0]),
    transposed(r"(c_attn|c_proj|c_fc)\.weight"),
)

_FROM_BIOGPT: Final[tuple[Rule, ...]] = (
    joined(
        r"^biogpt\.layers\.(\d)\.self_attn\.(?P<part>[qkv])_proj\.(\w+)",
        r"transformer.h.\1.attn.c_attn.\3",
        "qkv",
    ),
    renamed(
        (r"^biogpt\.layers\.", "transformer.h."),
        (r"self_attn\.out_proj", "attn.c_proj"),
        (r"fc1", "mlp.c_fc"),
        (r"fc2", "mlp.c_proj"),
        (r"self_attn_layer_norm", "ln_1"),
        (r"final_layer_norm", "ln_2"),
        (r"^biogpt\.layer_norm", "transformer.ln_f"),
        (r"^biogpt\.embed_tokens", "transformer.wte"),
        (r"^biogpt\.embed_positions", "transformer.wpe"),
        (r"^output_projection", "lm_head"),
    ),
    changed(r"wpe", lambda array: array[2:]),
    transposed(r"(c_attn|c_proj|c_fc)\.weight"),
)

PAIRS: Final = (
    Published(
        "GPT, 2018",
        torch(
            "pytorch_pretrained_bert",
            "from pytorch_pretrained_bert import OpenAIGPTConfig, OpenAIGPTModel",
            "OpenAIGPTModel(OpenAIGPTConfig(100, n_embd=48, n_layer=2, n_head=4, n_positions=32, "
            "n_ctx=32))",
            IDS,
        ),
        hf("OpenAIGPTModel", "OpenAIGPTConfig", **_GPT_SIZE),
        "the same; norms behind the sums, those of A written out",
    ),
    Published(
        "GPT of VQGAN and GPT-2",
        _TAMING,
        hf(
            "GPT2LMHeadModel",
            "GPT2Config",
            **_GPT_SIZE,
            activation_function="gelu",
            tie_word_embeddings=False,
            use_cache=False,
        ),
        "the same; query, key and value in one transposed weight in B",
        _TO_GPT_2,
    ),
    Published(
        "BioGPT and GPT-2",
        hf(
            "BioGptForCausalLM",
            "BioGptConfig",
            **SIZE | {"intermediate_size": 192},
            max_position_embeddings=32,
            layer_norm_eps=1e-5,
            use_cache=False,
        ),
        hf("GPT2LMHeadModel", "GPT2Config", **_GPT_SIZE, use_cache=False),
        "embeddings times the root of 48 only in A; Gelu of both MLPs: by Erf in A, by Tanh in B",
        _FROM_BIOGPT,
        kind="different",
    ),
    Published(
        "GPT-J and CodeGen",
        hf("GPTJForCausalLM", "GPTJConfig", **_GPT_SIZE, rotary_dim=8, use_cache=False),
        hf("CodeGenForCausalLM", "CodeGenConfig", **_GPT_SIZE, rotary_dim=8, use_cache=False),
        "the same; query, value and key of one head after another in one weight in B",
        (
            joined(r"^(.*)\.attn\.(?P<part>[qkv])_proj\.weight", r"\1.attn.qkv_proj.weight", "qvk"),
            changed(r"qkv_proj", _by_heads),
        ),
    ),
    Published(
        "Gemma 3",
        _GEMMA,
        _gemma(1000000.0),
        "the same; queries and keys normed, a window of five words in the first attention",
        _OF_GEMMA,
    ),
    Published(
        "Gemma 3, one base of positions",
        _GEMMA,
        _gemma(10000.0),
        "base of the rotary positions of the second attention: 1,000,000 in A, 10,000 in B",
        _OF_GEMMA,
        kind="different",
    ),
    Published(
        "OLMo 2",
        _lit("OLMo-2-1124-7B", n_query_groups=4),
        hf(
            "Olmo2ForCausalLM",
            "Olmo2Config",
            **SIZE,
            rms_norm_eps=1e-6,
            rope_parameters={"rope_type": "default", "rope_theta": 500000.0},
            eos_token_id=2,
            use_cache=False,
        ),
        "the same; norms of all queries and keys, and of what attention and MLP return",
        _of_lit(48, 48, 48),
    ),
    Published(
        "Falcon of two norms",
        _lit("falcon-40b", n_query_groups=2),
        hf(
            "FalconForCausalLM",
            "FalconConfig",
            **{key: value for key, value in SIZE.items() if key != "intermediate_size"},
            ffn_hidden_size=112,
            num_kv_heads=2,
            new_decoder_architecture=True,
            tie_word_embeddings=False,
            use_cache=False,
        ),
        "the same; two groups of heads, rows of one group after another in B",
        (
            changed(r"attn\.qkv", _by_groups),
            renamed(
                (r"attn\.qkv", "self_attention.query_key_value"),
                (r"\.attn\.proj", ".self_attention.dense"),
                (r"mlp\.fc", "mlp.dense_h_to_4h"),
                (r"mlp\.proj", "mlp.dense_4h_to_h"),
                (r"norm_1", "ln_attn"),
                (r"norm_2", "ln_mlp"),
                (r"^transformer\.wte", "transformer.word_embeddings"),
            ),
        ),
    ),
)
