"""Networks that cut images into parts."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Rule, renamed

_FEATURES: Final[Shapes] = {"x": (1, 24, 16, 16)}

_PYRAMID: Final[Shapes] = {
    "a": (1, 8, 48, 48),
    "b": (1, 12, 24, 24),
    "c": (1, 16, 12, 12),
    "d": (1, 20, 6, 6),
}

_SEGMENT: Final = """
import torch
import transformers
from transformers.models.sam.modeling_sam import SamTwoWayTransformer


class OneImage(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image_embedding, image_pe, point_embedding):
        return self.network(point_embedding[:, None], image_embedding, image_pe, None)[0][:, 0]
"""

_PARTS: Final[Shapes] = {
    "image_embedding": (1, 24, 5, 5),
    "image_pe": (1, 24, 5, 5),
    "point_embedding": (1, 6, 24),
}


def _two_way(**settings: Any) -> Net:
    config = call(
        "transformers.SamMaskDecoderConfig",
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        mlp_dim=56,
        layer_norm_eps=1e-5,
        **settings,
    )
    return torch("transformers", _SEGMENT, f"OneImage(SamTwoWayTransformer({config}))", _PARTS)


_SEGMENT_ANYTHING: Final = torch(
    "segment_anything",
    "from segment_anything.modeling import TwoWayTransformer",
    call("TwoWayTransformer", depth=2, embedding_dim=24, num_heads=2, mlp_dim=56),
    _PARTS,
)

_OF_TWO_WAY: Final = (
    renamed(
        (r"\.norm(\d)", r".layer_norm\1"),
        (r"^norm_final", "layer_norm_final"),
        (r"^", "network."),
    ),
)

_DEEPLAB: Final = """
import torch
import transformers
from transformers.models.mobilevit.modeling_mobilevit import MobileViTDeepLabV3


class Head(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network([x])
"""


def _aspp(*rates: int) -> Net:
    config = call(
        "transformers.MobileViTConfig",
        neck_hidden_sizes=[24, 24],
        aspp_out_channels=32,
        atrous_rates=list(rates),
        num_labels=7,
    )
    return torch("transformers", _DEEPLAB, f"Head(MobileViTDeepLabV3({config}))", _FEATURES)


_TV_ASPP: Final = torch(
    "torchvision",
    "import torch\nfrom torchvision.models.segmentation.deeplabv3 import ASPP",
    "torch.nn.Sequential(ASPP(24, [2, 4, 6], 32), torch.nn.Conv2d(32, 7, 1))",
    _FEATURES,
)

_OF_ASPP: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^0\.convs\.([0-3])\.0", r"network.aspp.convs.\1.convolution"),
        (r"^0\.convs\.([0-3])\.1", r"network.aspp.convs.\1.normalization"),
        (r"^0\.convs\.4\.1", "network.aspp.convs.4.conv_1x1.convolution"),
        (r"^0\.convs\.4\.2", "network.aspp.convs.4.conv_1x1.normalization"),
        (r"^0\.project\.0", "network.aspp.project.convolution"),
        (r"^0\.project\.1", "network.aspp.project.normalization"),
        (r"^1\.", "network.classifier.convolution."),
    ),
)

_UPER_HEAD: Final = """
import torch
import transformers
from transformers.models.upernet.modeling_upernet import UperNetHead


class Head(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, a, b, c, d):
        return self.network([a, b, c, d])
"""

_UPER_DECODER: Final = """
import torch
from segmentation_models_pytorch.decoders.upernet.decoder import UPerNetDecoder


class Decoder(torch.nn.Module):
    def __init__(self, norms):
        super().__init__()
        self.decoder = UPerNetDecoder([3, 6, 8, 12, 16, 20], decoder_channels=24)
        self.head = torch.nn.Conv2d(24, 7, 1)
        if not norms:
            self.decoder.feature_norms = torch.nn.ModuleList(torch.nn.Identity() for _ in range(4))

    def forward(self, a, b, c, d):
        return self.head(self.decoder([None, None, a, b, c, d]))
"""

_UPER: Final = torch(
    "transformers",
    _UPER_HEAD,
    "Head(UperNetHead(transformers.UperNetConfig(hidden_size=24, num_labels=7), [8, 12, 16, 20]))",
    _PYRAMID,
)


def _uper(norms: bool) -> Net:
    return torch("segmentation_models_pytorch", _UPER_DECODER, f"Decoder({norms})", _PYRAMID)


_OF_UPER: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", "decoder."),
        (r"^decoder\.classifier", "head"),
        (r"psp_modules\.(\d)\.1", r"psp.blocks.\1.1"),
        (r"^decoder\.bottleneck", "decoder.psp.out_conv"),
        (r"fpn_bottleneck", "fusion_block"),
        *(
            (rf"{own}\.{n}\.", f"{new[0]}.{2 - n}.{new[1]}")
            for n in range(3)
            for own, new in (
                ("lateral_convs", ("fpn_lateral_blocks", "conv_norm_relu.")),
                ("fpn_convs", ("fpn_conv_blocks", "")),
            )
        ),
        (r"\.conv\.", ".0."),
        (r"\.batch_norm\.", ".1."),
    ),
)

PAIRS: Final = (
    Published(
        "SAM's mask decoder",
        _SEGMENT_ANYTHING,
        _two_way(),
        "the same: the transformer of points and image; A returns the image as well",
        _OF_TWO_WAY,
    ),
    Published(
        "SAM's mask decoder, other activation",
        _SEGMENT_ANYTHING,
        _two_way(hidden_act="gelu"),
        "activation of both MLPs: Relu in A, Gelu in B",
        _OF_TWO_WAY,
        kind="different",
    ),
    Published(
        "DeepLab's head",
        _TV_ASPP,
        _aspp(2, 4, 6),
        "the same; Conv of three dilations, and the mean of the image resized",
        _OF_ASPP,
    ),
    Published(
        "DeepLab's head, other dilation",
        _TV_ASPP,
        _aspp(2, 4, 8),
        "dilation of the last of three Conv: 6 in A, 8 in B",
        _OF_ASPP,
        kind="different",
    ),
    Published(
        "UPerNet's head",
        _UPER,
        _uper(norms=False),
        "the same; the norms that B has before all others are taken out",
        _OF_UPER,
    ),
    Published(
        "UPerNet's head, features normed",
        _UPER,
        _uper(norms=True),
        "LayerNormalization of each of the four features only in B, of scale 1",
        _OF_UPER,
        kind="different",
        unset=r"feature_norms",
    ),
)
