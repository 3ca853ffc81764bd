"""Networks that read text, and that write it."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..first.text import IDS
from ..fourth.writing import SIZE, hf
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, changed, dropped, halved, renamed, transposed, zeros
from ..wrapper import HF

_SIZE: Final[dict[str, Any]] = dict(SIZE)
_DISTIL: Final = hf(
    "DistilBertModel",
    "DistilBertConfig",
    vocab_size=100,
    dim=48,
    n_layers=2,
    n_heads=4,
    hidden_dim=112,
    max_position_embeddings=32,
)
_BERT: Final = hf(
    "BertModel", "BertConfig", ", add_pooling_layer=False", **_SIZE, max_position_embeddings=32
)


def _one_sort_of_words(arrays: Arrays) -> Arrays:
    return arrays | {"embeddings.token_type_embeddings.weight": np.zeros((2, 48), np.float32)}


_FROM_DISTIL: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^transformer\.layer", "encoder.layer"),
        (r"attention\.q_lin", "attention.self.query"),
        (r"attention\.k_lin", "attention.self.key"),
        (r"attention\.v_lin", "attention.self.value"),
        (r"attention\.out_lin", "attention.output.dense"),
        (r"sa_layer_norm", "attention.output.LayerNorm"),
        (r"ffn\.lin1", "intermediate.dense"),
        (r"ffn\.lin2", "output.dense"),
        (r"output_layer_norm", "output.LayerNorm"),
    ),
    _one_sort_of_words,
)


def _opt(**settings: Any) -> Net:
    return hf(
        "OPTForCausalLM",
        "OPTConfig",
        vocab_size=100,
        hidden_size=48,
        word_embed_proj_dim=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        ffn_dim=112,
        max_position_embeddings=32,
        tie_word_embeddings=False,
        use_cache=False,
        **settings,
    )


_GPT2_SIZE: Final[dict[str, Any]] = {
    "vocab_size": 100,
    "n_embd": 48,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 32,
    "n_inner": 112,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "tie_word_embeddings": False,
    "use_cache": False,
}


def _joined_rows(name: str) -> Rule:
    """Weights of queries, keys and values, as one that is multiplied from the left."""

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        pieces: dict[str, dict[str, np.ndarray]] = {}
        for own, array in arrays.items():
            match = re.search(r"^(.*)\.([qkv])_proj\.(\w+)$", own)
            if match is None:
                found[own] = array
            else:
                pieces.setdefault(f"{match[1]}.{name}.{match[3]}", {})[match[2]] = array
        return found | {
            whole: np.concatenate([parts[one] for one in "qkv"]) for whole, parts in pieces.items()
        }

    return rule


_OPT_TO_GPT2: Final[tuple[Rule, ...]] = (
    _joined_rows("c_attn"),
    renamed(
        (r"^model\.decoder\.layers", "transformer.h"),
        (r"^model\.decoder\.embed_tokens", "transformer.wte"),
        (r"^model\.decoder\.embed_positions", "transformer.wpe"),
        (r"^model\.decoder\.final_layer_norm", "transformer.ln_f"),
        (r"self_attn_layer_norm", "ln_1"),
        (r"final_layer_norm", "ln_2"),
        (r"self_attn\.out_proj", "attn.c_proj"),
        (r"self_attn", "attn"),
        (r"\.fc1", ".mlp.c_fc"),
        (r"\.fc2", ".mlp.c_proj"),
    ),
    transposed(r"(c_attn|c_proj|c_fc)\.weight"),
    changed(r"wpe", lambda array: array[2:]),
)

_IMAGE_GPT: Final = hf(
    "ImageGPTModel", "ImageGPTConfig", **_GPT2_SIZE, activation_function="gelu_new"
)
_BARE_GPT2: Final = hf("GPT2Model", "GPT2Config", **_GPT2_SIZE)

_STATES: Final[Shapes] = {"x": (1, 6, 48), "memory": (1, 10, 48)}

_Q_FORMER: Final = """
import torch
import transformers


class Querying(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        network = transformers.Blip2QFormerModel(config)
        self.layernorm = network.layernorm
        self.encoder = network.encoder

    def forward(self, x, memory):
        x = self.layernorm(x)
        found = self.encoder(x, encoder_hidden_states=memory, query_length=x.shape[1])
        return found.last_hidden_state
"""
_CROSSED_BERT: Final = """
import torch
import transformers


class Crossed(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        network = transformers.BertModel(config, add_pooling_layer=False)
        self.norm = network.embeddings.LayerNorm
        self.encoder = network.encoder

    def forward(self, x, memory):
        mask = torch.zeros(x.shape[0], 1, x.shape[1], x.shape[1])
        found = self.encoder(self.norm(x), mask, encoder_hidden_states=memory)
        return found.last_hidden_state
"""


def _crossed_bert(act: str) -> Net:
    config = call(
        "transformers.BertConfig",
        **_SIZE,
        is_decoder=True,
        add_cross_attention=True,
        hidden_act=act,
        use_cache=False,
    )
    return torch("transformers", _CROSSED_BERT, f"Crossed({config})", _STATES)


_BLOOM_SIZE: Final[dict[str, Any]] = {
    "vocab_size": 100,
    "hidden_size": 48,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "tie_word_embeddings": False,
    "use_cache": False,
}
_BLOOM: Final = torch(
    "transformers",
    """
import torch
import transformers


def without_first_norm(network):
    network.transformer.word_embeddings_layernorm = torch.nn.Identity()
    return network
""",
    "without_first_norm(transformers.BloomForCausalLM({}))".format(
        call("transformers.BloomConfig", **_BLOOM_SIZE, n_layer=2, n_head=4)
    ),
    IDS,
)
_FALCON_RW: Final = hf(
    "FalconForCausalLM",
    "FalconConfig",
    **_BLOOM_SIZE,
    num_hidden_layers=2,
    num_attention_heads=4,
    alibi=True,
    multi_query=False,
    parallel_attn=False,
    bias=True,
    activation="gelu_new",
)
_X_ALIBI: Final = torch(
    "x_transformers",
    "import torch\nimport x_transformers",
    "x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, use_abs_pos_emb=False, "
    "attn_layers=x_transformers.Decoder(dim=48, depth=2, heads=4, attn_dim_head=12, "
    "alibi_pos_bias=True, ff_mult=4, ff_custom_activation=torch.nn.GELU(approximate='tanh')))",
    {"x": ((1, 12), "int64")},
)


def _rows_by_head(arrays: Arrays) -> Arrays:
    """Queries, keys and values of a head beside each other, as Bloom has them."""
    found: Arrays = {}
    for name, array in arrays.items():
        match = re.search(r"^(.*)\.1\.to_q\.weight", name)
        if match is not None:
            parts = [arrays[f"{match[1]}.1.to_{one}.weight"].reshape(4, 12, 48) for one in "qkv"]
            found[f"{match[1]}.query_key_value.weight"] = np.stack(parts, 1).reshape(144, 48)
        elif re.search(r"\.1\.to_[kv]\.weight", name) is None:
            found[name] = array
    return found


_X_TO_BLOOM: Final[tuple[Rule, ...]] = (
    dropped(r"rel_pos|slopes"),
    _rows_by_head,
    changed(r"gamma", lambda array: array + np.float32(1)),
    renamed(
        (r"^attn_layers\.final_norm\.gamma", "transformer.ln_f.weight"),
        (r"^token_emb\.emb", "transformer.word_embeddings"),
        (r"^to_logits", "lm_head"),
        (r"^attn_layers\.layers\.([02])\.0\.0\.gamma", r"h.\1.input_layernorm.weight"),
        (r"^attn_layers\.layers\.([13])\.0\.0\.gamma", r"h.\1.post_attention_layernorm.weight"),
        (r"^attn_layers\.layers\.(\d)\.query", r"h.\1.self_attention.query"),
        (r"^attn_layers\.layers\.(\d)\.1\.to_out", r"h.\1.self_attention.dense"),
        (r"^attn_layers\.layers\.(\d)\.1\.ff\.0\.0", r"h.\1.mlp.dense_h_to_4h"),
        (r"^attn_layers\.layers\.(\d)\.1\.ff\.2", r"h.\1.mlp.dense_4h_to_h"),
        (r"^h\.[01]\.", "transformer.h.0."),
        (r"^h\.[23]\.", "transformer.h.1."),
    ),
    zeros("layernorm", "ln_f", "query_key_value", "self_attention.dense"),
)

_BOTH: Final[Shapes] = {"input_ids": ((1, 12), "int64"), "decoder_input_ids": ((1, 9), "int64")}


def _seq2seq(name: str, **settings: Any) -> Net:
    config = call(
        f"transformers.{name}Config",
        vocab_size=100,
        d_model=48,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=96,
        decoder_ffn_dim=96,
        max_position_embeddings=32,
        activation_function="gelu",
        use_cache=False,
        **settings,
    )
    build = f"transformers.{name}Model({config})"
    return torch("transformers", HF, build, _BOTH)


_KOSMOS: Final = """
import torch
import transformers
from transformers.models.kosmos2.configuration_kosmos2 import Kosmos2TextConfig
from transformers.models.kosmos2.modeling_kosmos2 import Kosmos2TextTransformer


class Blocks(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.layers = network.layers
        self.layer_norm = network.layer_norm

    def forward(self, x):
        mask = torch.full((x.shape[1], x.shape[1]), -1e9).triu(1)[None, None]
        for layer in self.layers:
            x = layer(x, mask)
        return self.layer_norm(x)
"""
_RETURNED: Final[Shapes] = {"x": (1, 10, 48)}
_KOSMOS_TEXT: Final = torch(
    "transformers",
    _KOSMOS,
    "Blocks(Kosmos2TextTransformer({}))".format(
        call(
            "Kosmos2TextConfig",
            vocab_size=100,
            embed_dim=48,
            layers=2,
            ffn_dim=96,
            attention_heads=4,
            max_position_embeddings=32,
            use_cache=False,
        )
    ),
    _RETURNED,
)


def _torchscale(act: str) -> Net:
    before = """
import torch
from torchscale.architecture.config import DecoderConfig
from torchscale.architecture.decoder import Decoder


class States(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        words = torch.zeros(x.shape[:2], dtype=torch.int64)
        return self.network(words, token_embeddings=x, features_only=True)[0]
"""
    config = call(
        "DecoderConfig",
        decoder_embed_dim=48,
        decoder_attention_heads=4,
        decoder_ffn_embed_dim=96,
        decoder_layers=2,
        subln=True,
        no_scale_embedding=True,
        activation_fn=act,
        dropout=0.0,
        vocab_size=-1,
    )
    return torch("torchscale", before, f"States(Decoder({config}))", _RETURNED)


_ARCEE: Final = hf(
    "ArceeForCausalLM",
    "ArceeConfig",
    **_SIZE | {"intermediate_size": 96},
    num_key_value_heads=4,
    rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    rms_norm_eps=1e-12,
    tie_word_embeddings=False,
    use_cache=False,
)
_X_SQUARED: Final = torch(
    "x_transformers",
    "import x_transformers",
    "x_transformers.TransformerWrapper(num_tokens=100, max_seq_len=32, use_abs_pos_emb=False, "
    "attn_layers=x_transformers.Decoder(dim=48, depth=2, heads=4, attn_dim_head=12, "
    "rotary_pos_emb=True, rotary_emb_dim=12, use_rmsnorm=True, ff_relu_squared=True, ff_mult=2, "
    "ff_no_bias=True))",
    {"x": ((1, 12), "int64")},
)
_X_TO_ARCEE: Final[tuple[Rule, ...]] = (
    dropped("inv_freq"),
    renamed(
        (r"^attn_layers\.final_norm\.g$", "model.norm.weight"),
        (r"^token_emb\.emb", "model.embed_tokens"),
        (r"^to_logits", "lm_head"),
        (r"^attn_layers\.layers\.([02])\.0\.0\.g$", r"h.\1.input_layernorm.weight"),
        (r"^attn_layers\.layers\.([13])\.0\.0\.g$", r"h.\1.post_attention_layernorm.weight"),
        (r"^attn_layers\.layers\.(\d)\.1\.to_([qkv])", r"h.\1.self_attn.\2_proj"),
        (r"^attn_layers\.layers\.(\d)\.1\.to_out", r"h.\1.self_attn.o_proj"),
        (r"^attn_layers\.layers\.(\d)\.1\.ff\.0\.0", r"h.\1.mlp.up_proj"),
        (r"^attn_layers\.layers\.(\d)\.1\.ff\.2", r"h.\1.mlp.down_proj"),
        (r"^h\.[01]\.", "model.layers.0."),
        (r"^h\.[23]\.", "model.layers.1."),
    ),
    halved(r"[qk]_proj", 4),
    changed(r"norm\.weight", lambda array: array + np.float32(1)),
)


def _t5(**settings: Any) -> dict[str, Any]:
    return {
        "vocab_size": 100,
        "d_model": 48,
        "d_kv": 12,
        "d_ff": 96,
        "num_layers": 2,
        "num_heads": 4,
        "feed_forward_proj": "gated-gelu",
        "use_cache": False,
        **settings,
    }


_T5: Final = hf("T5EncoderModel", "T5Config", **_t5())


_ALL_SEEN: Final = """
import torch
import transformers


class Seen(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        return self.network(input_ids, attention_mask=torch.ones_like(input_ids))
"""


def _long_t5(radius: int) -> Net:
    config = call(
        "transformers.LongT5Config",
        **_t5(local_radius=radius, encoder_attention_type="local"),
    )
    build = f"Seen(transformers.LongT5EncoderModel({config}))"
    return torch("transformers", _ALL_SEEN, build, IDS)


_TO_LONG_T5: Final[tuple[Rule, ...]] = (
    renamed((r"(encoder\.block.*)\.SelfAttention", r"\1.LocalSelfAttention"), (r"^", "network.")),
)


def _cohere(name: str, **settings: Any) -> Net:
    return hf(
        f"{name}ForCausalLM",
        f"{name}Config",
        **_SIZE,
        num_key_value_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
        tie_word_embeddings=False,
        use_cache=False,
        **settings,
    )


PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "DistilBERT and BERT",
        _DISTIL,
        _BERT,
        "the same; embeddings of the sort of a word only in B, of 0",
        _FROM_DISTIL,
    ),
    Published(
        "OPT and GPT-2 with Relu",
        _opt(),
        hf("GPT2LMHeadModel", "GPT2Config", **_GPT2_SIZE, activation_function="relu"),
        "the same; three weights of queries, keys and values in A, one in B, held the other way; "
        "rows of positions from 2 in A",
        _OPT_TO_GPT2,
    ),
    Published(
        "OPT, norms elsewhere",
        _opt(_remove_final_layer_norm=True),
        _opt(do_layer_norm_before=False),
        "norms of both layers: before attention and MLP in A, behind their sums in B",
        kind="different",
    ),
    Published(
        "Image GPT and GPT-2",
        _IMAGE_GPT,
        _BARE_GPT2,
        "every norm: divided by the root of the mean of squares in A, a LayerNormalization in B",
        (zeros("ln_1", "ln_2", "ln_f"),),
        kind="different",
    ),
    Published(
        "Q-Former and BERT with a memory",
        torch(
            "transformers",
            _Q_FORMER,
            "Querying({})".format(
                call(
                    "transformers.Blip2QFormerConfig",
                    **_SIZE,
                    encoder_hidden_size=48,
                    cross_attention_frequency=1,
                )
            ),
            _STATES,
        ),
        _crossed_bert("gelu"),
        "the same; queries in place of words, and an MLP of their own in A",
        (
            renamed(
                (r"^layernorm", "norm"),
                (r"\.attention\.attention\.", ".attention.self."),
                (r"intermediate_query", "intermediate"),
                (r"output_query", "output"),
                (r"crossattention\.attention\.", "crossattention.self."),
            ),
        ),
    ),
    Published(
        "x-transformers with ALiBi and Bloom",
        _X_ALIBI,
        _BLOOM,
        "the same; distances between words in A, positions of keys alone in B, which Softmax does "
        "not tell apart; B's norm of embeddings is taken out",
        _X_TO_BLOOM,
    ),
    Published(
        "Bloom and Falcon RW",
        _BLOOM,
        _FALCON_RW,
        "positions are added to scores that are scaled in A, before both are scaled in B",
        kind="different",
    ),
    Published(
        "BART and the small Blenderbot",
        _seq2seq("Bart"),
        _seq2seq("BlenderbotSmall"),
        "the decoder's norm of embeddings: behind the sum with positions in A, before it in B",
        (changed(r"embed_positions", lambda array: array[2:]),),
        kind="different",
    ),
    Published(
        "Kosmos 2, TorchScale",
        _KOSMOS_TEXT,
        _torchscale("gelu"),
        "the same; norms within attention and MLP; a mask of a large number in A, of infinity in B",
        (
            renamed(
                (r"^", "network."),
                (r"(self_attn)\.inner_attn_ln", r"\1.inner_attn_ln"),
                (r"ffn\.ffn_layernorm", "ffn.ffn_layernorm"),
            ),
        ),
    ),
    Published(
        "Kosmos 2, TorchScale, other activation",
        _KOSMOS_TEXT,
        _torchscale("relu"),
        "activation of both MLPs: Gelu by Erf in A, Relu in B",
        (renamed((r"^", "network.")),),
        kind="different",
    ),
    Published(
        "Arcee, x-transformers",
        _X_SQUARED,
        _ARCEE,
        "the same; rotary positions on neighbours in A, in halves in B; scales of norms held less "
        "1 in A; Relu squared",
        _X_TO_ARCEE,
    ),
    Published(
        "T5's encoder and LongT5's, all within reach",
        _T5,
        _long_t5(12),
        "the same; words are put in one block and see it and two empty, masked ones in B",
        _TO_LONG_T5,
    ),
    Published(
        "T5's encoder and LongT5's",
        _T5,
        _long_t5(3),
        "a word sees all in A, the three on either side in B",
        _TO_LONG_T5,
        kind="different",
    ),
    Published(
        "Cohere and Cohere 2",
        _cohere("Cohere"),
        _cohere("Cohere2", sliding_window=64, layer_types=["sliding_attention", "full_attention"]),
        "rotary positions: in both layers of A, in the first alone in B",
        kind="different",
    ),
)
