"""A change by somebody who means harm: previews of it neither leak, nor run, nor stop anything."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import socket
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from modeldocs import mark
from modeldocs.cli import main
from modeldocs.site.preview import document, untrusted
from tests.repositories import History, caffe

SECRET = "correct-horse-battery-staple"

PORT = """
import os, pathlib, socket, subprocess, sys
import torch

INPUTS = {{"x": (1, 4)}}


def attempt(name, work):
    try:
        print(name, "found", work())
    except BaseException as error:
        print(name, "refused", type(error).__name__)


{attack}


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


@pytest.fixture
def site(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tasks_here: None):
    """`site(files, links)`: all bytes of the preview of a branch with those files and links."""
    monkeypatch.chdir(history.folder)
    return functools.partial(preview, history, tmp_path / "preview")


def preview(
    history: History, out: Path, files: dict[str, str], links: dict[str, str] | None = None
) -> str:
    history.branch("attack")
    history.write(files)
    for name, target in (links or {}).items():
        path = history.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    history.commit()
    history.git("checkout", "-q", "main")
    words = ["preview", "--base", "main", "--head", "attack", "--out", str(out), "--jobs", "1"]
    result = CliRunner().invoke(main, [*words, "--no-verify"], prog_name="modeldocs")
    assert result.exit_code == 0, result.output
    files_of = (file for file in sorted(out.rglob("*")) if file.is_file())
    return result.output + "\n".join(
        file.read_bytes().decode("utf-8", "replace") for file in files_of
    )


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the repository."""
    file = tmp_path / "secret.prototxt"
    file.write_text(f"{SECRET}\n{caffe()}")
    return file


class TestFiles:
    def test_a_link_out_of_the_repository_is_not_followed(self, site, secret: Path) -> None:
        text = site(
            {"models/a/readme.txt": "x"},
            {
                "models/a/third.prototxt": str(secret),
                "models/a/weights.json": str(secret),
                "models/c": str(secret.parent),
                "models/d/model.yml": str(secret),
                "models/d/benchmarks/run.json": str(secret),
                "models/d/pytorch.py": "/etc/passwd",
            },
        )
        assert SECRET not in text
        assert "root:x:0" not in text
        assert "is a link that leads out of the repository" in text

    def test_a_path_that_leads_upwards_is_refused(self, site, secret: Path) -> None:
        steps = os.path.relpath(secret, secret.parent / "repository" / "models" / "a")
        text = site({"models/a/model.yml": f"ports: {{up: {{file: ../../{steps}}}}}"})
        assert SECRET not in text
        text = site({"models/a/model.yml": f"ports: {{up: {{file: {secret}}}}}"})
        assert SECRET not in text

    def test_links_in_a_circle_and_names_that_are_no_text_do_no_harm(
        self, site, history: History
    ) -> None:
        name = os.fsdecode(b"models/caf\xe9")
        text = site(
            {f"{name}/caffe.prototxt": caffe(), f"models/a/{Path(name).name}.prototxt": caffe()},
            {"models/a/loop.prototxt": "loop.prototxt", "models/b/self": "."},
        )
        assert text.count("the name is not UTF-8") >= 2

    def test_a_huge_file_is_not_read(self, site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(untrusted, "MAX_FILE_BYTES", 10_000)
        text = site({"models/a/big.prototxt": caffe() + "#" * 20_000})
        assert "a preview reads files of up to" in text
        assert "ports/big" not in text

    def test_a_catalog_that_is_a_link_out_of_the_repository_is_left_alone(
        self, site, history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What a preview deletes from a checkout must not be deleted where a link leads to."""
        monkeypatch.setattr(untrusted, "MAX_FILE_BYTES", 1_000)
        others = tmp_path / "others"
        (others / "a").mkdir(parents=True)
        (others / "a" / "large.prototxt").write_text(caffe() + "#" * 2_000)
        (others / "a" / "link").symlink_to("/etc/hostname")
        history.branch("attack")
        shutil.rmtree(history.folder / "models")
        (history.folder / "models").symlink_to(others)
        history.commit()
        out = tmp_path / "out"
        history.git("checkout", "-q", "main")
        words = ["preview", "--base", "main", "--head", "attack", "--out", str(out), "--no-verify"]
        result = CliRunner().invoke(main, [*words, "--no-site"], prog_name="modeldocs")
        assert result.exit_code == 0, result.output
        told = document.decode((out / "diff.json").read_bytes())
        assert {port.kind for port in told.ports} == {"removed"}
        assert sorted(path.name for path in (others / "a").iterdir()) == ["large.prototxt", "link"]

    def test_a_file_in_git_lfs_is_read_where_it_was_fetched(
        self, site, history: History, tmp_path: Path
    ) -> None:
        """By what it contains: nothing asks the server that a change may name."""
        true, forged = caffe(num_output=7).encode(), caffe(num_output=9).encode()
        name, other = hashlib.sha256(true).hexdigest(), hashlib.sha256(b"other").hexdigest()
        for digest, content in ((name, true), (other, forged)):
            held = history.folder / ".git/lfs/objects" / digest[:2] / digest[2:4] / digest
            held.parent.mkdir(parents=True)
            held.write_bytes(content)
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"
        site(
            {
                "models/a/caffe.prototxt": pointer.format(name, len(true)),
                "models/a/second.prototxt": pointer.format(other, len(forged)),
            }
        )
        told = document.decode((tmp_path / "preview" / "diff.json").read_bytes())
        first, second = (port.after for port in told.ports)
        assert first is not None and first.figures is not None
        assert first.figures.parameters == 7 * 3 * 9 + 7
        assert second is not None and second.failure

    def test_the_own_files_of_the_repository_stay(self, site, history: History) -> None:
        site({"models/a/third.prototxt": caffe()}, {"models/a/link.txt": "/etc/passwd"})
        assert (history.folder / "models/a/caffe.prototxt").read_text() == caffe()


class TestPages:
    def test_names_and_notes_are_text(self, site, tmp_path: Path) -> None:
        hostile = "<script>alert(1)</script>"
        notes = f"{hostile} [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
        site(
            {
                "models/a/model.yml": f"title: '{hostile}'\nsummary: '{hostile}'\nnotes: '{notes}'",
                "models/a/third.prototxt": caffe().replace('"conv"', f'"{hostile}"'),
            }
        )
        marked_up = [
            file
            for kind in ("html", "svg", "xml")
            for file in (tmp_path / "preview").rglob(f"*.{kind}")
        ]
        text = "".join(file.read_text("utf-8") for file in marked_up)
        assert len(marked_up) > 5
        assert hostile not in text
        assert "<img src=x" not in text
        assert 'href="javascript:' not in text

    def test_a_model_called_like_a_file_of_the_site_takes_no_place_of_it(
        self, site, history: History, tmp_path: Path
    ) -> None:
        names = ("diff.json", "index.html", "index.md", "404.html")
        history.commit({f"models/{name}/caffe.prototxt": caffe() for name in names})
        site({f"models/{name}/caffe.prototxt": caffe(num_output=5) for name in names})
        out = tmp_path / "preview"
        told = document.decode((out / "diff.json").read_bytes())
        assert {port.model for port in told.ports} == set(names)
        assert all((out / "site" / port.page / "index.html").is_file() for port in told.ports)
        assert (out / "site/changes/diff.json").read_bytes() == (out / "diff.json").read_bytes()

    def test_templates_and_configuration_of_the_change_are_not_used(self, site) -> None:
        text = site(
            {
                "templates/parts/card.html.j2": "{{ 6 * 7 }} PWNED",
                "templates/model.md.j2": "PWNED",
                "mkdocs.yml": "site_name: PWNED\nhooks: [hook.py]\nplugins: [modeldocs]\n",
                "hook.py": "print('PWNED')",
                "models/a/third.prototxt": caffe(),
            }
        )
        assert "PWNED" not in text


ATTACKS = """
print("environment", dict(os.environ))
root = {root!r}
for place in (root, str(pathlib.Path(__file__).parents[2])):
    for name in ("secret.txt", "models/b/secret.txt", ".git/config"):
        attempt("file", lambda: pathlib.Path(place, name).read_text())
attempt("parent", lambda: pathlib.Path("/proc/%d/environ" % os.getppid()).read_bytes())
attempt("listener", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
attempt("list store", lambda: list(pathlib.Path(root, ".modeldocs").iterdir()))
attempt("write store", lambda: pathlib.Path(root, ".modeldocs", "forged").write_text("x"))
for folder in pathlib.Path.home().parent.parent.glob("modeldocs-*"):
    attempt("other run", lambda: (folder / "result.json").write_text("{{}}"))
children = [
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", {mark!r}])
    for _ in range(20)
]
print("children", len(children))
"""


MARK = f"modeldocs-burst-{os.getpid()}"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the preview of it holds, and what a listener on the loopback interface accepted."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("attack")
    history = History(folder / "repository")
    history.commit(
        {
            "models/b/caffe.prototxt": caffe(),
            "models/b/secret.txt": SECRET,
            "secret.txt": SECRET,
            ".gitignore": ".modeldocs/",
        }
    )
    accepted: list[object] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        server.setblocking(False)
        patch.chdir(history.folder)
        patch.setenv("GITHUB_TOKEN", SECRET)
        attack = ATTACKS.format(root=str(history.folder), port=server.getsockname()[1], mark=MARK)
        files = {
            "models/a/pytorch.py": PORT.format(attack=attack),
            "models/a/third.prototxt": caffe(),
        }
        text = preview(history, folder / "out", files)
        with contextlib.suppress(BlockingIOError):
            accepted.append(server.accept())
    return {"text": text, "accepted": accepted, "folder": history.folder}


class TestCode:
    """A port of a change that tries everything; see also `tests/isolation/`."""

    def test_it_ran(self, attacked: dict[str, object]) -> None:
        assert "PYTHONUNBUFFERED" in str(attacked["text"])
        assert "children 20" in str(attacked["text"])

    def test_it_finds_no_secret(self, attacked: dict[str, object]) -> None:
        """Not in its environment or its parent's, not in the repository or beside other ports."""
        assert SECRET not in str(attacked["text"])
        assert "repositoryformatversion" not in str(attacked["text"])
        assert "file refused PermissionError" in str(attacked["text"])

    def test_it_connects_to_nothing(self, attacked: dict[str, object]) -> None:
        assert "listener refused" in str(attacked["text"])
        assert attacked["accepted"] == []

    def test_it_forges_no_result_of_another_port(self, attacked: dict[str, object]) -> None:
        text = str(attacked["text"])
        assert "list store refused PermissionError" in text
        assert "write store refused PermissionError" in text
        assert "other run found" not in text
        assert not Path(str(attacked["folder"]), ".modeldocs", "forged").exists()
        assert "a/third" in text

    def test_its_children_end_with_it(self, attacked: dict[str, object]) -> None:
        deadline = time.monotonic() + 5
        while _running(MARK) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert attacked["text"]
        assert _running(MARK) == []


def _running(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("is_link", [False, True], ids=["folder", "link"])
def test_a_store_that_comes_with_the_change_is_refused(
    history: History, monkeypatch: pytest.MonkeyPatch, is_link: bool
) -> None:
    history.branch("attack")
    held = "forged" if is_link else ".modeldocs"
    forged = {".modeldocs": mark.text("store"), "answers/00/answer": "forged"}
    history.write({f"{held}/{name}": content for name, content in forged.items()})
    history.write({"models/a/caffe.prototxt": caffe()})
    if is_link:
        (history.folder / ".modeldocs").symlink_to("forged")
    history.git("add", "--force", ".modeldocs")
    history.commit()
    monkeypatch.chdir(history.folder)
    result = CliRunner().invoke(main, ["preview", "--base", "main"], prog_name="modeldocs")
    assert result.exit_code == 2
    assert "could forge results" in result.output
