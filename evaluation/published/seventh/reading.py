"""Networks that read text and proteins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..fourth.writing import SIZE, hf
from ..pairs import Published, Values, call, torch
from ..rules import Rule, changed, dropped, halved, joined, renamed, swapped, zeros
from ..wrapper import HF, wrapped

_SIZE: Final[dict[str, Any]] = dict(SIZE)
_WORDS: Final[Shapes] = {"x": ((1, 12), "int64")}
_MORE_WORDS: Final[Shapes] = {"x": ((1, 24), "int64")}

_X_MODERN: Final = torch(
    "x_transformers",
    """
import torch
import x_transformers


class Reading(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = x_transformers.TransformerWrapper(
            num_tokens=100,
            max_seq_len=32,
            use_abs_pos_emb=False,
            post_emb_norm=True,
            attn_layers=x_transformers.Encoder(
                dim=48,
                depth=2,
                heads=4,
                attn_dim_head=12,
                rotary_pos_emb=True,
                rotary_emb_dim=12,
                ff_glu=True,
                ff_mult=2,
            ),
        )
        self.network.to_logits = torch.nn.Identity()
        self.network.attn_layers.layers[0][0][0] = torch.nn.Identity()

    def forward(self, x):
        return self.network(x)
""",
    "Reading()",
    _WORDS,
)
_MODERN_BERT: Final = hf(
    "ModernBertModel",
    "ModernBertConfig",
    **_SIZE | {"intermediate_size": 96},
    mlp_bias=True,
    layer_types=["full_attention", "full_attention"],
    rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 10000.0}},
    pad_token_id=0,
    max_position_embeddings=32,
)
_X_LAYER: Final = r"^network\.attn_layers\.layers\.(\d)"


def _by_layer(*names: tuple[str, str]) -> Rule:
    """Attention and MLP, which come after one another in A, as parts of the layers of B."""
    return renamed(
        *((rf"{_X_LAYER}\.{own}", rf"h.\1.{name}") for own, name in names),
        (r"^h\.[01]\.", "layers.0."),
        (r"^h\.[23]\.", "layers.1."),
    )


_TO_MODERN: Final[tuple[Rule, ...]] = (
    dropped("inv_freq"),
    changed(r"attn_layers.*gamma", lambda array: array + np.float32(1)),
    renamed(
        (r"layers\.2\.0\.0\.gamma", "layers.2.attn_norm.weight"),
        (r"layers\.([13])\.0\.0\.gamma", r"layers.\1.mlp_norm.weight"),
    ),
    _by_layer(
        (r"(attn_norm|mlp_norm)", r"\2"),
        (r"1\.to_([qkv])\.weight", r"attn.\2.weight"),
        (r"1\.to_out", "attn.Wo"),
        (r"1\.ff\.0\.proj", "mlp.Wi"),
        (r"1\.ff\.\d", "mlp.Wo"),
    ),
    renamed(
        (r"^network\.post_emb_norm\.gamma", "embeddings.norm.weight"),
        (r"^network\.token_emb\.emb", "embeddings.tok_embeddings"),
        (r"^network\.attn_layers\.final_norm\.gamma", "final_norm.weight"),
    ),
    halved(r"attn\.[qk]\.", 4),
    joined(r"^(.*attn)\.(?P<part>[qkv])\.weight", r"\1.Wqkv.weight", ("q", "k", "v")),
)


def _x_mpnet(reach: int) -> Net:
    before = f"""
import torch
import x_transformers


class Reading(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = x_transformers.TransformerWrapper(
            num_tokens=100,
            max_seq_len=32,
            post_emb_norm=True,
            attn_layers=x_transformers.Encoder(
                dim=48,
                depth=2,
                heads=4,
                attn_dim_head=12,
                pre_norm=False,
                rel_pos_bias=True,
                disable_abs_pos_emb=False,
                rel_pos_num_buckets=32,
                rel_pos_max_distance={reach},
                ff_mult=2,
            ),
        )
        self.network.to_logits = torch.nn.Identity()

    def forward(self, x):
        return self.network(x)
"""
    return torch("x_transformers", before, "Reading()", _MORE_WORDS)


_MPNET: Final = torch(
    "transformers",
    HF,
    "transformers.MPNetModel({}, add_pooling_layer=False)".format(
        call(
            "transformers.MPNetConfig",
            **_SIZE | {"intermediate_size": 96},
            max_position_embeddings=34,
            layer_norm_eps=1e-5,
            relative_attention_num_buckets=32,
        )
    ),
    {"input_ids": ((1, 24), "int64")},
)


def _two_rows_more(array: np.ndarray) -> np.ndarray:
    """Positions behind two rows that nothing reads, scaled by the root of the width."""
    rows = array / np.sqrt(array.shape[1])
    return np.concatenate([np.zeros_like(rows[:2]), rows]).astype(array.dtype)


_TO_MPNET: Final[tuple[Rule, ...]] = (
    changed(r"attn_layers.*gamma", lambda array: array + np.float32(1)),
    changed(r"pos_emb\.emb", _two_rows_more),
    changed(r"relative_attention_bias", lambda array: array * np.float32(12**0.5)),
    renamed(
        (r"layers\.([02])\.0\.2\.gamma", r"layers.\1.attention.LayerNorm.weight"),
        (r"layers\.([13])\.0\.2\.gamma", r"layers.\1.output.LayerNorm.weight"),
    ),
    _by_layer(
        (r"(attention|output)\.LayerNorm", r"\2.LayerNorm"),
        (r"1\.to_([qkv])\.weight", r"attention.attn.\2.weight"),
        (r"1\.to_out", "attention.attn.o"),
        (r"1\.ff\.0\.0", "intermediate.dense"),
        (r"1\.ff\.2", "output.dense"),
    ),
    renamed(
        (r"^layers", "encoder.layer"),
        (r"^network\.post_emb_norm\.gamma", "embeddings.LayerNorm.weight"),
        (r"^network\.token_emb\.emb", "embeddings.word_embeddings"),
        (r"^network\.pos_emb\.emb", "embeddings.position_embeddings"),
        (r"^network\.attn_layers.*relative_attention_bias", "encoder.relative_attention_bias"),
    ),
    zeros("LayerNorm", "attn.q", "attn.k", "attn.v", "attn.o"),
)

_ESM_1B: Final = torch(
    "fair-esm",
    """
from argparse import Namespace
import esm
import torch
from esm.model.esm1 import ProteinBertModel


class Acids(torch.nn.Module):
    # Without the look for padding, on which the graph would depend.

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, tokens):
        x = self.network.embed_tokens(tokens) + self.network.embed_positions(tokens)
        x = self.network.emb_layer_norm_before(x).transpose(0, 1)
        for layer in self.network.layers:
            x = layer(x)[0]
        return self.network.lm_head(self.network.emb_layer_norm_after(x).transpose(0, 1))


def network():
    told = Namespace(
        arch="roberta_large", layers=2, embed_dim=48, ffn_embed_dim=96, attention_heads=4,
        max_positions=32, emb_layer_norm_before=True, token_dropout=False, final_bias=True,
    )
    return Acids(ProteinBertModel(told, esm.Alphabet.from_architecture("roberta_large")))
""",
    "network()",
    {"tokens": ((1, 12), "int64")},
)
_HF_ESM: Final = hf(
    "EsmForMaskedLM",
    "EsmConfig",
    vocab_size=33,
    mask_token_id=32,
    pad_token_id=1,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    max_position_embeddings=34,
    position_embedding_type="absolute",
    layer_norm_eps=1e-5,
    token_dropout=False,
    emb_layer_norm_before=True,
)
_TO_ESM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^layers\.(\d+)\.self_attn\.([qkv])_proj", r"esm.encoder.layer.\1.attention.self.\2"),
        (r"self\.q\.", "self.query."),
        (r"self\.k\.", "self.key."),
        (r"self\.v\.", "self.value."),
        (r"^layers\.(\d+)\.self_attn\.out_proj", r"esm.encoder.layer.\1.attention.output.dense"),
        (r"^layers\.(\d+)\.self_attn_layer_norm", r"esm.encoder.layer.\1.attention.LayerNorm"),
        (r"^layers\.(\d+)\.fc1", r"esm.encoder.layer.\1.intermediate.dense"),
        (r"^layers\.(\d+)\.fc2", r"esm.encoder.layer.\1.output.dense"),
        (r"^layers\.(\d+)\.final_layer_norm", r"esm.encoder.layer.\1.LayerNorm"),
        (r"^emb_layer_norm_after", "esm.encoder.emb_layer_norm_after"),
        (r"^emb_layer_norm_before", "esm.embeddings.layer_norm"),
        (r"^embed_positions", "esm.embeddings.position_embeddings"),
        (r"^contact_head", "esm.contact_head"),
        (r"^embed_tokens", "esm.embeddings.word_embeddings"),
        (r"^lm_head\.weight", "lm_head.decoder.weight"),
    ),
)


def _acids(values: Values) -> Values:
    """Numbers of amino acids: those of masks and ends come last."""
    return [values[0] % 20 + 4]


_BERT_2018: Final = torch(
    "pytorch_pretrained_bert",
    wrapped(
        "from pytorch_pretrained_bert import BertConfig, BertModel",
        "self.network(x, output_all_encoded_layers=False)[0]",
    ),
    "Of(BertModel({}))".format(
        call(
            "BertConfig",
            100,
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=112,
            max_position_embeddings=32,
        )
    ),
    _WORDS,
)


def _big_bird(*, scaled: bool) -> Net:
    return hf(
        "BigBirdModel",
        "BigBirdConfig",
        **_SIZE,
        attention_type="original_full",
        hidden_act="gelu",
        rescale_embeddings=scaled,
        max_position_embeddings=32,
        layer_norm_eps=1e-12,
        use_cache=False,
    )


_TO_BIG_BIRD: Final[tuple[Rule, ...]] = (
    renamed((r"^network\.", ""), (r"^pooler\.dense", "pooler")),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "ModernBERT, x-transformers",
        _X_MODERN,
        _MODERN_BERT,
        "the same; rotary positions on neighbours in A, in halves in B; the gated MLP's halves in "
        "the other order; A's first norm is taken out, which B lacks",
        (*_TO_MODERN, changed(r"mlp\.Wi", swapped)),
    ),
    Published(
        "MPNet, x-transformers",
        _x_mpnet(128),
        _MPNET,
        "the same; biases by distance; norms behind the sums; no bias of attention and norms in A, "
        "one of 0 in B",
        _TO_MPNET,
    ),
    Published(
        "MPNet, x-transformers, other distances",
        _x_mpnet(32),
        _MPNET,
        "the distance from which all have one bias: 32 in A, 128 in B",
        _TO_MPNET,
        kind="different",
    ),
    Published(
        "ESM-1b",
        _ESM_1B,
        _HF_ESM,
        "the same; time comes first in A; positions are learned",
        _TO_ESM,
        draw=_acids,
    ),
    Published(
        "BERT of 2018 and BigBird",
        _BERT_2018,
        _big_bird(scaled=False),
        "the same; B sees all words, as it does where there are few",
        _TO_BIG_BIRD,
    ),
    Published(
        "BERT of 2018 and BigBird, embeddings scaled",
        _BERT_2018,
        _big_bird(scaled=True),
        "embeddings of words: as they are in A, times the root of the width in B",
        _TO_BIG_BIRD,
        kind="different",
    ),
)
