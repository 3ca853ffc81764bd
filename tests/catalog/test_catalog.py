"""The catalog: which folders are models, which files are ports, and every mistake told in place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits

NET = 'input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8\n'
SOLVER = 'net: "train_val.prototxt"\nbase_lr: 0.01\nmax_iter: 100\n'
TORCH = "import torch\nINPUTS = {'x': (1, 8)}\n\n\ndef model():\n    return torch.nn.Linear(8, 2)\n"
HELPER = "import torch\n\n\nclass Block(torch.nn.Module):\n    pass\n"


@pytest.fixture
def read(tmp_path):
    """Write files into a catalog, and read it."""

    def wrote(files: dict[str, str]) -> catalog.Catalog:
        for name, text in files.items():
            path = tmp_path / "models" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return catalog.read(tmp_path / "models")

    return wrote


@pytest.fixture
def model(read):
    """The only model of a catalog: the files are those of its folder `net`."""

    def only(files: dict[str, str]) -> catalog.Model:
        (found,) = read({f"net/{name}": text for name, text in files.items()}).models
        return found

    return only


def ports(model: catalog.Model) -> dict[str, str]:
    """Framework and file by port, failed ports marked by a `!`."""
    return {
        port.name: f"{'!' if port.failure else ''}{port.framework}:"
        f"{port.source.name if port.source else port.request.module}"
        for port in model.ports
    }


def test_ports_are_found_by_name_and_content(model):
    found = model(
        {
            "caffe.prototxt": NET,
            "pytorch.py": "import torch\n",
            "model.onnx": "",
            "README.md": "# not a port",
            "labels.txt": "cat",
        }
    )
    assert ports(found) == {
        "caffe": "caffe:caffe.prototxt",
        "onnx": "onnx:model.onnx",
        "pytorch": "pytorch:pytorch.py",
    }
    assert not found.failures


@pytest.mark.parametrize("stem", ["model", "deploy", "net", "network"])
def test_a_plain_name_gives_the_port_its_frameworks_name(model, stem):
    assert ports(model({f"{stem}.prototxt": NET})) == {"caffe": f"caffe:{stem}.prototxt"}


def test_a_file_named_after_its_folder_is_a_port_of_that_framework(read):
    (found,) = read({"lenet/lenet.py": HELPER}).models
    assert ports(found) == {"pytorch": "pytorch:lenet.py"}


def test_any_other_name_is_the_ports_own(model):
    found = model({"train_val.prototxt": NET, "half size.prototxt": NET})
    assert ports(found) == {
        "half-size": "caffe:half size.prototxt",
        "train_val": "caffe:train_val.prototxt",
    }


def test_a_solver_defines_no_network(model):
    assert ports(model({"caffe.prototxt": NET, "solver.prototxt": SOLVER})) == {
        "caffe": "caffe:caffe.prototxt"
    }


class TestHelpers:
    def test_a_module_that_a_port_imports_is_none(self, model):
        port = "import os, blocks\nfrom stem import Stem\nimport torch\n"
        found = model(
            {
                "pytorch.py": port,
                "blocks.py": HELPER,
                "stem.py": HELPER,
                "model.yml": "inputs: {x: [1]}",
            }
        )
        assert list(ports(found)) == ["pytorch"]

    def test_nor_one_that_says_nothing_of_its_inputs(self, model):
        assert list(ports(model({"pytorch.py": TORCH, "blocks.py": HELPER}))) == ["pytorch"]

    def test_one_that_says_what_goes_in_is_a_port(self, model):
        assert list(ports(model({"pytorch.py": TORCH, "small.py": TORCH}))) == ["pytorch", "small"]

    def test_one_that_says_what_goes_in_is_a_port_though_another_imports_it(self, model):
        found = model({"small.py": TORCH, "large.py": f"from small import model\n{TORCH}"})
        assert list(ports(found)) == ["large", "small"]

    def test_the_manifests_inputs_are_those_of_every_file(self, model):
        files = {"small.py": HELPER, "large.py": HELPER, "model.yml": "inputs: {x: [1, 8]}\n"}
        assert list(ports(model(files))) == ["large", "small"]

    def test_a_file_with_a_syntax_error_is_a_port_so_that_it_is_seen(self, model):
        assert list(ports(model({"broken.py": "import torch\ndef model(:\n"}))) == ["broken"]


class TestFolders:
    def test_hidden_folders_and_files_are_none(self, read):
        found = read(
            {
                "net/caffe.prototxt": NET,
                "net/.caffe.prototxt.swp.prototxt": NET,
                "net/_old.prototxt": NET,
                ".git/caffe.prototxt": NET,
                "_drafts/caffe.prototxt": NET,
                "__pycache__/caffe.prototxt": NET,
                "caffe.prototxt": NET,
            }
        )
        assert [(m.id, list(ports(m))) for m in found.models] == [("net", ["caffe"])]

    def test_a_folder_without_port_manifest_or_record_is_none(self, read):
        assert read({"net/README.md": "# nothing"}).models == ()

    def test_a_folder_with_records_alone_is_a_model(self, read):
        (found,) = read({"net/benchmarks/a.json": "{}"}).models
        assert (found.id, found.ports, found.failures) == ("net", (), ())

    def test_a_folder_with_a_manifest_alone_is_a_model(self, read):
        (found,) = read({"net/model.yml": "title: A network\n"}).models
        assert (found.title, found.ports) == ("A network", ())

    @pytest.mark.parametrize(
        ("name", "told"),
        [("a b", "a-b"), ("ü", "model"), ("-rf", "rf"), ("<b>", "b-"), ("a%2F", "a-2F")],
    )
    def test_a_name_that_no_address_can_hold_is_told(self, read, name, told):
        (found,) = read({f"{name}/caffe.prototxt": NET}).models
        (failure,) = found.failures
        assert (found.id, failure.file) == (told, name)
        assert list(ports(found)) == ["caffe"]

    def test_two_names_never_share_an_address_and_the_proper_one_keeps_its_own(self, read):
        found = read({f"{name}/caffe.prototxt": NET for name in ("a b", "a-b", "a  b")})
        assert {Path(m.folder).name: m.id for m in found.models} == {
            "a  b": "a-b-2",
            "a b": "a-b-3",
            "a-b": "a-b",
        }

    def test_models_stand_in_order_of_name(self, read):
        found = read({f"{name}/caffe.prototxt": NET for name in ("b", "a", "c")})
        assert [m.id for m in found.models] == ["a", "b", "c"]

    def test_no_folder_is_told_with_the_fix(self, tmp_path):
        with pytest.raises(ModeldocsError) as caught:
            catalog.read(tmp_path / "models")
        assert (caught.value.file, "modeldocs new" in str(caught.value.fix)) == ("models", True)

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "models").write_text("")
        with pytest.raises(ModeldocsError, match="does not exist"):
            catalog.read(tmp_path / "models")


class TestTwoPortsOfOneName:
    def test_the_first_stays_and_the_other_says_why_it_failed(self, model):
        found = model({"deploy.prototxt": NET, "model.prototxt": NET, "net.prototxt": NET})
        assert ports(found) == {
            "caffe": "caffe:deploy.prototxt",
            "model.prototxt": "!caffe:model.prototxt",
            "net.prototxt": "!caffe:net.prototxt",
        }
        failure = found.ports[1].failure
        assert failure.reason == "its name 'caffe' is already that of deploy.prototxt"
        assert failure.file == "model.prototxt"
        assert "rename the file" in failure.fix

    def test_what_the_manifest_places_goes_first(self, model):
        manifest = "ports: {caffe: {file: other.prototxt, args: {phase: TRAIN}}}\n"
        found = model({"caffe.prototxt": NET, "other.prototxt": NET, "model.yml": manifest})
        assert ports(found) == {
            "caffe": "caffe:other.prototxt",
            "caffe.prototxt": "!caffe:caffe.prototxt",
        }
        assert found.port("caffe").request.args == {"phase": "TRAIN"}


class TestManifest:
    def test_its_ports_speak_of_files_found_by_convention(self, model):
        found = model(
            {
                "pytorch.py": TORCH,
                "model.yml": """\
inputs: {x: [1, 8]}
ports:
  pytorch:
    entry: Net
    args: {classes: 3}
    inputs: {x: {shape: [2, 8], dtype: int64}}
    limits: {seconds: 7, memory_mb: 512}
    notes: Smaller.
""",
            }
        )
        (port,) = found.ports
        request = port.request
        assert (request.entry, request.args, request.module) == ("Net", {"classes": 3}, None)
        assert (request.inputs, request.dtypes) == ({"x": (2, 8)}, {"x": "int64"})
        assert (port.limits, port.notes) == (Limits(seconds=7, memory_mb=512), "Smaller.")
        assert (Path(request.root).name, request.name) == ("net", "net")

    def test_its_inputs_are_those_of_every_port_that_gives_none(self, model):
        found = model(
            {
                "caffe.prototxt": NET,
                "pytorch.py": TORCH,
                "model.yml": "inputs: {x: [1, 8]}\nports: {caffe: {inputs: {data: [4, 8]}}}\n",
            }
        )
        assert [port.request.inputs for port in found.ports] == [{"data": (4, 8)}, {"x": (1, 8)}]

    def test_it_names_files_that_convention_does_not_find(self, model):
        manifest = """\
ports:
  odd: {file: network.txt, framework: caffe}
  deep: {file: sub/caffe.prototxt}
  same: {file: ./caffe.prototxt}
"""
        found = model(
            {
                "network.txt": NET,
                "sub/caffe.prototxt": NET,
                "caffe.prototxt": NET,
                "model.yml": manifest,
            }
        )
        assert ports(found) == {
            "deep": "caffe:caffe.prototxt",
            "odd": "caffe:network.txt",
            "same": "caffe:caffe.prototxt",
        }

    def test_it_names_modules_of_installed_packages(self, model):
        manifest = "ports: {zoo: {framework: pytorch, module: zoo.nets, entry: Net}}\n"
        found = model({"model.yml": manifest})
        assert ports(found) == {"zoo": "pytorch:zoo.nets"}
        assert found.ports[0].request.path is None

    def test_it_may_name_a_file_of_another_model(self, read):
        found = read(
            {"a/caffe.prototxt": NET, "b/model.yml": "ports: {caffe: {file: ../a/caffe.prototxt}}"}
        )
        assert ports(found.models[1]) == {"caffe": "caffe:caffe.prototxt"}

    def test_one_that_cannot_be_read_loses_only_itself(self, model):
        found = model({"caffe.prototxt": NET, "pytorch.py": TORCH, "model.yml": "titel: a\n"})
        assert list(ports(found)) == ["caffe", "pytorch"]
        (failure,) = found.failures
        assert (failure.file, failure.line, failure.fix) == (
            "model.yml",
            1,
            "did you mean `title`?",
        )

    def test_the_title_is_the_folders_name_where_it_gives_none(self, model):
        assert model({"caffe.prototxt": NET}).title == "net"


class TestMistakes:
    @pytest.fixture
    def failed(self, model):
        def only(manifest: str, **files: str):
            found = model(
                {"model.yml": manifest} | {n.replace("_", "."): t for n, t in files.items()}
            )
            (failure,) = [port.failure for port in found.ports if port.failure]
            assert failure.file == "model.yml"
            return failure

        return only

    def test_a_file_outside_the_catalog(self, failed, tmp_path):
        (tmp_path / "secret.prototxt").write_text(NET)
        failure = failed("ports:\n  a:\n    file: ../../secret.prototxt\n")
        assert failure.reason == "`secret.prototxt` lies outside the catalog"
        assert failure.line == 3

    def test_a_file_given_absolutely(self, failed, tmp_path):
        (tmp_path / "secret.prototxt").write_text(NET)
        assert (
            "outside the catalog"
            in failed(f"ports: {{a: {{file: {tmp_path}/secret.prototxt}}}}").reason
        )

    def test_a_link_that_leads_outside_the_catalog(self, tmp_path):
        (tmp_path / "secret.prototxt").write_text(NET)
        (tmp_path / "models" / "net").mkdir(parents=True)
        (tmp_path / "models" / "net" / "caffe.prototxt").symlink_to(tmp_path / "secret.prototxt")
        (port,) = catalog.read(tmp_path / "models").models[0].ports
        assert "outside the catalog" in port.failure.reason

    def test_a_model_that_is_a_link_is_a_model(self, read, tmp_path):
        read({"net/caffe.prototxt": NET})
        shutil.move(tmp_path / "models" / "net", tmp_path / "elsewhere")
        (tmp_path / "models" / "net").symlink_to(tmp_path / "elsewhere")
        assert ports(catalog.read(tmp_path / "models").models[0]) == {
            "caffe": "caffe:caffe.prototxt"
        }

    def test_a_file_that_is_not_there(self, failed):
        failure = failed("ports:\n  a:\n    file: lost.prototxt\n")
        assert failure.reason == "`file: lost.prototxt` of the port 'a' does not exist"
        assert (failure.line, failure.fix) == (3, "correct the name, or add the file")

    def test_a_port_that_is_nowhere(self, failed):
        failure = failed("ports:\n  caffe: {}\n  a:\n    notes: b\n", caffe_prototxt=NET)
        assert failure.reason == "the port 'a' names neither a file nor a module"
        assert failure.line == 3

    def test_a_port_that_is_in_two_places(self, failed):
        failure = failed("ports: {caffe: {file: caffe.prototxt, module: a}}\n", caffe_prototxt=NET)
        assert failure.reason == "the port 'caffe' names both a file and a module"

    @pytest.mark.parametrize("where", ["", "file: deploy.prototxt, ", "module: a.b, "])
    def test_a_framework_that_has_no_loader(self, failed, where):
        files = {} if "module" in where else {"deploy_prototxt": NET}
        failure = failed(f"ports:\n  caffe: {{{where}framework: cafe}}\n", **files)
        assert "'cafe'" in failure.reason
        assert (failure.line, failure.fix) == (2, "did you mean `caffe`?")

    def test_a_file_that_no_loader_recognises(self, failed):
        failure = failed("ports: {a: {file: net.txt}}\n", net_txt=NET)
        assert failure.reason == "the port 'a' has no known framework"
        assert failure.fix.startswith("add `framework:`, one of: caffe")

    def test_a_name_that_no_address_can_hold(self, failed):
        failure = failed("ports:\n  a/../b: {file: caffe.prototxt}\n", caffe_prototxt=NET)
        assert failure.reason == "the port's name 'a/../b' cannot be part of an address"
        assert failure.line == 2

    def test_a_reference_that_names_no_port(self, model):
        found = model({"caffe.prototxt": NET, "model.yml": "title: a\nreference: cafe\n"})
        (failure,) = found.failures
        assert failure.reason == "`reference` names the port 'cafe', which does not exist"
        assert (failure.line, failure.fix) == (2, "did you mean `caffe`?")


def test_a_port_is_found_by_model_and_name(read):
    found = read({"lenet/caffe.prototxt": NET, "lenet/pytorch.py": TORCH})
    model, port = found.port("lenet/pytorch")
    assert (model.id, port.name) == ("lenet", "pytorch")
    with pytest.raises(ModeldocsError, match="did you mean lenet/pytorch"):
        found.port("lenet/pytoch")
    with pytest.raises(ModeldocsError, match="use one of: lenet/caffe, lenet/pytorch"):
        found.port("zzz")


def test_the_targets_of_a_site_are_those_of_models_that_name_none(read) -> None:
    files = {"a/net.prototxt": NET, "b/net.prototxt": NET, "b/model.yml": "generate: [pytorch]\n"}
    whole = read(files)
    assert whole.with_targets(targets=True) is whole
    chosen = whole.with_targets(targets=False)
    assert [model.manifest.generate for model in chosen.models] == [False, ["pytorch"]]
