"""Networks that say where something is in an image."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, output, torch
from ..rules import Rule, renamed, split
from ..wrapper import HF, POOLED, wrapped

_MAPS: Final[Shapes] = {"a": (1, 32, 16, 16), "b": (1, 32, 8, 8), "c": (1, 32, 4, 4)}

_KORNIA: Final = torch(
    "kornia",
    """
import torch
from kornia.models.rt_detr.architecture.hybrid_encoder import HybridEncoder


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.network.input_proj = torch.nn.ModuleList(torch.nn.Identity() for _ in range(3))

    def forward(self, a, b, c):
        return self.network([a, b, c])
""",
    "Of(HybridEncoder([32, 32, 32], 32, 64))",
    _MAPS,
)


def _hybrid(**settings: Any) -> Net:
    config = call(
        "transformers.RTDetrConfig",
        encoder_in_channels=[32, 32, 32],
        encoder_hidden_dim=32,
        encoder_ffn_dim=64,
        **settings,
    )
    before = """
import torch
import transformers
from transformers.models.rt_detr.modeling_rt_detr import RTDetrHybridEncoder


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, a, b, c):
        return self.network(inputs_embeds=[a, b, c]).last_hidden_state
"""
    return torch("transformers", before, f"Of(RTDetrHybridEncoder({config}))", _MAPS)


_OF_HYBRID: Final[tuple[Rule, ...]] = (
    split(r"^(.*self_attn\.)in_proj_(\w+)", *(rf"\1{one}_proj.\2" for one in "qkv")),
    renamed(
        (r"network\.ccfm", "network"),
        (r"network\.encoder", "network.aifi"),
        (r"out_proj", "o_proj"),
        (r"\.linear", ".mlp.fc"),
        (r"layers\.0\.norm1", "layers.0.self_attn_layer_norm"),
        (r"layers\.0\.norm2", "layers.0.final_layer_norm"),
    ),
)

_FRAMES: Final[Shapes] = {"x": (1, 3, 128, 128), "y": (1, 3, 128, 128)}


def _two_frames(package: str, before: str, returned: str, build: str) -> Net:
    lines = wrapped(before, returned).replace("(self, x)", "(self, x, y)")
    return torch(package, lines, f"Of({build})", _FRAMES)


_TV_RAFT: Final = _two_frames(
    "torchvision",
    "from torchvision.models.optical_flow import raft_small",
    "self.network(x, y, num_flow_updates=2)[-1]",
    call("raft_small"),
)


def _cv_raft(updates: int) -> Net:
    build = call("get_model", "raft_small", in_normalize=False, iters=updates)
    return _two_frames("pytorchcv", POOLED, "self.network(x, y)[1]", build)


_OF_RAFT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"(feature|context)_encoder\.conv\.", r"\1_encoder.final_block."),
        (r"feature_encoder\.", "fnet.features."),
        (r"context_encoder\.", "cnet.features."),
        (r"convnormrelu\.0", "init_block.conv"),
        *((rf"\.layer(\d)\.{n}\.", rf".stage\1.unit{n + 1}.") for n in (0, 1)),
        (r"convnormrelu(\d)\.0", r"body.conv\1.conv"),
        (r"downsample\.0", "identity_conv.conv"),
        (r"motion_encoder\.conv(corr|flow)(\d)\.0", r"encoder.conv_\1.conv_list.conv\2.conv"),
        (r"motion_encoder\.conv\.0", "encoder.conv_out.conv"),
        (r"recurrent_block\.convgru1\.conv([zrq])", r"gru.conv_\1.conv"),
        (r"flow_head\.conv1", "flow_head.conv1.conv"),
    ),
)

_GREY: Final[Shapes] = {"x": (1, 1, 64, 64)}

_CV_POINTS: Final = """
        features = self.network.features(x)
        described = torch.nn.functional.normalize(self.network.descriptor.head(features))
        return torch.cat([self.network.detector.detector(features), described], 1)
"""

_HF_POINTS: Final = """
        features = self.network.encoder(x)[0]
        points, words = self.network.keypoint_decoder, self.network.descriptor_decoder
        scores = points.conv_score_b(points.relu(points.conv_score_a(features)))
        described = words.conv_descriptor_b(words.relu(words.conv_descriptor_a(features)))
        return torch.cat([scores, torch.nn.functional.normalize(described, p=2, dim=1)], 1)
"""

_OF_POINTS: Final[tuple[Rule, ...]] = (
    renamed(
        *(
            (rf"features\.stage{n + 1}\.unit{unit}\.conv", f"encoder.conv_blocks.{n}.conv_{which}")
            for n in range(4)
            for unit, which in ((1, "a"), (2, "b"))
        ),
        (r"detector\.detector\.conv1\.conv", "keypoint_decoder.conv_score_a"),
        (r"detector\.detector\.conv2", "keypoint_decoder.conv_score_b"),
        (r"descriptor\.head\.conv1\.conv", "descriptor_decoder.conv_descriptor_a"),
        (r"descriptor\.head\.conv2", "descriptor_decoder.conv_descriptor_b"),
    ),
)

_FCN_INPUT: Final[Shapes] = {"x": (1, 32, 16, 16)}

_STRIDED: Final = """
import torch


class Strided(torch.nn.Module):
    def forward(self, x):
        x = torch.nn.functional.max_pool2d(x, 2)
        return {}
"""

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "RT-DETR's encoder",
        _KORNIA,
        _hybrid(),
        "the same; query, key and value in one weight in A; A's projections of the maps taken out",
        _OF_HYBRID,
        ours=output(2),
        theirs=output(2),
    ),
    Published(
        "RT-DETR's encoder, norms before",
        _KORNIA,
        _hybrid(normalize_before=True),
        "the two LayerNormalization of the attention's layer: behind the sums in A, before "
        "attention and MLP in B",
        _OF_HYBRID,
        kind="different",
        ours=output(2),
        theirs=output(2),
    ),
    Published(
        "RAFT",
        _TV_RAFT,
        _cv_raft(2),
        "the same; a convolutional GRU of two updates, correlations looked up by GridSample",
        _OF_RAFT,
    ),
    Published(
        "RAFT, one more update",
        _TV_RAFT,
        _cv_raft(3),
        "updates of the flow: two in A, three in B",
        _OF_RAFT,
        kind="different",
    ),
    Published(
        "SuperPoint",
        torch(
            "pytorchcv",
            wrapped("from pytorchcv.models.superpointnet import SuperPointNet", "").rpartition(
                "        return"
            )[0]
            + _CV_POINTS,
            "Of(SuperPointNet([[8, 8], [8, 8], [16, 16], [16, 16]], 32))",
            _GREY,
        ),
        torch(
            "transformers",
            wrapped(HF, "").rpartition("        return")[0] + _HF_POINTS,
            "Of(transformers.SuperPointForKeypointDetection({}))".format(
                call(
                    "transformers.SuperPointConfig",
                    encoder_hidden_sizes=[8, 8, 16, 16],
                    decoder_hidden_size=32,
                )
            ),
            _GREY,
        ),
        "the same: scores and normalized descriptors, before points are picked",
        _OF_POINTS,
    ),
    Published(
        "FCN's head",
        torch(
            "torchvision",
            _STRIDED.format('{"out": x}')
            + "\n\nfrom torchvision.models.segmentation.fcn import FCN, FCNHead",
            "FCN(Strided(), FCNHead(32, 7))",
            _FCN_INPUT,
        ),
        torch(
            "pytorchcv",
            _STRIDED.format("x, None") + "\n\nfrom pytorchcv.models.fcn8sd import FCN8sd",
            "FCN8sd(Strided(), 32, fixed_size=False, num_classes=7)",
            _FCN_INPUT,
        ),
        "resizing of the scores: of half pixels in A, of aligned corners in B",
        (
            renamed(
                (r"^classifier\.0", "final_block.conv1.conv"),
                (r"^classifier\.1", "final_block.conv1.bn"),
                (r"^classifier\.4", "final_block.conv2"),
            ),
        ),
        kind="different",
    ),
)
