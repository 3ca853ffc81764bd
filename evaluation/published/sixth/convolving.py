"""Networks of convolutions that see images."""

from __future__ import annotations

import re
from typing import Any, Final

from ...pairs.nets import Net
from ..pairs import Published, call, torch
from ..rules import Rule, changed, renamed, reshaped
from ..wrapper import HF, cv

_TV: Final = "import torchvision"
_TV_MOBILE_2: Final = torch(
    "torchvision", _TV, call("torchvision.models.mobilenet_v2", weights=None, num_classes=7)
)


def _hf_mobile_2(*, padded: bool) -> Net:
    config = call(
        "transformers.MobileNetV2Config",
        image_size=64,
        num_labels=7,
        tf_padding=padded,
        layer_norm_eps=1e-5,
    )
    return torch("transformers", HF, f"transformers.MobileNetV2ForImageClassification({config})")


def _timm(name: str, **settings: Any) -> Net:
    return torch("timm", "import timm", call("timm.create_model", name, num_classes=7, **settings))


def _as_hf_mobile(name: str) -> str:
    """A weight of torchvision's MobileNetV2, as transformers calls it."""
    parts = {"0": "convolution", "1": "normalization"}
    match = re.search(r"^features\.(\d+)\.(?:conv\.)?(\d)(?:\.(\d))?\.(\w+)$", name)
    if match is None:
        return name.replace("classifier.1", "classifier")
    block, place, inner, kind = int(match[1]), int(match[2]), match[3], match[4]
    if block in {0, 18}:
        layer = "conv_stem.first_conv" if block == 0 else "conv_1x1"
        return f"mobilenet_v2.{layer}.{parts[match[2]]}.{kind}"
    layers = ["conv_3x3"] if block == 1 else ["expand_1x1", "conv_3x3"]
    own = "conv_stem" if block == 1 else f"layer.{block - 2}"
    if inner is not None:
        return f"mobilenet_v2.{own}.{layers[place]}.{parts[inner]}.{kind}"
    return f"mobilenet_v2.{own}.reduce_1x1.{parts[str(place - len(layers))]}.{kind}"


_TO_MOBILE_2: Final[tuple[Rule, ...]] = (
    lambda arrays: {_as_hf_mobile(name): array for name, array in arrays.items()},
)

_STAGES_OF_MOBILE_3: Final = (1, 2, 3, 2, 3)
_TV_MOBILE_3: Final = torch(
    "torchvision", _TV, call("torchvision.models.mobilenet_v3_small", weights=None, num_classes=7)
)


def _as_timm_mobile(name: str) -> str:
    """A weight of torchvision's MobileNetV3, as timm calls it."""
    match = re.search(r"^features\.(\d+)\.block\.(\d)\.(\w+)\.(\w+)$", name)
    if match is None:
        return name
    number, place = int(match[1]) - 1, int(match[2])
    stage = 0
    while number >= _STAGES_OF_MOBILE_3[stage]:
        number -= _STAGES_OF_MOBILE_3[stage]
        stage += 1
    own = f"blocks.{stage}.{number}"
    if match[3].startswith("fc"):
        return f"{own}.se.conv_{'reduce' if match[3] == 'fc1' else 'expand'}.{match[4]}"
    convs = ["conv_dw", "conv_pw"] if stage == 0 else ["conv_pw", "conv_dw", "conv_pwl"]
    which = min(place, len(convs) - 1)
    layer = convs[which] if match[3] == "0" else f"bn{which + 1}"
    return f"{own}.{layer}.{match[4]}"


_TO_MOBILE_3: Final[tuple[Rule, ...]] = (
    lambda arrays: {_as_timm_mobile(name): array for name, array in arrays.items()},
    renamed(
        (r"^features\.0\.0", "conv_stem"),
        (r"^features\.0\.1", "bn1"),
        (r"^features\.12\.0", "blocks.5.0.conv"),
        (r"^features\.12\.1", "blocks.5.0.bn1"),
        (r"^classifier\.0", "conv_head"),
        (r"^classifier\.3", "classifier"),
    ),
    reshaped(r"conv_head\.weight", 1024, 576, 1, 1),
)

_TV_NEXT: Final = torch(
    "torchvision",
    "from torchvision.models.convnext import CNBlockConfig, ConvNeXt",
    "ConvNeXt([CNBlockConfig(16, 32, 1), CNBlockConfig(32, 48, 2), CNBlockConfig(48, 64, 1), "
    "CNBlockConfig(64, None, 1)], num_classes=7)",
)


def _timm_next(**settings: Any) -> Net:
    build = call("ConvNeXt", depths=(1, 2, 1, 1), dims=(16, 32, 48, 64), num_classes=7, **settings)
    return torch("timm", "from timm.models.convnext import ConvNeXt", build)


_TO_NEXT: Final[tuple[Rule, ...]] = (
    changed(r"layer_scale", lambda array: array.reshape(-1)),
    renamed(
        (r"^features\.0\.", "stem."),
        *((rf"^features\.{2 * n + 1}\.", f"stages.{n}.blocks.") for n in range(4)),
        *((rf"^features\.{2 * n}\.", f"stages.{n}.downsample.") for n in (1, 2, 3)),
        (r"block\.0", "conv_dw"),
        (r"block\.2", "norm"),
        (r"block\.3", "mlp.fc1"),
        (r"block\.5", "mlp.fc2"),
        (r"layer_scale", "gamma"),
        (r"^classifier\.0", "head.norm"),
        (r"^classifier\.2", "head.fc"),
    ),
)

_OF_DLA: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^base_layer\.", "features.init_block.conv1."),
        (r"^level0\.", "features.init_block.conv2."),
        (r"^level1\.", "features.init_block.conv3."),
        (r"^level2\.", "features.stage1."),
        (r"^level3\.", "features.stage2."),
        (r"^level4\.", "features.stage3."),
        (r"^level5\.", "features.stage4."),
        (r"(init_block\.conv\d)\.0", r"\1.conv"),
        (r"(init_block\.conv\d)\.1", r"\1.bn"),
        (r"root\.conv", "root.conv.conv"),
        (r"root\.bn", "root.conv.bn"),
        (r"project\.0", "tree1.project_conv.conv"),
        (r"project\.1", "tree1.project_conv.bn"),
        (r"(tree\d)\.conv(\d)", r"\1.body.conv\2.conv"),
        (r"(tree\d)\.bn(\d)", r"\1.body.conv\2.bn"),
        (r"^fc", "output"),
    ),
)


def _as_cv_darknet(name: str) -> str:
    """A weight of timm's DarkNet, as pytorchcv calls it."""
    name = re.sub(r"^stem\.conv1", "features.init_block", name)
    name = re.sub(r"^head\.fc", "output", name)

    def unit(match: re.Match[str]) -> str:
        stage = int(match[1]) + 1
        place = 1 if match[2] == "conv_down" else int(match[3]) + 2
        return f"features.stage{stage}.unit{place}"

    return re.sub(r"^stages\.(\d)\.(conv_down|blocks\.(\d))", unit, name)


_OF_DARKNET: Final[tuple[Rule, ...]] = (
    lambda arrays: {_as_cv_darknet(name): array for name, array in arrays.items()},
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "MobileNetV2",
        _TV_MOBILE_2,
        _hf_mobile_2(padded=False),
        "the same; the first block without expansion is part of the stem in B",
        _TO_MOBILE_2,
    ),
    Published(
        "MobileNetV2, TensorFlow's pads",
        _TV_MOBILE_2,
        _hf_mobile_2(padded=True),
        "pads of convolutions of stride 2: alike on both sides in A, more on the far side in B",
        _TO_MOBILE_2,
        kind="different",
    ),
    Published(
        "MobileNetV3",
        _TV_MOBILE_3,
        _timm("mobilenetv3_small_100", bn_eps=1e-3),
        "the same; the Gemm behind the mean in A is a Conv of 1 in B",
        _TO_MOBILE_3,
    ),
    Published(
        "MobileNetV3, other activation",
        _TV_MOBILE_3,
        _timm("mobilenetv3_small_100", bn_eps=1e-3, act_layer="silu"),
        "activations without Relu: HardSwish in A, Silu in B",
        _TO_MOBILE_3,
        kind="different",
    ),
    Published(
        "ConvNeXt, torchvision",
        _TV_NEXT,
        _timm_next(),
        "the same; scales of a channel with axes of height and width in A, without in B",
        _TO_NEXT,
    ),
    Published(
        "ConvNeXt, norm before the mean",
        _TV_NEXT,
        _timm_next(head_norm_first=True),
        "the last norm: behind the mean over places in A, before it in B",
        (*_TO_NEXT, renamed((r"^head\.norm", "norm_pre"))),
        kind="different",
    ),
    Published(
        "DLA",
        _timm("dla34"),
        cv("dla34", num_classes=7),
        "the same; trees of two levels; a shortcut belongs to the tree in A, to its first block "
        "in B",
        _OF_DLA,
    ),
    Published(
        "DarkNet",
        _timm("darknet53"),
        cv("darknet53", num_classes=7, alpha=0.01),
        "the same; the convolution that halves the image belongs to no block in A, is the first "
        "unit in B",
        _OF_DARKNET,
    ),
    Published(
        "DarkNet, as packaged",
        _timm("darknet53"),
        cv("darknet53", num_classes=7),
        "slope of every LeakyRelu: 0.01 in A, 0.1 in B",
        _OF_DARKNET,
        kind="different",
    ),
)
