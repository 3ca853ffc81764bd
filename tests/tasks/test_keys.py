"""A stored result is as old as the code it came from: all of it, and no more."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest
from modeldocs.tasks import closure
from modeldocs.tasks.diff import DiffInputs
from modeldocs.tasks.draw import DrawInputs
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.load import LoadInputs
from modeldocs.tasks.outline import OutlineInputs
from modeldocs.tasks.panel import PanelInputs
from modeldocs.tasks.parity import ParityInputs
from modeldocs.tasks.programs import ProgramInputs
from modeldocs.tasks.proof import PortInput, ProofInputs
from modeldocs.tasks.unresolved_pairs import DoubtInputs

REPOSITORY = Path(__file__).parents[2]
REQUEST = LoadRequest(root=".", path="net.prototxt", name="net")
PORT = PortInput("net", "caffe", REQUEST, Limits(), "0", "1", {})
INPUTS = {
    "load": LoadInputs("caffe", REQUEST, "net.prototxt", (), Limits()),
    "proof": ProofInputs(PORT),
    "outline": OutlineInputs("0"),
    "draw": DrawInputs("0"),
    "diff": DiffInputs("0", "1"),
    "unresolved_pairs": DoubtInputs("a", {"a": "0"}, ()),
    "parity": ParityInputs("0", "1", "2", Limits()),
    "generate": ProgramInputs("net", "pytorch", PORT, "0"),
    "panel": PanelInputs(()),
}

CHANGED = """
import json
from pathlib import Path
from modeldocs import digest
from modeldocs.tasks import closure
from tests.tasks.test_keys import INPUTS, KINDS

digests, of_file = {}, digest.of_file


def digest_once(path):
    if path not in digests:
        digests[path] = of_file(path)
    return digests[path]


def keys():
    closure.digest_of.cache_clear()
    return {name: kind.key(INPUTS[name]) for name, kind in KINDS.items()}


digest.of_file = digest_once
root = Path(closure.__file__).parents[1]
files = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"]
before, changed = keys(), {name: [] for name in KINDS}
for path in files:
    data = path.read_bytes()
    path.write_bytes(data + b"\\n")
    digests.pop(path, None)
    for name, key in keys().items():
        if key != before[name]:
            changed[name].append(str(path.relative_to(root)))
    path.write_bytes(data)
    digests.pop(path, None)
print(json.dumps(changed))
"""
"""Prints the files of the package that change the key of each kind, in a copy of the package.

Files are changed one by one; digests of the others are kept, since there are hundreds of them.
"""


def reached(kind: str) -> set[str]:
    """Names of the files that a kind of task reaches, in the package."""
    described = KINDS[kind]
    root = Path(closure.__file__).parents[1]
    found = closure.closure(described.runs.__module__, *described.modules(INPUTS[kind]))
    return {str(file.relative_to(root)) for file in found.files}


@pytest.fixture(scope="module")
def changed(tmp_path_factory) -> dict[str, list[str]]:
    """For each kind the files of the package with which its key changes."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("modeldocs", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "fuzz", "bench")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    process = subprocess.run(
        [sys.executable, "-c", CHANGED],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(process.stdout)


@pytest.mark.xdist_group("keys")
@pytest.mark.parametrize("kind", KINDS)
def test_a_key_changes_with_every_file_that_is_reached_and_with_no_other(kind, changed):
    own = Path(*KINDS[kind].run.__module__.split(".")[1:]).with_suffix(".py")
    assert set(changed[kind]) == reached(kind) | {str(own)}


RAN = {
    "load": """
from modeldocs.loaders import LoadRequest, worker
from modeldocs.loaders.caffe import CaffeLoader
worker.stored(CaffeLoader().load(LoadRequest(root="models", path="lenet/caffe.prototxt")))
""",
    "draw": """
from modeldocs import diagram
from modeldocs.diagram import layout
from modeldocs.ir import Layer, LayerGraph
diagram.draw(LayerGraph(name="net", layers=(Layer(id="relu-1", name="relu", operator="Relu"),)))
""",
    "diff": """
from modeldocs import diff
from modeldocs.ir import Layer, LayerGraph
net = LayerGraph(name="net", layers=(Layer(id="relu-1", name="relu", operator="Relu"),))
diff.compare(net, net)
""",
    "outline": """
from modeldocs.verdict import layer_histogram
from modeldocs.ir import Layer, LayerGraph
net = LayerGraph(name="net", layers=(Layer(id="relu-1", name="relu", operator="Relu"),))
layer_histogram.spanning_tree(
    {"a": layer_histogram.outline(net), "b": layer_histogram.outline(net)}
)
""",
    "unresolved_pairs": """
from modeldocs.verdict import unresolved_pairs
unresolved_pairs.to_compare(['a', 'b'], [], 'a')
""",
    "parity": "from modeldocs.numeric.parity import worker\nfrom modeldocs.numeric import parity\n",
    "proof": """
from modeldocs.numeric.proof import comparison, parity, prover, worker
""",
    "generate": """
from modeldocs import generators
from modeldocs.generators import Network
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs import normal
model = CaffeLoader().load(LoadRequest(root="models", path="lenet/caffe.prototxt"))
normal.apply(model)
generators.target("pytorch").draft(Network.of(model), "net").file("")
""",
    "panel": "from modeldocs.benchmarks import chart_set\nchart_set.draw([])\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_task_imports_when_it_runs_is_reached(kind):
    code = RAN[kind] + (
        "import sys\nprint(*(m.__file__ for n, m in list(sys.modules.items()) "
        "if n.startswith('modeldocs') and m.__file__))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    root = Path(closure.__file__).parents[1]
    imported = {str(Path(file).relative_to(root)) for file in process.stdout.split()}
    assert imported - reached(kind) == set()
