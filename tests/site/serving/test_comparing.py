"""Comparing files through the server: what readers get, and what is left of their files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from modeldocs import diff
from modeldocs.cli import main
from modeldocs.site.serving.plan import START
from tests.prototxts import NET

from .conftest import Client, file

OTHER = NET.replace("kernel_size: 3", "kernel_size: 5")
ENDLESS = "local nn = require 'nn'\nlocal net = nn.Sequential()\nwhile true do end\nreturn net\n"


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold within some seconds."""
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def gone(folder: Path) -> bool:
    """Whether a folder is deleted within some seconds."""
    return eventually(lambda: not folder.exists())


def test_two_files_give_a_report_and_a_diff_and_leave_nothing_behind(client, temporary) -> None:
    identity = client.start(file("net.prototxt", NET), file("net.prototxt", OTHER), parity=True)
    told = client.end(identity)
    assert told["names"] == ["net.prototxt (A)", "net.prototxt (B)"]
    assert told["stage"] == "done" and told["step"] == "different-results"
    assert gone(next(temporary.iterdir(), temporary / "gone"))
    report = client("GET", f"/compare/reports/{identity}/report.html")
    assert b"kernel_shape 3" in report.content and b"net.prototxt (A)" in report.content
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    data = client("GET", f"/compare/reports/{identity}/diff.json").content
    assert diff.decode(data).verdict == "different" and diff.decode(data).parity is not None


def test_a_port_of_the_catalog_is_compared_with_a_file_without_loading_it_again(client) -> None:
    told = client.end(client.start({"port": "net/caffe"}, file("mine.prototxt", NET)))
    assert (told["stage"], told["word"]) == ("done", "≟ same by structure")


def test_a_broken_file_has_the_error_of_the_command_line(client, tmp_path) -> None:
    broken = 'layer { name: "a" type: '
    for name, content in (("broken.prototxt", broken), ("net.prototxt", NET)):
        (tmp_path / name).write_text(content)
    words = ["diff", str(tmp_path / "broken.prototxt"), str(tmp_path / "net.prototxt")]
    printed = CliRunner().invoke(main, words, prog_name="modeldocs").output
    told = client.end(client.start(file("broken.prototxt", broken), file("net.prototxt", NET)))
    failure = told["failure"]
    assert told["stage"] == "failed"
    assert (failure["file"], failure["line"], failure["column"]) == ("broken.prototxt", 1, 25)
    assert f"broken.prototxt:1:25: {failure['reason']}\n  fix: {failure['fix']}" in printed


def test_a_zip_that_leads_out_of_its_folder_is_refused(client, temporary) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("../../saved_model.pb", b"")
    side = file("model.zip", archive.getvalue())
    failure = client.end(client.start(side, {"port": "net/caffe"}))["failure"]
    assert failure["file"] == "model.zip" and "leads out of its folder" in failure["reason"]


def test_code_is_refused_once_more_where_the_loader_is_known(client, monkeypatch) -> None:
    """A file that no rule calls code, and that a loader runs all the same."""
    monkeypatch.setattr("modeldocs.site.serving.request.consent.check", lambda *_, **__: None)
    failure = client.end(client.start(file("net.lua", ENDLESS), {"port": "net/caffe"}))["failure"]
    assert failure["file"] == "net.lua" and "is a program" in failure["reason"]


def test_what_runs_is_stopped_when_it_is_cancelled(client, temporary) -> None:
    side = file("net.lua", ENDLESS, trusted=True, framework="torch7")
    identity = client.start(side, {"port": "net/caffe"})
    (folder,) = temporary.iterdir()
    deadline = time.monotonic() + 30
    while not running_in(folder):
        assert time.monotonic() < deadline, client.told(identity)
        time.sleep(0.1)
    assert client.told(identity)["stage"] == "loading A, net.lua (Torch7)"
    assert client("DELETE", f"/compare/api/jobs/{identity}").code == 200
    assert gone(folder) and not running_in(folder)
    assert client("GET", f"/compare/api/jobs/{identity}").code == 404


def running_in(folder: Path) -> list[str]:
    """Processes whose home is in a folder."""
    mark, found = b"HOME=" + os.fsencode(folder), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("said", [b"", START])
def test_the_files_are_deleted_when_the_server_dies(tmp_path, said) -> None:
    """Its process sees that: the pipe that the server held is closed."""
    folder = tmp_path / "job"
    (folder / "tmp").mkdir(parents=True)
    (folder / "a").mkdir()
    (folder / "a" / "net.lua").write_text(ENDLESS)
    source = {"type": "file", "name": "net.lua", "path": str(folder / "a" / "net.lua")}
    source |= {"trusted": True, "framework": "torch7"}
    import msgspec

    (folder / "plan.json").write_bytes(msgspec.json.encode({"a": source, "b": source}))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "modeldocs.site.serving.worker", str(folder)],
        stdin=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder / "tmp")},
    )
    assert process.stdin is not None
    process.stdin.write(said)
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while said and not running_in(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.stdin.close()
    assert process.wait(20) == 1 if said else True
    assert gone(folder) and not running_in(folder)


def test_a_file_that_does_not_arrive_whole_ends_the_comparison(client: Client, temporary) -> None:
    reply = client.create(file("net.prototxt", bytes=500), {"port": "net/caffe"})
    path = f"/compare/api/jobs/{reply.json['id']}/a"
    (folder,) = temporary.iterdir()
    sent = client("PUT", path, NET.encode(), CONTENT_LENGTH="500")
    assert sent.code == 422 and sent.failure["reason"] == "did not arrive whole"
    assert gone(folder)


def test_no_more_than_two_run_at_a_time_and_ended_ones_do_not_count(client, temporary) -> None:
    sides = file("a.prototxt", bytes=1), file("b.prototxt", bytes=1)
    first, second, third = (client.create(*sides) for _ in range(3))
    assert (first.code, second.code, third.code) == (200, 200, 429)
    assert "no more run at a time" in third.failure["reason"]
    client("DELETE", f"/compare/api/jobs/{first.json['id']}")
    assert eventually(lambda: len(list(temporary.iterdir())) == 1)
    assert client.create(*sides).code == 200


def test_a_comparison_that_no_page_asks_about_ends(client, temporary, monkeypatch) -> None:
    monkeypatch.setattr("modeldocs.site.serving.job.UNATTENDED_SECONDS", 0.2)
    client.create(file("a.prototxt", bytes=1), {"port": "net/caffe"})
    assert all(gone(folder) for folder in temporary.iterdir())
