"""Whatever is done to a definition, it loads or one sentence says why not."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeldocs.loaders import LoadRequest, loader
from tests.conftest import REPOSITORY
from tests.refusals import load_or_refuse

SEEDS = [REPOSITORY / "models" / name / "torch7.lua" for name in ("lenet", "alexnet-owt")]
OTHERS = (
    "nil", "-1", "0", "1e308", "0/0", "2^53", "{}", "{{}}", "''", "function() end", "nn",
    "nn.ReLU()",
    "nn.Sequential()", "true", "torch.Tensor(3)", "nn.Identity()()", "_G", "string",
)  # fmt: skip


def loads_or_is_told(folder, code: bytes) -> None:
    file = folder / "net.lua"
    file.write_bytes(code)
    request = LoadRequest(root=str(folder), path=str(file), inputs={"image": (1, 1, 28, 28)})
    load_or_refuse(lambda: loader("torch7").load(request), "net.lua")


seeds = st.sampled_from(SEEDS).map(lambda path: path.read_bytes())
quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(code=seeds, at=st.floats(0, 1))
def test_a_file_cut_off_anywhere(tmp_path, code, at):
    loads_or_is_told(tmp_path, code[: int(len(code) * at)])


@quick
@given(code=seeds, places=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=8))
def test_a_file_with_other_bytes(tmp_path, code, places):
    changed = bytearray(code)
    for at, byte in places:
        changed[int(len(changed) * at)] = byte
    loads_or_is_told(tmp_path, bytes(changed))


@quick
@given(code=seeds, at=st.integers(0, 200), other=st.sampled_from(OTHERS))
def test_an_argument_of_another_kind(tmp_path, code, at, other):
    numbers = list(re.finditer(rb"\b\d+(\.\d+)?\b", code))
    found = numbers[at % len(numbers)]
    loads_or_is_told(tmp_path, code[: found.start()] + other.encode() + code[found.end() :])


@quick
@given(code=seeds, at=st.integers(0, 200), other=st.sampled_from(OTHERS))
def test_a_field_of_another_kind(tmp_path, code, at, other):
    names = (
        "weight",
        "bias",
        "modules",
        "kW",
        "nOutputPlane",
        "size",
        "name",
        "padW",
        "p",
        "inputs",
    )
    field = f"; (net or features):apply(function(m) m.{names[at % 10]} = {other}"
    changed = re.sub(
        rb"\n( *return [^\n]*)$", field.encode() + rb" end)\n\1", code, count=9, flags=re.M
    )
    loads_or_is_told(tmp_path, changed)


@pytest.mark.parametrize(
    "code", [b"", b"\x1bLua\x52\x00", b"\xef\xbb\xbf", b"#!/usr/bin/lua\n", b"\0"]
)
def test_files_that_are_no_definitions(tmp_path, code):
    loads_or_is_told(tmp_path, code)
