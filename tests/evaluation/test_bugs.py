"""The planted bugs are told from one another, and the judge knows the right line."""

import msgspec

from evaluation.bugs import families
from evaluation.bugs.families import Answer
from evaluation.bugs.judging import says
from evaluation.bugs.naming import Names
from modeldocs.diff import Change
from modeldocs.ir import LayerGraph
from tests.diff.graphs import Net


def chain() -> LayerGraph:
    net = Net((1, 3, 8, 8))
    return net.graph(net.relu(net.conv(net.relu(net.conv("input-1", 8)), 8)))


def told(**given) -> Change:
    named = {
        "pairs": ((("relu-1",), ("relu-1",)),),
        "consequence": "computes",
        "title": "",
        "text": "",
    }
    return Change(**(named | given))


def test_every_family_has_a_port_without_a_bug():
    held = families.read()
    assert all(any(not case.kind for case in family.cases) for family in held.values())


def test_no_bug_is_there_twice():
    for family in families.read().values():
        bugs = [case.bug for case in family.cases]
        assert len(set(bugs)) == len(bugs)


def test_there_are_bugs_enough():
    assert (
        sum(bool(case.kind) for family in families.read().values() for case in family.cases) > 200
    )


def test_layers_are_found_by_what_is_beside_them():
    names = Names(chain())
    assert names.find("conv-1 > Relu") == "relu-1"
    assert names.find("conv-2 < Relu") == "relu-1"
    assert names.find("conv-2 > Relu") == "relu-2"
    assert names.find("nowhere > Relu") == "nowhere > Relu"


def test_layers_are_found_between_others():
    names = Names(chain())
    assert names.between(("conv-1", "conv-2")) == {"relu-1", "conv-2"}
    assert names.between(("input-1", "relu-1")) == {"conv-1", "relu-1"}


def test_a_line_may_be_anywhere_between_layers_and_of_several_kinds():
    case = Answer(
        kind="attribute|region", within=("conv-1", "conv-2"), within_b=("conv-1", "conv-2")
    )
    right = told(kind="attribute")
    elsewhere = msgspec.structs.replace(right, pairs=((("relu-2",), ("relu-2",)),))
    assert says(case, right, chain(), chain())
    assert not says(case, elsewhere, chain(), chain())


def test_a_region_names_a_bug_only_where_it_says_a_setting():
    case = Answer(kind="region", a=("relu-1",), b=("relu-1",))
    region = told(kind="region", title="Relu (r): other numbers from the same inputs")
    named = msgspec.structs.replace(region, title="Relu (r): another mask: window 8 → 9")
    assert not says(case, region, chain(), chain())
    assert says(case, named, chain(), chain())


def test_a_line_is_the_bug_by_kind_values_and_layers():
    case = Answer(
        kind="operator",
        before="Relu",
        after="Clip",
        a=("conv-1 > Relu",),
        b=("conv-1 > Relu",),
    )
    right = told(kind="operator", before="Relu", after="Clip")
    wrong = [
        msgspec.structs.replace(right, kind="deleted"),
        msgspec.structs.replace(right, after="Elu"),
        msgspec.structs.replace(right, pairs=((("relu-2",), ("relu-1",)),)),
    ]
    assert says(case, right, chain(), chain())
    assert not any(says(case, change, chain(), chain()) for change in wrong)
