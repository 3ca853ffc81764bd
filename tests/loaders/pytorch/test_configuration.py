"""Callables that take a configuration object get one made of the settings in `args`."""

from __future__ import annotations

import msgspec
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

from ..ports import graph_of, operators, write

pytest.importorskip("torch")

SOURCE = """
from torch import nn
INPUTS = {"x": (1, 3)}
class Config:
    def __init__(self, width=4, use_cache=True):
        self.width, self.use_cache = width, use_cache
class Net(nn.Module):
    config_class = Config
    def __init__(self, config):
        super().__init__()
        self.layer = nn.Linear(3, config.width)
        self.cached = config.use_cache
    def forward(self, x):
        y = self.layer(x)
        return (y, x.relu()) if self.cached else y
    @classmethod
    def twice(cls, config):
        config.width *= 2
        return cls(config)
"""


@pytest.mark.parametrize(
    ("entry", "settings", "width"),
    [("Net", {}, 4), ("Net", {"width": 5}, 5), ("Net.twice", {"width": 5}, 10)],
)
def test_settings_become_the_object(tmp_path, entry, settings, width):
    graph = graph_of(write(tmp_path, SOURCE), entry=entry, args={"config": settings})
    assert graph.outputs[0].source.type.shape == (1, width)


def test_without_args_it_is_the_default(tmp_path):
    assert graph_of(write(tmp_path, SOURCE), entry="Net").totals().parameters == 16


def test_caches_are_returned_only_where_asked_for(tmp_path):
    asked = write(tmp_path, SOURCE)
    assert len(graph_of(asked, entry="Net").outputs) == 1
    assert len(graph_of(asked, entry="Net", args={"config": {"use_cache": True}}).outputs) == 2


def test_a_setting_that_it_does_not_have_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="unexpected keyword argument 'depth'"):
        graph_of(write(tmp_path, SOURCE), entry="Net", args={"config": {"depth": 1}})


class TestDataclasses:
    """As in the many ports of GPT: `GPT(config)`."""

    SOURCE = """
    from dataclasses import dataclass
    from torch import nn
    INPUTS = {"x": (1, 3)}
    @dataclass
    class Settings:
        width: int = 4
        bias: bool = True
    class Net(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.layer = nn.Linear(3, config.width, bias=config.bias)
        def forward(self, x):
            return self.layer(x)
    """

    @pytest.mark.parametrize(
        ("args", "count"), [({}, 16), ({"config": {"width": 5}}, 20), ({"config": {"bias": 0}}, 12)]
    )
    def test_settings_become_the_only_one_of_the_file(self, tmp_path, args, count):
        assert graph_of(write(tmp_path, self.SOURCE), args=args).totals().parameters == count

    def test_settings_become_the_one_that_the_argument_is_annotated_with(self, tmp_path):
        other = "@dataclass\n    class Other:\n        a: int\n    class Net"
        source = self.SOURCE.replace("class Net", other).replace("config)", "config: Settings)")
        asked = write(tmp_path, source)
        assert graph_of(asked, args={"config": {"width": 5}}).totals().parameters == 20

    def test_a_setting_that_it_does_not_have_is_told(self, tmp_path):
        with pytest.raises(ModeldocsError, match="unexpected keyword argument 'depth'"):
            graph_of(write(tmp_path, self.SOURCE), args={"config": {"depth": 1}})


@pytest.mark.xdist_group("transformers")
class TestTransformers:
    SMALL = {"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 32,
             "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 50}  # fmt: skip

    def request(self, **changes):
        pytest.importorskip("transformers")
        return LoadRequest(
            root=".", module="transformers", inputs={"input_ids": (1, 8)},
            dtypes={"input_ids": "int64"}, name="bert", **changes,
        )  # fmt: skip

    def test_a_configuration_alone_makes_the_model(self):
        asked = self.request(entry="AutoModel.from_config", args={"config": self.SMALL})
        graph = graph_of(asked)
        assert [o.name for o in graph.outputs] == ["last_hidden_state", "pooler_output"]
        found = operators(graph)
        kinds = ("Attention", "Gelu", "LayerNormalization", "Gemm")
        assert [found.count(kind) for kind in kinds] == [1, 1, 3, 7]

    def test_the_kind_of_model_must_be_told(self):
        with pytest.raises(ModeldocsError, match="does not say of which kind") as raised:
            graph_of(self.request(entry="AutoModel.from_config", args={"config": {}}))
        assert "model_type" in raised.value.fix

    DECODER = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
               "num_key_value_heads": 1, "intermediate_size": 64, "vocab_size": 50}  # fmt: skip

    @pytest.mark.parametrize(
        ("entry", "more"),
        [
            ("LlamaModel", {}),
            ("Qwen2ForCausalLM", {}),
            ("Gemma2Model", {"head_dim": 16}),
            ("MixtralModel", {"num_local_experts": 4}),
        ],
    )
    def test_decoders_give_no_earlier_keys_and_take_integers(self, entry, more):
        asked = self.request(entry=entry, args={"config": self.DECODER | more})
        graph = graph_of(msgspec.structs.replace(asked, dtypes={}))
        assert (graph.inputs[0].type.dtype, len(graph.outputs)) == ("int64", 1)

    def test_so_does_one_that_a_file_builds(self, tmp_path):
        pytest.importorskip("transformers")
        text = f"""
        from transformers import LlamaConfig, LlamaForCausalLM
        INPUTS = {{"input_ids": (1, 8)}}
        def net():
            return LlamaForCausalLM(LlamaConfig(**{self.DECODER}))
        """
        graph = graph_of(write(tmp_path, text))
        assert [output.name for output in graph.outputs] == ["logits"]


def test_an_argument_has_the_type_that_it_is_annotated_with(tmp_path):
    text = """
    import torch
    from torch import nn
    INPUTS = {"ids": (1, 4), "x": (1, 4, 2)}
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(9, 2)
        def forward(self, ids: torch.LongTensor, x: torch.Tensor):
            return self.table(ids) + x
    """
    graph = graph_of(write(tmp_path, text))
    assert [entry.type.dtype for entry in graph.inputs] == ["int64", "float32"]
