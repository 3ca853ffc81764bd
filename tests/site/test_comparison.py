"""What a comparison shows: the verdict in words, and both networks side by side."""

from __future__ import annotations

import html
import re
from typing import Any

import msgspec
import pytest

from modeldocs import diff as engine
from modeldocs import verdict
from modeldocs.diff import (
    Change,
    Diff,
    Direction,
    Divergence,
    MappedWeight,
    Match,
    Parity,
    Returned,
    Uncompared,
    Weights,
    WeightStep,
)
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph, Totals
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.site.pair import alignment, comparison
from modeldocs.site.pair.comparison import MAX_ROWS, Setting
from modeldocs.site.templating import Templates
from modeldocs.verdict import VerdictLevel, sentences

from ..diff.graphs import Net, chain

SAME = Difference(absolute=1e-7, relative=3e-7)
OTHER = Difference(absolute=0.1, relative=0.02)
TOTALS = Totals(
    layers=3, parameters=0, buffers=0, macs=0, activation_bytes=0, peak_activation_bytes=0
)
END = (("relu-1",), ("relu-1",))
EQUAL = Returned("y", "y", (0, 0), "equal", SAME)
SAME_NUMBERS = Direction(outputs=SAME, end=END, compared=174, returned=(EQUAL,))
HOLDS = Parity(a_to_b=SAME_NUMBERS, b_to_a=SAME_NUMBERS)
STOPPED = Parity(failure=Failure(reason="was stopped after 120 s", fix="give it more time"))
OTHER_NUMBERS = Direction(
    outputs=OTHER,
    end=END,
    first=Divergence(pair=(("conv-1",), ("conv-1",)), error=OTHER, change=1),
    divergences=(Divergence(pair=(("conv-1",), ("conv-1",)), error=OTHER, change=1),),
    compared=3,
)
PARTS = Parity(a_to_b=OTHER_NUMBERS, b_to_a=OTHER_NUMBERS)
KERNEL = MappedWeight(
    target="conv1.kernel",
    pair=(("conv-1",), ("conv-1",)),
    shape=(3, 3, 4, 4),
    dtype="float32",
    steps=(
        WeightStep(op="read", name="conv1.weight"),
        WeightStep(op="transpose", of=(0,), axes=(2, 3, 1, 0)),
    ),
    text="conv1.weight: OIHW → HWIO",
)


def parity_of(direction: Direction, **settings: object) -> Parity:
    """The same in both directions, with some settings changed."""
    both = msgspec.structs.replace(direction, **settings)
    return Parity(a_to_b=both, b_to_a=both)


def pair(epsilon: float = 1e-5, out: int = 4) -> tuple[LayerGraph, LayerGraph]:
    """Convolution, normalisation, activation; the second network with settings of its own."""
    graphs = []
    for norm_epsilon, width in ((1e-5, 4), (epsilon, out)):
        net = Net((1, 3, 8, 8))
        net.relu(net.norm(net.conv("input-1", width, 3), norm_epsilon))
        graphs.append(net.graph())
    return graphs[0], graphs[1]


def diff_of(structure: str, parity: Parity | None = None, **consequences: int) -> Diff:
    changes = tuple(
        Change(kind="attribute", consequence=one, title="t", text="s", pairs=())
        for one, count in consequences.items()
        for _ in range(count)
    )
    return Diff(
        verdict=structure,
        names=("a", "b"),
        a=TOTALS,
        b=TOTALS,
        changes=changes,
        consequences=consequences,
        parity=parity,
    )


def parts(
    diff: Diff, graphs: tuple[LayerGraph, LayerGraph], **options: Any
) -> tuple[dict[str, str], str]:
    """The parts of a comparison, and the words that a reader sees in them."""
    made = comparison.parts(diff, graphs, Setting(names=("left", "right"), **options), Templates())
    text = html.unescape(re.sub(r"<[^>]*>", " ", " ".join(made.values())))
    return made, " ".join(text.split())


@pytest.mark.parametrize(
    ("diff", "step", "said"),
    [
        (
            diff_of("equivalent", HOLDS),
            verdict.SAME,
            "Same function, proven by numbers. They differ only in how they are written. The same "
            "weights give the same numbers, A's in B and B's in A (relative error 3e-7 at relu1, "
            "174 layers compared).",
        ),
        (
            diff_of("identical"),
            verdict.BY_STRUCTURE,
            "Same by structure; not proven by numbers. Nothing differs by structure. "
            "The two were compared by structure only.",
        ),
        (
            diff_of("equivalent", STOPPED),
            verdict.BY_STRUCTURE,
            "Same by structure; not proven by numbers. They differ only in how they are written. "
            "The numbers could not be compared: was stopped after 120 s.",
        ),
        (
            diff_of("equivalent", PARTS),
            verdict.DIFFERENT_RESULTS,
            "Different results. They differ only in how they are written. With the same weights "
            "outputs first diverge at conv1 (relative error 0.02), because of change 1.",
        ),
        (
            diff_of("different", PARTS, computes=3, parameters=1),
            verdict.DIFFERENT_RESULTS,
            "Different results. 3 differences change the result, 1 changes the parameters. With "
            "the same weights outputs first diverge at conv1 (relative error 0.02), because of "
            "change 1.",
        ),
        (
            diff_of("different", HOLDS, order=1),
            verdict.SAME,
            "Same function, proven by numbers. 1 difference changes the order of layers. The same "
            "weights give the same numbers, A's in B and B's in A (relative error 3e-7 at relu1, "
            "174 layers compared).",
        ),
    ],
)
def test_the_verdict_tells_structure_and_numbers_together(
    diff: Diff, step: VerdictLevel, said: str
) -> None:
    made = sentences.pair_verdict(diff, pair())
    assert made.step == step
    assert f"{made.headline}. {made.text()}" == said


def test_the_verdict_leads_to_the_row_and_the_change() -> None:
    graphs = pair(epsilon=1e-3)
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=PARTS)
    made, _ = parts(diff, graphs)
    assert '<a href="#a-conv-1">conv1</a>' in made["verdict"]
    assert '<a href="#change-1">change 1</a>' in made["verdict"]


def test_every_link_within_the_page_leads_somewhere() -> None:
    graphs = pair(epsilon=1e-3, out=6)
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=PARTS)
    made, _ = parts(diff, graphs)
    page = "".join(made.values())
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(ids)


def test_layers_that_are_fused_on_one_side_share_a_row() -> None:
    graphs = pair()
    fused = Change(
        kind="regrouped",
        consequence="spelling",
        title="fused",
        text="",
        pairs=((("conv-1", "batchnormalization-1"), ("conv-1",)),),
    )
    only = Net((1, 3, 8, 8))
    only.relu(only.conv("input-1", 4, 3))
    matches = (
        Match(a=("input-1",), b=("input-1",), reason="the only input", confidence=1),
        Match(a=("conv-1", "batchnormalization-1"), b=("conv-1",), reason="folded", confidence=0.9),
        Match(a=("relu-1",), b=("relu-1",), reason="alike", confidence=0.8),
    )
    diff = msgspec.structs.replace(diff_of("equivalent"), matches=matches, changes=(fused,))
    rows = alignment.rows(diff, (graphs[0], only.graph()))
    ids = [(tuple(c.id for c in row.a), tuple(c.id for c in row.b)) for row in rows]
    assert ids == [match_ids(match) for match in matches]
    assert rows[1].changes == (1,)
    assert (rows[1].reason, rows[1].confidence) == ("folded", 0.9)


def match_ids(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return match.a, match.b


def test_a_layer_only_in_b_stands_where_b_has_it() -> None:
    a, b = Net((1, 3, 8, 8)), Net((1, 3, 8, 8))
    a.relu(a.conv("input-1", 4, 3))
    b.relu(b.same("Tanh", b.conv("input-1", 4, 3)))
    graphs = a.graph(), b.graph()
    rows = alignment.rows(engine.compare(*graphs), graphs)
    assert [row.b[0].id for row in rows] == [
        "input-1",
        "conv-1",
        "tanh-1",
        "relu-1",
    ]
    assert rows[2].a == ()
    assert rows[2].changes


def test_each_row_tells_its_changes_why_it_matches_and_the_error_where_numbers_part() -> None:
    graphs = pair(epsilon=1e-3)
    skipped = Uncompared(pair=(("relu-1",), ("relu-1",)), reason="its output is one value")
    parity = parity_of(OTHER_NUMBERS, uncompared=(skipped,))
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=parity)
    rows = alignment.rows(diff, graphs)
    assert [row.changes for row in rows] == [(), (), (1,), ()]
    assert [row.consequence for row in rows] == ["", "", "computes", ""]
    assert [row.error for row in rows] == [None, OTHER, None, None]
    assert rows[3].uncompared == "its output is one value"
    assert all(row.reason and row.confidence for row in rows)


def test_the_parity_section_tells_what_was_compared_and_what_could_not_be() -> None:
    graphs = pair(epsilon=1e-3)
    alone = Divergence(pair=(("conv-1",), ("conv-1",)), error=OTHER)
    parity = parity_of(
        OTHER_NUMBERS,
        first=alone,
        divergences=(alone,),
        uncompared=(Uncompared(pair=(("relu-1",), ()), reason="only one side has it"),),
        weights=Weights(mapped=(KERNEL,), unused=("conv1.bias",)),
    )
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=parity)
    _, text = parts(diff, graphs)
    for said in (
        "Compared 3 layers",
        "no change explains it 1 0.02 conv1 → conv1",
        "conv1.kernel conv1.weight: OIHW → HWIO",
        "B has no place for conv1.bias",
        "only one side has it: relu1 in A",
    ):
        assert said in text


def test_each_change_tells_the_largest_error_that_it_makes() -> None:
    graphs = pair(epsilon=1e-3)
    norm = (("batchnormalization-1",), ("batchnormalization-1",))
    small = Difference(absolute=0.1, relative=0.005)
    divergences = (
        Divergence(pair=norm, error=small, change=1),
        Divergence(pair=END, error=OTHER, change=1),
    )
    parity = parity_of(OTHER_NUMBERS, first=divergences[0], divergences=divergences)
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=parity)
    made, text = parts(diff, graphs)
    assert "error 0.02" in made["changes"]
    assert f"1. {diff.changes[0].title} 2 0.02" in text


def test_a_parity_that_could_not_be_run_tells_why_and_the_fix() -> None:
    graphs = pair()
    diff = msgspec.structs.replace(engine.compare(*graphs), parity=STOPPED)
    _, text = parts(diff, graphs)
    assert "was stopped after 120 s" in text
    assert "Fix: give it more time" in text


def test_long_lists_are_collapsed() -> None:
    graphs = chain(40), chain(40)
    many = tuple(((f"relu-{n}",), (f"relu-{n}",)) for n in range(1, 41))
    change = Change(kind="attribute", consequence="spelling", title="t", text="s", pairs=many)
    diff = msgspec.structs.replace(diff_of("equivalent"), changes=(change,) * 30)
    made, text = parts(diff, graphs)
    assert "37 more" in text
    assert "20 more" in text
    assert made["changes"].count("<li ") == 30


NOTHING = LayerGraph(name="empty")
EPSILON, PADS = "epsilon 1e-5 → 2e-5", "pads 0,0,1,1 → 1"


def pools(length: int) -> LayerGraph:
    net = Net((1, 3, 64, 64))
    last = "input-1"
    for _ in range(length):
        last = net.pool(last, 2, 1)
    return net.graph()


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (NOTHING, NOTHING, "Neither network has a layer."),
        (NOTHING, chain(2), "in B"),
        (chain(2), pools(3), "in A"),
    ],
    ids=["both empty", "one empty", "nothing in common"],
)
def test_bad_input_gets_a_page_in_clear_words(a: LayerGraph, b: LayerGraph, said: str) -> None:
    made, text = parts(engine.compare(a, b), (a, b))
    assert said in text
    assert made["verdict"]


def test_a_large_page_keeps_the_rows_of_the_gravest_changes() -> None:
    graphs = chain(MAX_ROWS + 100), chain(MAX_ROWS + 100)
    ids = [layer.id for layer in graphs[0].layers]
    spelling, computes = (
        Change(
            kind="attribute",
            consequence=consequence,
            title="t",
            text="s",
            pairs=tuple(((one,), (one,)) for one in held),
        )
        for consequence, held in (("spelling", ids[:-1]), ("computes", ids[-1:]))
    )
    matches = tuple(Match(a=(one,), b=(one,), reason="alike", confidence=1) for one in ids)
    diff = msgspec.structs.replace(
        diff_of("different", computes=1, spelling=1), matches=matches, changes=(computes, spelling)
    )
    made, text = parts(diff, graphs)
    assert f'id="a-{ids[-1]}"' in made["alignment"]
    assert rows_held(made["alignment"]) == MAX_ROWS
    assert "102 layers that differ" in text


def rows_held(page: str) -> int:
    """The rows of a table, but for its head and the lines of folded runs."""
    return page.count('<td class="mr-gutter">')


def test_a_page_of_50000_layers_against_3_stays_within_bounds() -> None:
    graphs = chain(50_000), pools(3)
    diff = engine.compare(*graphs)
    made, text = parts(diff, graphs, rows="rows.js")
    count = len(alignment.rows(diff, graphs))
    assert rows_held(made["alignment"]) == MAX_ROWS
    assert f"{count:,} of {count:,} rows differ." in text
    assert "rows.js" not in "".join(made.values())
    assert sum(map(len, made.values())) < 2_000_000


def test_equal_layers_of_a_large_page_are_in_a_script() -> None:
    graphs = chain(MAX_ROWS + 100), chain(MAX_ROWS + 100)
    diff = engine.compare(*graphs)
    made, text = parts(diff, graphs, rows="rows.js")
    count = len(alignment.rows(diff, graphs))
    assert rows_held(made["alignment"]) == 0
    assert f"… {count} equal layers …" in text
    assert 'data-all="rows.js"' in made["alignment"]
    setting = Setting(names=("left", "right"))
    whole = comparison.all_rows(diff, graphs, setting, Templates())
    assert rows_held(whole) == count
    small = chain(20), chain(20)
    assert comparison.all_rows(engine.compare(*small), small, setting, Templates()) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "attribute", "attribute": "epsilon", "before": 1e-5, "after": 2e-5}, EPSILON),
        (
            {"kind": "attribute", "attribute": "pads", "before": [0, 0, 1, 1], "after": [1] * 4},
            PADS,
        ),
        ({"kind": "operator", "before": "Relu", "after": "Tanh"}, "Relu → Tanh"),
        ({"kind": "operator", "before": ["Relu", "Add"], "after": ["Tanh"]}, "Relu + Add → Tanh"),
        ({"kind": "regrouped", "before": "Conv", "after": "Conv + Mul"}, "Conv → Conv + Mul"),
        ({"kind": "moved", "before": "Relu", "after": "Conv"}, "moved: after Relu → after Conv"),
        ({"kind": "parameters", "attribute": "weight"}, "weight 4×3×3×3 → 6×3×3×3"),
        ({"kind": "parameters", "attribute": "bias", "before": [4]}, "bias 4 → none"),
        ({"kind": "shape"}, "output 1×4×6×6 → 1×6×6×6"),
        ({"kind": "rewired"}, "reads other layers"),
        ({"kind": "attribute", "attribute": "padding"}, "padding explicit → same"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["kind"],
)
def test_a_row_tells_what_differs_with_its_own_values(change: dict[str, Any], said: str) -> None:
    ours, theirs = (graph.layers[0] for graph in pair(out=6))
    theirs = msgspec.structs.replace(theirs, padding="same")
    made = Change(**({"consequence": "computes", "title": "t", "text": "s", "pairs": ()} | change))
    assert alignment.describe(made, (ours,), (theirs,)) == said


def test_a_layer_that_one_side_has_tells_its_parameters() -> None:
    layer = pair()[0].layers[0]
    change = Change(kind="deleted", consequence="computes", title="t", text="s", pairs=())
    assert alignment.describe(change, (layer,), ()) == "only in A, 108 parameters"


def test_rows_have_a_sign_and_words_for_how_they_compare() -> None:
    a, b = Net((1, 3, 8, 8)), Net((1, 3, 8, 8))
    a.relu(a.norm(a.conv("input-1", 4, 3)))
    b.same("Tanh", b.relu(b.norm(b.conv("input-1", 4, 3), 1e-3)))
    graphs = a.graph(), b.graph()
    diff = engine.compare(*graphs)
    signs = [row.sign for row in alignment.rows(diff, graphs)]
    assert signs == ["equal", "equal", "differs", "equal", "only b"]
    _, text = parts(diff, graphs)
    for said in ("≠ differs epsilon 1e-5 → 0.001", "+ only in B", "2 of 5 rows differ."):
        assert said in text


def test_layers_of_different_networks_tell_which_side_has_them() -> None:
    graphs = chain(3), pools(3)
    rows = alignment.rows(engine.compare(*graphs), graphs)
    alone = [row for row in rows if not row.b]
    assert alone
    assert {row.differences[0].text for row in alone if not row.changes} <= {"only in A"}


def test_a_row_whose_shape_follows_from_another_row_differs_too() -> None:
    graphs = []
    for stride in (1, 2):
        net = Net((1, 3, 8, 8))
        net.relu(net.conv("input-1", 4, 3, stride))
        graphs.append(net.graph())
    both = graphs[0], graphs[1]
    last = alignment.rows(engine.compare(*both), both)[-1]
    assert last.changes == ()
    assert (last.sign, last.differences[0].text) == ("differs", "output 1×4×6×6 → 1×4×3×3")
