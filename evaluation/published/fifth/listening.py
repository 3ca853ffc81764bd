"""Networks that hear and speak, recurrent ones, and those that take noise out of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, output, torch
from ..rules import Rule, changed, copied, renamed, reshaped, weight_normed

_WAVE: Final[Shapes] = {"x": (1, 1, 640)}
_DAC: Final = "from speechbrain.lobes.models.discrete.dac import Decoder, Encoder"
_ENCODER: Final = torch("speechbrain", _DAC, call("Encoder", 8, [2, 4], 8), _WAVE)


def _hf_dac(side: str, inputs: Shapes) -> Net:
    config = call(
        "transformers.DacConfig",
        encoder_hidden_size=8,
        decoder_hidden_size=16,
        downsampling_ratios=[2, 4],
        upsampling_ratios=[4, 2],
        hidden_size=8,
    )
    before = f"import transformers\nfrom transformers.models.dac.modeling_dac import {side}"
    return torch("transformers", before, f"{side}({config})", inputs)


_ONE_WEIGHT: Final = weight_normed(
    r"^(.*)\.parametrizations\.weight\.original0$",
    r"^(.*)\.parametrizations\.weight\.original1$",
    r"\1.weight",
)
_UNIT: Final = (
    (r"\.block\.0\.alpha", ".snake1.alpha"),
    (r"\.block\.1\.(weight|bias|para)", r".conv1.\1"),
    (r"\.block\.2\.alpha", ".snake2.alpha"),
    (r"\.block\.3\.(weight|bias|para)", r".conv2.\1"),
)
_OF_ENCODER: Final = renamed(
    (r"^block\.0\.", "conv1."),
    (r"^block\.3\.", "snake1."),
    (r"^block\.4\.", "conv2."),
    *((rf"^block\.{n + 1}\.block\.3\.", f"block.{n}.snake1.") for n in (0, 1)),
    *((rf"^block\.{n + 1}\.block\.4\.", f"block.{n}.conv1.") for n in (0, 1)),
    *(
        (rf"^block\.{n + 1}\.block\.{unit}\.block\.", f"block.{n}.res_unit{unit + 1}.block.")
        for n in (0, 1)
        for unit in (0, 1, 2)
    ),
    *_UNIT,
)
_OF_DECODER: Final = renamed(
    (r"^model\.0\.", "conv1."),
    (r"^model\.3\.", "snake1."),
    (r"^model\.4\.", "conv2."),
    *((rf"^model\.{n + 1}\.block\.0\.alpha", f"block.{n}.snake1.alpha") for n in (0, 1)),
    *((rf"^model\.{n + 1}\.block\.1\.(?!block)", f"block.{n}.conv_t1.") for n in (0, 1)),
    *(
        (rf"^model\.{n + 1}\.block\.{unit + 1}\.block\.", f"block.{n}.res_unit{unit}.block.")
        for n in (0, 1)
        for unit in (1, 2, 3)
    ),
    *_UNIT,
)
_OOBLECK: Final = torch(
    "diffusers",
    "from diffusers.models.autoencoders.autoencoder_oobleck import OobleckEncoder",
    call(
        "OobleckEncoder",
        encoder_hidden_size=8,
        audio_channels=1,
        downsampling_ratios=[2, 4],
        channel_multiples=[2, 4],
    ),
    _WAVE,
)

_SOUNDS: Final[Shapes] = {"x": (1, 40, 20)}


def _qwen_ecapa(dilations: Sequence[int]) -> Net:
    before = (
        "from transformers.models.qwen2_5_omni import configuration_qwen2_5_omni as configs\n"
        "from transformers.models.qwen2_5_omni.modeling_qwen2_5_omni import ECAPA_TimeDelayNet"
    )
    config = call(
        "configs.Qwen2_5OmniDiTConfig",
        mel_dim=20,
        enc_dim=16,
        enc_channels=[32, 32, 32, 64],
        enc_kernel_sizes=[5, 3, 3, 1],
        enc_dilations=list(dilations),
        enc_attention_channels=16,
        enc_res2net_scale=4,
        enc_se_channels=16,
    )
    return torch("transformers", before, f"ECAPA_TimeDelayNet({config})", _SOUNDS)


_ECAPA: Final = torch(
    "speechbrain",
    """
import torch
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN


def without_norms(network):
    for module in list(network.modules()):
        if hasattr(module, "norm"):
            module.norm = torch.nn.Identity()
    network.asp_bn = torch.nn.Identity()
    return network
""",
    "without_norms({})".format(
        call(
            "ECAPA_TDNN",
            20,
            lin_neurons=16,
            channels=[32, 32, 32, 64],
            kernel_sizes=[5, 3, 3, 1],
            dilations=[1, 2, 3, 1],
            attention_channels=16,
            res2net_scale=4,
            se_channels=16,
        )
    ),
    _SOUNDS,
)
_OF_ECAPA: Final = (
    renamed(
        (r"(conv\d?|fc)\.(weight|bias)$", r"\1.conv.\2"), (r"\.conv\.conv\.conv", ".conv.conv")
    ),
)

_NOISY: Final[Shapes] = {"x": (1, 3, 16, 16), "t": ((1,), "int64")}
_DDPM: Final = torch(
    "taming",
    "from taming.modules.diffusionmodules.model import Model",
    call(
        "Model",
        ch=32,
        out_ch=3,
        ch_mult=(1, 2),
        num_res_blocks=1,
        attn_resolutions=[8],
        in_channels=3,
        resolution=16,
    ),
    _NOISY,
)


def _unet(flipped: bool) -> Net:
    build = call(
        "diffusers.UNet2DModel",
        sample_size=16,
        layers_per_block=1,
        block_out_channels=(32, 64),
        norm_eps=1e-6,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=None,
        flip_sin_to_cos=flipped,
        freq_shift=1,
        downsample_padding=0,
    )
    inputs: Shapes = {"sample": (1, 3, 16, 16), "timestep": ((1,), "int64")}
    return torch("diffusers", "import diffusers", build, inputs)


_OF_DDPM: Final[tuple[Rule, ...]] = (
    changed(r"(attn.*)\.(q|k|v|proj_out)\.weight", lambda array: array[..., 0, 0]),
    renamed(
        (r"^temb\.dense\.0", "time_embedding.linear_1"),
        (r"^temb\.dense\.1", "time_embedding.linear_2"),
        (r"^down\.", "down_blocks."),
        (r"^up\.1\.", "up_blocks.0."),
        (r"^up\.0\.", "up_blocks.1."),
        (r"^mid\.block_1", "mid_block.resnets.0"),
        (r"^mid\.block_2", "mid_block.resnets.1"),
        (r"^mid\.attn_1", "mid_block.attn.0"),
        (r"\.block\.", ".resnets."),
        (r"\.attn\.(\d)\.norm", r".attn.\1.group_norm"),
        (r"\.attn\.(\d)\.([qkv])\.", r".attn.\1.to_\2."),
        (r"\.attn\.(\d)\.proj_out", r".attn.\1.to_out.0"),
        (r"\.attn\.", ".attentions."),
        (r"temb_proj", "time_emb_proj"),
        (r"nin_shortcut", "conv_shortcut"),
        (r"\.(down|up)sample\.", r".\1samplers.0."),
        (r"^norm_out", "conv_norm_out"),
    ),
)

_CHUNKS: Final[Shapes] = {"x": (1, 16, 7, 5)}
_TA_DUAL: Final = torch(
    "torchaudio",
    """
import torch
from torchaudio.models.squim.objective import DPRNN


class Chunks(DPRNN):
    def __init__(self, *args):
        super().__init__(*args)
        self.conv = torch.nn.Identity()

    def chunking(self, x):
        return x, 0

    def merging(self, x, rest):
        return x
""",
    call("Chunks", 16, 12, 2),
    _CHUNKS,
)


def _dual(**settings: Any) -> Net:
    one = call("block", **settings)
    before = """
import torch
from speechbrain.lobes.models.dual_path import Dual_Computation_Block, SBRNNBlock


def block(**settings):
    within, between = SBRNNBlock(16, 12, 1), SBRNNBlock(16, 12, 1)
    return Dual_Computation_Block(within, between, 16, norm="gln", **settings)
"""
    return torch("speechbrain", before, f"torch.nn.Sequential({one}, {one})", _CHUNKS)


_OF_DUAL: Final = (
    reshaped(r"norm", 16, 1, 1),
    renamed(
        (r"^row_(\w+)\.(\d)", r"\2.intra_\1"),
        (r"^col_(\w+)\.(\d)", r"\2.inter_\1"),
        (r"_rnn\.proj", "_linear.w"),
        (r"_rnn\.rnn", "_mdl.mdl.rnn"),
    ),
)

_STEPS: Final[Shapes] = {"x": (1, 6, 20)}


_CELL: Final = """
import torch
from xlstm.blocks.slstm.cell import sLSTMCell, sLSTMCellConfig


class Layer(torch.nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.gates = torch.nn.Linear(20, 64)
        self.cell = cell

    def forward(self, x):
        return self.cell(self.gates(x))[0][:, 0]
"""
_STEP_BY_STEP: Final = torch(
    "xlstm",
    _CELL,
    "Layer(sLSTMCell(sLSTMCellConfig(hidden_size=16, num_heads=1, backend='vanilla', "
    "function='lstm', bias_init='standard', dtype='float32', "
    "enable_automatic_mixed_precision=False)))",
    _STEPS,
)
_LSTM: Final = torch(
    "speechbrain",
    "from speechbrain.nnet.RNN import LSTM",
    call("LSTM", 16, input_size=20),
    _STEPS,
)
_OF_LSTM: Final = (
    renamed(
        (r"^rnn\.weight_ih_l0", "gates.weight"),
        (r"^rnn\.bias_ih_l0", "gates.bias"),
        (r"^rnn\.weight_hh_l0", "cell._recurrent_kernel_"),
        (r"^rnn\.bias_hh_l0", "cell._bias_"),
    ),
    reshaped(r"_recurrent_kernel_", 1, 64, 16),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "DAC's encoder",
        _ENCODER,
        _hf_dac("DacEncoder", _WAVE),
        "the same; weights held as a length and a direction in A, whole in B",
        (_ONE_WEIGHT, _OF_ENCODER),
    ),
    Published(
        "DAC's decoder",
        torch("speechbrain", _DAC, call("Decoder", 8, 16, [4, 2]), {"x": (1, 8, 20)}),
        _hf_dac("DacDecoder", {"x": (1, 8, 20)}),
        "the same; weights held as a length and a direction in A, whole in B",
        (_ONE_WEIGHT, _OF_DECODER),
    ),
    Published(
        "DAC's encoder and Oobleck's",
        _ENCODER,
        _OOBLECK,
        "each Snake: one number a channel in A; the exp of it, as scale and as divisor, in B",
        (
            _OF_ENCODER,
            renamed(
                (r"parametrizations\.weight\.original0", "weight_g"),
                (r"parametrizations\.weight\.original1", "weight_v"),
            ),
            copied(r"^(.*)alpha$", r"\1alpha", r"\1beta"),
        ),
        kind="different",
    ),
    Published(
        "ECAPA-TDNN",
        _qwen_ecapa([1, 2, 3, 1]),
        _ECAPA,
        "the same; the norms that B has behind every activation are taken out",
        _OF_ECAPA,
        theirs=output(0, lambda array: array[:, 0]),
    ),
    Published(
        "ECAPA-TDNN, other dilation",
        _qwen_ecapa([1, 2, 4, 1]),
        _ECAPA,
        "dilation of the three convolutions over time of the second block: 4 in A, 3 in B",
        _OF_ECAPA,
        kind="different",
        theirs=output(0, lambda array: array[:, 0]),
    ),
    Published(
        "UNet of DDPM",
        _DDPM,
        _unet(flipped=False),
        "the same; attention by Conv of 1 in A, by Gemm in B",
        _OF_DDPM,
    ),
    Published(
        "UNet of DDPM, cosines first",
        _DDPM,
        _unet(flipped=True),
        "sines and cosines of the time: sines first in A, cosines first in B",
        _OF_DDPM,
        kind="different",
    ),
    Published(
        "Dual-path RNN",
        _TA_DUAL,
        _dual(),
        "the same; one norm over channels and both axes, an operator in A, written out in B; A "
        "returns channels and the axis within chunks in the other order",
        _OF_DUAL,
        ours=output(0, lambda array: np.swapaxes(array, 1, 2)),
    ),
    Published(
        "Dual-path RNN, one sum less",
        _TA_DUAL,
        _dual(skip_around_intra=False),
        "a sum around the first LSTM of both blocks only in A",
        _OF_DUAL,
        kind="different",
        ours=output(0, lambda array: np.swapaxes(array, 1, 2)),
    ),
    Published(
        "LSTM of xLSTM",
        _LSTM,
        _STEP_BY_STEP,
        "the same; one operator in A, a step after another in B; B's weights of states by head",
        _OF_LSTM,
    ),
)
