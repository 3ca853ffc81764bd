"""Chainer networks that take labels and return a loss."""

from __future__ import annotations

import pytest

from modeldocs.ir import LayerGraph

pytestmark = pytest.mark.xdist_group("chainer")

DENSE = """
class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.inner, self.outer = L.Linear(4, 8), L.Linear(8, 3)
"""

LOSS = """
    def forward(self, x, t):
        y = self.outer(F.relu(self.inner(x)))
        loss = F.softmax_cross_entropy(y, t)
        chainer.report({"loss": loss, "accuracy": F.accuracy(y, t)}, self)
        return loss
"""

HEADS = """
    def __call__(self, x, labels):
        h = F.relu(self.inner(x))
        side, y = F.tanh(h), self.outer(h)
        return 0.3 * F.mean_squared_error(side, labels) + F.softmax_cross_entropy(y, labels)
"""

PREDICT = (
    LOSS
    + """
    def predict(self, x):
        return F.softmax(self.outer(F.relu(self.inner(x))))
"""
)

ARRAY = (
    LOSS
    + """
    def predict(self, x):
        return self.outer(F.relu(self.inner(x))).array.argmax(axis=1)
"""
)

OLD = """
    def forward(self, x):
        return self.outer(F.relu(self.inner(x)))

    def __call__(self, x, t):
        return F.softmax_cross_entropy(self.forward(x), t)
"""

DENSE_LABELS = """
    def __call__(self, x, t):
        y = self.outer(F.relu(self.inner(x)))
        return F.mean(F.mean_absolute_error(y, F.reshape(t, (1, 3))))
"""

OPTIONAL = """
    def __call__(self, x, t=None):
        y = self.outer(F.relu(self.inner(x)))
        return y if t is None else F.softmax_cross_entropy(y, t)
"""

MODE = """
    def __call__(self, x, t, train):
        assert train is False
        return F.softmax_cross_entropy(self.outer(F.relu(self.inner(x))), t)
"""

CONDITION = """
    def __call__(self, x, y):
        return F.concat((self.inner(x), F.cast(y, "float32")[:, None]))
"""

TWO = """
    def __call__(self, x, z, t):
        return F.softmax_cross_entropy(self.outer(self.inner(x + z)), t)
"""

SIZED = """
INPUTS = {}
class Net(chainer.Chain):
    insize = 8

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, 2, 3)

    def forward(self, image, t):
        return F.softmax_cross_entropy(self.conv(image)[:, :, 0, 0], t)
"""

CLASSIFIER = "model = L.Classifier(chainer.Sequential(L.Linear(4, 3), F.relu))"
GIVEN = (
    'INPUTS = {"x": (1, 4), "t": (1, 3)}'
    + DENSE
    + """
    def forward(self, x, t):
        return F.sum(F.absolute(self.outer(self.inner(x)) - t))
"""
)
UNSIZED = "INPUTS = {}\nmodel = chainer.Sequential(L.Convolution2D(5, 2, 3))"
UNKNOWN_SIZE = "INPUTS = {}\nmodel = chainer.Sequential(L.Convolution2D(None, 2, 3))"

OLD_MODES = """
    def __call__(self, x):
        return L.BatchNormalization(3)(self.outer(self.inner(x)), test=True)
"""

METHODS = (
    OLD_MODES, LOSS, HEADS, PREDICT, ARRAY, OLD, DENSE_LABELS, OPTIONAL, MODE, CONDITION, TWO,
)  # fmt: skip
WHOLE = (SIZED, CLASSIFIER, GIVEN, UNSIZED, UNKNOWN_SIZE)
UP_TO = "drawn up to the loss: the call reads the labels t, which are left out"


PORTS = {method: DENSE + method for method in METHODS} | {body: body for body in WHOLE}


def operators(graph: LayerGraph) -> list[str]:
    return [layer.operator for layer in graph.layers]


@pytest.mark.parametrize("body", [LOSS, DENSE_LABELS, ARRAY])
def test_a_network_that_takes_labels_is_drawn_up_to_the_loss(graph, body):
    network = graph(body)
    assert operators(network) == ["Gemm", "Relu", "Gemm"]
    assert [one.name for one in network.inputs] == ["x"]
    assert [one.source.type.shape for one in network.outputs] == [(1, 3)]
    assert network.notes == (UP_TO,)


def test_all_that_the_loss_is_made_of_are_outputs(graph):
    network = graph(HEADS)
    assert [one.source.type.shape for one in network.outputs] == [(1, 8), (1, 3)]
    assert set(operators(network)) == {"Gemm", "Relu", "Tanh"}


def test_a_method_that_needs_no_labels_is_preferred(graph):
    network = graph(PREDICT)
    assert operators(network)[-1] == "Softmax"
    assert network.notes[0].startswith("drawn as its method predict computes it")
    assert operators(graph(OLD)) == ["Gemm", "Relu", "Gemm"]


def test_labels_that_may_be_left_out_are(graph):
    assert graph(OPTIONAL).notes == ()


def test_the_mode_of_a_training_is_that_of_inference(graph):
    assert graph(MODE).notes == (f"{UP_TO}; called with train = False",)


def test_labels_that_are_given_stay(graph):
    network = graph(GIVEN)
    assert [one.name for one in network.inputs] == ["x", "t"]
    assert network.notes == ()


def test_what_looks_like_a_label_and_makes_the_output_is_an_input_to_give(failure):
    error = failure(CONDITION)
    assert "computes its output with y, of which no shape is given" in error.reason
    assert error.fix == "pass --input x=SHAPE --input y=SHAPE"


def test_a_file_for_the_first_chainer_is_told_so(failure):
    assert "it is written for Chainer 1" in str(failure(OLD_MODES).fix)


def test_an_input_that_is_missing_is_named(failure):
    error = failure(TWO)
    assert error.reason == "Net takes z as well"
    assert error.fix == "pass --input x=SHAPE --input z=SHAPE"


def test_the_size_that_a_network_names_is_that_of_its_input(graph):
    network = graph(SIZED)
    assert [(one.name, one.type.shape) for one in network.inputs] == [("image", (1, 3, 8, 8))]


def test_a_classifier_is_drawn_as_what_it_classifies_with(graph):
    network = graph(CLASSIFIER)
    assert operators(network) == ["Gemm", "Relu"]
    assert network.notes == ("drawn without its Classifier, which computes the loss",)


def test_a_suggested_input_is_of_the_network_itself(failure):
    assert "--input x=1,5,HEIGHT,WIDTH" in str(failure(UNSIZED).fix)
    assert "--input x=SHAPE" in str(failure(UNKNOWN_SIZE).fix)
