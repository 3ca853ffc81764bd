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
from modeldocs.tasks.panel import PanelInputs
from modeldocs.tasks.parity import ParityInputs
from modeldocs.tasks.proof import ProofInputs, Proven

REPOSITORY = Path(__file__).parents[2]
REQUEST = LoadRequest(root=".", path="net.prototxt", name="net")
INPUTS = {
    "load": LoadInputs("caffe", REQUEST, "net.prototxt", (), Limits()),
    "proof": ProofInputs(Proven("net", "caffe", REQUEST, Limits(), "0", "1", {}, {})),
    "draw": DrawInputs("0"),
    "diff": DiffInputs("0", "1"),
    "parity": ParityInputs("0", "1", "2", Limits()),
    "panel": PanelInputs(()),
}

CHANGED = """
import json, sys
from pathlib import Path
from modeldocs.tasks import closure
from tests.tasks.test_keys import INPUTS, KINDS

kind, inputs = KINDS[sys.argv[1]], INPUTS[sys.argv[1]]
before, told = kind.key(inputs), {}
for name in json.loads(sys.argv[2]):
    path = Path(closure.__file__).parents[1] / name
    data = path.read_bytes()
    path.write_bytes(data + b"\\n")
    closure.digest_of.cache_clear()
    told[name] = kind.key(inputs) != before
    path.write_bytes(data)
print(json.dumps(told))
"""


def reached(kind: str) -> set[str]:
    """Names of the files that a kind of task reaches, in the package."""
    described = KINDS[kind]
    root = Path(closure.__file__).parents[1]
    found = closure.closure(described.runs.__module__, *described.modules(INPUTS[kind]))
    return {str(file.relative_to(root)) for file in found.files}


def changed(kind: str, names: list[str], copy: Path) -> dict[str, bool]:
    """Whether a key changes with each of some files, in a copy of the package."""
    command = [sys.executable, "-c", CHANGED, kind, json.dumps(names)]
    done = subprocess.run(
        command, cwd=copy, env={"PYTHONPATH": str(copy)}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package and its tests, to be edited."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("modeldocs", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "fuzz", "bench")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_changes_with_every_file_that_is_reached_and_with_no_other(kind, copy):
    root = Path(closure.__file__).parents[1]
    every = {str(p.relative_to(root)) for p in root.rglob("*.py")}
    inside = sorted(reached(kind))
    own = str(Path("tasks", f"{kind}.py"))
    outside = sorted(every - set(inside) - {own})
    told = changed(kind, [*inside, own, *outside], copy)
    assert [name for name in (*inside, own) if not told[name]] == []
    assert [name for name in outside if told[name]] == []


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
    "parity": "from modeldocs.parity import worker\nfrom modeldocs import parity\n",
    "proof": "from modeldocs.proof import comparison, parity, prover, small_worker, worker\n",
    "panel": "from modeldocs.benchmarks import panel\npanel.draw([])\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_task_imports_when_it_runs_is_reached(kind):
    code = RAN[kind] + (
        "import sys\nprint(*(m.__file__ for n, m in list(sys.modules.items()) "
        "if n.startswith('modeldocs') and m.__file__))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    root = Path(closure.__file__).parents[1]
    imported = {str(Path(file).relative_to(root)) for file in done.stdout.split()}
    assert imported - reached(kind) == set()
