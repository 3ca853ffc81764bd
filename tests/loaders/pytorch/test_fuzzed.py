"""Archives with something wrong in them: always one clear sentence, never another error."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loader

from .nets import SHAPES, request

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning", "ignore::UserWarning"),
    pytest.mark.xdist_group("saved archives"),
]

CHECKED = settings(
    max_examples=20, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
ODD = st.sampled_from([None, 0, -1, 2**40, 2**63, 1e308, "x", "", [], {}, [[]], "../../net"])
KINDS = st.sampled_from(["exported", "scripted"])


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The content of two small archives: short to read, so that many changes can be tried."""
    folder = tmp_path_factory.mktemp("small")
    module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).eval()
    torch.export.save(torch.export.export(module, (torch.zeros(1, 3),)), folder / "exported.pt2")
    torch.jit.script(module).save(str(folder / "scripted.pt"))
    return {path.stem: path for path in folder.iterdir()}


def read(path: Path) -> None:
    """Load it as far as it goes."""
    made = loader("pytorch")
    made.recognises(path)
    with contextlib.suppress(ModeldocsError):
        made.load(request(path, inputs={} if path.suffix == ".pt2" else {"": SHAPES["other"]}))


@CHECKED
@given(kind=KINDS, cut=st.integers(1, 4000))
def test_cut_short(small, tmp_path, kind, cut):
    path = tmp_path / small[kind].name
    path.write_bytes(small[kind].read_bytes()[:-cut])
    read(path)


@CHECKED
@given(kind=KINDS, places=st.lists(st.integers(0, 2**16), min_size=1, max_size=6),
       byte=st.integers(0, 255))  # fmt: skip
def test_bytes_flipped_in_its_files(small, tmp_path, kind, places, byte):
    path = tmp_path / small[kind].name
    with zipfile.ZipFile(small[kind]) as old, zipfile.ZipFile(path, "w") as new:
        names = old.namelist()
        hit = names[places[0] % len(names)]
        for name in names:
            content = bytearray(old.read(name))
            for place in places if name == hit and content else ():
                content[place % len(content)] = byte
            new.writestr(name, bytes(content))
    read(path)


@CHECKED
@given(st.data())
def test_values_changed_in_its_json(small, tmp_path, data):
    path = tmp_path / "net.pt2"
    with zipfile.ZipFile(small["exported"]) as old, zipfile.ZipFile(path, "w") as new:
        names = [name for name in old.namelist() if name.endswith(".json")]
        hit = data.draw(st.sampled_from(names))
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, _spoilt(content, data) if name == hit else content)
    read(path)


def _spoilt(content: bytes, data: st.DataObject) -> bytes:
    """JSON with one value, somewhere in it, replaced by an odd one."""
    told = json.loads(content)
    spot = told
    while True:
        keys = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
        if not keys:
            return json.dumps(data.draw(ODD)).encode()
        key = data.draw(st.sampled_from(keys))
        inner = spot[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.integers(0, 4)) == 0:
            spot[key] = data.draw(ODD)
            return json.dumps(told).encode()
        spot = inner
