"""Networks of convolutions, and parts of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, output, torch
from ..rules import Arrays, Rule, changed, renamed
from ..wrapper import FEATURES, HF, wrapped

_TAMING_PATCHES: Final = torch(
    "taming",
    "from taming.modules.discriminator.model import NLayerDiscriminator",
    call("NLayerDiscriminator", ndf=16, n_layers=3),
)


def _monai_patches(slope: float) -> Net:
    return torch(
        "monai",
        "from monai.networks.nets import PatchDiscriminator",
        call(
            "PatchDiscriminator",
            spatial_dims=2,
            channels=16,
            in_channels=3,
            num_layers_d=3,
            activation=("leakyrelu", {"negative_slope": slope}),
        ),
    )


_TO_PATCHES: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^main\.0\.", "initial_conv.conv."),
        (r"^main\.2\.", "0.conv."),
        (r"^main\.3\.", "0.adn.N."),
        (r"^main\.5\.", "1.conv."),
        (r"^main\.6\.", "1.adn.N."),
        (r"^main\.8\.", "2.conv."),
        (r"^main\.9\.", "2.adn.N."),
        (r"^main\.11\.", "final_conv.conv."),
    ),
)


_DIFFUSERS_CONDITION: Final = torch(
    "diffusers",
    "from diffusers.models.controlnets.controlnet import ControlNetConditioningEmbedding",
    call("ControlNetConditioningEmbedding", 32, block_out_channels=(8, 16, 24)),
)
_MONAI_CONDITION: Final = torch(
    "monai",
    "from monai.networks.nets.controlnet import ControlNetConditioningEmbedding",
    call(
        "ControlNetConditioningEmbedding",
        spatial_dims=2,
        in_channels=3,
        out_channels=32,
        channels=(8, 16, 24),
    ),
)


def _cv_ghost(*, bare: bool) -> Net:
    before = f"""
import torch
from pytorchcv.model_provider import get_model


def features(name):
    network = get_model(name).features[:4]
    for name, one in network.named_modules():
        if {bare} and name.endswith("identity_conv.dw_conv"):
            one.activ = torch.nn.Identity()
    return network
"""
    return torch("pytorchcv", before, call("features", "ghostnet"))


_SOME: Final = """

def some(network, *stages):
    network.blocks = torch.nn.Sequential(*(network.blocks[n] for n in stages))
    network.conv_head = torch.nn.Identity()
    return Of(network)
"""
_TIMM_GHOST: Final = torch(
    "timm",
    wrapped(
        """
from functools import partial
import timm
from timm.models import ghostnet

ghostnet._SE_LAYER = partial(ghostnet.SqueezeExcite, gate_layer="hard_sigmoid")  # not rounded
""",
        FEATURES,
    )
    + _SOME,
    "some(timm.create_model('ghostnet_100', num_classes=0), 0, 1, 2, 3, 4)",
)


def _gates_unclamped(arrays: Arrays) -> Arrays:
    """Gates are clamped to 0 and 1 in A, and in B the sixth of what they are, and a half."""
    found = dict(arrays)
    for name, array in arrays.items():
        if "se.conv_expand.weight" in name:
            found[name] = array * np.float32(6)
        elif "se.conv_expand.bias" in name:
            found[name] = array * np.float32(6) - np.float32(3)
    return found


def _five_by_five(array: np.ndarray) -> np.ndarray:
    """Weights of three by three within zeros."""
    return np.pad(array, [(0, 0), (0, 0), (1, 1), (1, 1)])


_TO_GHOST: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^stage1\.unit1", "blocks.0.0"),
        (r"^stage2\.unit1", "blocks.1.0"),
        (r"^stage2\.unit2", "blocks.2.0"),
        (r"^stage3\.unit1", "blocks.3.0"),
        (r"^stage3\.unit2", "blocks.4.0"),
        (r"^init_block\.conv", "conv_stem"),
        (r"^init_block\.bn", "bn1"),
        (r"body\.exp_conv", "ghost1"),
        (r"body\.pw_conv", "ghost2"),
        (r"main_conv\.conv", "primary_conv.0"),
        (r"main_conv\.bn", "primary_conv.1"),
        (r"cheap_conv\.conv", "cheap_operation.0"),
        (r"cheap_conv\.bn", "cheap_operation.1"),
        (r"body\.dw_conv\.conv", "conv_dw"),
        (r"body\.dw_conv\.bn", "bn_dw"),
        (r"identity_conv\.dw_conv\.conv", "shortcut.0"),
        (r"identity_conv\.dw_conv\.bn", "shortcut.1"),
        (r"identity_conv\.pw_conv\.conv", "shortcut.2"),
        (r"identity_conv\.pw_conv\.bn", "shortcut.3"),
        (r"body\.se\.conv1", "se.conv_reduce"),
        (r"body\.se\.conv2", "se.conv_expand"),
        (r"^", "network."),
    ),
    changed(r"blocks\.3\.0\.shortcut\.0", _five_by_five),
    _gates_unclamped,
)

_TIMM_LCNET: Final = torch(
    "timm",
    wrapped(
        "import timm",
        "self.network.blocks(self.network.bn1(self.network.conv_stem(x)))",
    )
    + _SOME,
    "some(timm.create_model('lcnet_050', num_classes=0), 0, 1, 2, 3, 5)",
)
_HF_LCNET: Final = torch(
    "transformers",
    f"{HF}\nfrom transformers.models.pp_lcnet.modeling_pp_lcnet import PPLCNetEncoder",
    "PPLCNetEncoder({})".format(
        call(
            "transformers.PPLCNetConfig",
            scale=0.5,
            block_configs=[
                [[3, 16, 32, 1, False]],
                [[3, 32, 64, 2, False], [3, 64, 64, 1, False]],
                [[3, 64, 128, 2, False], [3, 128, 128, 1, False]],
                [[3, 128, 256, 2, False], [5, 256, 256, 1, False]],
                [[5, 256, 512, 2, True], [5, 512, 512, 1, True]],
            ],
        )
    ),
)
_TO_LCNET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^conv_stem", "convolution.convolution"),
        (r"^bn1", "convolution.normalization"),
        (r"^blocks\.(\d)\.(\d)", r"blocks.\1.layers.\2"),
        (r"conv_dw", "depthwise_convolution.convolution"),
        (r"\.bn1", ".depthwise_convolution.normalization"),
        (r"conv_pw", "pointwise_convolution.convolution"),
        (r"\.bn2", ".pointwise_convolution.normalization"),
        (r"se\.conv_reduce", "squeeze_excitation_module.convolutions.0"),
        (r"se\.conv_expand", "squeeze_excitation_module.convolutions.2"),
    ),
)

_TOKENS: Final[Shapes] = {"x": (1, 4, 17, 48)}
"""Four states of a transformer, of a token and four by four patches."""


def _smp_dpt(*, bare: bool) -> Net:
    before = f"""
import torch
from segmentation_models_pytorch.decoders.dpt.decoder import DPTDecoder


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network
        if {bare}:
            network.fusion_blocks[0].residual_conv_block1 = torch.nn.Identity()

    def forward(self, x):
        states = x.unbind(1)
        patches = [one[:, 1:].transpose(1, 2).unflatten(2, (4, 4)) for one in states]
        return self.network(patches, [one[:, :1] for one in states])
"""
    told = call(
        "DPTDecoder",
        encoder_out_channels=(48, 48, 48, 48),
        intermediate_channels=(12, 16, 24, 32),
        fusion_channels=16,
    )
    return torch("segmentation_models_pytorch", before, f"Of({told})", _TOKENS)


_HF_DPT: Final = torch(
    "transformers",
    """
import torch
import transformers
from transformers.models.dpt.modeling_dpt import DPTNeck


class Of(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.network = DPTNeck(config)

    def forward(self, x):
        return self.network(list(x.unbind(1)), 4, 4)[-1]
""",
    "Of({})".format(
        call(
            "transformers.DPTConfig",
            hidden_size=48,
            neck_hidden_sizes=[12, 16, 24, 32],
            fusion_hidden_size=16,
            use_batch_norm_in_fusion_residual=True,
            use_bias_in_fusion_residual=False,
        )
    ),
    _TOKENS,
)
_TO_DPT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"projection_blocks\.(\d)\.project", r"reassemble_stage.readout_projects.\1"),
        (r"reassemble_blocks\.(\d)\.project_to_out_channel", r"stage.layers.\1.projection"),
        (r"reassemble_blocks\.(\d)\.upsample", r"stage.layers.\1.resize"),
        (r"reassemble_blocks\.(\d)\.project_to_feature_dim", r"convs.\1"),
        (r"network\.stage", "network.reassemble_stage"),
        (r"fusion_blocks", "fusion_stage.layers"),
        (r"residual_conv_block", "residual_layer"),
        (r"conv_([12])", r"convolution\1"),
        (r"batch_norm_", "batch_norm"),
        (r"(layers\.\d)\.project\.", r"\1.projection."),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "PatchGAN",
        _TAMING_PATCHES,
        _monai_patches(0.2),
        "the same; B returns what each layer gives",
        _TO_PATCHES,
        theirs=output(-1),
    ),
    Published(
        "PatchGAN, other slope",
        _TAMING_PATCHES,
        _monai_patches(0.01),
        "slope of every LeakyRelu: 0.2 in A, 0.01 in B, as it is where none is told",
        _TO_PATCHES,
        kind="different",
        theirs=output(-1),
    ),
    Published(
        "Condition of a ControlNet",
        _DIFFUSERS_CONDITION,
        _MONAI_CONDITION,
        "the same; activations are a function in A, layers of one class with convolutions in B",
        (renamed((r"\.(weight|bias)$", r".conv.\1")),),
    ),
    Published(
        "GhostNet",
        _cv_ghost(bare=True),
        _TIMM_GHOST,
        "the same; gates that are clamped in A, a HardSigmoid in B, for which their weights are "
        "changed; a sum of three by three in A, of five by five in B, of zeros outside; A's Relus "
        "beside layers are taken out",
        _TO_GHOST,
    ),
    Published(
        "GhostNet, as packaged",
        _cv_ghost(bare=False),
        _TIMM_GHOST,
        "what is added to a layer where the width changes: with a Relu between both convolutions "
        "in A, without in B",
        _TO_GHOST,
        kind="different",
    ),
    Published(
        "PP-LCNet",
        _TIMM_LCNET,
        _HF_LCNET,
        "the same; means of the gates are a reduction in A, a pool in B",
        _TO_LCNET,
    ),
    Published(
        "DPT's decoder",
        _smp_dpt(bare=True),
        _HF_DPT,
        "the same; a block that A has before the first sum is taken out; B has one there that it "
        "does not use",
        _TO_DPT,
        unset=r"fusion_stage\.layers\.0\.residual_layer1",
    ),
    Published(
        "DPT's decoder, as packaged",
        _smp_dpt(bare=False),
        _HF_DPT,
        "the last state: through two blocks in A, through the second alone in B",
        _TO_DPT,
        kind="different",
    ),
)
