"""Networks that read and write text."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..pairs import Published, call, torch
from ..rules import (
    Arrays,
    Rule,
    changed,
    copied,
    dropped,
    halved,
    joined,
    renamed,
    split,
    transposed,
)

_IDX: Final[Shapes] = {"idx": ((1, 13), "int64")}
_LIT: Final = "from litgpt.config import Config\nfrom litgpt.model import GPT"
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
_SIZE: Final = {
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
_T5_SIZE: Final = {
    "vocab_size": 100,
    "d_model": 48,
    "d_kv": 12,
    "d_ff": 96,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "relu",
}


def _hf(model: str, config: str, rest: str = "", **settings: Any) -> Net:
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


def _x(layers: str, whole: str = "{}") -> Net:
    build = (
        "x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, use_abs_pos_emb=False, "
        f"attn_layers={layers})"
    )
    return torch("x_transformers", _X, whole.format(build), {"x": ((1, 12), "int64")})


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
    return _hf(
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        **_SIZE,
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
    return _hf("BertModel", "BertConfig", ", add_pooling_layer=False", **_SIZE | settings)


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
        "GPT, 2018",
        torch(
            "pytorch_pretrained_bert",
            "from pytorch_pretrained_bert import OpenAIGPTConfig, OpenAIGPTModel",
            "OpenAIGPTModel(OpenAIGPTConfig(100, n_embd=48, n_layer=2, n_head=4, n_positions=32, "
            "n_ctx=32))",
            IDS,
        ),
        _hf("OpenAIGPTModel", "OpenAIGPTConfig", **_GPT_SIZE),
        "the same; norms behind the sums, those of A written out",
    ),
    Published(
        "GPT of VQGAN and GPT-2",
        _TAMING,
        _hf(
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
        _hf(
            "BioGptForCausalLM",
            "BioGptConfig",
            **_SIZE | {"intermediate_size": 192},
            max_position_embeddings=32,
            layer_norm_eps=1e-5,
            use_cache=False,
        ),
        _hf("GPT2LMHeadModel", "GPT2Config", **_GPT_SIZE, use_cache=False),
        "embeddings times the root of 48 only in A; Gelu of both MLPs: by Erf in A, by Tanh in B",
        _FROM_BIOGPT,
        kind="different",
    ),
    Published(
        "GPT-J and CodeGen",
        _hf("GPTJForCausalLM", "GPTJConfig", **_GPT_SIZE, rotary_dim=8, use_cache=False),
        _hf("CodeGenForCausalLM", "CodeGenConfig", **_GPT_SIZE, rotary_dim=8, use_cache=False),
        "the same; query, value and key of one head after another in one weight in B",
        (
            joined(r"^(.*)\.attn\.(?P<part>[qkv])_proj\.weight", r"\1.attn.qkv_proj.weight", "qvk"),
            changed(r"qkv_proj", _by_heads),
        ),
    ),
    Published(
        "XLM and BERT",
        _hf(
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
        _hf(
            "SqueezeBertModel",
            "SqueezeBertConfig",
            **_SIZE,
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
        _hf("T5EncoderModel", "T5Config", **_T5_SIZE),
        _hf("UMT5EncoderModel", "UMT5Config", **_T5_SIZE),
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
        _hf("T5EncoderModel", "T5Config", **_T5_SIZE),
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
        _hf(
            "NemotronForCausalLM",
            "NemotronConfig",
            **_SIZE | {"intermediate_size": 96},
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
        _hf(
            "Olmo2ForCausalLM",
            "Olmo2Config",
            **_SIZE,
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
        _hf(
            "FalconForCausalLM",
            "FalconConfig",
            **{key: value for key, value in _SIZE.items() if key != "intermediate_size"},
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
