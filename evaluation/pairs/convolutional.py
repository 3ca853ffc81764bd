"""Pairs of convolutional networks."""

from __future__ import annotations

from typing import Final

from .nets import Net, chainer, gluon, keras, timm, torchvision
from .pairs import Pair
from .truth import ALONE, SAME_NAMES, Labels, Truth

_LARGE: Final = (1, 3, 299, 299)

_SHORTCUT: Final = {
    "torchvision": (r"downsample|\.proj\.", "shortcut"),
    "timm": (r"downsample|skip", "shortcut"),
    "keras": (r"_block\d+_0_|^conv2d|^batch_norm", "shortcut"),
    "chainer": (r"/(conv|bn)4/", "shortcut"),
    "gluon": (r"downsample", "shortcut"),
}
"""Which layers are the shortcut of a residual block: computed before or after the rest of it."""


def _residual(name: str, a: Net, b: Net) -> Pair:
    """Shortcuts in their order, all else in its order."""
    sides = (Labels((_SHORTCUT[net.package],)) for net in (a, b))
    return Pair(name, a, b, Truth(*sides))


def _named(name: str, a: Net, b: Net) -> Pair:
    """Of the same names in both packages."""
    return Pair(name, a, b, Truth(SAME_NAMES, SAME_NAMES))


RESIDUAL: Final = (
    _residual("ResNet-101", keras("ResNet101"), torchvision("resnet101")),
    _residual("ResNet-50", chainer("ResNet50Layers"), timm("resnet50")),
    _residual("RegNetY-400MF", torchvision("regnet_y_400mf"), timm("regnety_004")),
    _residual("Xception", keras("Xception", _LARGE), timm("legacy_xception", _LARGE)),
    _residual("ResNet-50 v2", keras("ResNet50V2"), timm("resnetv2_50")),
    Pair(
        "ResNet-34 v2",
        gluon("resnet34_v2"),
        timm("resnetv2_34"),
        Truth(
            Labels(((r"^resnetv20_batchnorm[01]_", ALONE), _SHORTCUT["gluon"])),
            Labels((_SHORTCUT["timm"],)),
        ),
    ),
    _residual("ResNet-152", chainer("ResNet152Layers"), gluon("resnet152_v1")),
    _named("Wide ResNet-50", torchvision("wide_resnet50_2"), timm("wide_resnet50_2")),
    _named("ResNet-18", torchvision("resnet18"), timm("resnet18")),
    _named("ResNeXt-50", torchvision("resnext50_32x4d"), timm("resnext50_32x4d")),
)

DENSE: Final = (
    Pair("DenseNet-121", keras("DenseNet121"), torchvision("densenet121")),
    Pair("DenseNet-169", keras("DenseNet169"), timm("densenet169")),
    Pair("DenseNet-121, Gluon", gluon("densenet121"), torchvision("densenet121")),
    _named("DenseNet-121, timm", torchvision("densenet121"), timm("densenet121")),
)

MOBILE: Final = (
    Pair("MobileNet", keras("MobileNet"), timm("mobilenetv1_100")),
    Pair("MobileNet, Gluon", gluon("mobilenet1_0"), keras("MobileNet")),
    Pair("MobileNetV2", torchvision("mobilenet_v2"), timm("mobilenetv2_100")),
    Pair("MobileNetV3", torchvision("mobilenet_v3_large"), timm("mobilenetv3_large_100")),
    Pair("MobileNetV3, Keras", keras("MobileNetV3Large"), torchvision("mobilenet_v3_large")),
    Pair("MNASNet", torchvision("mnasnet1_0"), timm("mnasnet_100")),
    Pair("EfficientNet-B0", torchvision("efficientnet_b0"), timm("efficientnet_b0")),
    Pair("EfficientNet-B0, Keras", keras("EfficientNetB0"), torchvision("efficientnet_b0")),
    Pair("EfficientNetV2-S", torchvision("efficientnet_v2_s"), timm("tf_efficientnetv2_s")),
    Pair("EfficientNetV2-S, Keras", keras("EfficientNetV2S"), torchvision("efficientnet_v2_s")),
)
"""Chains: a block's squeeze and excitation cannot be computed in any other order."""

PLAIN: Final = (
    Pair("VGG-16 with norms", gluon("vgg16_bn"), torchvision("vgg16_bn")),
    Pair("VGG-19", chainer("VGG19Layers"), timm("vgg19")),
    Pair("SqueezeNet 1.1", gluon("squeezenet1_1"), torchvision("squeezenet1_1")),
    Pair("ConvNeXt-T", torchvision("convnext_tiny"), timm("convnext_tiny")),
    Pair("ConvNeXt-T, Keras", keras("ConvNeXtTiny"), torchvision("convnext_tiny")),
)
"""Chains, but for SqueezeNet's two convolutions of one size each, which no shape confuses."""

_INCEPTION: Final = torchvision("inception_v3", _LARGE, aux_logits=False, init_weights=False)

BRANCHES: Final = (
    _named("Inception-v3", _INCEPTION, timm("inception_v3", _LARGE)),
    Pair("Inception-v3, Gluon", gluon("inception_v3", _LARGE), _INCEPTION),
    Pair(
        "Inception-ResNet-v2",
        keras("InceptionResNetV2", _LARGE),
        timm("inception_resnet_v2", _LARGE),
    ),
)
"""Each package computes branches in the order that the paper draws them in; the sequence of their
shapes, kernels of 1 x 7 and 7 x 1 told apart, has no second reading."""
