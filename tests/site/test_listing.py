"""`catalog.json`: the state of every model, port and pair, for other sites and scripts."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from modeldocs import digest, verdict
from modeldocs.catalog import manifest_file
from modeldocs.site import addresses
from modeldocs.site.catalog import listing
from modeldocs.site.model.compared_ports import compare_ports
from modeldocs.site.pages import pages
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results
from tests.ports import build, small

PORTS = {"a": small(), "b": small(dropout=True), "c": small(2e-5), "d": None}
MANIFEST = "title: A <b>\nsummary: Small.\ntask: none\ntags: [x, y]\nreference: b\n"


def written(
    folder: Path, patch: pytest.MonkeyPatch, home: str = addresses.HOME
) -> dict[str, bytes]:
    catalog, _, results = build(folder, PORTS, patch, MANIFEST)
    return {page.path: page.content for page in pages(catalog, results, Templates(), home)}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    return written(tmp_path, monkeypatch)


@pytest.fixture
def model(site: dict[str, bytes]) -> dict:
    (only,) = json.loads(site["catalog.json"])["models"]
    return only


def test_it_is_of_the_published_schema(site: dict[str, bytes]) -> None:
    schema = json.loads(site["schemas/catalog.schema.json"])
    data = json.loads(site["catalog.json"])
    jsonschema.validate(data, schema)
    assert data["format"] == listing.FORMAT
    assert data["generator"].startswith("modeldocs ")
    data["models"][0]["ports"][0]["status"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)


def test_a_model_has_what_its_manifest_says(model: dict) -> None:
    told = {key: model[key] for key in ("id", "title", "summary", "task", "tags", "reference")}
    assert told == {
        "id": "m",
        "title": "A <b>",
        "summary": "Small.",
        "task": "none",
        "tags": ["x", "y"],
        "reference": "b",
    }
    assert model["records"] == 0


def test_a_port_has_its_state_and_figures(tmp_path: Path, model: dict) -> None:
    a, *_, d = model["ports"]
    assert a == {
        "name": "a",
        "framework": "caffe",
        "status": "loaded",
        "failure": None,
        "verification": "not tried",
        "layers": 4,
        "parameters": small().totals().parameters,
        "macs": small().totals().macs,
        "source": a["source"],
        "family": 1,
        "page": "models/m/ports/a/index.html",
    }
    of_file = digest.of_file(tmp_path / "models" / "m" / "a.prototxt")
    assert a["source"] == digest.of(f"{of_file}  m/a.prototxt\n".encode())
    assert (d["status"], d["layers"], d["family"], d["source"]) == ("failed", None, None, None)
    assert d["failure"]


def test_families_and_pairs_are_those_of_the_pages(model: dict) -> None:
    assert model["families"] == [
        {"ports": ["b", "a"], "step": "same", "differences": []},
        {"ports": ["c"], "step": "different-results", "differences": ["ε 2e-5"]},
    ]
    steps = {(pair["a"], pair["b"]): pair["step"] for pair in model["pairs"]}
    assert steps["b", "a"] == "by-structure"
    assert steps["b", "c"] == steps["a", "c"] == "different-results"
    assert steps["b", "d"] == "not-loaded"


@pytest.mark.parametrize("home", [addresses.HOME, "models/index.md"])
def test_it_is_at_the_root_and_its_addresses_are_of_files(tmp_path, monkeypatch, home) -> None:
    site = written(tmp_path, monkeypatch, home)
    model = json.loads(site["catalog.json"])["models"][0]
    linked = [model, *model["ports"], *model["pairs"]]
    for address in (model["badge"], *(one["page"].replace(".html", ".md") for one in linked)):
        assert address in site
        assert not address.startswith("/")


def test_the_same_catalog_gives_the_same_bytes(tmp_path, monkeypatch) -> None:
    one, two = (written(tmp_path / name, monkeypatch) for name in ("one", "two"))
    assert one["catalog.json"] == two["catalog.json"]
    assert one["models/m/badge.svg"] == two["models/m/badge.svg"]


def test_all_steps_have_a_place_in_the_schema() -> None:
    enum = listing.schema()["$defs"]["ListedPair"]["properties"]["step"]["enum"]
    assert set(enum) == {step.id for step in verdict.STEPS}


def test_a_proof_is_told(tmp_path, monkeypatch) -> None:
    class Verified:
        verdict = "verified"

    _, model, results = build(tmp_path, {"a": small()}, monkeypatch)
    monkeypatch.setattr(Results, "proof", lambda *_: Verified())
    (page,) = listing.pages([listing.listed(model, results, compare_ports(model, results))])
    assert json.loads(page.content)["models"][0]["ports"][0]["verification"] == "verified"


def test_the_schema_of_model_yml_takes_what_loads() -> None:
    schema = manifest_file.schema()
    jsonschema.validate({"title": "a", "pairs": [["a", "b"]], "ports": {"a": {}}}, schema)
    for wrong in ({"titel": "a"}, {"pairs": "nearst"}, {"inputs": {"x": [0]}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
