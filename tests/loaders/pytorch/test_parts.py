"""Modules whose data decide what they compute: what can be traced of them is drawn and proven."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

from ..ports import graph_of, operators, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

ONE_STAGE = """
import torch
from torch import nn
from torch.nn import functional as F
INPUTS = {"image": (1, 3, 8, 8)}
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores, self.boxes = nn.Conv2d(4, 2, 1), nn.Conv2d(4, 8, 1)
    def forward(self, x):
        return {"scores": self.scores(x), "boxes": self.boxes(x)}
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.body, self.head = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3), Head()
    def forward(self, image):
        x = self.stem(image)
        F.relu(x, inplace=True)
        found = self.head(self.body(x))
        scores = found["scores"].flatten().sigmoid()
        kept = torch.nonzero(scores > 0.5)[:, 0]
        return found["boxes"].reshape(-1, 4)[kept // 2] if len(kept) > 3 else kept
model = Detector
"""

TWO_STAGES = """
import torch
from torch import nn
INPUTS = {"image": (1, 3, 8, 8)}
class Crop(nn.Module):
    def forward(self, x, chosen):
        return torch.stack([x[0, :, :2, :2] * i for i in chosen.tolist()])
class Regions(nn.Module):
    def __init__(self):
        super().__init__()
        self.crop, self.features, self.kinds = Crop(), nn.Linear(16, 6), nn.Linear(6, 3)
        self.boxes = nn.Linear(6, 4)
    def forward(self, x, scores):
        chosen = (scores > scores.mean()).sum((0, 1, 3)).argsort()[: 1 + int(scores.argmax()) % 3]
        read = self.features(self.crop(x, chosen).flatten(1))
        return self.kinds(read), self.boxes(read)
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.scores, self.regions = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 1, 1), Regions()
    def forward(self, image):
        x = self.body(image).relu()
        return self.regions(x, self.scores(x))
model = Detector
"""


@pytest.fixture
def one_stage(tmp_path):
    return write(tmp_path, ONE_STAGE)


@pytest.fixture
def two_stages(tmp_path):
    return write(tmp_path, TWO_STAGES)


class TestOneStage:
    def test_backbone_and_head_are_drawn(self, one_stage):
        graph = graph_of(one_stage)
        assert operators(graph) == ["Conv", "Relu", "Conv", "Conv", "Conv"]
        assert [output.name for output in graph.outputs] == ["head.scores", "head.boxes"]
        assert [entry.name for entry in graph.inputs] == ["image"]

    def test_what_is_left_out_is_told_in_a_sentence(self, one_stage):
        (note,) = graph_of(one_stage).notes
        assert note == (
            "left out, since the data decide what is computed there: the last steps of Detector"
        )

    def test_modules_lines_and_parameters_are_its_own(self, one_stage):
        graph = graph_of(one_stage)
        origin = graph.layers[0].origins[0]
        assert (origin.name, origin.file, origin.line) == ("stem", "pytorch.py", 15)
        assert "stem.weight" in {p.name for layer in graph.layers for p in layer.parameters}

    def test_a_table_kept_from_a_run_has_its_values(self, tmp_path):
        made = """        if getattr(self, "made_for", None) is not type(image):
            self.made_for, self.table = type(image), torch.arange(8.0)
        x = self.stem(image + self.table)"""
        kept = ONE_STAGE.replace("        x = self.stem(image)", made)
        graph = graph_of(write(tmp_path, kept))
        assert operators(graph) == ["Add", "Conv", "Relu", "Conv", "Conv", "Conv"]

    def test_torch_computes_the_same(self, one_stage):
        assert agrees(proof(one_stage))

    def test_it_is_the_same_each_time(self, one_stage):
        assert graph_of(one_stage) == graph_of(one_stage)


class TestTwoStages:
    def test_what_comes_after_starts_from_an_input_of_one_element(self, two_stages):
        graph = graph_of(two_stages)
        shapes = {entry.name: entry.type.shape for entry in graph.inputs}
        assert shapes == {"image": (1, 3, 8, 8), "regions_features": (1, 16)}

    def test_modules_that_read_each_other_are_joined(self, two_stages):
        graph = graph_of(two_stages)
        assert operators(graph) == ["Conv", "Relu", "Conv", "Gemm", "Gemm", "Gemm"]
        assert [o.name for o in graph.outputs] == ["scores", "regions.kinds", "regions.boxes"]

    def test_each_of_its_gaps_is_told(self, two_stages):
        (note,) = graph_of(two_stages).notes
        assert note == (
            "left out, since the data decide what is computed there: parts of regions (Regions), "
            "regions.crop (Crop); what comes after starts from inputs of its own: regions.features"
        )

    def test_what_was_changed_in_between_is_not_joined(self, tmp_path):
        changed = TWO_STAGES.replace("return self.kinds(read)", "return self.kinds(read.relu_())")
        graph = graph_of(write(tmp_path, changed))
        assert [e.name for e in graph.inputs] == ["image", "regions_features", "regions_kinds",
                                                  "regions_boxes"]  # fmt: skip

    def test_a_module_that_is_called_often_is_drawn_once(self, tmp_path):
        often = TWO_STAGES.replace("read = self", "self.features(x[0, :, :4, :1].reshape(1, 16))\n"
                                   "        read = self")  # fmt: skip
        graph = graph_of(write(tmp_path, often))
        assert operators(graph).count("Gemm") == 3

    def test_torch_computes_the_same(self, two_stages):
        assert agrees(proof(two_stages))


class TestRefused:
    def test_a_mistake_of_its_own_is_told_as_that(self, tmp_path):
        asked = write(tmp_path, ONE_STAGE.replace("(4, 4, 3), Head", "(5, 4, 3), Head"))
        with pytest.raises(ModeldocsError, match="running it raised RuntimeError") as raised:
            graph_of(asked)
        assert raised.value.place == "pytorch.py:19"

    def test_without_parameters_before_the_data_decide_nothing_is_drawn(self, tmp_path):
        source = """
        from torch import nn
        INPUTS = {"x": (2, 2)}
        class Net(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x
        """
        with pytest.raises(ModeldocsError, match="cannot be traced: the data decide") as raised:
            graph_of(write(tmp_path, source))
        assert raised.value.place == "pytorch.py:6"

    def test_an_operator_that_onnx_lacks_is_told_with_its_line(self, tmp_path):
        source = """
        import torch
        from torch import nn
        INPUTS = {"x": (4, 4)}
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)
            def forward(self, x):
                x = self.layer(x)
                return torch.linalg.eigh(x)[1]
        """
        with pytest.raises(ModeldocsError, match="which cannot be written as ONNX") as raised:
            graph_of(write(tmp_path, source))
        assert raised.value.place == "pytorch.py:11"

    def test_what_leaves_torch_is_told(self, tmp_path):
        source = """
        import torch
        from torch import nn
        INPUTS = {"x": (4, 4)}
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)
            def forward(self, x):
                return torch.from_numpy(self.layer(x).detach().numpy() * 2)
        """
        graph = graph_of(write(tmp_path, source))
        assert operators(graph) == ["Gemm"]
        assert graph.notes[0].startswith("left out, since it is computed there by numpy")


@pytest.mark.parametrize(
    ("entry", "outputs"), [("ssdlite320_mobilenet_v3_large", 2), ("retinanet_resnet50_fpn", 2)]
)
def test_torchvisions_detectors_give_backbone_and_heads(entry, outputs):
    pytest.importorskip("torchvision")
    asked = LoadRequest(
        root=".", module="torchvision.models.detection", entry=entry, name=entry,
        args={"weights_backbone": None}, inputs={"images": (1, 3, 320, 320)},
    )  # fmt: skip
    graph = graph_of(asked)
    assert len(graph.outputs) == outputs
    assert "the last steps of" in graph.notes[0]
