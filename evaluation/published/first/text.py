"""Networks that read text, and proteins."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...pairs.nets import Shapes
from ..pairs import Published, Values, call, output, torch
from ..rules import changed, dropped, halved, renamed, split

IDS: Final[Shapes] = {"input_ids": ((1, 12), "int64")}
_TRANSFORMERS: Final = "import transformers"

_ESM: Final = """
from esm.model.esm2 import ESM2
"""
_OWN_ESM: Final = "ESM2(num_layers=2, embed_dim=64, attention_heads=4)"
_OF_ESM: Final = (
    dropped("inv_freq"),
    renamed(
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
        (r"^contact_head", "esm.contact_head"),
        (r"^embed_tokens", "esm.embeddings.word_embeddings"),
    ),
    renamed((r"^lm_head\.weight", "lm_head.decoder.weight")),
)


def _esm(dropout: bool) -> str:
    return (
        "transformers.EsmForMaskedLM(transformers.EsmConfig(vocab_size=33, mask_token_id=32, "
        "pad_token_id=1, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, "
        "intermediate_size=256, max_position_embeddings=64, position_embedding_type='rotary', "
        f"layer_norm_eps=1e-5, token_dropout={dropout}, emb_layer_norm_before=False))"
    )


def _acids(values: Values) -> Values:
    """Numbers of amino acids: those of masks and ends come last."""
    return [values[0] % 20 + 4]


_BERT: Final = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "max_position_embeddings": 64,
}

_MAMBA: Final = """
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

_LLAMA: Final = {
    "vocab_size": 100,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "mlp_bias": True,
    "rms_norm_eps": 1e-12,
    "use_cache": False,
}
_X: Final = torch(
    "x_transformers",
    "from x_transformers import Decoder, TransformerWrapper",
    "TransformerWrapper(num_tokens=100, max_seq_len=32, use_abs_pos_emb=False, "
    "attn_layers=Decoder(dim=64, depth=2, heads=4, attn_dim_head=16, rotary_pos_emb=True, "
    "rotary_emb_dim=16, use_rmsnorm=True, ff_glu=True, ff_swish=True))",
    {"x": ((1, 12), "int64")},
)
_OF_X: Final = (
    dropped("inv_freq"),
    split(
        r"^attn_layers\.layers\.([13])\.1\.ff\.0\.proj\.(\w+)",
        r"model.layers.\1.mlp.up_proj.\2",
        r"model.layers.\1.mlp.gate_proj.\2",
    ),
    renamed(
        (r"^token_emb\.emb", "model.embed_tokens"),
        (r"^to_logits", "lm_head"),
        (r"^attn_layers\.final_norm\.g", "model.norm.weight"),
        (r"^attn_layers\.layers\.", "model.layers."),
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

_ALBERT: Final = """
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

PAIRS: Final = (
    Published(
        "ESM-2",
        torch("fair-esm", _ESM, _OWN_ESM, {"tokens": ((1, 12), "int64")}),
        torch("transformers", _TRANSFORMERS, _esm(True), IDS),
        "the same; embeddings scaled in both for words that training masks; further outputs",
        _OF_ESM,
        draw=_acids,
    ),
    Published(
        "ESM-2, other scale of embeddings",
        torch("fair-esm", _ESM, _OWN_ESM, {"tokens": ((1, 12), "int64")}),
        torch("transformers", _TRANSFORMERS, _esm(False), IDS),
        "embeddings scaled by 0.88 for words that training masks only in A",
        _OF_ESM,
        kind="different",
        draw=_acids,
    ),
    Published(
        "BERT, 2018",
        torch(
            "pytorch_pretrained_bert",
            "from pytorch_pretrained_bert import BertConfig, BertModel",
            f"BertModel({call('BertConfig', 100, **_BERT)})",
            IDS,
        ),
        torch(
            "transformers",
            _TRANSFORMERS,
            f"transformers.BertModel({call('transformers.BertConfig', vocab_size=100, **_BERT)})",
            IDS,
        ),
        "the same; A returns the output of every layer",
        ours=output(1),
    ),
    Published(
        "Mamba",
        torch(
            "mambapy",
            "from mambapy.mamba import Mamba, MambaConfig",
            "Mamba(MambaConfig(d_model=32, n_layers=2))",
            {"x": (1, 16, 32)},
        ),
        torch(
            "transformers",
            _MAMBA,
            "Layers(transformers.MambaModel(transformers.MambaConfig("
            "vocab_size=100, hidden_size=32, num_hidden_layers=2)))",
            {"x": (1, 16, 32)},
        ),
        "the same; the scan over the length is parallel in A, a step after another in B",
    ),
    Published(
        "Llama, x-transformers",
        _X,
        torch(
            "transformers",
            _TRANSFORMERS,
            f"transformers.LlamaForCausalLM({call('transformers.LlamaConfig', **_LLAMA)})",
            IDS,
        ),
        "the same; rotary positions in pairs in A, in halves in B; gate and up in one weight in A; "
        "scales of norms held less 1 in A",
        _OF_X,
    ),
    Published(
        "Llama, other base of positions",
        _X,
        torch(
            "transformers",
            _TRANSFORMERS,
            "transformers.LlamaForCausalLM({})".format(
                call(
                    "transformers.LlamaConfig",
                    rope_parameters={"rope_type": "default", "rope_theta": 500000.0},
                    **_LLAMA,
                )
            ),
            IDS,
        ),
        "base of the rotary positions: 10,000 in A, 500,000 in B",
        _OF_X,
        kind="different",
    ),
    Published(
        "ALBERT, curated",
        torch(
            "curated_transformers",
            _ALBERT,
            "Whole(ALBERTEncoder({}))".format(
                call(
                    "ALBERTConfig",
                    embedding_width=32,
                    hidden_width=64,
                    intermediate_width=128,
                    n_attention_heads=4,
                    n_hidden_layers=2,
                    n_pieces=100,
                    n_positions=64,
                )
            ),
            IDS,
        ),
        torch(
            "transformers",
            _TRANSFORMERS,
            "transformers.AlbertModel({}, add_pooling_layer=False)".format(
                call("transformers.AlbertConfig", vocab_size=100, embedding_size=32, **_BERT)
            ),
            IDS,
        ),
        "the same; one layer run twice, with the weights of one",
        (
            renamed(
                (r"^network\.embeddings\.projection", "encoder.embedding_hidden_mapping_in"),
                (r"^network\.embeddings\.piece_", "embeddings.word_"),
                (r"^network\.embeddings\.type_", "embeddings.token_type_"),
                (r"^network\.embeddings\.position_", "embeddings.position_"),
                (r"^network\.embeddings\.embed_output_layer_norm", "embeddings.LayerNorm"),
                (
                    r"^network\.groups\.0\.group_layers\.0\.",
                    "encoder.albert_layer_groups.0.albert_layers.0.",
                ),
                (r"mha\.output", "attention.dense"),
                (r"mha\.", "attention."),
                (r"ffn\.intermediate", "ffn"),
                (r"ffn\.output", "ffn_output"),
                (r"attn_residual_layer_norm", "attention.LayerNorm"),
                (r"ffn_residual_layer_norm", "full_layer_layer_norm"),
            ),
        ),
    ),
)
