"""Networks that hear, that read text as encoders do, and recurrent ones."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Shapes
from ..first.audio import WAVE
from ..first.text import IDS
from ..pairs import Published, Values, call, torch
from ..rules import Rule, changed, dropped, joined, renamed, split

_SOUND: Final[Shapes] = {"x": (1, 9, 20)}
_STATES: Final[Shapes] = {"x": (1, 11, 48)}

_WAV2VEC: Final = torch(
    "torchaudio",
    "import torchaudio",
    call(
        "torchaudio.models.wav2vec2_model",
        extractor_mode="group_norm",
        extractor_conv_layer_config=[(32, 10, 5), (32, 3, 2), (32, 2, 2)],
        extractor_conv_bias=False,
        encoder_embed_dim=48,
        encoder_projection_dropout=0.0,
        encoder_pos_conv_kernel=16,
        encoder_pos_conv_groups=4,
        encoder_num_layers=2,
        encoder_num_heads=4,
        encoder_attention_dropout=0.0,
        encoder_ff_interm_features=112,
        encoder_ff_interm_dropout=0.0,
        encoder_dropout=0.0,
        encoder_layer_norm_first=False,
        encoder_layer_drop=0.0,
        aux_num_out=None,
    ),
    WAVE,
)


def _wav2vec(**settings: Any) -> str:
    config = call(
        "transformers.Wav2Vec2Config",
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=112,
        conv_dim=[32, 32, 32],
        conv_stride=[5, 2, 2],
        conv_kernel=[10, 3, 2],
        conv_bias=False,
        feat_extract_norm="group",
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        mask_time_prob=0.0,
        **settings,
    )
    return f"transformers.Wav2Vec2Model({config})"


_OF_WAV2VEC: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^encoder\.transformer\.", "encoder."),
        (r"^encoder\.feature_projection\.", "feature_projection."),
    ),
)

_CELLS: Final = """
import torch
from speechbrain.nnet.RNN import GRUCell, LSTMCell


class Steps(torch.nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        state, found = None, []
        for step in x.unbind(1):
            y, state = self.cell(step, state)
            found.append(y)
        return torch.stack(found, 1)
"""
_WHOLE: Final = """
import torch


class First(torch.nn.Module):
    def __init__(self, rnn):
        super().__init__()
        self.rnn = rnn

    def forward(self, x):
        return self.rnn(x)[0]
"""
_OF_CELLS: Final[tuple[Rule, ...]] = (renamed((r"^cell\.rnn_cells\.(\d)\.(\w+)", r"rnn.\2_l\1")),)


def _rnn(kind: str, **settings: Any) -> Any:
    build = call(f"torch.nn.{kind}", 20, 24, 2, batch_first=True, **settings)
    return torch("torch", _WHOLE, f"First({build})", _SOUND)


_CURATED: Final = """
import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import RoBERTaConfig, RoBERTaEncoder


class Last(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        mask = AttentionMask(torch.ones_like(input_ids, dtype=torch.bool))
        return self.network(input_ids, mask).all_outputs[-1]
"""
_BERTS: Final = {
    "vocab_size": 100,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 112,
    "max_position_embeddings": 34,
}


def _no_padding(values: Values) -> Values:
    return [values[0] % 90 + 5]


def _hf(model: str, config: str, rest: str = "", **settings: Any) -> Any:
    build = f"transformers.{model}({call(f'transformers.{config}', **settings)}{rest})"
    return torch("transformers", "import transformers", build, IDS)


_CLIP: Final = """
import torch
from open_clip.transformer import QuickGELU, TextTransformer


class Tokens(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids):
        return self.network(input_ids)[1]
"""
_OF_CLIP: Final[tuple[Rule, ...]] = (
    renamed((r"^network\.", "")),
    dropped("text_projection"),
    split(
        r"^transformer\.resblocks\.(\d)\.attn\.in_proj_(\w+)",
        *(rf"encoder.layers.\1.self_attn.{one}_proj.\2" for one in "qkv"),
    ),
    renamed(
        (r"^positional_embedding", "embeddings.position_embedding.weight"),
        (r"^token_embedding", "embeddings.token_embedding"),
        (r"^transformer\.resblocks\.", "encoder.layers."),
        (r"\.attn\.", ".self_attn."),
        (r"\.ln_", ".layer_norm"),
        (r"mlp\.c_fc", "mlp.fc1"),
        (r"mlp\.c_proj", "mlp.fc2"),
        (r"^ln_final", "final_layer_norm"),
    ),
)


def _clip(activation: str) -> Any:
    return _hf(
        "CLIPTextModel",
        "CLIPTextConfig",
        vocab_size=100,
        hidden_size=48,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=12,
        hidden_act=activation,
        bos_token_id=1,
        eos_token_id=99,
        pad_token_id=0,
    )


_OPEN_CLIP: Final = torch(
    "open_clip",
    _CLIP,
    "Tokens(TextTransformer(context_length=12, vocab_size=100, width=48, heads=4, layers=2, "
    "output_dim=48, output_tokens=True, act_layer=QuickGELU))",
    IDS,
)
_OF_X: Final[tuple[Rule, ...]] = (
    joined(
        r"^layers\.(?P<layer>\d)\.1\.to_(?P<part>[qkv])\.weight",
        r"layers.\g<layer>.self_attn.in_proj_weight",
        "qkv",
    ),
    renamed(
        (r"^layers\.(\d)\.0\.0\.gamma", r"layers.\1.norm.weight"),
        (r"^layers\.(\d)\.1\.to_out", r"layers.\1.self_attn.out_proj"),
        (r"^layers\.(\d)\.1\.ff\.0\.0", r"layers.\1.linear1"),
        (r"^layers\.(\d)\.1\.ff\.2", r"layers.\1.linear2"),
        (r"^final_norm\.gamma", "norm.weight"),
        (r"^layers\.0\.norm", "layers.0.norm1"),
        (r"^layers\.1\.norm", "layers.0.norm2"),
        (r"^layers\.1\.linear", "layers.0.linear"),
        (r"^layers\.2\.norm", "layers.1.norm1"),
        (r"^layers\.2\.", "layers.1."),
        (r"^layers\.3\.norm", "layers.1.norm2"),
        (r"^layers\.3\.", "layers.1."),
    ),
    changed(r"norm\d?\.weight", lambda array: array + 1),
)


def _encoder(**settings: Any) -> Any:
    layer = call(
        "torch.nn.TransformerEncoderLayer",
        48,
        4,
        96,
        batch_first=True,
        bias=False,
        activation="gelu",
        **settings,
    )
    build = (
        f"torch.nn.TransformerEncoder({layer}, 2, norm=torch.nn.LayerNorm(48, bias=False), "
        "enable_nested_tensor=False)"
    )
    return torch("torch", "import torch", build, _STATES)


_X: Final = torch(
    "x_transformers",
    "import x_transformers",
    call(
        "x_transformers.Encoder",
        dim=48,
        depth=2,
        heads=4,
        attn_dim_head=12,
        ff_mult=2,
        ff_no_bias=True,
    ),
    _STATES,
)

PAIRS: Final = (
    Published(
        "Wav2Vec 2",
        _WAV2VEC,
        torch("transformers", "import transformers", _wav2vec(), WAVE),
        "the same; B also returns the features that it extracts",
        _OF_WAV2VEC,
    ),
    Published(
        "Wav2Vec 2, activation of the extractor",
        _WAV2VEC,
        torch(
            "transformers", "import transformers", _wav2vec(feat_extract_activation="relu"), WAVE
        ),
        "activation of the three first convolutions: Gelu in A, Relu in B",
        _OF_WAV2VEC,
        kind="different",
    ),
    Published(
        "LSTM, step by step",
        torch(
            "speechbrain",
            _CELLS,
            "Steps(LSTMCell(hidden_size=24, input_size=20, num_layers=2))",
            _SOUND,
        ),
        _rnn("LSTM"),
        "the same; cells called in a loop, and one operator",
        _OF_CELLS,
    ),
    Published(
        "GRU, step by step",
        torch(
            "speechbrain",
            _CELLS,
            "Steps(GRUCell(hidden_size=24, input_size=20, num_layers=2))",
            _SOUND,
        ),
        _rnn("GRU"),
        "the same; cells called in a loop, and one operator",
        _OF_CELLS,
    ),
    Published(
        "LSTM of two directions",
        torch(
            "speechbrain",
            "import torch\nfrom speechbrain.nnet.RNN import LSTM\n" + _WHOLE,
            "First(LSTM(hidden_size=24, input_size=20, num_layers=2, bidirectional=True))",
            _SOUND,
        ),
        _rnn("LSTM", bidirectional=True),
        "the same",
        (renamed((r"^rnn\.rnn", "rnn")),),
    ),
    Published(
        "RNN, other activation",
        _rnn("RNN"),
        _rnn("RNN", nonlinearity="relu"),
        "activation of both layers: Tanh in A, Relu in B",
        kind="different",
    ),
    Published(
        "RoBERTa",
        torch(
            "curated_transformers",
            _CURATED,
            "Last(RoBERTaEncoder(RoBERTaConfig(embedding_width=48, hidden_width=48, "
            "n_hidden_layers=2, n_attention_heads=4, intermediate_width=112, n_pieces=100, "
            "n_positions=34)))",
            IDS,
        ),
        _hf(
            "RobertaModel",
            "RobertaConfig",
            ", add_pooling_layer=False",
            **_BERTS,
            type_vocab_size=1,
            layer_norm_eps=1e-5,
        ),
        "the same for words that are no padding",
        (
            renamed(
                (r"^network\.", ""),
                (r"piece_embeddings", "word_embeddings"),
                (r"type_embeddings", "token_type_embeddings"),
                (r"embed_output_layer_norm", "LayerNorm"),
                (r"^layers\.", "encoder.layer."),
                (r"mha\.(query|key|value)", r"attention.self.\1"),
                (r"mha\.output", "attention.output.dense"),
                (r"ffn\.intermediate", "intermediate.dense"),
                (r"ffn\.output", "output.dense"),
                (r"attn_residual_layer_norm", "attention.output.LayerNorm"),
                (r"ffn_residual_layer_norm", "output.LayerNorm"),
            ),
        ),
        draw=_no_padding,
    ),
    Published(
        "BERT and ELECTRA",
        _hf("BertModel", "BertConfig", ", add_pooling_layer=False", **_BERTS),
        _hf("ElectraModel", "ElectraConfig", **_BERTS, embedding_size=48),
        "the same",
    ),
    Published(
        "CLIP's text side",
        _OPEN_CLIP,
        _clip("quick_gelu"),
        "the same; each also returns a pooled token",
        _OF_CLIP,
    ),
    Published(
        "CLIP's text side, other activation",
        _OPEN_CLIP,
        _clip("relu"),
        "activation of both MLPs: x times the sigmoid of 1.702 x in A, Relu in B",
        _OF_CLIP,
        kind="different",
    ),
    Published(
        "x-transformers' encoder and torch.nn's",
        _X,
        _encoder(norm_first=True),
        "the same; norms without bias, their scales held less 1 in A",
        _OF_X,
    ),
    Published(
        "x-transformers' encoder and torch.nn's, norms elsewhere",
        _X,
        _encoder(),
        "the four norms: before attention and MLP in A, behind their sums in B",
        _OF_X,
        kind="different",
    ),
)
