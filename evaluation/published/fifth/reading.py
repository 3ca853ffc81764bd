"""Networks that read text, and those that read and write."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..fourth.writing import SIZE, hf
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, changed, dropped, halved, interleaved, renamed, split

_ROPE: Final = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
_EXACT: Final = {"layer_norm_eps": 1e-12, "type_vocab_size": 2}
_UNPOOLED: Final = ", add_pooling_layer=False"

_TO_ROFORMER: Final[tuple[Rule, ...]] = (
    interleaved(r"[qk]_proj", 4),
    renamed(
        (r"^layers\.", "encoder.layer."),
        (r"self_attn\.q_proj", "attention.self.query"),
        (r"self_attn\.k_proj", "attention.self.key"),
        (r"self_attn\.v_proj", "attention.self.value"),
        (r"self_attn\.o_proj", "attention.output.dense"),
        (r"post_attention_layernorm", "attention.output.LayerNorm"),
        (r"mlp\.fc1", "intermediate.dense"),
        (r"mlp\.fc2", "output.dense"),
        (r"post_mlp_layernorm", "output.LayerNorm"),
    ),
)


def _without(*names: str) -> Rule:
    """Biases of 0 beside weights whose names end so."""

    def rule(arrays: Arrays) -> Arrays:
        found = dict(arrays)
        for name, array in arrays.items():
            if name.endswith(tuple(f"{one}.weight" for one in names)):
                found[f"{name[:-6]}bias"] = np.zeros(len(array), np.float32)
        return found

    return rule


_NOMIC: Final = hf("NomicBertModel", "NomicBertConfig", _UNPOOLED, **SIZE, **_ROPE, **_EXACT)


def _gte(act: str) -> Net:
    settings = SIZE | _ROPE | _EXACT
    return hf("GteModel", "GteConfig", _UNPOOLED, **settings, hidden_act=act)


_TO_GTE: Final[tuple[Rule, ...]] = (_without("q_proj", "k_proj", "v_proj", "o_proj", "down_proj"),)

_MEGATRON: Final = hf(
    "MegatronBertModel",
    "MegatronBertConfig",
    _UNPOOLED,
    **SIZE,
    **_EXACT,
    max_position_embeddings=32,
)


def _behind_padding(array: np.ndarray) -> np.ndarray:
    """Positions behind two rows that nothing reads."""
    return np.concatenate([np.zeros_like(array[:2]), array])


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


class Both(torch.nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, target):
        memory = self.encoder(source, return_embeddings=True)
        return self.decoder(target, context=memory)
"""
_FROM_X: Final[tuple[Rule, ...]] = (
    dropped("inv_freq"),
    split(
        r"^attn_layers\.layers\.([13])\.1\.ff\.0\.proj\.(\w+)",
        r"layers.\1.mlp.up_proj.\2",
        r"layers.\1.mlp.gate_proj.\2",
    ),
    renamed(
        (r"^token_emb\.emb", "embed_tokens"),
        (r"^attn_layers\.final_norm\.g", "norm.weight"),
        (r"^attn_layers\.", ""),
        (r"([02])\.0\.0\.g$", r"\1.input_layernorm.weight"),
        (r"([13])\.0\.0\.g$", r"\1.post_attention_layernorm.weight"),
        (r"\.1\.to_([qkv])", r".self_attn.\1_proj"),
        (r"\.1\.to_out", ".self_attn.o_proj"),
        (r"\.1\.ff\.2", ".mlp.down_proj"),
        (r"layers\.1\.", "layers.0."),
        (r"layers\.[23]\.", "layers.1."),
    ),
    halved(r"[qk]_proj", 4),
    changed(r"norm\.weight", lambda array: array + np.float32(1)),
)

_TWO: Final[Shapes] = {"source": ((1, 12), "int64"), "target": ((1, 9), "int64")}
_HF_TWO: Final[Shapes] = {"input_ids": ((1, 12), "int64"), "decoder_input_ids": ((1, 9), "int64")}


def _half(layers: str, settings: dict[str, Any]) -> str:
    whole = "x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, "
    told = {"dim": 48, "depth": 2, "heads": 4, "attn_dim_head": 12, "ff_mult": 2, **settings}
    only = "return_only_embed=True, " if layers == "Encoder" else ""
    return f"{whole}{only}attn_layers={call(f'x_transformers.{layers}', **told)})"


def _of_halves(name: str) -> str:
    """A weight of an encoder or decoder of x-transformers, as Blenderbot calls it."""
    parts = {
        "encoder": ("self_attn", "final"),
        "decoder": ("self_attn", "encoder_attn", "final"),
    }

    def place(match: re.Match[str]) -> str:
        block, kind = divmod(int(match[2]), len(parts[match[1]]))
        part = parts[match[1]][kind]
        rest = re.sub(r"^0\.0\.gamma", f"{part}_layer_norm.weight", match[3])
        rest = re.sub(r"^1\.to_([qkv])", rf"{part}.\1_proj", rest)
        rest = re.sub(r"^1\.to_out", rf"{part}.out_proj", rest)
        rest = rest.replace("1.ff.0.0", "fc1").replace("1.ff.2", "fc2")
        return f"model.{match[1]}.layers.{block}.{rest}"

    name = re.sub(r"^(\w+coder)\.attn_layers\.layers\.(\d)\.(.*)", place, name)
    name = re.sub(r"^(\w+coder)\.token_emb\.emb", r"model.\1.embed_tokens", name)
    name = re.sub(r"^(\w+coder)\.pos_emb\.emb", r"model.\1.embed_positions", name)
    name = re.sub(
        r"^(\w+coder)\.attn_layers\.final_norm\.gamma", r"model.\1.layer_norm.weight", name
    )
    return re.sub(r"^decoder\.to_logits", "lm_head", name)


_TO_BLENDERBOT: Final[tuple[Rule, ...]] = (
    changed(r"pos_emb", lambda array: array * np.float32(48**-0.5)),
    changed(r"gamma", lambda array: array + np.float32(1)),
    lambda arrays: {_of_halves(name): array for name, array in arrays.items()},
    _without("norm", "q_proj", "k_proj", "v_proj", "out_proj"),
)

_CURATED: Final = """
import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import ALBERTConfig, ALBERTEncoder


class Whole(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        mask = AttentionMask(torch.ones_like(input_ids, dtype=torch.bool))
        return self.network(input_ids, mask).all_outputs[-1]
"""
_FROM_REMBERT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^encoder\.embedding_hidden_mapping_in", "network.embeddings.projection"),
        (r"^embeddings\.word_", "network.embeddings.piece_"),
        (r"^embeddings\.token_type_", "network.embeddings.type_"),
        (r"^embeddings\.position_", "network.embeddings.position_"),
        (r"^embeddings\.LayerNorm", "network.embeddings.embed_output_layer_norm"),
        (r"^encoder\.layer\.(\d)", r"network.groups.\1.group_layers.0"),
        (r"attention\.self", "mha"),
        (r"attention\.output\.dense", "mha.output"),
        (r"attention\.output\.LayerNorm", "attn_residual_layer_norm"),
        (r"\.intermediate\.dense", ".ffn.intermediate"),
        (r"\.output\.dense", ".ffn.output"),
        (r"\.output\.LayerNorm", ".ffn_residual_layer_norm"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "Jina v3 and RoFormer",
        hf("JinaEmbeddingsV3Model", "JinaEmbeddingsV3Config", _UNPOOLED, **SIZE, **_ROPE, **_EXACT),
        hf("RoFormerModel", "RoFormerConfig", **SIZE, **_EXACT),
        "the same; rotary positions in halves in A, on neighbours and from a table in B",
        _TO_ROFORMER,
    ),
    Published(
        "Nomic BERT and GTE",
        _NOMIC,
        _gte("silu"),
        "the same; biases of attention and MLP only in B, of 0",
        _TO_GTE,
    ),
    Published(
        "Nomic BERT and GTE, other activation",
        _NOMIC,
        _gte("gelu"),
        "activation of the gates of both MLPs: Silu in A, Gelu by Erf in B",
        _TO_GTE,
        kind="different",
    ),
    Published(
        "XLM-RoBERTa XL and Megatron's BERT",
        hf(
            "XLMRobertaXLModel",
            "XLMRobertaXLConfig",
            _UNPOOLED,
            **SIZE,
            **_EXACT,
            max_position_embeddings=34,
        ),
        _MEGATRON,
        "the same; rows of positions from 2 and counted over words in A, from 0 in B",
        (
            changed(r"position_embeddings", lambda array: array[2:]),
            renamed(
                (r"attention\.self_attn_layer_norm", "attention.ln"),
                (r"^encoder\.layer\.(\d)\.LayerNorm", r"encoder.layer.\1.ln"),
                (r"^encoder\.LayerNorm", "encoder.ln"),
            ),
        ),
    ),
    Published(
        "Megatron's BERT and RoBERTa of norms before",
        _MEGATRON,
        hf(
            "RobertaPreLayerNormModel",
            "RobertaPreLayerNormConfig",
            _UNPOOLED,
            **SIZE,
            **_EXACT,
            max_position_embeddings=34,
        ),
        "only in B: a LayerNormalization of the embeddings",
        (
            changed(r"position_embeddings", _behind_padding),
            renamed(
                (r"attention\.ln", "attention.LayerNorm"),
                (r"^encoder\.layer\.(\d)\.ln", r"encoder.layer.\1.intermediate.LayerNorm"),
                (r"^encoder\.ln", "LayerNorm"),
            ),
        ),
        kind="different",
        unset=r"^embeddings\.LayerNorm",
    ),
    Published(
        "EuroBERT, x-transformers",
        torch(
            "x_transformers",
            _X,
            "States(x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, "
            "use_abs_pos_emb=False, attn_layers=x_transformers.Encoder(dim=48, depth=2, heads=4, "
            "attn_dim_head=12, rotary_pos_emb=True, rotary_emb_dim=12, use_rmsnorm=True, "
            "ff_glu=True, ff_swish=True, ff_mult=2)))",
            {"x": ((1, 12), "int64")},
        ),
        hf(
            "EuroBertModel",
            "EuroBertConfig",
            **SIZE | {"intermediate_size": 96},
            **_ROPE,
            mlp_bias=True,
            rms_norm_eps=1e-12,
            pad_token_id=0,
            use_cache=False,
        ),
        "the same; rotary positions on neighbours in A, in halves in B; gate and up in one weight "
        "and scales of norms held less 1 in A",
        _FROM_X,
    ),
    Published(
        "Blenderbot, x-transformers",
        torch(
            "x_transformers",
            _X,
            f"Both({_half('Encoder', {})}, {_half('Decoder', {'cross_attend': True})})",
            _TWO,
        ),
        torch(
            "transformers",
            "import transformers",
            "transformers.BlenderbotForConditionalGeneration({})".format(
                call(
                    "transformers.BlenderbotConfig",
                    vocab_size=100,
                    d_model=48,
                    encoder_layers=2,
                    decoder_layers=2,
                    encoder_attention_heads=4,
                    decoder_attention_heads=4,
                    encoder_ffn_dim=96,
                    decoder_ffn_dim=96,
                    max_position_embeddings=32,
                    scale_embedding=False,
                    tie_word_embeddings=False,
                    use_cache=False,
                )
            ),
            _HF_TWO,
        ),
        "the same; positions over the root of 48 in A, which B has in its weights; biases of norms "
        "and attentions only in B, of 0",
        _TO_BLENDERBOT,
        unset=r"^model\.shared",
    ),
    Published(
        "RemBERT and ALBERT of two groups",
        hf(
            "RemBertModel",
            "RemBertConfig",
            _UNPOOLED,
            **SIZE,
            **_EXACT,
            input_embedding_size=32,
            max_position_embeddings=32,
            hidden_act="gelu_new",
        ),
        torch(
            "curated_transformers",
            _CURATED,
            "Whole(ALBERTEncoder({}))".format(
                call(
                    "ALBERTConfig",
                    embedding_width=32,
                    hidden_width=48,
                    intermediate_width=112,
                    n_attention_heads=4,
                    n_hidden_layers=2,
                    n_hidden_groups=2,
                    n_pieces=100,
                    n_positions=32,
                )
            ),
            IDS,
        ),
        "the same; a group of layers is one layer in B",
        _FROM_REMBERT,
    ),
)
