"""The ports that a change reaches: none is missed, and few are loaded for nothing."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.git import Repository
from modeldocs.site.preview import reach
from modeldocs.site.preview.reach import Tree
from modeldocs.tasks import build as tasks
from modeldocs.tasks.store import Store
from tests.repositories import History, caffe

pytestmark = pytest.mark.usefixtures("tasks_here")

Reached = Callable[..., set[str]]


@pytest.fixture
def reached(tmp_path: Path, history: History) -> Reached:
    """`reached(store)`: the ports that the last commit reaches."""

    def find(store: Path = tmp_path / "empty") -> set[str]:
        repository = Repository.around(history.folder)
        base, head = (repository.commit(name) for name in ("HEAD~1", "HEAD"))
        with repository.checkout(base) as old, repository.checkout(head) as new:
            trees = (Tree(folder, catalog.read(folder / "models")) for folder in (old, new))
            return reach.reached(*trees, repository.changed(base, head), Store(store))

    return find


def test_a_data_file_reaches_its_port_alone(history: History, reached: Reached) -> None:
    history.commit({"models/a/caffe.prototxt": caffe(kernel_size=5)})
    assert reached() == {"a/caffe"}


def test_settings_reach_the_port_that_they_are_of(history: History, reached: Reached) -> None:
    history.commit({"models/a/model.yml": "ports: {second: {inputs: {data: [2, 3, 8, 8]}}}"})
    assert reached() == {"a/second"}


def test_titles_and_records_reach_no_port(history: History, reached: Reached) -> None:
    history.commit(
        {
            "models/a/model.yml": "title: A",
            "models/b/benchmarks/run.json": "{}",
            "models/b/notes.txt": "",
            "README.md": "",
        }
    )
    assert reached() <= {"b/caffe"}  # notes.txt might be read


HELPED = """
import torch
from helper import WIDTH

INPUTS = {"x": (1, 4)}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, WIDTH)

    def forward(self, x):
        return self.layer(x)
"""


class TestSharedFile:
    @pytest.fixture(autouse=True)
    def _ports(self, history: History) -> None:
        pytest.importorskip("torch")
        history.commit(
            {
                "models/p/pytorch.py": HELPED,
                "models/p/alone.py": HELPED.replace("from helper import WIDTH", "WIDTH = 3"),
                "models/p/helper.py": "from deeper import WIDTH\n",
                "models/p/deeper.py": "WIDTH = 3\n",
                "models/_common/sizes.py": "WIDTH = 3\n",
                "models/q/pytorch.py": HELPED.replace("helper", "_common.sizes"),
            }
        )

    def test_it_reaches_all_ports_that_might_import_it(
        self, history: History, reached: Reached
    ) -> None:
        history.commit({"models/p/deeper.py": "WIDTH = 5\n"})
        assert {"p/pytorch"} <= reached() <= {"p/pytorch", "p/alone"}

    def test_one_of_the_catalog_reaches_all_python_ports_that_might_import_it(
        self, history: History, reached: Reached
    ) -> None:
        history.commit({"models/_common/sizes.py": "WIDTH = 5\n"})
        assert reached() == {"p/pytorch", "p/alone", "q/pytorch"}

    def test_with_a_store_one_of_the_catalog_reaches_those_that_do(
        self, history: History, reached: Reached, tmp_path: Path
    ) -> None:
        store = tmp_path / "store"
        tasks.load_all(catalog.read(history.folder / "models"), Store(store))
        history.commit({"models/_common/sizes.py": "WIDTH = 5\n", "models/_common/new.py": ""})
        assert reached(store) == {"q/pytorch"}

    def test_with_a_store_it_reaches_those_that_do(
        self, history: History, reached: Reached, tmp_path: Path
    ) -> None:
        store = tmp_path / "store"
        tasks.load_all(catalog.read(history.folder / "models"), Store(store))
        history.commit({"models/p/deeper.py": "WIDTH = 5\n"})
        assert reached(store) == {"p/pytorch"}


LOOKING = {
    "exists": """
        file = pathlib.Path(__file__).with_name("width.txt")
        WIDTH = int(file.read_text()) if file.exists() else 3
    """,
    "imports": """
        try:
            from local import WIDTH
        except ImportError:
            WIDTH = 3
    """,
    "lists": """
        files = pathlib.Path(__file__).parent.glob("widths/*.txt")
        WIDTH = 3 + sum(int(file.read_text()) for file in files)
    """,
}


def test_a_new_file_reaches_the_port_that_looked_for_it(
    history: History, reached: Reached, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    ports = {
        f"models/{name}/pytorch.py": HELPED.replace(
            "from helper import WIDTH", f"import pathlib\n{textwrap.dedent(code)}"
        )
        for name, code in LOOKING.items()
    }
    history.commit({**ports, "models/lists/widths/one.txt": "1"})
    store = Store(tmp_path / "store")
    before = tasks.load_all(catalog.read(history.folder / "models"), store, jobs=1)
    for model, files in {
        "exists": {"width.txt": "8", "other.txt": ""},
        "imports": {"local.py": "WIDTH = 8\n"},
        "lists": {"widths/two.txt": "2"},
    }.items():
        history.commit({f"models/{model}/{file}": text for file, text in files.items()})
        assert reached(store.folder) == {f"{model}/pytorch"}
    read = catalog.read(history.folder / "models")
    after = tasks.load_all(read, store, jobs=1)
    for model in (one for one in read.models if one.id in LOOKING):
        [port] = model.ports
        assert before.loaded(model, port).graph != after.loaded(model, port).graph, model.id
    history.commit({"models/exists/more.txt": "", "models/imports/more.txt": ""})
    assert reached(store.folder) == set()


@pytest.mark.parametrize("seed", range(3))
def test_every_port_that_loads_otherwise_is_reached(
    seed: int, history: History, reached: Reached, tmp_path: Path
) -> None:
    """Random edits of data ports; the truth is what loads of both sides give."""
    draw = random.Random(seed)
    names = [f"models/{model}/{port}.prototxt" for model in "abc" for port in ("caffe", "two")]
    last: dict[str, object] = {}
    for step in range(3):
        for name in draw.sample(names, 2):
            path = history.folder / name
            if path.exists() and draw.random() < 0.3:
                history.write({name: None})
            else:
                text = caffe(num_output=draw.randint(1, 4))
                history.write({name: f"# {draw.random()}\n{text}" if draw.random() < 0.3 else text})
        history.commit()
        read = catalog.read(history.folder / "models")
        results = tasks.load_all(read, Store(tmp_path / "store"))
        now = {f"{m.id}/{p.name}": results.loaded(m, p).graph for m in read.models for p in m.ports}
        differing = {name for name in now.keys() | last.keys() if now.get(name) != last.get(name)}
        if step:
            assert differing <= reached()
            assert differing <= reached(tmp_path / "store")
        last = dict(now)


def _shared_module(draw: random.Random, later: list[str]) -> str:
    """A module of a shared folder: a number, its own or that of a module after it."""
    if later and draw.random() < 0.6:
        module = f"{draw.choice(['.', '_common.'])}{draw.choice(later)}"
        return f"from {module} import WIDTH as W\nWIDTH = W + 1\n"
    return f"WIDTH = {draw.randint(1, 9)}\n"


@pytest.mark.parametrize("seed", range(2))
def test_every_port_that_imports_what_changed_is_reached(
    seed: int, history: History, reached: Reached, tmp_path: Path
) -> None:
    """Random edits of shared modules that import each other; the truth is what loads give."""
    pytest.importorskip("torch")
    draw = random.Random(seed)
    modules = ["first", "second", "third", "fourth"]
    ports = ["p/pytorch", "p/second", "q/pytorch"]

    def module(name: str) -> str:
        return _shared_module(draw, modules[modules.index(name) + 1 :])

    def port() -> str:
        return HELPED.replace("helper", f"_common.{draw.choice(modules)}")

    history.write({f"models/_common/{name}.py": module(name) for name in modules})
    history.write({f"models/{name}.py": port() for name in ports})
    last: dict[str, object] = {}
    for step in range(4):
        if step:
            name = draw.choice(modules)
            path = f"models/_common/{name}.py"
            lost = (history.folder / path).exists() and draw.random() < 0.25
            history.write({path: None if lost else module(name)})
            if draw.random() < 0.3:
                history.write({f"models/{draw.choice(ports)}.py": port()})
        history.commit()
        read = catalog.read(history.folder / "models")
        results = tasks.load_all(read, Store(tmp_path / "store"))
        now = {f"{m.id}/{p.name}": results.loaded(m, p).graph for m in read.models for p in m.ports}
        differing = {name for name in now.keys() | last.keys() if now.get(name) != last.get(name)}
        if step:
            assert differing <= reached()
            assert differing <= reached(tmp_path / "store") <= set(ports)
        last = dict(now)
