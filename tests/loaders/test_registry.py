"""Loaders of other packages, found by the entry-point group `modeldocs.loaders`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from modeldocs import loaders
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.loading import Limits

REPOSITORY = Path(__file__).parents[2]

TOY = '''
"""A loader of toy nets: a word an operator."""
import onnx_ir as ir
from modeldocs.ir import origin
from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin


class ToyLoader:
    framework, title, distribution, extra = "toy", "Toy", None, None

    def recognises(self, path):
        return path.suffix == ".toy"

    def environment(self, request, *, proving):
        return None

    def load(self, request):
        value = ir.Value(name="x", shape=ir.Shape([1, 4]), type=ir.TensorType(ir.DataType.FLOAT))
        inputs, nodes = [value], []
        for line, word in enumerate(open(request.path).read().split(), start=1):
            if not word.isalpha():
                raise ModeldocsError("is no word", file=request.relative(request.path), line=line)
            node = ir.Node("", word, [value], name=f"{word}{line}")
            source = Origin(operator=word, file=request.relative(request.path), line=line)
            origin.attach(node, origin.Provenance(origins=(source,)))
            value = node.outputs[0]
            nodes.append(node)
        return ir.Model(
            ir.Graph(inputs, [value], nodes=nodes, opset_imports={"": 20}, name=request.name),
            ir_version=10,
        )
'''


def install(place: Path, module: str, source: str, points: str) -> None:
    """A package as pip leaves it: a module and a dist-info folder beside it."""
    (place / f"{module}.py").write_text(source)
    info = place / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[modeldocs.loaders]\n{points}\n")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A folder with three packages: a loader, one that cannot be imported, one that raises."""
    place = tmp_path_factory.mktemp("packages")
    install(place, "modeldocs_toy", TOY, "toy = modeldocs_toy:ToyLoader")
    install(
        place, "modeldocs_broken", "import a_package_that_is_not_there\n",
        "broken = modeldocs_broken:Loader\nabsent = modeldocs_broken_too:Loader",
    )  # fmt: skip
    raising = textwrap.dedent("""
        class Loader:
            framework, title, distribution, extra = "angry", "Angry", None, None
            def recognises(self, path):
                raise RuntimeError("no")
    """)
    install(place, "modeldocs_angry", raising, "angry = modeldocs_angry:Loader")
    return place


@pytest.fixture
def modeldocs(packages, tmp_path):
    """`modeldocs(*arguments)`: the command line with those packages installed beside it."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(packages), str(REPOSITORY)])
        return subprocess.run(
            [sys.executable, "-c", "from modeldocs.cli import main; main()", *arguments],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    return run


def test_a_third_partys_loader_is_recognised_and_loads_in_the_worker(modeldocs, tmp_path):
    (tmp_path / "net.toy").write_text("Relu Tanh")
    done = modeldocs("load", "net.toy", "--json")
    assert done.returncode == 0, done.stderr
    graph = json.loads(done.stdout)
    assert [layer["id"] for layer in graph["layers"]] == ["relu-1", "tanh-1"]
    assert graph["layers"][1]["origins"] == [
        {"operator": "Tanh", "name": "", "attributes": {}, "file": "net.toy", "line": 2}
    ]


def test_its_errors_are_told_like_ours(modeldocs, tmp_path):
    (tmp_path / "net.toy").write_text("Relu 7")
    done = modeldocs("load", "net.toy")
    assert done.returncode == 2
    assert done.stderr == "modeldocs: net.toy:2: is no word\n"


def test_a_port_of_a_catalog_may_be_its(modeldocs, tmp_path):
    folder = tmp_path / "models" / "small"
    folder.mkdir(parents=True)
    (folder / "net.toy").write_text("Relu Tanh")
    done = modeldocs("load", "small/toy", "--json")
    assert [layer["operator"] for layer in json.loads(done.stdout)["layers"]] == ["Relu", "Tanh"]


def test_doctor_lists_it_and_says_which_package_is_broken(modeldocs):
    done = modeldocs("doctor")
    assert done.returncode == 0, done.stderr
    assert "✓ toy            Toy" in done.stdout
    assert (
        "✗ broken         the loader modeldocs_broken:Loader of the package modeldocs_broken "
        "cannot be imported: ModuleNotFoundError: No module named 'a_package_that_is_not_there'"
    ) in done.stdout
    assert "fix: update modeldocs_broken, or uninstall it" in done.stdout
    assert "✗ absent" in done.stdout
    assert "✓ onnx" in done.stdout


def test_a_broken_loader_leaves_the_others_alone(modeldocs, tmp_path):
    (tmp_path / "net.prototxt").write_text(
        'name: "n" input: "data" input_shape { dim: 1 dim: 3 }\n'
        'layer { name: "r" type: "ReLU" bottom: "data" top: "r" }\n'
    )
    done = modeldocs("load", "net.prototxt", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["layers"][0]["operator"] == "Relu"


def test_a_port_that_asks_for_a_broken_loader_hears_of_the_package(modeldocs, tmp_path):
    (tmp_path / "net.toy").write_text("Relu")
    done = modeldocs("load", "net.toy", "--framework", "broken")
    assert done.returncode == 2
    assert "of the package modeldocs_broken cannot be imported" in done.stderr
    assert "Traceback" not in done.stderr


def test_ours_are_there():
    assert {"caffe", "onnx", "pytorch"} <= set(loaders.frameworks())
    assert loaders.entry_point("caffe").value == "modeldocs.loaders.caffe:CaffeLoader"


def test_an_unknown_framework_is_told_with_the_known_ones():
    with pytest.raises(ModeldocsError, match="no loader for the framework 'cafe'") as raised:
        loaders.loader("cafe")
    assert "caffe" in raised.value.fix
    failure = loading.load("cafe", LoadRequest(root="/", path="/x"), Limits()).failure
    assert failure.reason == "no loader for the framework 'cafe'"


@pytest.mark.parametrize(
    ("name", "content", "framework"),
    [
        ("pytorch.py", "", "pytorch"),
        ("mine.py", "import torch\n", "pytorch"),
        ("mine.py", "    from torch import nn\n", "pytorch"),
        ("mine.py", "import torchlight\n", None),
        ("mine.py", "import os\n", None),
        ("net.onnx", "", "onnx"),
        ("deploy.prototxt", 'layer { name: "a" type: "ReLU" }', "caffe"),
        ("notes.txt", "import torch", None),
    ],
)
def test_files_are_recognised_by_name_and_content(tmp_path, name, content, framework):
    file = tmp_path / name
    file.write_text(content)
    assert loaders.recognise(file) == framework


def test_what_cannot_be_read_is_nobodys(tmp_path):
    (tmp_path / "mine.py").mkdir()
    assert loaders.recognise(tmp_path / "mine.py") is None
    assert loaders.recognise(tmp_path / "absent.py") is None


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import timm\n", "pytorch"),
        ("from transformers import BertConfig, BertModel\n", "pytorch"),
        (
            "def net():\n    from torchvision.models import resnet18\n    return resnet18()\n",
            "pytorch",
        ),
        ("import lightning as L\n", "pytorch"),
        ("import keras_hub\n", "keras"),
        ("from gluoncv.model_zoo import get_model\n", "mxnet"),
        ("import chainercv\n", "chainer"),
        ("import tensorflow_hub as hub\n", "tensorflow"),
        ("import numpy\n", None),
        ("import timm, tensorflow as tf\n", "tensorflow"),  # its own framework comes first
    ],
)
def test_a_file_is_told_by_the_packages_built_on_a_framework(tmp_path, text, framework):
    path = tmp_path / "net.py"
    path.write_text(text)
    assert loaders.recognise(path) == framework


@pytest.mark.parametrize(
    ("module", "framework"),
    [
        ("torchvision.models", "pytorch"),
        ("transformers", "pytorch"),
        ("timm.models.resnet", "pytorch"),
        ("keras.applications", "keras"),
        ("mxnet.gluon.model_zoo.vision", "mxnet"),
        ("torchvisionary", None),
    ],
)
def test_so_is_a_module(module, framework):
    assert loaders.recognise_module(module) == framework
