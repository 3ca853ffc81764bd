"""Networks of convolutions."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net, Shapes
from ..first.images import EFFICIENT
from ..pairs import Published, call, torch
from ..rules import Rule, changed, renamed

_LARGE: Final[Shapes] = {"x": (1, 3, 224, 224)}
_TIMM: Final = "import timm"
_CV: Final = "from pytorchcv.model_provider import get_model"
_TV: Final = "import torchvision"
_TIMM_BIT: Final = """
from functools import partial

from timm.layers import GroupNormAct, StdConv2d
from timm.models.resnetv2 import ResNetV2
"""
_RESNET: Final = """
from timm.models.resnet import Bottleneck, ResNet
"""
_BACKBONE: Final = """
from transformers import RTDetrResNetConfig
from transformers.models.rt_detr.modeling_rt_detr_resnet import RTDetrResNetBackbone
"""
_LAST_STAGE: Final = """
import torch


class Stages(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        network = self.network
        x = network.maxpool(network.act1(network.bn1(network.conv1(x))))
        return network.layer4(network.layer3(network.layer2(network.layer1(x))))
"""


def _timm(name: str, inputs: Shapes = _LARGE, **settings: object) -> Net:
    return torch("timm", _TIMM, call("timm.create_model", name, **settings), inputs)


def _cv(name: str, inputs: Shapes = _LARGE) -> Net:
    return torch("pytorchcv", _CV, call("get_model", name), inputs)


_UNITS: Final = (
    *((rf"^features\.stage1\.unit{n}\.", f"features.{n + 2}.") for n in (1, 2, 3)),
    *((rf"^features\.stage2\.unit{n}\.", f"features.{n + 6}.") for n in (1, 2, 3, 4)),
    (r"^features\.stage3\.unit1\.", "features.12."),
)

_SHUFFLED: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^features\.init_block\.conv\.conv", "conv1.0"),
        (r"^features\.init_block\.conv\.bn", "conv1.1"),
        (r"^features\.final_block\.conv", "conv5.0"),
        (r"^features\.final_block\.bn", "conv5.1"),
        (r"^output", "fc"),
        *(
            (rf"^features\.stage{stage}\.unit{unit}\.", f"stage{stage + 1}.{unit - 1}.")
            for stage in (1, 2, 3)
            for unit in range(1, 9)
        ),
        *(
            (rf"\.{unit}\.{kind}\.", f".{branch}.{place}.")
            for unit, branch, first in (
                ("shortcut_dconv", "branch1", 0),
                ("shortcut_conv", "branch1", 2),
                ("conv1", "branch2", 0),
                ("dconv", "branch2", 3),
                ("conv2", "branch2", 5),
            )
            for place, kind in ((first, "conv"), (first + 1, "bn"))
        ),
    ),
)

_HF_EFFICIENT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^efficientnet\.embeddings\.convolution", "_conv_stem"),
        (r"^efficientnet\.embeddings\.batchnorm", "_bn0"),
        (r"^efficientnet\.encoder\.top_conv", "_conv_head"),
        (r"^efficientnet\.encoder\.top_bn", "_bn1"),
        (r"^efficientnet\.encoder\.blocks", "_blocks"),
        (r"expansion\.expand_conv", "_expand_conv"),
        (r"expansion\.expand_bn", "_bn0"),
        (r"depthwise_conv\.depthwise_conv", "_depthwise_conv"),
        (r"depthwise_conv\.depthwise_norm", "_bn1"),
        (r"squeeze_excite\.(\w+)\.", r"_se_\1."),
        (r"projection\.project_conv", "_project_conv"),
        (r"projection\.project_bn", "_bn2"),
    ),
    renamed(*EFFICIENT),
)

_OF_BACKBONE: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^model\.", ""),
        (r"^embedder\.embedder\.(\d)\.convolution", r"network.conv1.\1"),
        (r"^embedder\.embedder\.(\d)\.normalization", r"network.norm.\1"),
        (r"conv1\.1\.", "conv1.3."),
        (r"conv1\.2\.", "conv1.6."),
        (r"network\.norm\.0", "network.conv1.1"),
        (r"network\.norm\.1", "network.conv1.4"),
        (r"network\.norm\.2", "network.bn1"),
        (r"shortcut\.1\.convolution", "downsample.1"),
        (r"shortcut\.1\.normalization", "downsample.2"),
        (r"shortcut\.convolution", "downsample.1"),
        (r"shortcut\.normalization", "downsample.2"),
        (r"layer\.0\.convolution", "conv1"),
        (r"layer\.0\.normalization", "bn1"),
        (r"layer\.1\.convolution", "conv2"),
        (r"layer\.1\.normalization", "bn2"),
        (r"layer\.2\.convolution", "conv3"),
        (r"layer\.2\.normalization", "bn3"),
        *((rf"^encoder\.stages\.{n}\.layers\.", f"network.layer{n + 1}.") for n in range(4)),
    ),
)

PAIRS: Final = (
    Published(
        "SE-ResNeXt-50",
        torch(
            "pretrainedmodels",
            "import pretrainedmodels",
            call("pretrainedmodels.se_resnext50_32x4d", pretrained=None),
            _LARGE,
        ),
        _timm("legacy_seresnext50_32x4d"),
        "the same",
        batched=False,
    ),
    Published(
        "ResNeSt-50",
        torch(
            "resnest",
            "from resnest.torch import resnest50",
            call("resnest50", pretrained=False, num_classes=10),
            {"x": (1, 3, 128, 128)},
        ),
        _timm("resnest50d", {"x": (1, 3, 128, 128)}, num_classes=10),
        "the same; attention over two groups of channels",
        batched=False,
    ),
    Published(
        "MixNet-S",
        torch("geffnet", "import geffnet", call("geffnet.create_model", "mixnet_s")),
        _timm("mixnet_s", {"x": (1, 3, 64, 64)}),
        "the same; channels split over Conv of other kernels",
    ),
    Published(
        "EfficientNet-Lite0, other pads",
        torch("geffnet", "import geffnet", call("geffnet.create_model", "tf_efficientnet_lite0")),
        _timm("efficientnet_lite0", {"x": (1, 3, 64, 64)}),
        "pads of the five Conv of stride 2 (bottom and right only in A), epsilon of all norms "
        "(1e-3 in A, 1e-5 in B)",
        kind="different",
    ),
    Published(
        "EfficientNet-B0, transformers",
        torch(
            "transformers",
            "import transformers",
            "transformers.EfficientNetForImageClassification("
            "transformers.EfficientNetConfig(image_size=64, width_coefficient=1.0, "
            "depth_coefficient=1.0, hidden_dim=1280, num_labels=10))",
        ),
        _timm("tf_efficientnet_b0", {"x": (1, 3, 64, 64)}, num_classes=10),
        "the same; pads of A in layers of their own",
        _HF_EFFICIENT,
    ),
    Published(
        "EfficientNet-B0, MONAI",
        torch(
            "monai",
            "from monai.networks.nets import EfficientNetBN",
            call(
                "EfficientNetBN",
                "efficientnet-b0",
                spatial_dims=2,
                in_channels=3,
                num_classes=10,
                pretrained=False,
            ),
        ),
        torch(
            "efficientnet_pytorch",
            "from efficientnet_pytorch import EfficientNet",
            call("EfficientNet.from_name", "efficientnet-b0", image_size=64, num_classes=10),
        ),
        "the same",
        (renamed((r"^_blocks\.\d+\.", "_blocks.")),),
    ),
    Published(
        "BiT",
        torch(
            "transformers",
            "import transformers",
            "transformers.BitForImageClassification("
            "transformers.BitConfig(num_labels=10, depths=[1, 1, 1, 1]))",
        ),
        torch(
            "timm",
            _TIMM_BIT,
            "ResNetV2(layers=[1, 1, 1, 1], num_classes=10, stem_type='fixed', "
            "conv_layer=partial(StdConv2d, eps=1e-8), "
            "norm_layer=partial(GroupNormAct, num_groups=32))",
        ),
        "the same; weights standardized before every Conv",
        (
            renamed(
                (r"^bit\.embedder\.convolution", "stem.conv"),
                (r"^bit\.encoder\.stages\.(\d)\.layers\.", r"stages.\1.blocks."),
                (r"^bit\.norm", "norm"),
                (r"^classifier\.1", "head.fc"),
            ),
            changed(r"^head\.fc\.weight", lambda array: array[..., None, None]),
        ),
    ),
    Published(
        "ShuffleNet v2",
        _cv("shufflenetv2b_wd2"),
        torch(
            "torchvision",
            _TV,
            call("torchvision.models.shufflenet_v2_x0_5", weights=None),
            _LARGE,
        ),
        "the same",
        _SHUFFLED,
    ),
    Published(
        "SqueezeNet 1.0",
        _cv("squeezenet_v1_0"),
        torch("torchvision", _TV, call("torchvision.models.squeezenet1_0", weights=None), _LARGE),
        "the same; global pooling by a kernel in A",
        (
            renamed(
                (r"^features\.init_block\.conv\.", "features.0."),
                *_UNITS,
                (r"(squeeze|expand1x1|expand3x3)\.conv\.", r"\1."),
                (r"^output\.final_conv", "classifier.1"),
            ),
        ),
    ),
    Published(
        "AlexNet of one tower",
        _cv("alexnetb"),
        torch("torchvision", _TV, call("torchvision.models.alexnet", weights=None), _LARGE),
        "the same; the pooling to 6x6 of B does nothing",
        (
            renamed(
                (r"^features\.stage1\.unit1\.conv", "features.0"),
                (r"^features\.stage2\.unit1\.conv", "features.3"),
                (r"^features\.stage3\.unit1\.conv", "features.6"),
                (r"^features\.stage3\.unit2\.conv", "features.8"),
                (r"^features\.stage3\.unit3\.conv", "features.10"),
                (r"^output\.fc1\.fc", "classifier.1"),
                (r"^output\.fc2\.fc", "classifier.4"),
                (r"^output\.fc3", "classifier.6"),
            ),
        ),
    ),
    Published(
        "MobileNetV1, other activation",
        _cv("mobilenet_w1"),
        _timm("mobilenetv1_100"),
        "Relu in A, Clip to 6 (Relu6) in B, behind every norm",
        (
            renamed(
                (r"^features\.init_block\.conv", "conv_stem"),
                (r"^features\.init_block\.bn", "bn1"),
                (r"\.dw_conv\.conv", ".conv_dw"),
                (r"\.dw_conv\.bn", ".bn1"),
                (r"\.pw_conv\.conv", ".conv_pw"),
                (r"\.pw_conv\.bn", ".bn2"),
                (r"^output", "classifier"),
                *(
                    (rf"^features\.stage{stage}\.unit{n}\.", f"blocks.{stage - 1}.{n - 1}.")
                    for stage in range(1, 6)
                    for n in range(1, 7)
                ),
            ),
        ),
        kind="different",
    ),
    Published(
        "ResNet-18, MONAI",
        torch(
            "monai",
            "from monai.networks.nets import resnet18",
            call(
                "resnet18",
                spatial_dims=2,
                n_input_channels=3,
                conv1_t_size=7,
                conv1_t_stride=2,
                num_classes=10,
                bias_downsample=False,
            ),
        ),
        torch(
            "torchvision", _TV, call("torchvision.models.resnet18", weights=None, num_classes=10)
        ),
        "the same",
    ),
    Published(
        "ResNet-50, transformers, stride elsewhere",
        torch(
            "transformers",
            "import transformers",
            "transformers.ResNetForImageClassification("
            "transformers.ResNetConfig(downsample_in_bottleneck=True, num_labels=10))",
            _LARGE,
        ),
        torch(
            "torchvision",
            _TV,
            call("torchvision.models.resnet50", weights=None, num_classes=10),
            _LARGE,
        ),
        "stride 2 in the first 1x1 Conv of stages 2 to 4 in A, in their 3x3 Conv in B",
        (
            renamed(
                (r"^resnet\.embedder\.embedder\.convolution", "conv1"),
                (r"^resnet\.embedder\.embedder\.normalization", "bn1"),
                (r"shortcut\.convolution", "downsample.0"),
                (r"shortcut\.normalization", "downsample.1"),
                (r"layer\.(\d)\.(convolution)", r"conv-\1"),
                (r"layer\.(\d)\.(normalization)", r"bn-\1"),
                (r"-2", "3"),
                (r"-1", "2"),
                (r"-0", "1"),
                *(
                    (rf"^resnet\.encoder\.stages\.{n}\.layers\.", f"layer{n + 1}.")
                    for n in range(4)
                ),
                (r"^classifier\.1", "fc"),
            ),
        ),
        kind="different",
        batched=False,
    ),
    Published(
        "RT-DETR's backbone",
        torch(
            "transformers",
            _BACKBONE,
            "RTDetrResNetBackbone(RTDetrResNetConfig(depths=[1, 1, 1, 1], "
            "out_features=['stage4']))",
        ),
        torch(
            "timm",
            _RESNET + _LAST_STAGE,
            "Stages(ResNet(block=Bottleneck, layers=[1, 1, 1, 1], stem_type='deep', "
            "stem_width=32, avg_down=True, num_classes=0))",
        ),
        "the same: ResNet-D",
        _OF_BACKBONE,
    ),
)
