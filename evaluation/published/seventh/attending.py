"""Layers of attention: what a place sees, and what is added where."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Rule, changed, copied, joined, renamed
from ..wrapper import HF

_RETURNED: Final[Shapes] = {"x": (1, 12, 48)}
_LOCAL: Final = """
import sys
from types import ModuleType

# A package that only whole networks use, and that is not installed.
sys.modules["hyper_connections"] = absent = ModuleType("hyper_connections")
absent.HyperConnections = None
absent.get_init_and_expand_reduce_stream_functions = None
from local_attention.transformer import LocalMHA
"""


def _local(*, exact: bool) -> Net:
    told = call(
        "LocalMHA",
        dim=48,
        window_size=4,
        dim_head=12,
        heads=4,
        causal=False,
        prenorm=True,
        use_rotary_pos_emb=False,
        exact_windowsize=exact,
    )
    return torch("local_attention", _LOCAL, told, _RETURNED)


_BAND: Final = torch(
    "torch",
    """
import torch


class Band(torch.nn.Module):
    def __init__(self, width, heads, reach):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.attention = torch.nn.MultiheadAttention(width, heads, bias=False, batch_first=True)
        self.reach = reach

    def forward(self, x):
        x = self.norm(x)
        places = torch.arange(x.shape[1])
        far = (places[:, None] - places).abs() > self.reach
        return self.attention(x, x, x, attn_mask=far, need_weights=False)[0]
""",
    "Band(48, 4, 4)",
    _RETURNED,
)
_TO_BAND: Final[tuple[Rule, ...]] = (
    renamed((r"^to_qkv\.", "attention.in_proj_"), (r"^to_out", "attention.out_proj")),
)

_PATCH_TST: Final = torch(
    "transformers",
    HF,
    "transformers.PatchTSTModel({})".format(
        call(
            "transformers.PatchTSTConfig",
            num_input_channels=3,
            context_length=32,
            patch_length=8,
            patch_stride=4,
            num_hidden_layers=2,
            d_model=48,
            num_attention_heads=4,
            ffn_dim=96,
            norm_type="layernorm",
            pre_norm=True,
            scaling=None,
            positional_encoding_type="random",
            share_embedding=True,
        )
    ),
    {"past_values": (1, 32, 3)},
)
_PATCHES: Final = torch(
    "torch",
    """
import torch


class Patches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Conv1d(1, 48, 8, stride=4)
        self.places = torch.nn.Parameter(torch.zeros(7, 48))
        layer = torch.nn.TransformerEncoderLayer(
            48, 4, 96, activation="gelu", norm_first=True, batch_first=True
        )
        self.encoder = torch.nn.TransformerEncoder(layer, 2)

    def forward(self, x):
        series = x.transpose(1, 2).flatten(0, 1).unsqueeze(1)
        patches = self.embed(series).transpose(1, 2) + self.places
        return self.encoder(patches).unflatten(0, (-1, x.shape[2]))
""",
    "Patches()",
    {"x": (1, 32, 3)},
)
_TO_PATCHES: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^encoder\.embedder\.input_embedding", "embed"),
        (r"^encoder\.positional_encoder\.position_enc", "places"),
        (r"norm_sublayer1", "norm1"),
        (r"norm_sublayer3", "norm2"),
        (r"ff\.0", "linear1"),
        (r"ff\.3", "linear2"),
    ),
    changed(r"embed\.weight", lambda array: array[:, None]),
    joined(
        r"^(.*)self_attn\.(?P<part>[qkv])_proj\.(weight|bias)",
        r"\1self_attn.in_proj_\3",
        ("q", "k", "v"),
    ),
)

_PLACED: Final[Shapes] = {"x": (1, 20, 48), "places": (1, 20, 48)}
_HF_DETR: Final = torch(
    "transformers",
    """
import torch
import transformers
from transformers.models.detr.modeling_detr import DetrEncoderLayer


class Layers(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = torch.nn.ModuleList(DetrEncoderLayer(config) for _ in range(2))

    def forward(self, x, places):
        for layer in self.layers:
            x = layer(x, None, spatial_position_embeddings=places)
        return x
""",
    "Layers({})".format(
        call(
            "transformers.DetrConfig",
            d_model=48,
            encoder_layers=2,
            encoder_attention_heads=4,
            encoder_ffn_dim=96,
            backbone_config={"model_type": "resnet", "out_features": ["stage4"]},
            use_timm_backbone=False,
        )
    ),
    _PLACED,
)


def _detr(values: str) -> Net:
    before = f"""
import torch


class Layer(torch.nn.TransformerEncoderLayer):
    def forward(self, x, places):
        placed = x + places
        x = self.norm1(x + self.self_attn(placed, placed, {values}, need_weights=False)[0])
        return self.norm2(x + self.linear2(self.linear1(x).relu()))


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(48, 4, 96) for _ in range(2))

    def forward(self, x, places):
        x, places = x.transpose(0, 1), places.transpose(0, 1)
        for layer in self.layers:
            x = layer(x, places)
        return x.transpose(0, 1)
"""
    return torch("torch", before, "Encoder()", _PLACED)


_OF_DETR: Final[tuple[Rule, ...]] = (
    renamed(
        (r"self_attn_layer_norm", "norm1"),
        (r"final_layer_norm", "norm2"),
        (r"mlp\.fc(\d)", r"linear\1"),
        (r"o_proj", "out_proj"),
    ),
    joined(
        r"^(.*)self_attn\.(?P<part>[qkv])_proj\.(weight|bias)",
        r"\1self_attn.in_proj_\3",
        ("q", "k", "v"),
    ),
)

_TWO: Final[Shapes] = {"x": ((1, 9), "int64"), "memory": (1, 14, 48)}
_MASTER: Final = torch(
    "doctr",
    """
import torch
from doctr.models.modules.transformer.pytorch import Decoder


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, memory):
        length = x.shape[1]
        return self.network(x, memory, None, torch.ones(length, length).tril())
""",
    "Of({})".format(
        call("Decoder", 2, 4, 48, 100, dropout=0.0, dff=96, maximum_position_encoding=32)
    ),
    _TWO,
)


_TORCH_DECODER: Final = torch(
    "torch",
    """
import torch


class Writing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(100, 48)
        layer = torch.nn.TransformerDecoderLayer(48, 4, 96, norm_first=True, batch_first=True)
        self.decoder = torch.nn.TransformerDecoder(layer, 2, torch.nn.LayerNorm(48))
        speed = 10000.0 ** (-torch.arange(0, 48, 2) / 48)
        turned = torch.arange(32)[:, None] * speed
        places = torch.stack([turned.sin(), turned.cos()], -1).flatten(1)
        self.register_buffer("places", places, persistent=False)

    def forward(self, x, memory):
        length = x.shape[1]
        states = self.words(x) * 48**0.5 + self.places[:length]
        mask = torch.nn.Transformer.generate_square_subsequent_mask(length)
        return self.decoder(states, memory, tgt_mask=mask, tgt_is_causal=False)
""",
    "Writing()",
    _TWO,
)


def _for_both(name: str, other: str) -> Rule:
    """A norm that both layers have in common, once for each."""
    return copied(
        rf"^network\.{name}\.(\w+)",
        *(rf"decoder.layers.{layer}.{other}.\1" for layer in range(2)),
    )


_TO_DECODER: Final[tuple[Rule, ...]] = (
    _for_both("layer_norm_input", "norm1"),
    _for_both("layer_norm_masked_attention", "norm2"),
    _for_both("layer_norm_attention", "norm3"),
    renamed(
        (r"^network\.layer_norm_output", "decoder.norm"),
        (r"^network\.embed", "words"),
        (r"^network\.attention\.(\d)", r"decoder.layers.\1.self_attn"),
        (r"^network\.source_attention\.(\d)", r"decoder.layers.\1.multihead_attn"),
        (r"^network\.position_feed_forward\.(\d)\.0", r"decoder.layers.\1.linear1"),
        (r"^network\.position_feed_forward\.(\d)\.3", r"decoder.layers.\1.linear2"),
        (r"output_linear", "out_proj"),
    ),
    joined(
        r"^(.*attn)\.linear_layers\.(?P<part>\d)\.(weight|bias)",
        r"\1.in_proj_\3",
        ("0", "1", "2"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "Local attention",
        _local(exact=True),
        _BAND,
        "the same; windows and those on either side in A, all places and a mask in B",
        _TO_BAND,
    ),
    Published(
        "Local attention, whole windows",
        _local(exact=False),
        _BAND,
        "what a place sees: its window of four and both beside it in A, four on either side in B",
        _TO_BAND,
        kind="different",
    ),
    Published(
        "PatchTST and torch.nn's encoder",
        _PATCH_TST,
        _PATCHES,
        "the same; patches are cut out and multiplied in A, a Conv in B",
        _TO_PATCHES,
    ),
    Published(
        "DETR's encoder",
        _HF_DETR,
        _detr("x"),
        "the same; torch.nn's attention, of time before batch, in B",
        _OF_DETR,
    ),
    Published(
        "DETR's encoder, positions in values",
        _HF_DETR,
        _detr("placed"),
        "positions are added to queries and keys in A, to values too in B",
        _OF_DETR,
        kind="different",
    ),
    Published(
        "MASTER's decoder and torch.nn's",
        _MASTER,
        _TORCH_DECODER,
        "the same; both layers have their norms in common in A, each its own in B",
        _TO_DECODER,
    ),
)
