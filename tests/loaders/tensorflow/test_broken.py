"""Graphs that are not whole, or hostile: one sentence each, with the node and its line."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError

HEAD = """
node { name: "x" op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
versions { producer: 440 }
"""
FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'


def node(name, op, *inputs, more=FLOAT):
    given = " ".join(f'input: "{text}"' for text in inputs)
    return f'node {{ name: "{name}" op: "{op}" {given} {more} }}\n'


def function(name, *calls):
    """A function of one float that calls others, one after another."""
    last, body = "a", ""
    for index, called in enumerate(calls):
        types = "".join(
            f'attr {{ key: "{key}" value {{ list {{ type: DT_FLOAT }} }} }}'
            for key in ("Tin", "Tout")
        )
        body += (
            f'node_def {{ name: "n{index}" op: "PartitionedCall" input: "{last}" {types} '
            f'attr {{ key: "f" value {{ func {{ name: "{called}" }} }} }} }}\n'
        )
        last = f"n{index}:output:0"
    return (
        f'function {{ signature {{ name: "{name}" '
        f'input_arg {{ name: "a" type: DT_FLOAT }} output_arg {{ name: "b" type: DT_FLOAT }} }} '
        f'{body} ret {{ key: "b" value: "{last}" }} }}\n'
    )


def library(*functions):
    return f"library {{ {' '.join(functions)} }}\n"


def constant(shape, values):
    dims = " ".join(f"dim {{ size: {size} }}" for size in shape)
    return (
        f'attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "value" value {{ tensor '
        f"{{ dtype: DT_FLOAT tensor_shape {{ {dims} }} {values} }} }} }}"
    )


BROKEN = {
    "missing": (node("y", "Relu", "z"), "node 'y' reads 'z', which is not there"),
    "circle": (
        node("y", "Relu", "z") + node("z", "Relu", "y") + node("w", "Add", "y", "x"),
        "depends on it in turn",
    ),
    "itself": (node("y", "Relu", "y") + node("z", "Add", "x", "y"), "depends on it in turn"),
    "twice": (node("y", "Relu", "x") + node("y", "Elu", "x"), "two nodes of the name 'y'"),
    "no output": ("", "no node in the graph is an output"),
    "output number": (node("y", "Relu", "x:99999999"), "is no output of a node"),
    "arguments": (node("y", "Relu", "x", "x"), "TensorFlow refuses the graph"),
    "types": (
        node("y", "Relu", "x", more='attr { key: "T" value { type: DT_INT32 } }'),
        "reads float from 'x' and takes int32",
    ),
    "shapes": (node("y", "MatMul", "x", "x"), "TensorFlow refuses the graph"),
    "attribute": (
        node("y", "Relu", "x", more='attr { key: "T" value { s: "float" } }'),
        "has 'T' of the kind s",
    ),
    "giant": (
        node("c", "Const", more=constant([2**20, 2**20], "float_val: 1"))
        + node("y", "Add", "x", "c"),
        "has no shape that a constant can have",
    ),
    "repeated": (
        node("c", "Const", more=constant([2**15, 2**15], "float_val: 1"))
        + node("y", "Add", "x", "c"),
        "equal values",
    ),
    "negative": (
        node("c", "Const", more=constant([-5], "float_val: 1")) + node("y", "Add", "x", "c"),
        "has no shape that a constant can have",
    ),
    "cut": (
        node("c", "Const", more=constant([4], r'tensor_content: "\001\002"'))
        + node("y", "Add", "x", "c"),
        "does not have the 4 values of its shape",
    ),
    "recursion": (node("y", "f0", "x", more="") + library(function("f0", "f0")), "calls itself"),
    "laughs": (
        node("y", "f0", "x", more="")
        + library(*(function(f"f{i}", *[f"f{i + 1}"] * 8) for i in range(12))),
        "which is not there",
    ),
    "mixed": (
        node("c", "Const", more=constant([], "int_val: 1").replace("{ dtype: DT_FLOAT", "{ dtype: "
             "DT_INT32")) + node("y", "Add", "x", "c"),
        "is of another type than its values",
    ),
    "variable": (
        node("v", "VariableV2", more='attr { key: "dtype" value { type: DT_FLOAT } } '
             'attr { key: "shape" value { shape { unknown_rank: true } } }')
        + node("y", "Add", "x", "v"),
        "has no shape that can be drawn",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_one_sentence(text, said, tensorflow, tmp_path):
    path = tmp_path / "net.pbtxt"
    path.write_text(HEAD + text)
    with pytest.raises(ModeldocsError) as raised:
        tensorflow.model(path)
    assert said in raised.value.reason
    assert raised.value.file == "net.pbtxt"
    assert raised.value.fix


def test_the_line_of_the_node_is_told(tensorflow, tmp_path):
    path = tmp_path / "net.pbtxt"
    path.write_text(HEAD + "\n\n" + node("y", "Relu", "z"))
    with pytest.raises(ModeldocsError) as raised:
        tensorflow.model(path)
    assert raised.value.line == 8


def test_the_line_of_bad_text_is_told(tensorflow, tmp_path):
    path = tmp_path / "net.pbtxt"
    path.write_text(HEAD + "node { name: 3 }")
    with pytest.raises(ModeldocsError) as raised:
        tensorflow.model(path)
    assert raised.value.line == 6


def test_functions_that_multiply_are_refused(tensorflow, tmp_path):
    path = tmp_path / "net.pbtxt"
    calls = [function(f"f{i}", *[f"f{i + 1}"] * 20) for i in range(6)]
    leaf = function("f6", *[]).replace(
        ' ret { key: "b" value: "a" }',
        f" {node('r', 'Relu', 'a').replace('node {', 'node_def {')} "
        'ret { key: "b" value: "r:activations:0" }',
    )
    path.write_text(HEAD + node("y", "f0", "x", more="") + library(*calls, leaf))
    with pytest.raises(ModeldocsError, match="more than 100,000 operations"):
        tensorflow.model(path)


def test_nesting_without_end(tensorflow, tmp_path):
    path = tmp_path / "net.pbtxt"
    path.write_text("node { attr { value { func " + '{ attr { key: "a" value { func ' * 5000)
    with pytest.raises(ModeldocsError, match="is no GraphDef in text format"):
        tensorflow.model(path)


@pytest.mark.parametrize("name", ["net.pb", "net.meta", "net.pbtxt"])
def test_empty_file(name, tensorflow, tmp_path):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ModeldocsError):
        tensorflow.model(tmp_path / name)


def test_folder_without_a_model(tensorflow, tmp_path):
    (tmp_path / "net").mkdir()
    with pytest.raises(ModeldocsError, match=r"holds no saved_model\.pb"):
        tensorflow.model(tmp_path / "net")
