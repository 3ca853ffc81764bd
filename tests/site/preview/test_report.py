"""What a preview says of a change: models, ports, families and records."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from modeldocs.benchmarks import record
from modeldocs.benchmarks.labels import file_name
from modeldocs.site.preview import document, report, rows, sides
from modeldocs.site.preview.document import Preview
from modeldocs.site.preview.sides import Request
from modeldocs.site.preview.violations import violations
from modeldocs.tasks.pool import silent
from modeldocs.tasks.store import Store
from tests.benchmarks.examples import example
from tests.repositories import History, caffe

from .conftest import Previewed


def ports(preview: Preview) -> dict[str, str]:
    """What happened to each port, in words."""
    return {row.name: row.what for row in rows.rows(preview)}


def test_a_change_of_other_files_does_nothing(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"README.md": "More models.", "tools/run.py": "print()"})
    found = previewed()
    assert found.is_empty
    assert found.untouched == 3


def test_a_port_that_computes_something_else(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"models/a/caffe.prototxt": caffe(kernel_size=5)})
    found = previewed()
    [port] = found.ports
    assert (port.name, port.kind, port.page) == ("a/caffe", "changed", "changes/a/caffe/")
    assert port.before is not None and port.after is not None and port.effect is not None
    assert port.before.figures is not None and port.after.figures is not None
    assert port.before.figures.parameters == 4 * 3 * 9 + 4
    assert port.after.figures.parameters == 4 * 3 * 25 + 4
    assert port.effect.step == "different-results"
    assert "kernel_shape 3 → 5" in port.effect.lines[0].title
    assert {"different", "parameters", "shape"} <= set(port.effect.violates)
    assert found.untouched == 2


def test_an_edit_that_changes_nothing_in_the_network(
    history: History, previewed: Previewed
) -> None:
    history.branch("change")
    history.commit({"models/a/caffe.prototxt": "# why\n" + caffe()})
    found = previewed()
    assert ports(found) == {"a/caffe": "computes the same as before"}
    assert rows.headline(found) == "1 computes the same as before"
    assert found.families == ()


def test_ports_and_models_that_come_and_go(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"models/b/caffe.prototxt": None, "models/c/caffe.prototxt": caffe()})
    found = previewed()
    assert [(port.name, port.kind) for port in found.ports] == [
        ("b/caffe", "removed"),
        ("c/caffe", "added"),
    ]
    assert [(one.model, one.kind) for one in found.models] == [("b", "removed"), ("c", "added")]
    assert found.untouched == 2


def test_a_port_that_no_longer_loads_and_one_that_does_again(
    history: History, previewed: Previewed
) -> None:
    history.branch("broken")
    history.commit({"models/a/caffe.prototxt": "layer { name: "})
    found = previewed()
    assert ports(found)["a/caffe"].startswith("no longer loads: caffe.prototxt:1")
    assert rows.headline(found) == "1 broken (a/caffe)"
    history.branch("mended", "broken")
    history.commit({"models/a/caffe.prototxt": caffe()})
    assert ports(previewed(base="broken"))["a/caffe"] == "loads now"


def test_a_file_that_is_no_definition_any_more_does_not_load(
    history: History, previewed: Previewed
) -> None:
    """Such as one with a conflict that was committed; it was not removed."""
    history.branch("change")
    text = f"<<<<<<< ours\n{caffe()}=======\n{caffe(kernel_size=5)}>>>>>>> theirs\n"
    history.commit({"models/a/caffe.prototxt": text})
    found = previewed()
    assert ports(found)["a/caffe"] == (
        "no longer loads: caffe.prototxt: is there, but is not recognised as a definition any more"
    )
    assert violations(found, ["failed", "removed"]) == ["failed (a/caffe)"]
    assert found.ports[0].page == ""


def test_a_failure_is_the_same_wherever_the_files_are(
    history: History, previewed: Previewed
) -> None:
    """Its message names no temporary folder and no address of an object."""
    pytest.importorskip("torch")
    broken = "import torch\nINPUTS = {}\nraise OSError(f'{__file__}: {object()}')\n"
    history.commit({"models/a/pytorch.py": broken})
    history.branch("change")
    history.commit({"models/a/notes.txt": ""})
    assert previewed().is_empty
    history.commit({"models/a/pytorch.py": f"# still\n{broken}"})
    [port] = previewed().ports
    assert port.after is not None
    assert port.after.failure == (
        "pytorch.py:4: importing it raised OSError: a/pytorch.py: <object object>"
    )


def test_a_port_that_loads_on_neither_side_is_told_where_its_file_changed(
    history: History, previewed: Previewed
) -> None:
    settings = "ports: {keras: {environment: {python: '3.11', requirements: [not-installed]}}}"
    history.commit({"models/a/model.yml": settings, "models/a/keras.py": "import keras"})
    history.branch("change")
    history.commit({"models/a/keras.py": "import keras\nINPUTS = {}"})
    assert ports(previewed())["a/keras"].startswith("still does not load")


def test_fields_of_a_manifest_that_changed(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"models/a/model.yml": "title: A\nreference: second\n"})
    found = previewed()
    assert found.models[0].fields == ("title", "reference")
    assert rows.others(found) == ["model.yml of a was changed: title, reference"]
    assert rows.headline(found) == "model.yml of a was changed"


def test_a_family_that_splits(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"models/a/second.prototxt": caffe(type="Sigmoid")})
    [family] = previewed().families
    assert family.before == (("caffe", "second"),)
    assert family.after == (("caffe",), ("second",))
    assert rows.family(family) == "a has 2 families, 1 before: caffe | second"


def test_a_mistake_in_a_manifest(history: History, previewed: Previewed) -> None:
    history.branch("change")
    history.commit({"models/a/model.yml": "titel: A\n"})
    [model] = previewed().models
    assert (model.model, model.kind) == ("a", "changed")
    assert "unknown field `titel`" in model.mistakes[0]


def test_a_record_that_is_slower_than_the_one_before_it(
    history: History, previewed: Previewed
) -> None:
    def run(date: str, ms: float) -> record.Record:
        one = example()
        samples = tuple(tuple(ms * (1 + 0.001 * (i % 7)) for i in range(60)) for _ in range(5))
        times = msgspec.structs.replace(one.step_ms, samples=samples)
        return msgspec.structs.replace(
            one, run=msgspec.structs.replace(one.run, date=date), step_ms=times
        )

    first, second = run("2026-01-01", 10.0), run("2026-02-01", 12.0)
    folder = "models/a/benchmarks"
    history.commit({f"{folder}/{file_name(first)}": record.encode(first)})
    history.branch("change")
    history.commit({f"{folder}/{file_name(second)}": record.encode(second)})
    found = previewed()
    [one] = found.records
    assert (one.file, one.kind, one.answer) == (file_name(second), "added", "slower")
    assert one.against == file_name(first)
    assert found.ports == ()


class TestWorkingTree:
    def test_what_is_not_committed_counts(self, history: History, previewed: Previewed) -> None:
        history.write({"models/a/caffe.prototxt": caffe(kernel_size=5)})
        history.write({"models/c/caffe.prototxt": caffe()})
        found = previewed(None)
        assert [port.name for port in found.ports] == ["a/caffe", "c/caffe"]
        assert found.head.modified
        assert "--head" not in found.command

    def test_what_git_ignores_does_not(self, history: History, previewed: Previewed) -> None:
        history.write({"models/scratch/caffe.prototxt": caffe()})
        assert previewed(None).is_empty

    def test_the_working_tree_is_left_alone(self, history: History, previewed: Previewed) -> None:
        history.write({"models/a/caffe.prototxt": caffe(kernel_size=5)})
        before = history.git("status", "--porcelain")
        previewed(None)
        assert history.git("status", "--porcelain") == before
        assert len(history.git("worktree", "list").splitlines()) == 1


def test_the_base_is_where_the_branch_left_it(history: History, previewed: Previewed) -> None:
    """What main did since is no part of the change, and a preview made later is the same."""
    history.branch("change")
    history.commit({"models/a/caffe.prototxt": caffe(kernel_size=5)})
    first = document.encode(previewed("change"))
    history.git("checkout", "-q", "main")
    history.commit(
        {"models/b/caffe.prototxt": caffe(num_output=9), "models/a/new.prototxt": caffe()}
    )
    assert document.encode(previewed("change")) == first


def test_its_command_names_a_catalog_in_another_folder(history: History, stored: Path) -> None:
    history.commit({"docs/nets/a/caffe.prototxt": caffe()})
    models = str(history.folder / "docs" / "nets")
    request = Request(base="main", head="main", models=models, store=Store(stored), prove=False)
    with sides.compare(request, silent) as both:
        command = report.preview(both).command
    assert command.endswith(" --models docs/nets --no-verify")


@pytest.mark.parametrize(
    ("base", "reason"),
    [("nowhere", "git has no revision 'nowhere'"), ("--output=x", "is no revision")],
)
def test_a_base_that_is_no_commit(previewed: Previewed, base: str, reason: str) -> None:
    with pytest.raises(Exception, match=reason):
        previewed(base=base)


def test_the_document_fits_its_schema_and_is_read_back(
    history: History, previewed: Previewed
) -> None:
    import jsonschema

    history.branch("change")
    history.commit({"models/a/caffe.prototxt": caffe(kernel_size=5)})
    found = previewed()
    data = document.encode(found)
    jsonschema.validate(msgspec.json.decode(data), document.schema())
    assert document.decode(data) == found
