"""The phase, stage and level that a definition is read in where none is asked for."""

from __future__ import annotations

import pytest

from .nets import load, notes, one, operators


def fed(rule: str, name: str = "data") -> str:
    """A layer that feeds images under a rule."""
    return (
        f'layer {{ name: "in" type: "Data" top: "{name}" {rule} '
        "transform_param { crop_size: 8 force_gray: true } }\n"
    )


BODY = one("ReLU", "", ["data"], ["r"], name="relu")
TAIL = one("TanH", "{rule}", "r", "t", name="tail")


@pytest.mark.parametrize(
    ("rules", "state"),
    [
        (["include { phase: TRAIN }"], "phase TRAIN"),
        (['include { stage: "val" }'], "phase TEST, stage 'val'"),
        (['include { stage: "train" }', 'include { stage: "val" }'], "phase TEST, stage 'val'"),
        (['include { phase: TRAIN stage: "all" }'], "phase TRAIN, stage 'all'"),
        (["include { min_level: 2 }"], "phase TEST, level 2"),
        (['include { stage: "a" stage: "b" }'], "phase TEST, stage 'a', 'b'"),
    ],
)
def test_a_state_in_which_the_network_is_whole_is_chosen_and_told(rules, state):
    model = load("".join(map(fed, rules)) + BODY)
    assert operators(model) == ["Relu"]
    assert notes(model)[0] == (
        f"{state}: chosen since in phase TEST nothing makes 'data', which 'relu' reads"
    )


def test_a_phase_that_computes_nothing_is_not_chosen():
    body = BODY.replace('top: "r"', 'top: "r" include { phase: TRAIN }')
    model = load(fed("") + body)
    assert operators(model) == ["Relu"]
    assert notes(model)[0] == ("phase TRAIN: chosen since in phase TEST no layer computes anything")


def test_the_first_choice_is_kept_where_it_is_whole():
    tail = TAIL.replace("{rule}", 'include { stage: "more" }')
    model = load(fed("") + BODY + tail)
    assert operators(model) == ["Relu"]
    assert notes(model)[0] == "phase TEST: not part of it are tail (line 2)"


def test_what_is_asked_for_is_taken():
    text = fed('include { stage: "a" }') + fed('include { stage: "b" } exclude_note: 1') + BODY
    model = load(text, args={"stage": "b"})
    assert notes(model)[0] == "phase TEST, stage 'b': not part of it are in (line 1)"


def test_two_feeds_without_rules_of_stages_do_not_hide_each_other():
    rules = 'include { not_stage: "one" }', 'include { not_stage: "two" }'
    model = load("".join(map(fed, rules)) + BODY)
    assert notes(model)[0] == (
        "phase TEST, stage 'one': chosen since in phase TEST 'data' is made twice"
    )
