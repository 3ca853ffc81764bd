"""`modeldocs diff`: two sources compared, and the exit code that only a declared policy changes."""

from __future__ import annotations

import json
import os
import subprocess

import jsonschema
import msgspec
import pytest

from modeldocs import diff
from modeldocs.diff import Direction, Divergence, MappedWeight, Parity, Weights, WeightStep, weights
from modeldocs.errors import Failure
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.site.pair import policies

from ..diff.graphs import Net

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("diff command")]

LAYER = (("conv-1",), ("conv-1",))
SAME_NUMBERS = Direction(outputs=Difference(absolute=0.0, relative=0.0), end=LAYER, compared=2)
TURNED = MappedWeight(
    target="conv.kernel",
    pair=LAYER,
    shape=(4, 3, 3, 3),
    dtype="float32",
    steps=(WeightStep(op="read", name="conv.weight"), WeightStep(op="flip", of=(0,), axes=(2, 3))),
    text="conv.weight: turned round along H and W",
    turned=True,
)
PARTING = Divergence(pair=LAYER, error=Difference(absolute=1.0, relative=0.02))
OTHER_NUMBERS = Direction(
    outputs=Difference(absolute=1.0, relative=0.5),
    end=LAYER,
    first=PARTING,
    divergences=(PARTING,),
    compared=2,
    weights=Weights(mapped=(TURNED,), unused=("conv.bias",)),
)
PARITIES = {
    "holds": Parity(a_to_b=SAME_NUMBERS, b_to_a=SAME_NUMBERS),
    "one way": Parity(a_to_b=SAME_NUMBERS, b_to_a=OTHER_NUMBERS),
    "turned": Parity(
        a_to_b=msgspec.structs.replace(SAME_NUMBERS, weights=Weights(mapped=(TURNED,))),
        b_to_a=SAME_NUMBERS,
    ),
    "diverges": Parity(a_to_b=OTHER_NUMBERS, b_to_a=OTHER_NUMBERS, seconds=1.5),
    "not run": Parity(failure=Failure(reason="was stopped after 120 s", fix="give it more")),
}


def net(shape):
    """One sum over everything, which hides the shape that it reads."""
    builder = Net(shape)
    builder.add("ReduceSum", ["input-1"], (1,), {"keepdims": 0})
    return builder.graph()


def nets(strides=1, out=4):
    """A convolution and its activation, twice; the second convolution with settings of its own."""
    graphs = []
    for stride, width in ((1, 4), (strides, out)):
        net = Net((1, 3, 8, 8))
        net.relu(net.conv("input-1", width, 3, stride))
        graphs.append(net.graph())
    return graphs


@pytest.fixture
def other(folder):
    text = (folder / "models" / "net" / "caffe.prototxt").read_text()
    (folder / "other.prototxt").write_text(text.replace("kernel_size: 3", "kernel_size: 5"))
    return "other.prototxt"


@pytest.fixture
def stub_parity(monkeypatch):
    """`ran(verdict)`: let parity come out so."""

    def stub(verdict):
        monkeypatch.setattr("modeldocs.numeric.parity.compare", lambda *_: PARITIES[verdict])

    return stub


def test_two_files_by_path(run, other):
    result = run("diff", "models/net/caffe.prototxt", other)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "kernel" in result.stdout
    assert result.stdout.startswith("≠ Different\n1 difference")


def test_a_file_and_itself(folder, run):
    result = run("diff", "net/caffe", "models/net/caffe.prototxt")
    assert "Same by structure; not proven by numbers" in result.stdout
    assert "2 layers correspond and are the same." in result.stdout


def test_a_file_and_itself_at_another_revision(folder, run, other):
    hidden = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], check=True, env=hidden)
    net = folder / "models" / "net" / "caffe.prototxt"
    net.write_text((folder / other).read_text())
    source = "models/net/caffe.prototxt"
    assert "kernel" in run("diff", f"git:HEAD:{source}", source).stdout
    assert "Same by structure" in run("diff", "git:HEAD:net/caffe", f"git:HEAD:{source}").stdout


def test_json_is_all_that_is_printed(run, other):
    data = json.loads(run("diff", "net/caffe", other, "--json").stdout)
    jsonschema.validate(data, diff.schema())
    assert "parity" not in data


def test_json_with_parity_fits_the_published_schema(run, other, stub_parity):
    stub_parity("diverges")
    data = json.loads(run("diff", "net/caffe", other, "--json", "--parity").stdout)
    jsonschema.validate(data, diff.schema())
    assert diff.decode(json.dumps(data).encode()).parity.verdict == "diverges"
    assert data["parity"]["seconds"] == 0, "the same every time"


@pytest.mark.parametrize("parity", PARITIES.values(), ids=PARITIES)
def test_any_parity_fits_the_published_schema(parity):
    result = msgspec.structs.replace(diff.compare(*nets()), parity=parity)
    jsonschema.validate(json.loads(diff.encode(result)), diff.schema())


def test_the_schema_refuses_a_parity_that_is_none():
    data = json.loads(diff.encode(diff.compare(*nets())))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data | {"parity": {"seconds": "many"}}, diff.schema())


def test_parity_is_told_with_the_first_layer_that_parts(run, other, stub_parity):
    stub_parity("diverges")
    output = " ".join(run("diff", "net/caffe", other, "--parity").stdout.split())
    assert "outputs first diverge at conv (relative error 0.02), because of change 2" in output
    assert "change 2: one layer, conv → conv: relative error 0.02" in output
    conversion = "conv.kernel = conv.weight: turned round along H and W (by hand)"
    assert conversion in output and "no place for conv.bias" in output


def test_a_kernel_that_is_turned_by_hand_is_not_proven(folder, run, stub_parity):
    stub_parity("turned")
    words = ["diff", "net/caffe", "net/caffe", "--parity"]
    output = run(*words).stdout
    assert output.startswith("⇄ Same function, weights need converting\n")
    assert "For this one weight is rearranged by hand" in output
    assert run(*words, "--fail-on", "parity").exit_code == 1


def test_weights_that_fit_one_way_only(folder, run, stub_parity):
    stub_parity("one way")
    output = run("diff", "net/caffe", "net/caffe", "--parity").stdout
    assert "B can hold A's weights and gives the same numbers" in output
    assert "but A cannot hold B's: outputs first diverge at conv" in output


def test_the_weight_map_needs_no_parity(run, folder):
    result = run("diff", "net/caffe", "net/caffe", "--weights", "map.json")
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads((folder / "map.json").read_bytes())
    jsonschema.validate(data, weights.schema())
    assert [one["steps"] for one in data["weights"]["mapped"]] == [
        [{"op": "read", "name": one["target"]}] for one in data["weights"]["mapped"]
    ]
    run("diff", "net/caffe", "net/caffe", "--parity", "--weights", "again.json")
    assert (folder / "again.json").read_bytes() == (folder / "map.json").read_bytes()


def test_a_parity_that_could_not_be_run_is_told_and_is_no_error(run, other, stub_parity):
    stub_parity("not run")
    result = run("diff", "net/caffe", other, "--parity")
    assert result.exit_code == 0
    assert "was stopped after 120 s" in result.stdout
    assert "To run the numbers: give it more" in result.stdout


@pytest.mark.parametrize(
    ("policy", "graphs", "verdict", "reason"),
    [
        ("different", nets(strides=2), None, "the two graphs differ"),
        ("different", nets(), None, None),
        ("different", nets(), "diverges", "their outputs differ"),
        ("different", nets(), "not run", None),
        ("parameters", nets(out=6), None, "108 in A, 162 in B"),
        ("parameters", nets(), None, None),
        (
            "shape",
            nets(strides=2),
            None,
            "2 layers give another shape, first conv1: 1×4×6×6 in A, 1×4×3×3 in B",
        ),
        ("shape", [net((1, 3, 8, 8)), net((1, 4, 8, 8))], None, "1 change of shape"),
        ("shape", nets(), None, None),
        ("parity", nets(strides=2), "holds", None),
        ("parity", nets(), "diverges", "relative error 0.02"),
        ("parity", nets(), "not run", "was stopped after 120 s"),
    ],
)
def test_what_trips_a_policy(policy, graphs, verdict, reason):
    result = msgspec.structs.replace(diff.compare(*graphs), parity=PARITIES.get(verdict))
    expected = [f"{policy} ({reason})"] if reason else []
    assert policies.violations(result, graphs, [policy]) == expected


def test_policies_that_trip_are_exit_1_and_one_line_after_what_was_asked_for(run, other):
    several = ["--fail-on", "parameters", "--fail-on", "different", "--json"]
    result = run("diff", "net/caffe", other, *several)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["verdict"] == "different"
    expected = (
        "modeldocs: fails on parameters (112 in A, 304 in B), different (the two graphs differ)"
    )
    assert result.stderr == f"{expected}\n"


def test_policies_that_do_not_trip_are_exit_0(folder, run):
    every = [word for policy in policies.POLICIES for word in ("--fail-on", policy)]
    result = run("diff", "net/caffe", "net/caffe", *every)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Same function, proven by numbers" in result.stdout


def test_a_policy_that_is_none(refused, other):
    assert "parity" in refused("diff", "net/caffe", other, "--fail-on", "everything")


def test_a_source_that_cannot_be_loaded(refused, other):
    assert "broken.prototxt:1:25" in refused("diff", other, "net/broken", "--json")


def test_one_source_alone(refused, other):
    assert "Missing argument 'B'" in refused("diff", other)


def test_a_report_that_cannot_be_written(refused, other):
    output = refused("diff", "net/caffe", other, "--html", "no/such/report.html")
    assert "report.html" in output
    assert "its folder does not exist" in output
