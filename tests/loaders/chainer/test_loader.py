"""Loading of Chainer ports, and the errors of those that cannot be loaded."""

from __future__ import annotations

import pytest

from modeldocs.loaders import LoadRequest, loader, loading, recognise
from modeldocs.loaders.chainer import inputs

pytestmark = pytest.mark.xdist_group("chainer")

SEQUENTIAL = "model = chainer.Sequential(L.Linear(None, 3), F.dropout, F.relu, F.softmax)"

ODD = """
class Odd(chainer.FunctionNode):
    def __init__(self, power):
        self.power = power

    def forward(self, inputs):
        return (inputs[0] ** self.power,)

class Net(chainer.Chain):
    def __call__(self, x):
        return Odd(3).apply((x,))[0], F.cumsum(x, axis=1), x
"""

TWO_INPUTS = """
INPUTS = {"second": (1, 2), "first": (1, 3)}

class Net(chainer.Chain):
    def forward(self, first, second):
        return F.concat((first, second))
"""

SPARE = """
class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.used, self.spare = L.Linear(4, 2), L.Linear(4, 2)

    def forward(self, x):
        return self.used(x)
"""

BLOCKS = """
class Block(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.inner = L.Linear(4, 4)

    def __call__(self, x):
        return F.relu(self.inner(x))

def model(blocks=2):
    return chainer.Sequential(*(Block() for _ in range(blocks)))
"""

FAILING = {
    "class Net(chainer.Chain):\n    def forward(self, x):\n        return 1 / 0\n": (
        "running it on a sample input raised ZeroDivisionError",
        8,
    ),
    "class Net(chainer.Chain):\n    def forward(self, x):\n        return L.Linear(3, 1)(x)\n": (
        "running it on a sample input raised",
        8,
    ),
    "import numpy as np\n\n\nclass Net(chainer.Chain):\n    def __init__(self):\n"
    "        super().__init__()\n        with self.init_scope():\n"
    "            self.dense = L.Linear(4, 2)\n\n    def forward(self, x):\n"
    "        return self.dense(np.take(F.relu(x).array, [3, 2, 1, 0], axis=1))\n": (
        "its output is not computed from its input by chainer's functions alone: linear reads",
        16,
    ),
    "def model():\n    return 3\n": ("returned int, not a chainer.Link", None),
    "class Net(chainer.Chain):\n    def forward(self, x):\n        return x.array * 2\n": (
        "its output (ndarray) was not computed from its input by chainer's functions",
        None,
    ),
    "class Net(chainer.Chain):\n    def forward(self, x):\n        pass\n": (
        "its output (NoneType) was not computed",
        None,
    ),
    "INPUTS = {}\nclass Net(chainer.Chain):\n    pass\n": ("no input shape is given", None),
    "INPUTS = {'x': (1, -4)}\nclass Net(chainer.Chain):\n    pass\n": (
        "cannot have the shape",
        None,
    ),
    "INPUTS = {'x': (2**40,)}\nclass Net(chainer.Chain):\n    pass\n": (
        "the input 'x' cannot have the shape (1099511627776,)",
        None,
    ),
    "INPUTS = {'x': 'wide'}\nclass Net(chainer.Chain):\n    pass\n": ("no shape by name", None),
    "class Net(chainer.Chain:\n    pass\n": ("not valid Python", 6),
}

PUBLISHED = LoadRequest(
    root=".", module="chainer.links", entry="GoogLeNet", inputs={"x": (1, 3, 224, 224)}
)
ABSENT = LoadRequest(root=".", module="chainer.links", entry="VGG61", inputs={"x": (1, 4)})


MASKED = """
import numpy as np


class Net(chainer.Chain):
    def forward(self, x):
        kept = np.where(x.array > 0, 1, 0).astype(np.float32)
        table = np.arange(4, dtype=np.float32).reshape(1, 4)
        return x * kept + table
"""


REWRAPPED = """
class Net(chainer.Chain):
    def forward(self, x):
        x = F.relu(chainer.Variable(x.array))
        return F.tanh(x.array)
"""


KEEPING = """
class Net(chainer.Chain):
    def reset_state(self):
        self.missing()

    def __call__(self, x, t=None):
        self.score = F.relu(x)
        if t is not None:
            return F.softmax_cross_entropy(self.score, t)
"""


_WHOLE = (SEQUENTIAL, ODD, TWO_INPUTS, SPARE, BLOCKS, MASKED, REWRAPPED, KEEPING)
PORTS = {body: body for body in (*_WHOLE, *FAILING)} | {"published": PUBLISHED, "absent": ABSENT}


def test_a_python_file_that_imports_chainer_is_recognised(tmp_path):
    file, other = tmp_path / "net.py", tmp_path / "other.py"
    file.write_text("import chainer.links as L\n")
    other.write_text("import torch\n")
    assert recognise(file) == "chainer"
    for path in (other, tmp_path, tmp_path / "absent.py"):
        assert not loader("chainer").recognises(path)


def test_it_always_runs_in_its_own_environment():
    environment = loading.environment("chainer", PUBLISHED)
    assert environment is not None
    assert environment.name == "chainer"


def test_a_sequential_that_the_file_holds_is_a_port(graph):
    layers = graph(SEQUENTIAL).layers
    assert [layer.operator for layer in layers] == ["Gemm", "Dropout", "Relu", "Softmax"]
    assert layers[0].name == "0"


def test_a_function_that_onnx_does_not_have_is_drawn_as_it_is(graph):
    network = graph(ODD)
    assert [layer.operator for layer in network.layers] == ["chainer::Odd", "chainer::Cumsum"]
    assert network.layers[0].attributes == {"power": 3}
    assert network.layers[0].outputs[0].shape == (1, 4)
    assert network.notes == (
        "ONNX has no operator for Cumsum, which is drawn as it is",
        "ONNX has no operator for Odd, which is drawn as it is",
    )


def test_an_output_that_is_the_input_itself_is_one_still(graph):
    outputs = graph(ODD).outputs
    assert (outputs[-1].name, outputs[-1].source.value) == ("output3", "input-1")


def test_several_inputs_go_in_by_name(graph):
    operands = graph(TWO_INPUTS).layers[0].inputs
    assert [operand.value for operand in operands] == ["input-2", "input-1"]


def test_arrays_that_numpy_computes_of_the_input_are_told_and_others_are_not(graph):
    (note,) = graph(MASKED).notes
    assert "drawn as constants of a sample input" in note
    assert "(chainer.py:14)" in note and note.count("chainer.py") == 1


def test_an_array_taken_out_of_its_variable_is_what_made_it(graph):
    network = graph(REWRAPPED)
    assert [layer.operator for layer in network.layers] == ["Relu", "Tanh"]
    assert network.layers[0].inputs[0].value == network.inputs[0].id and network.notes == ()


def test_an_output_that_the_link_keeps_and_does_not_give_back(graph):
    network = graph(KEEPING)
    assert [layer.operator for layer in network.layers] == ["Relu"]
    assert network.notes == ("the call returns nothing: drawn up to what it stores as self.score",)


def test_parameters_that_take_no_part_are_told(graph):
    assert graph(SPARE).notes == (
        "2 of its parameters are not used in test mode: spare/W, spare/b",
    )


def test_the_path_of_links_is_known_where_they_override_call_itself(graph):
    layers = graph(BLOCKS).layers
    assert [[module.path for module in layer.modules] for layer in layers] == [
        ["0", "0/inner"],
        ["0"],
        ["1", "1/inner"],
        ["1"],
    ]
    assert [module.kind for module in layers[0].modules] == ["Block", "L.Linear"]


@pytest.mark.parametrize("body", FAILING, ids=[reason for reason, _ in FAILING.values()])
def test_a_port_that_cannot_be_loaded_says_why_and_how_to_fix_it(failure, body):
    error = failure(body)
    reason, line = FAILING[body]
    assert reason in error.reason
    assert error.file == "chainer.py"
    assert error.fix
    assert line is None or error.line == line


def test_a_published_model_that_would_download_says_how_to_keep_it_from_that(failure):
    assert "pretrained_model: null" in str(failure("published").fix)


def test_an_entry_that_is_not_there_is_told(failure):
    assert "VGG61" in failure("absent").reason


def test_sample_words_are_in_every_vocabulary():
    request = LoadRequest(root=".", dtypes={"words": "int32"})
    words = inputs.sample(request, {"words": (5, 9)})["words"]
    assert words.dtype == "int32" and set(words.ravel().tolist()) == {0, 1}
