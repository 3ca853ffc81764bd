"""Networks that write text, word after word."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..fifth.decoders import GROUPED, PLAIN, lit, of_lit, rope
from ..fourth.writing import SIZE, hf
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, interleaved, joined, renamed, split

_SIZE: Final[dict[str, Any]] = dict(SIZE)
_PLAIN: Final[dict[str, Any]] = dict(PLAIN)
_GROUPED: Final[dict[str, Any]] = dict(GROUPED)
_IDX: Final[Shapes] = {"idx": ((1, 12), "int64")}
_LIT_LLAMA: Final[dict[str, Any]] = {
    "norm_class_name": "RMSNorm",
    "norm_eps": 1e-5,
    "parallel_residual": False,
    "bias": False,
    "mlp_class_name": "LLaMAMLP",
    "rotary_percentage": 1.0,
}

_LIT_GLM: Final = lit(
    **_LIT_LLAMA | {"rotary_percentage": 0.5},
    n_query_groups=2,
    head_size=16,
    attn_bias=True,
    post_attention_norm=True,
    post_mlp_norm=True,
)
_GLM: Final = hf(
    "Glm4ForCausalLM",
    "Glm4Config",
    **_SIZE,
    **_PLAIN,
    **rope(10000.0, partial_rotary_factor=0.5),
    num_key_value_heads=2,
    head_dim=16,
    attention_bias=True,
    rms_norm_eps=1e-5,
    pad_token_id=0,
    eos_token_id=0,
)


def _first_rows_in_pairs(arrays: Arrays) -> Arrays:
    """Queries and keys whose first eight of sixteen rows are turned: halves as pairs."""
    found = dict(arrays)
    for name, array in arrays.items():
        heads = 4 if "q_proj" in name else 2 if "k_proj" in name else 0
        if heads:
            rows = array.reshape(heads, 16, *array.shape[1:])
            turned = interleaved("", heads)({"": rows[:, :8].reshape(-1, *array.shape[1:])})[""]
            turned = turned.reshape(heads, 8, *array.shape[1:])
            found[name] = np.concatenate([turned, rows[:, 8:]], 1).reshape(array.shape)
    return found


_TO_GLM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"post_attention_norm", "post_self_attn_layernorm"), (r"post_mlp_norm", "post_mlp_ln")
    ),
    split(
        r"^transformer\.h\.(\d)\.attn\.qkv\.(weight|bias)",
        *(rf"model.layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
        sizes=(64, 32, 32),
    ),
    *of_lit(64, 32, 32),
    renamed((r"post_mlp_ln", "post_mlp_layernorm")),
    joined(
        r"^(.*)mlp\.(?P<part>gate|up)_proj\.weight",
        r"\1mlp.gate_up_proj.weight",
        ("gate", "up"),
    ),
)

_LIT_OLMOE: Final = lit(
    **_LIT_LLAMA | {"mlp_class_name": "LLaMAMoE"},
    **_GROUPED,
    norm_qk=True,
    norm_qk_type="olmo2",
    moe_intermediate_size=32,
    n_expert=4,
    n_expert_per_token=2,
)


_OLMOE: Final = hf(
    "OlmoeForCausalLM",
    "OlmoeConfig",
    **_SIZE | {"intermediate_size": 32},
    **_PLAIN,
    **rope(),
    num_key_value_heads=2,
    num_experts=4,
    num_experts_per_tok=2,
    norm_topk_prob=True,
    rms_norm_eps=1e-5,
    experts_implementation="batched_mm",
)


def _stacked(arrays: Arrays) -> Arrays:
    """The experts of a layer, each with three weights, in two weights of three axes."""
    found = {name: array for name, array in arrays.items() if ".experts." not in name}
    for layer in range(2):
        held = f"model.layers.{layer}.mlp.experts"
        gate, up, down = (
            np.stack([arrays[f"{held}.{one}.{part}_proj.weight"] for one in range(4)])
            for part in ("gate", "up", "down")
        )
        found[f"{held}.gate_up_proj"] = np.concatenate([gate, up], 1)
        found[f"{held}.down_proj"] = down
    return found


_TO_OLMOE: Final[tuple[Rule, ...]] = (*of_lit(48, 24, 24), _stacked)

_SINES: Final = """
import math
import torch


class Writing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(100, 48)
        layer = torch.nn.TransformerEncoderLayer(
            48, 4, 112, activation="gelu", norm_first=True, batch_first=True
        )
        self.encoder = torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(48))

    def forward(self, x):
        length = x.shape[1]
        places = torch.arange(2, 2 + length, dtype=torch.float32)
        speed = torch.exp(torch.arange(24) * (-math.log(10000) / 23))
        turned = places[:, None] * speed
        positions = torch.cat([turned.sin(), turned.cos()], -1)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(length)
        states = self.words(x) * math.sqrt(48) + positions
        return self.encoder(states, mask=mask, is_causal=False)
"""
_XGLM: Final = hf(
    "XGLMModel",
    "XGLMConfig",
    vocab_size=100,
    d_model=48,
    ffn_dim=112,
    num_layers=2,
    attention_heads=4,
    max_position_embeddings=32,
    use_cache=False,
)


_TORCH_XGLM: Final = torch("torch", _SINES, "Writing()", {"x": ((1, 12), "int64")})


_FROM_XGLM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^embed_tokens", "words"),
        (r"^layer_norm", "encoder.norm"),
        (r"^layers", "encoder.layers"),
        (r"self_attn_layer_norm", "norm1"),
        (r"final_layer_norm", "norm2"),
        (r"fc(\d)", r"linear\1"),
    ),
    joined(
        r"^(.*)self_attn\.(?P<part>[qkv])_proj\.(weight|bias)",
        r"\1self_attn.in_proj_\3",
        ("q", "k", "v"),
    ),
)

_STATES: Final[Shapes] = {"x": (1, 12, 32)}
_FEWER: Final[Shapes] = {"x": (1, 7, 32)}
_DELTA_SIZE: Final = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "layer_types": ["linear_attention"],
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
}
_NEXT: Final = torch(
    "transformers",
    """
from functools import partial
import transformers
from transformers.models.qwen3_next import modeling_qwen3_next as made

made.torch_chunk_gated_delta_rule = partial(made.torch_chunk_gated_delta_rule, chunk_size=4)
""",
    f"made.Qwen3NextGatedDeltaNet({call('transformers.Qwen3NextConfig', **_DELTA_SIZE)}, 0)",
    _STATES,
)


def _step_by_step(*, normed: bool) -> Net:
    before = f"""
import transformers
from transformers.models.qwen3_5 import modeling_qwen3_5 as made


def stepping(*args, **settings):
    settings["use_qk_l2norm_in_kernel"] = {normed}
    return made.torch_recurrent_gated_delta_rule(*args, **settings)


made.torch_chunk_gated_delta_rule = stepping
"""
    config = call("transformers.Qwen3_5TextConfig", **_DELTA_SIZE)
    return torch("transformers", before, f"made.Qwen3_5GatedDeltaNet({config}, 0)", _STATES)


def _by_kind(arrays: Arrays) -> Arrays:
    """Rows that are held by head of keys, as those of all queries, all keys, and so on."""
    found = {name: array for name, array in arrays.items() if "in_proj" not in name}
    heads = arrays["in_proj_qkvz.weight"].reshape(2, 48, 32)
    query, key, value, gate = (one.reshape(-1, 32) for one in np.split(heads, [8, 16, 32], axis=1))
    found["in_proj_qkv.weight"] = np.concatenate([query, key, value])
    found["in_proj_z.weight"] = gate
    rates = arrays["in_proj_ba.weight"].reshape(2, 4, 32)
    found["in_proj_b.weight"] = rates[:, :2].reshape(4, 32)
    found["in_proj_a.weight"] = rates[:, 2:].reshape(4, 32)
    return found


_RWKV: Final = torch(
    "transformers",
    """
import torch
import transformers
from transformers.models.rwkv.modeling_rwkv import RwkvBlock


class Blocks(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.blocks = torch.nn.ModuleList(RwkvBlock(config, layer_id=n) for n in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)[0]
        return x
""",
    "Blocks({})".format(
        call(
            "transformers.RwkvConfig",
            vocab_size=100,
            hidden_size=32,
            num_hidden_layers=2,
            intermediate_size=64,
        )
    ),
    _FEWER,
)


_PARALLEL_RWKV: Final = torch(
    "torch",
    """
import torch
from torch import nn


def before(x):
    return torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)


class TimeMix(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.decay = nn.Parameter(torch.zeros(width))
        self.bonus = nn.Parameter(torch.zeros(width))
        self.mix = nn.Parameter(torch.zeros(3, width))
        self.k, self.v, self.r, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x):
        k, v, r = (torch.lerp(before(x), x, one) for one in self.mix.unbind())
        k, v, r = self.k(k), self.v(v), self.r(r).sigmoid()
        places = torch.arange(x.shape[1])
        ages = (places[:, None] - places - 1)[..., None]
        scores = k[:, None] - ages * self.decay.exp()
        scores = torch.where(ages < 0, k[:, None] + self.bonus, scores)
        scores = scores.masked_fill(ages < -1, float("-inf"))
        return self.o(r * (scores.softmax(2) * v[:, None]).sum(2))


class ChannelMix(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(2, width))
        self.k = nn.Linear(width, inner, bias=False)
        self.v = nn.Linear(inner, width, bias=False)
        self.r = nn.Linear(width, width, bias=False)

    def forward(self, x):
        k, r = (torch.lerp(before(x), x, one) for one in self.mix.unbind())
        return self.r(r).sigmoid() * self.v(self.k(k).relu() ** 2)


class Rwkv(nn.Module):
    def __init__(self, width, inner, layers):
        super().__init__()
        self.first = nn.LayerNorm(width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers))
        self.times = nn.ModuleList(TimeMix(width) for _ in range(layers))
        self.channels = nn.ModuleList(ChannelMix(width, inner) for _ in range(layers))

    def forward(self, x):
        x = self.first(x)
        for n, (time, channel) in enumerate(zip(self.times, self.channels)):
            x = x + time(self.norms[2 * n](x))
            x = x + channel(self.norms[2 * n + 1](x))
        return x
""",
    call("Rwkv", 32, 64, 2),
    _FEWER,
)


def _mixed(arrays: Arrays) -> Arrays:
    """What a word and the one before it are mixed by, as rows of one weight."""
    found = {name: array for name, array in arrays.items() if "time_mix" not in name}
    for layer in range(2):
        held = f"blocks.{layer}"
        parts = {"attention": ("key", "value", "receptance"), "feed_forward": ("key", "receptance")}
        for kind, names in parts.items():
            rows = [arrays[f"{held}.{kind}.time_mix_{one}"].reshape(-1) for one in names]
            found[f"{held}.{kind}.mix"] = np.stack(rows)
    return found


_FROM_RWKV: Final[tuple[Rule, ...]] = (
    _mixed,
    renamed(
        (r"^blocks\.0\.pre_ln", "first"),
        (r"^blocks\.0\.ln1", "norms.0"),
        (r"^blocks\.0\.ln2", "norms.1"),
        (r"^blocks\.1\.ln1", "norms.2"),
        (r"^blocks\.1\.ln2", "norms.3"),
        (r"^blocks\.(\d)\.attention", r"times.\1"),
        (r"^blocks\.(\d)\.feed_forward", r"channels.\1"),
        (r"time_decay", "decay"),
        (r"time_first", "bonus"),
        (r"\.(k)ey|\.(v)alue|\.(r)eceptance|\.(o)utput", r".\1\2\3\4"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "GLM 4, litgpt",
        _LIT_GLM,
        _GLM,
        "the same; rotary positions of half of each head, in halves in A, on neighbours in B; four "
        "norms a layer",
        (*_TO_GLM, _first_rows_in_pairs),
    ),
    Published(
        "OLMoE, litgpt",
        _LIT_OLMOE,
        _OLMOE,
        "the same; Softmax over the scores of two chosen experts in A, over all and then divided "
        "in B; queries and keys are normed before they are heads",
        _TO_OLMOE,
    ),
    Published(
        "XGLM and torch.nn's encoder",
        _XGLM,
        _TORCH_XGLM,
        "the same; positions are rows of a table from the third in A, computed in B",
        _FROM_XGLM,
    ),
    Published(
        "Gated delta rule of Qwen 3-Next and Qwen 3.5",
        _NEXT,
        _step_by_step(normed=True),
        "the same; four words at once and a system of equations in A, one after another in B; "
        "weights of queries, keys, values and gates held by head in A",
        (_by_kind,),
    ),
    Published(
        "Gated delta rule of Qwen 3-Next and Qwen 3.5, not normed",
        _NEXT,
        _step_by_step(normed=False),
        "queries and keys: divided by their lengths in A, not in B",
        (_by_kind,),
        kind="different",
    ),
    Published(
        "RWKV",
        _RWKV,
        _PARALLEL_RWKV,
        "the same; one word after another in A, Softmax over all words before in B",
        _FROM_RWKV,
    ),
)
