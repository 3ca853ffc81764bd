"""Networks that read and write text."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..pairs import Published, call, torch
from ..rules import Rule, changed, copied, renamed, split, transposed

_STATES: Final[Shapes] = {"x": (1, 12, 64)}
_IDX: Final[Shapes] = {"idx": ((1, 12), "int64")}
_HF: Final = "import transformers"

_CURATED: Final = """
import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import FalconCausalLM, FalconConfig, MPTCausalLM, MPTConfig


class Whole(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        mask = AttentionMask(torch.ones_like(input_ids, dtype=torch.bool))
        return self.network(input_ids, mask).logits
"""

_LIT: Final = """
from litgpt.config import Config
from litgpt.model import GPT
"""
_LIT_SIZE: Final = {
    "n_layer": 2,
    "n_embd": 64,
    "n_head": 4,
    "intermediate_size": 128,
    "padded_vocab_size": 100,
    "vocab_size": 100,
    "block_size": 32,
}
_SIZE: Final = {
    "vocab_size": 100,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}


def _hf(model: str, config: str, **settings: Any) -> Net:
    build = f"transformers.{model}({call(f'transformers.{config}', **settings)})"
    return torch("transformers", _HF, build, IDS)


def _lit(name: str, **settings: Any) -> Net:
    build = f"GPT({call('Config.from_name', name, **_LIT_SIZE, **settings)})"
    return torch("litgpt", _LIT, build, _IDX)


def _of_lit(norms: tuple[tuple[str, str], ...], *sizes: int) -> tuple[Rule, ...]:
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
            (r"attn\.proj", "self_attn.o_proj"),
            (r"mlp\.fc_1", "mlp.gate_proj"),
            (r"mlp\.fc_2", "mlp.up_proj"),
            (r"mlp\.proj", "mlp.down_proj"),
            (r"^transformer\.wte", "model.embed_tokens"),
            (r"^transformer\.ln_f", "model.norm"),
        ),
    )


_OF_GEMMA: Final = _of_lit(
    (
        (r"post_attention_norm", "post_attention_layernorm"),
        (r"post_mlp_norm", "post_feedforward_layernorm"),
        (r"norm_1", "input_layernorm"),
        (r"norm_2", "pre_feedforward_layernorm"),
    ),
    64,
    32,
    32,
)
_OF_STABLE: Final = _of_lit(
    ((r"norm_1", "input_layernorm"), (r"norm_2", "post_attention_layernorm")),
    64,
    64,
    64,
)

_GPT_SIZE: Final = {
    "vocab_size": 100,
    "n_embd": 64,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 32,
    "use_cache": False,
}
_GPT_2: Final = _hf("GPT2LMHeadModel", "GPT2Config", **_GPT_SIZE)

_ENCODER: Final = """
import torch
import transformers
from transformers.models.bert.modeling_bert import BertEncoder
"""
_BERT: Final = torch(
    "transformers",
    _ENCODER,
    "BertEncoder({})".format(
        call(
            "transformers.BertConfig",
            hidden_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=128,
            layer_norm_eps=1e-5,
            attn_implementation="sdpa",
        )
    ),
    _STATES,
)
_OF_ENCODER: Final[tuple[Rule, ...]] = (
    split(
        r"^layers\.(\d)\.self_attn\.in_proj_(\w+)",
        *(rf"layer.\1.attention.self.{part}.\2" for part in ("query", "key", "value")),
    ),
    renamed(
        (r"^layers\.", "layer."),
        (r"self_attn\.out_proj", "attention.output.dense"),
        (r"linear1", "intermediate.dense"),
        (r"linear2", "output.dense"),
        (r"norm1", "attention.output.LayerNorm"),
        (r"norm2", "output.LayerNorm"),
    ),
)

_BART: Final = """
import torch
import transformers
from transformers.models.bart.modeling_bart import BartDecoderLayer


class Layers(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, tgt, memory):
        for layer in self.layers:
            states = layer(tgt, encoder_hidden_states=memory)
            tgt = states[0] if isinstance(states, tuple) else states
        return tgt
"""
_CAUSAL: Final = """
import torch


class Causal(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.layers = network.layers

    def forward(self, tgt, memory):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=mask)
        return tgt
"""
_BOTH: Final[Shapes] = {"tgt": (1, 12, 64), "memory": (1, 7, 64)}

_BARTS: Final = {
    "vocab_size": 100,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "max_position_embeddings": 32,
    "use_cache": False,
}


def _by_heads(array: np.ndarray) -> np.ndarray:
    """Rows of query, key and value of all heads, as those of one head after another."""
    return np.swapaxes(array.reshape(3, 4, 16, *array.shape[1:]), 0, 1).reshape(array.shape)


PAIRS: Final = (
    Published(
        "MPT",
        torch(
            "curated_transformers",
            _CURATED,
            "Whole(MPTCausalLM(MPTConfig(hidden_width=64, n_hidden_layers=2, "
            "n_attention_heads=4, n_pieces=100, dtype=torch.float32)))",
            IDS,
        ),
        _hf(
            "MptForCausalLM",
            "MptConfig",
            d_model=64,
            n_heads=4,
            n_layers=2,
            vocab_size=100,
            max_seq_len=64,
            use_cache=False,
        ),
        "the same; biases of the attention by distance (ALiBi); the embedding is the head as well",
        (
            renamed(
                (r"^network\.decoder\.layers\.", "transformer.blocks."),
                (r"mha\.input", "attn.Wqkv"),
                (r"mha\.output", "attn.out_proj"),
                (r"ffn\.intermediate", "ffn.up_proj"),
                (r"ffn\.output", "ffn.down_proj"),
                (r"attn_input_layer_norm", "norm_1"),
                (r"ffn_input_layer_norm", "norm_2"),
                (r"^network\.decoder\.output_layer_norm", "transformer.norm_f"),
            ),
            copied("piece_embeddings", "transformer.wte.weight", "lm_head.weight"),
        ),
    ),
    Published(
        "Falcon",
        torch(
            "curated_transformers",
            _CURATED,
            "Whole(FalconCausalLM(FalconConfig(hidden_width=64, n_hidden_layers=2, "
            "n_query_heads=4, n_key_value_heads=1, n_pieces=100, rotary_embedding_fraction=1.0, "
            "dtype=torch.float32)))",
            IDS,
        ),
        _hf(
            "FalconForCausalLM",
            "FalconConfig",
            vocab_size=100,
            hidden_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            tie_word_embeddings=False,
            use_cache=False,
        ),
        "the same; one head of keys and values, attention and MLP side by side",
        (
            renamed(
                (r"^network\.decoder\.embeddings\.piece", "transformer.word"),
                (r"^network\.decoder\.layers\.", "transformer.h."),
                (r"mha\.input", "self_attention.query_key_value"),
                (r"mha\.output", "self_attention.dense"),
                (r"ffn\.intermediate", "mlp.dense_h_to_4h"),
                (r"ffn\.output", "mlp.dense_4h_to_h"),
                (r"attn_layer_norm", "input_layernorm"),
                (r"^network\.decoder\.output_layer_norm", "transformer.ln_f"),
                (r"^network\.output_embeddings", "lm_head"),
            ),
        ),
    ),
    Published(
        "Gemma 2",
        _lit("Gemma-2-2b", n_query_groups=2, head_size=16, sliding_window_size=4),
        _hf(
            "Gemma2ForCausalLM",
            "Gemma2Config",
            **_SIZE,
            num_key_value_heads=2,
            head_dim=16,
            rms_norm_eps=1e-5,
            sliding_window=4,
            tie_word_embeddings=False,
            use_cache=False,
            attn_implementation="eager",
        ),
        "the same; a window of four words in every other block, logits and scores capped by Tanh",
        _OF_GEMMA,
    ),
    Published(
        "Gemma 2, scores not capped",
        _lit("Gemma-2-2b", n_query_groups=2, head_size=16, sliding_window_size=4),
        _hf(
            "Gemma2ForCausalLM",
            "Gemma2Config",
            **_SIZE,
            num_key_value_heads=2,
            head_dim=16,
            rms_norm_eps=1e-5,
            sliding_window=4,
            attn_logit_softcapping=None,
            tie_word_embeddings=False,
            use_cache=False,
            attn_implementation="eager",
        ),
        "scores of the two attentions capped at 50 (Div, Tanh, Mul) only in A",
        _OF_GEMMA,
        kind="different",
    ),
    Published(
        "StableLM, all of each head turned",
        _lit("stablelm-zephyr-3b"),
        _hf(
            "StableLmForCausalLM",
            "StableLmConfig",
            **_SIZE,
            num_key_value_heads=4,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 1.0,
            },
            use_cache=False,
        ),
        "rotary positions of both attentions: on a quarter of each head in A, on all of it in B",
        _OF_STABLE,
        kind="different",
    ),
    Published(
        "GPT-2, attention scaled by layer",
        _GPT_2,
        _hf("GPT2LMHeadModel", "GPT2Config", **_GPT_SIZE, scale_attn_by_inverse_layer_idx=True),
        "scale of the second attention: 1/4 in A, 1/8 in B",
        kind="different",
    ),
    Published(
        "StableLM",
        _lit("stablelm-zephyr-3b"),
        _hf(
            "StableLmForCausalLM",
            "StableLmConfig",
            **_SIZE,
            num_key_value_heads=4,
            use_cache=False,
        ),
        "the same; rotary positions on a quarter of each head",
        _OF_STABLE,
    ),
    Published(
        "torch.nn's encoder and BERT's",
        torch(
            "torch",
            "import torch",
            "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, "
            "activation='gelu', batch_first=True), 2)",
            _STATES,
        ),
        _BERT,
        "the same; query, key and value in one weight in A",
        _OF_ENCODER,
    ),
    Published(
        "torch.nn's encoder and BERT's, norms elsewhere",
        torch(
            "torch",
            "import torch",
            "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, "
            "activation='gelu', batch_first=True, norm_first=True), 2, enable_nested_tensor=False)",
            _STATES,
        ),
        _BERT,
        "the four LayerNormalization: before attention and MLP in A, behind their sums in B",
        _OF_ENCODER,
        kind="different",
    ),
    Published(
        "torch.nn's decoder and BART's",
        torch(
            "torch",
            _CAUSAL,
            "Causal(torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(64, 4, 128, "
            "activation='gelu', batch_first=True), 2))",
            _BOTH,
        ),
        torch(
            "transformers",
            _BART,
            "Layers([BartDecoderLayer(transformers.BartConfig(d_model=64, "
            "decoder_attention_heads=4, decoder_ffn_dim=128, attn_implementation='sdpa')) "
            "for _ in range(2)])",
            _BOTH,
        ),
        "the same; a mask that is added in A, an attention told to be causal in B",
        (
            split(
                r"^layers\.(\d)\.self_attn\.in_proj_(\w+)",
                *(rf"layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
            ),
            split(
                r"^layers\.(\d)\.multihead_attn\.in_proj_(\w+)",
                *(rf"layers.\1.encoder_attn.{part}_proj.\2" for part in "qkv"),
            ),
            renamed(
                (r"multihead_attn", "encoder_attn"),
                (r"linear", "fc"),
                (r"norm1", "self_attn_layer_norm"),
                (r"norm2", "encoder_attn_layer_norm"),
                (r"norm3", "final_layer_norm"),
            ),
        ),
    ),
    Published(
        "SpeechBrain's encoder and torch.nn's",
        torch(
            "speechbrain",
            "from speechbrain.lobes.models.transformer.Transformer import TransformerEncoder",
            call(
                "TransformerEncoder",
                num_layers=2,
                nhead=4,
                d_ffn=128,
                d_model=64,
                normalize_before=True,
            ),
            _STATES,
        ),
        torch(
            "torch",
            "import torch",
            "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, "
            "batch_first=True, norm_first=True, layer_norm_eps=1e-6), 2, "
            "norm=torch.nn.LayerNorm(64, 1e-6), enable_nested_tensor=False)",
            _STATES,
        ),
        "the same; A returns the weights of its attentions as well",
        (
            renamed(
                (r"self_att\.att\.", "self_attn."),
                (r"pos_ffn\.ffn\.0", "linear1"),
                (r"pos_ffn\.ffn\.3", "linear2"),
                (r"\.norm\.(weight|bias)", r".\1"),
            ),
        ),
    ),
    Published(
        "GPT-2 and GPT-BigCode",
        _GPT_2,
        _hf(
            "GPTBigCodeForCausalLM",
            "GPTBigCodeConfig",
            **_GPT_SIZE,
            multi_query=False,
            activation_function="gelu_new",
        ),
        "the same; query, key and value of one head after another in B, weights transposed",
        (
            transposed(r"(c_attn|c_proj|c_fc)\.weight"),
            changed(r"c_attn", _by_heads),
        ),
    ),
    Published(
        "BERT and RoBERTa",
        _hf("BertModel", "BertConfig", **_SIZE, max_position_embeddings=32),
        _hf("RobertaModel", "RobertaConfig", **_SIZE, max_position_embeddings=32),
        "positions: rows from 0 of the table in A, from 2 (behind those of padding) in B, counted "
        "over words that are no padding",
        kind="different",
    ),
    Published(
        "Llama and Granite",
        _hf("LlamaForCausalLM", "LlamaConfig", **_SIZE, use_cache=False),
        _hf(
            "GraniteForCausalLM",
            "GraniteConfig",
            **_SIZE,
            use_cache=False,
            embedding_multiplier=12.0,
            residual_multiplier=0.22,
            attention_multiplier=0.0625,
            logits_scaling=8.0,
        ),
        "only in B: embeddings times 12, both sums of a block with 0.22 of what is added, logits "
        "over 8; scale of the attention 0.25 in A, 0.0625 in B",
        kind="different",
    ),
    Published(
        "Llama and Mistral, a window",
        _hf("LlamaForCausalLM", "LlamaConfig", **_SIZE, use_cache=False),
        _hf(
            "MistralForCausalLM",
            "MistralConfig",
            **_SIZE,
            num_key_value_heads=4,
            sliding_window=4,
            use_cache=False,
        ),
        "mask of the two attentions: all words before in A, four words in B",
        kind="different",
    ),
    Published(
        "BART and mBART",
        _hf("BartModel", "BartConfig", **_BARTS),
        _hf("MBartModel", "MBartConfig", **_BARTS),
        "norms of every block behind its sums in A, before attention and MLP in B; a norm behind "
        "all blocks of encoder and decoder only in B; which word the decoder begins with (2 in A, "
        "the last of the input in B)",
        kind="different",
        unset=r"^(encoder|decoder)\.layer_norm",
    ),
)
