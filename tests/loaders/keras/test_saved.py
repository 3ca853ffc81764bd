"""Files that Keras saved are read as data: no weights, no code of theirs."""

from __future__ import annotations

import pytest

from modeldocs.loaders.keras import KerasLoader


@pytest.mark.parametrize("name", ["whole.keras", "whole.h5", "whole.json"])
def test_every_format_gives_the_same_layers(session, name):
    graph = session.graph(f"saved/{name}")
    assert [layer.name for layer in graph.layers] == [
        "conv",
        "conv/relu",
        "norm",
        "side",
        "sum",
        "pool",
        "head",
        "head/softmax",
    ]
    assert KerasLoader().recognises(session.folder / "saved" / name)


def test_weights_alone_are_no_model(session):
    failure = session.failure("saved/only.weights.h5")
    assert failure["reason"] == "contains only weights, no model_config"
    assert not KerasLoader().recognises(session.folder / "saved" / "only.weights.h5")


def test_classes_and_lambdas_without_code_are_drawn_as_they_are(session):
    graph = session.graph("saved/custom.keras")
    own, cut = graph.layers[1:3]
    assert (own.operator, cut.operator) == ("keras::Doubled", "keras::Lambda")
    assert cut.outputs[0].shape == (1, 2)
    assert cut.origins[0].attributes["function"] == "stored code, not run"
    assert "its code is not in the file" in graph.notes[0]


def test_in_a_row_the_next_layer_tells_the_shape(session):
    assert session.graph("saved/row.keras").layers[0].outputs[0].shape == (1, 6)


def test_broken_files_end_in_a_sentence_or_a_graph(session):
    broken = {name: made for name, made in session.made.items() if name.startswith("broken/")}
    assert {name: made["leaked"] for name, made in broken.items() if "leaked" in made} == {}
    failures = [made["failure"] for made in broken.values() if "failure" in made]
    assert len(failures) > len(broken) / 2
    assert all(failure["file"] and "\n" not in failure["reason"] for failure in failures)
    assert max(made["seconds"] for made in broken.values()) < 20


def test_a_graph_that_bites_its_tail_is_told(session):
    assert "loops or disconnected nodes" in session.failure("broken/loop.json")["reason"]


def test_nesting_has_an_end(session):
    assert "nests more than" in session.failure("broken/nested.json")["reason"]


def test_sizes_beyond_all_memory_are_drawn_without_memory(session):
    assert session.layer("broken/huge.json", "head").outputs[0].shape == (1, 400_000_000_000)
