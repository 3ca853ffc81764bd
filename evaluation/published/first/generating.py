"""Networks that make images: parts of latent diffusion."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net
from ..pairs import Published, call, torch
from ..rules import Rule, renamed

_LATENT: Final = {"z": (1, 4, 8, 8)}
_NOISY: Final = {"x": (1, 3, 16, 16), "timesteps": ((1,), "int64"), "context": (1, 5, 24)}
_SAMPLE: Final = {
    "sample": (1, 3, 16, 16),
    "timestep": ((1,), "int64"),
    "encoder_hidden_states": (1, 5, 24),
}

_MONAI: Final = """
import torch
from monai.networks.nets import AutoencoderKL, DiffusionModelUNet


class Decoding(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.post_quant_conv = network.post_quant_conv
        self.decoder = network.decoder

    def forward(self, z):
        return self.decoder(self.post_quant_conv(z))
"""
_DIFFUSERS: Final = _MONAI.replace(
    "from monai.networks.nets import AutoencoderKL, DiffusionModelUNet",
    "from diffusers import AutoencoderKL, UNet2DConditionModel",
)

OF_UNET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"\.conv\.(weight|bias)$", r".\1"),
        (r"^time_embed\.0", "time_embedding.linear_1"),
        (r"^time_embed\.2", "time_embedding.linear_2"),
        (r"\.downsampler\.op", ".downsamplers.0.conv"),
        (r"\.upsampler\.postconv", ".upsamplers.0.conv"),
        (r"\.skip_connection", ".conv_shortcut"),
        (r"^middle_block\.resnet_1", "mid_block.resnets.0"),
        (r"^middle_block\.resnet_2", "mid_block.resnets.1"),
        (r"^middle_block\.attention", "mid_block.attentions.0"),
        (r"\.out_proj", ".to_out.0"),
        (r"\.ff\.linear1", ".ff.net.0.proj"),
        (r"\.ff\.linear2", ".ff.net.2"),
        (r"^out\.0", "conv_norm_out"),
        (r"^out\.2", "conv_out"),
    ),
)

_OF_DECODER: Final[tuple[Rule, ...]] = (
    renamed(
        (r"\.conv\.(weight|bias)$", r".\1"),
        (r"\.nin_shortcut", ".conv_shortcut"),
        (r"^decoder\.blocks\.0\.", "decoder.conv_in."),
        (r"^decoder\.blocks\.1\.", "decoder.mid_block.resnets.0."),
        (r"^decoder\.blocks\.2\.norm\.", "decoder.mid_block.attentions.0.group_norm."),
        (r"^decoder\.blocks\.2\.attn\.out_proj", "decoder.mid_block.attentions.0.to_out.0"),
        (r"^decoder\.blocks\.2\.attn\.", "decoder.mid_block.attentions.0."),
        (r"^decoder\.blocks\.3\.", "decoder.mid_block.resnets.1."),
        (r"^decoder\.blocks\.4\.", "decoder.up_blocks.0.resnets.0."),
        (r"^decoder\.blocks\.5\.postconv", "decoder.up_blocks.0.upsamplers.0.conv"),
        (r"^decoder\.blocks\.6\.", "decoder.up_blocks.1.resnets.0."),
        (r"^decoder\.blocks\.7\.", "decoder.conv_norm_out."),
        (r"^decoder\.blocks\.8\.", "decoder.conv_out."),
    ),
)


def unet(epsilon: float, heads: int) -> Net:
    """The network as diffusers has it, with an epsilon of its norms and a number of heads."""
    build = call(
        "UNet2DConditionModel",
        sample_size=16,
        in_channels=3,
        out_channels=3,
        layers_per_block=1,
        block_out_channels=(32, 64),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=8,
        attention_head_dim=heads,
        cross_attention_dim=24,
        norm_eps=epsilon,
    )
    return torch("diffusers", _DIFFUSERS, build, _SAMPLE)


UNET: Final = torch(
    "monai",
    _MONAI,
    call(
        "DiffusionModelUNet",
        spatial_dims=2,
        in_channels=3,
        out_channels=3,
        num_res_blocks=(1, 1),
        channels=(32, 64),
        attention_levels=(False, True),
        norm_num_groups=8,
        num_head_channels=(0, 16),
        with_conditioning=True,
        cross_attention_dim=24,
    ),
    _NOISY,
)


PAIRS: Final = (
    Published(
        "UNet of latent diffusion",
        UNET,
        unet(1e-6, heads=4),
        "the same",
        OF_UNET,
    ),
    Published(
        "Decoder of latent diffusion, no activation at its end",
        torch(
            "monai",
            _MONAI,
            "Decoding("
            + call(
                "AutoencoderKL",
                spatial_dims=2,
                in_channels=3,
                out_channels=3,
                num_res_blocks=(1, 1),
                channels=(16, 32),
                attention_levels=(False, False),
                latent_channels=4,
                norm_num_groups=8,
            )
            + ")",
            _LATENT,
        ),
        torch(
            "diffusers",
            _DIFFUSERS,
            "Decoding("
            + call(
                "AutoencoderKL",
                in_channels=3,
                out_channels=3,
                down_block_types=("DownEncoderBlock2D",) * 2,
                up_block_types=("UpDecoderBlock2D",) * 2,
                block_out_channels=(16, 32),
                layers_per_block=0,
                norm_num_groups=8,
                latent_channels=4,
            )
            + ")",
            _LATENT,
        ),
        "Sigmoid and Mul (SiLU) between the last norm and the last Conv only in B",
        _OF_DECODER,
        kind="different",
    ),
)
