"""What a Keras source says is what its graph says, whatever way it was written."""

from __future__ import annotations

from modeldocs.loaders.keras import KerasLoader
from tests.loaders.keras import ports


def operators(graph):
    return [layer.operator for layer in graph.layers]


def test_a_layer_keeps_its_settings_its_padding_and_the_line_that_made_it(session):
    conv = session.layer("lines", "conv")
    (origin,) = conv.origins
    assert (origin.operator, origin.name) == ("keras.layers.Conv2D", "conv")
    assert (origin.file, origin.line) == ("keras.py", 6)
    assert origin.attributes["strides"] == [2, 2]
    assert origin.attributes["kernel_initializer"]["class_name"] == "GlorotUniform"
    assert (conv.padding, conv.attributes["pads"]) == ("same", [0, 0, 1, 1])


def test_an_operation_keeps_its_name_and_line(session):
    (relu,) = [x for x in session.graph("lines").layers if x.operator == "Relu"]
    assert (relu.origins[0].operator, relu.origins[0].line) == ("keras.ops.relu", 9)


def test_kernels_are_shown_in_normal_order_with_the_way_there(session):
    weight = session.layer("lines", "conv").parameters[0]
    assert (weight.name, weight.shape) == ("conv/kernel", (4, 3, 3, 3))
    assert weight.permutation == (3, 2, 0, 1)


def test_an_open_batch_is_one(session):
    assert session.graph("lines").inputs[0].type.shape[0] == 1


def test_a_subclassed_model_shows_its_modules(session):
    graph = session.graph("subclassed")
    assert operators(graph) == ["Gemm", "Relu", "Slice", "Add", "Gemm", "Relu", "Add"]
    gemm = session.layer("subclassed", "two/dense")
    assert [(m.path, m.kind) for m in gemm.modules] == [("two", "Block")]
    assert gemm.parameters[0].name.endswith("two/dense/kernel")
    assert [i.name for i in graph.inputs] == ["vector"]


def test_operations_inside_of_a_module_are_numbered_there(session):
    names = [layer.name for layer in session.graph("subclassed").layers]
    assert [name for name in names if name.endswith("add")] == ["one/add", "two/add"]


def test_a_model_without_a_shape_takes_that_of_the_file(session):
    assert operators(session.graph("unbuilt")) == ["Gemm", "Relu"]


def test_a_port_that_sets_weights_loads_all_the_same(session):
    assert operators(session.graph("built_with_values")) == ["Gemm"]


def test_sizes_that_the_source_leaves_open_stay_open_or_are_asked_for(session):
    assert session.graph("open").outputs[0].source.type.shape[-1] == 4
    assert session.graph("open_asked").layers[0].outputs[0].shape == (1, 4, 10, 12)


def test_what_training_leaves_alone_is_frozen(session):
    graph = session.graph("frozen")
    assert graph.totals().buffers == 6 * 5 + 5
    assert graph.totals().parameters == 5 * 2 + 2


def test_a_layer_that_computes_in_half_precision_casts_what_it_reads(session):
    first, second = session.graph("half").layers
    assert (first.outputs[0].dtype, second.outputs[0].dtype) == ("float16", "float32")
    assert {p.dtype for p in (*first.parameters, *second.parameters)} == {"float32"}


def test_a_published_model_is_built_without_downloads(session):
    graph = session.graph("published")
    assert graph.notes[0] == "built with weights=None: nothing is downloaded"
    assert graph.layers[0].origins[0].file == "mobilenet_v2.py"


def test_a_layer_that_keras_cannot_trace_stays_whole(session):
    odd, dense = session.graph("hybrid").layers
    assert (odd.operator, [p.shape for p in odd.parameters]) == ("keras::Odd", [(6,)])
    assert (odd.outputs[0].shape, dense.operator) == ((1, 6), "Gemm")
    assert "could not be called with symbolic tensors" in session.graph("hybrid").notes[0]


def test_python_files_of_keras_are_recognised_by_name_or_import(tmp_path):
    def recognised(name, text):
        (tmp_path / name).write_text(text)
        return KerasLoader().recognises(tmp_path / name)

    assert recognised("keras.py", "")
    assert recognised("net.py", "from keras.layers import Dense\n")
    assert recognised("tf_net.py", "from tensorflow import keras\n")
    assert recognised("other.py", "import tensorflow.keras.layers as kl\n")
    assert not recognised("tensorflow.py", "from tensorflow import keras\n")
    assert recognised("old.py", "import tensorflow as tf\nnet = tf.keras.Sequential([])\n")
    assert not recognised("plain.py", "import tensorflow as tf\n")


def test_json_of_other_frameworks_is_not_keras(tmp_path):
    symbol = tmp_path / "net-symbol.json"
    symbol.write_text('{"nodes": [], "arg_nodes": [], "heads": []}')
    assert not KerasLoader().recognises(symbol)
    assert not KerasLoader().recognises(tmp_path)
    assert not KerasLoader().recognises(tmp_path / "nothing.h5")


def test_a_definition_of_keras_2_is_read(session, tmp_path):
    graph = session.graph("legacy")
    assert operators(graph) == ["Conv", "BatchNormalization"]
    assert graph.layers[1].attributes["epsilon"] == 0.001
    assert KerasLoader().recognises(session.folder / "old.json")
    assert ports.LEGACY["keras_version"] == "2.2.4"
