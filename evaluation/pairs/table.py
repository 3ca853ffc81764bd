"""Every pair that is compared."""

from __future__ import annotations

from typing import Final

from . import convolutional, later, transformers, translators, vision
from .nets import gluon, keras, timm, torchvision
from .pairs import Pair

PAIRS: Final[tuple[Pair, ...]] = (
    *convolutional.RESIDUAL,
    *convolutional.DENSE,
    *convolutional.MOBILE,
    *convolutional.PLAIN,
    *convolutional.BRANCHES,
    *vision.PLAIN,
    *vision.WINDOWED,
    *vision.HIERARCHICAL,
    *transformers.ENCODERS,
    *transformers.DECODERS,
    *translators.TRANSLATORS,
    *later.LATER,
)
"""Networks that are one model."""

DIFFERENT: Final[tuple[Pair, ...]] = (
    Pair("ResNet-18 and -34", torchvision("resnet18"), timm("resnet34"), None),
    Pair("ResNet-101 and 50 v2", torchvision("resnet101"), keras("ResNet50V2"), None),
    Pair("MobileNet and V2", keras("MobileNet"), torchvision("mobilenet_v2"), None),
    Pair("VGG-16 with norms and -19", gluon("vgg16_bn"), timm("vgg19"), None),
    Pair(
        "EfficientNet-B0 and V2-S",
        torchvision("efficientnet_b0"),
        timm("tf_efficientnetv2_s"),
        None,
    ),
    Pair("DenseNet-121 and -169", torchvision("densenet121"), timm("densenet169"), None),
    Pair("Swin-T and V2-T", vision.SWIN, vision.SWIN_V2, None),
    Pair("BERT and GPT-2", transformers.BERT, transformers.GPT_2, None),
    Pair("Llama and Qwen 3", transformers.LLAMA, transformers.QWEN_3, None),
    Pair("DenseNet-121 and ViT-B/16", keras("DenseNet121"), torchvision("vit_b_16"), None),
)
"""Networks that are not: what is said of them is printed, and nothing scored."""
