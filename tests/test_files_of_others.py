"""Nothing of a reader's is deleted or written over, whatever a command is told to write where."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modeldocs import environments, mark
from modeldocs.benchmarks import record
from modeldocs.errors import ModeldocsError
from tests.cli.records import measured
from tests.commands import run_here
from tests.repositories import History, caffe

FILES = {
    "index.html": "<h1>mine</h1>",
    "index.md": "# mine",
    "404.html": "mine",
    "sitemap.xml": "<mine/>",
    "diff.json": "{}",
    "comment.md": "mine",
    "models/notes.txt": "mine",
    "models/a/index.md": "mine",
    "pages/x.md": "mine",
    "pages/models/gone/index.md": "mine",
    "late/x.json": "{}",
    "rendered/x/index.html": "mine",
    "objects/ab/cd": "mine",
    f"objects/ab/{'0' * 38}": "mine",
    f"answers/ab/{'0' * 38}/{'1' * 40}": "mine",
    "answers/notes.txt": "mine",
    ".part-x": "mine",
    ".part-0123456789ab-x_y1z2w3": "mine",
    "objects/ab/.part-x": "mine",
    ".modeldocs-aside/a.txt": "mine",
    ".modeldocs-unfinished": "",
    ".env": "SECRET=1",
    "lock": "mine",
}
"""A reader's files, in each place where we write, or once took files for ours."""


def put(folder: Path, names: tuple[str, ...] = tuple(FILES)) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FILES[name])


def links(folder: Path, outside: Path) -> None:
    """Links to a folder and a file of a reader's elsewhere, and to nowhere."""
    folder.mkdir(parents=True, exist_ok=True)
    outside.mkdir(exist_ok=True)
    (outside / "kept.md").write_text("mine")
    (folder / "folder").symlink_to(outside)
    (folder / "file.md").symlink_to(outside / "kept.md")
    (folder / "nowhere").symlink_to("nothing")


def seen(*folders: Path) -> dict[str, bytes | str | None]:
    """All that is in some folders: contents of files, targets of links, empty folders."""
    found: dict[str, bytes | str | None] = {}
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = str(path.readlink())
        else:
            found[str(path)] = path.read_bytes() if path.is_file() else None
    return found


def lasts(before: dict[str, bytes | str | None], *folders: Path) -> bool:
    """Whether all that was in the folders is there as it was; there may be more."""
    return before.items() <= seen(*folders).items()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a catalog of three models, and a change of one."""
    made = History(tmp_path / "project")
    made.commit(
        {
            **{f"models/{name}/caffe.prototxt": caffe() for name in ("a", "b", "c")},
            ".gitignore": "*\n!models\n!models/**\n",
        }
    )
    made.branch("change")
    made.commit({"models/a/caffe.prototxt": caffe(num_output=9)})
    return made.folder


PREVIEW = ("preview", "--base", "main", "--jobs", "1", "--no-verify")
FOLDERS: dict[str, tuple[tuple[str, ...], str]] = {
    "build": (("build", "--jobs", "1"), "site"),
    "build --out": (("build", "--jobs", "1", "--out", "there"), "there"),
    "build --store": (("build", "--jobs", "1", "--store", "there"), "there"),
    "build, its store": (("build", "--jobs", "1"), ".modeldocs"),
    "build --folder": (("build", "--folder"), "pages"),
    "build --folder --out": (("build", "--folder", "--out", "there"), "there"),
    "build --folder --store": (("build", "--folder", "--store", "there"), "there"),
    "load --store": (("load", "a/caffe", "--store", "there"), "there"),
    "diff --store": (("diff", "a/caffe", "b/caffe", "--store", "there"), "there"),
    "verify --store": (("verify", "a/caffe", "--store", "there"), "there"),
    "preview": (PREVIEW, "preview"),
    "preview --out": ((*PREVIEW, "--out", "there"), "there"),
    "preview --no-site": ((*PREVIEW, "--no-site", "--out", "there"), "there"),
    "preview --store": ((*PREVIEW, "--store", "there"), "there"),
    "preview, its store": (PREVIEW, ".modeldocs"),
    "store prune": (("store", "prune"), ".modeldocs"),
    "store prune --store": (("store", "prune", "--store", "there"), "there"),
    "store prune --dry-run": (("store", "prune", "--dry-run", "--store", "there"), "there"),
}


class TestFoldersOfOthers:
    @pytest.mark.parametrize("command", FOLDERS)
    def test_they_are_refused_before_anything_is_written(
        self, command: str, project: Path, tmp_path: Path
    ) -> None:
        words, name = FOLDERS[command]
        put(project / name)
        links(project / name, tmp_path / "outside")
        before = seen(tmp_path)
        self._refused(words, project)
        assert seen(tmp_path) == before

    @pytest.mark.parametrize("command", FOLDERS)
    @pytest.mark.parametrize("name", [".env", "index.html", "lock", ".part-x", "models/notes.txt"])
    def test_one_file_is_enough(self, command: str, name: str, project: Path) -> None:
        words, folder = FOLDERS[command]
        put(project / folder, (name,))
        before = seen(project)
        self._refused(words, project)
        assert seen(project) == before

    def _refused(self, words: tuple[str, ...], project: Path) -> None:
        done = run_here(*words, cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert "that modeldocs wrote" in done.stderr and "fix:" in done.stderr

    @pytest.mark.parametrize("command", FOLDERS)
    def test_an_empty_one_will_do(self, command: str, project: Path) -> None:
        words, name = FOLDERS[command]
        (project / name).mkdir()
        assert run_here(*words, cwd=project).returncode == 0
        assert run_here(*words, cwd=project).returncode == 0, "again, over what it wrote"

    def test_one_of_ours_of_another_kind_is_refused(self, project: Path) -> None:
        assert run_here("build", "--jobs", "1", cwd=project).returncode == 0
        before = seen(project)
        for words in (
            ("build", "--out", ".modeldocs"),
            ("build", "--folder", "--out", "site"),
            ("build", "--store", "site"),
            (*PREVIEW, "--out", "site"),
            ("store", "prune", "--store", "site"),
        ):
            self._refused(words, project)
        assert seen(project) == before

    def test_mkdocs_itself_refuses_them_too(self, project: Path, tmp_path: Path) -> None:
        mkdocs(project)
        put(project / "there")
        links(project / "there", tmp_path / "outside")
        before = seen(project / "there", tmp_path / "outside")
        done = mkdocs_build(project, "there")
        assert done.returncode != 0
        assert "that modeldocs wrote" in done.stderr and "fix:" in done.stderr
        assert seen(project / "there", tmp_path / "outside") == before


def mkdocs(project: Path) -> None:
    """Give the project pages of its own."""
    (project / "docs").mkdir()
    (project / "docs" / "about.md").write_text("# About\n")
    (project / "mkdocs.yml").write_text(
        "site_name: Nets\ntheme: {name: material, font: false}\nplugins: [search, modeldocs]\n"
        "markdown_extensions: [attr_list, md_in_html, tables]\n"
    )


def mkdocs_build(project: Path, out: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", out]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def built(project: Path, *words: str) -> None:
    done = run_here(*words, cwd=project)
    assert done.returncode == 0, done.stderr


def change(project: Path) -> None:
    """One model less, and another one changed."""
    shutil.rmtree(project / "models" / "b")
    (project / "models" / "a" / "caffe.prototxt").write_text(caffe(num_output=7))


BESIDE = (
    "models/notes.txt", "pages/x.md", "pages/models/gone/index.md", "late/x.json",
    "rendered/x/index.html", "objects/ab/cd", "objects/ab/.part-x", "answers/notes.txt", ".part-x",
    ".part-0123456789ab-x_y1z2w3", ".modeldocs-aside/a.txt", ".modeldocs-unfinished", ".env",
)  # fmt: skip
"""What a reader may put into a folder of ours afterwards."""


class TestFilesOfOthersInFoldersOfOurs:
    def test_those_in_a_store_stay(self, project: Path, tmp_path: Path) -> None:
        built(project, "build", "--jobs", "1")
        store = project / ".modeldocs"
        put(store, BESIDE)
        for name in ("", "pages", "objects", "answers"):
            links(store / name, tmp_path / "outside")
        (store / "mine" / "empty").mkdir(parents=True)
        before = {
            path: what
            for path, what in seen(store, tmp_path / "outside").items()
            if what in ("mine", b"mine") or Path(path).is_symlink() or "mine" in path
        }
        outside = seen(tmp_path / "outside")
        for _ in range(2):
            built(project, "build", "--jobs", "1")
            built(project, "build", "--folder")
            built(project, "verify", "a/caffe")
            built(project, "store", "prune")
            assert lasts(before, store, tmp_path / "outside")
            if (project / "models" / "b").exists():
                change(project)
        assert seen(tmp_path / "outside") == outside
        assert not (store / "pages" / "models" / "b").exists()

    def test_a_page_of_the_store_is_not_written_over_theirs(self, project: Path) -> None:
        built(project, "build", "--jobs", "1")
        theirs = project / ".modeldocs" / "pages" / "models" / "new" / "index.md"
        theirs.parent.mkdir(parents=True)
        theirs.write_text("mine")
        shutil.copytree(project / "models" / "a", project / "models" / "new")
        done = run_here("build", "--jobs", "1", cwd=project)
        assert done.returncode == 2
        assert "modeldocs did not write it" in done.stderr and "fix:" in done.stderr
        assert theirs.read_text() == "mine"

    def test_what_is_in_the_way_of_a_result_is_renamed(self, project: Path) -> None:
        built(project, "build", "--jobs", "1")
        store = project / ".modeldocs"
        folders = [path for path in (store / "objects").iterdir() if path.is_dir()]
        for folder in folders:
            shutil.rmtree(folder)
            folder.write_text("mine")
        shutil.rmtree(store / "answers")
        built(project, "build", "--jobs", "1")
        # Results that tell how long they took have other names now.
        written = [folder for folder in folders if folder.is_dir()]
        assert written
        for folder in written:
            assert folder.with_name(f"{folder.name}.aside-1").read_text() == "mine"

    @pytest.mark.parametrize("name", ["notes.txt", "models/notes.txt", "models/a/.hidden"])
    def test_a_site_with_one_is_not_built_again(self, name: str, project: Path) -> None:
        """MkDocs empties the folder of a site."""
        mkdocs(project)
        built(project, "build", "--jobs", "1")
        (project / "site" / name).write_text("mine")
        change(project)
        before = seen(project / "site")
        done = run_here("build", "--jobs", "1", cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"site/{name}: would be deleted" in done.stderr and "fix:" in done.stderr
        assert mkdocs_build(project, "site").returncode != 0
        assert seen(project / "site") == before
        (project / "site" / name).rename(project / "docs" / "notes.txt")
        built(project, "build", "--jobs", "1")
        assert mkdocs_build(project, "site").returncode == 0
        assert (project / "site" / "notes.txt").read_text() == "mine"

    def test_a_link_in_a_site_is_not_followed(self, project: Path, tmp_path: Path) -> None:
        built(project, "build", "--jobs", "1")
        links(project / "site" / "models", tmp_path / "outside")
        change(project)
        before = seen(project / "site", tmp_path / "outside")
        assert run_here("build", "--jobs", "1", cwd=project).returncode == 2
        assert seen(project / "site", tmp_path / "outside") == before

    def test_hidden_files_beside_a_site_stay(self, project: Path) -> None:
        built(project, "build", "--jobs", "1")
        put(
            project / "site", (".env", ".part-x", ".modeldocs-unfinished", ".modeldocs-aside/a.txt")
        )
        before = {path: what for path, what in seen(project / "site").items() if "/." in path}
        del before[str(project / "site" / mark.NAME)]
        change(project)
        built(project, "build", "--jobs", "1")
        assert lasts(before, project / "site")

    def test_those_in_a_folder_of_pages_stay(self, project: Path, tmp_path: Path) -> None:
        built(project, "build", "--folder")
        pages = project / "pages"
        put(pages, ("models/notes.txt", "pages/x.md", ".env", ".part-x"))
        (pages / "models" / "b" / "mine.md").write_text("mine")
        links(pages / "models" / "b", tmp_path / "outside")
        before = {
            path: what
            for path, what in seen(pages, tmp_path / "outside").items()
            if what in (b"mine", b"SECRET=1") or Path(path).is_symlink()
        }
        change(project)
        built(project, "build", "--folder")
        assert lasts(before, pages, tmp_path / "outside")
        assert not (pages / "models" / "b" / "index.md").exists()
        assert (pages / "models" / "a" / "index.md").exists()

    def test_a_page_is_not_written_over_theirs(self, project: Path) -> None:
        built(project, "build", "--folder")
        theirs = project / "pages" / "models" / "new" / "index.md"
        theirs.parent.mkdir()
        theirs.write_text("mine")
        shutil.copytree(project / "models" / "a", project / "models" / "new")
        before = seen(project / "pages")
        done = run_here("build", "--folder", cwd=project)
        assert (done.returncode, done.stdout) == (2, "")
        assert "pages/models/new/index.md: is in the way" in done.stderr and "fix:" in done.stderr
        assert seen(project / "pages") == before

    def test_a_folder_of_pages_that_became_a_link_is_left_alone(
        self, project: Path, tmp_path: Path
    ) -> None:
        built(project, "build", "--folder")
        outside = tmp_path / "outside"
        (project / "pages" / "models" / "b").rename(outside)
        (project / "pages" / "models" / "b").symlink_to(outside)
        before = seen(outside)
        shutil.rmtree(project / "models" / "b")
        built(project, "build", "--folder")
        assert seen(outside) == before

    def test_those_beside_a_preview_stay(self, project: Path) -> None:
        built(project, *PREVIEW)
        put(project / "preview", ("index.md", ".env", "models/notes.txt"))
        before = seen(project / "preview" / "models")
        built(project, *PREVIEW)
        assert lasts(before, project / "preview" / "models")
        assert (project / "preview" / "index.md").read_text() == FILES["index.md"]
        (project / "preview" / "site" / "notes.txt").write_text("mine")
        before = seen(project / "preview")
        done = run_here(*PREVIEW, cwd=project)
        assert (done.returncode, done.stdout) == (2, "") and "fix:" in done.stderr
        assert seen(project / "preview") == before

    def test_a_comment_is_not_written_over_theirs(self, project: Path) -> None:
        built(project, "preview", "--base", "HEAD", "--no-verify", "--no-site")
        (project / "preview" / "comment.md").write_text("mine")
        done = run_here(*PREVIEW, "--no-site", cwd=project)
        assert done.returncode == 2 and "fix:" in done.stderr
        assert (project / "preview" / "comment.md").read_text() == "mine"


SINGLE = {
    "load --onnx": ("load", "a/caffe", "--onnx"),
    "diff --html": ("diff", "a/caffe", "b/caffe", "--html"),
    "diff --weights": ("diff", "a/caffe", "b/caffe", "--weights"),
}


class TestSingleFiles:
    @pytest.mark.parametrize("command", SINGLE)
    def test_one_of_others_is_refused_and_one_of_ours_is_written_anew(
        self, command: str, project: Path
    ) -> None:
        (project / "thesis").write_text("mine")
        (project / "link").symlink_to("thesis")
        before = seen(project)
        for name in ("thesis", "link"):
            done = run_here(*SINGLE[command], name, cwd=project)
            assert (done.returncode, done.stdout) == (2, "")
            assert "that modeldocs wrote" in done.stderr and "fix:" in done.stderr
            assert seen(project) == before
        for _ in range(2):
            built(project, *SINGLE[command], "ours")

    @pytest.mark.parametrize(
        ("words", "names"),
        [
            (("new", "there"), ("mkdocs.yml", "docs/about.md")),
            (("ci", "github", "there", "--install", "true"), (".github/workflows/modeldocs.yml",)),
            (("ci", "gitlab", "there", "--install", "true"), (".gitlab-ci.yml",)),
        ],
    )
    def test_a_first_file_is_written_over_nothing(
        self, words: tuple[str, ...], names: tuple[str, ...], tmp_path: Path
    ) -> None:
        for number, name in enumerate(names):
            for place in (
                lambda path: path.write_text("mine"),
                lambda path: path.symlink_to(tmp_path / "outside.yml"),
            ):  # a link to nowhere would be followed
                folder = tmp_path / str(number)
                path = folder / "there" / name
                path.parent.mkdir(parents=True)
                place(path)
                before = seen(tmp_path)
                done = run_here(*words, cwd=folder)
                assert done.returncode == 2 and "fix:" in done.stderr
                assert seen(tmp_path) == before
                shutil.rmtree(folder)

    def test_a_record_is_written_over_records_alone(self, tmp_path: Path) -> None:
        file = record.write(measured(), tmp_path)
        assert record.write(measured(), tmp_path) == file
        file.with_suffix(".part").write_text("mine")
        file.write_text('{"mine": 1}')
        before = seen(tmp_path)
        with pytest.raises(ModeldocsError, match="is no record") as caught:
            record.write(measured(), tmp_path)
        assert caught.value.fix
        assert seen(tmp_path) == before

    def test_an_environment_is_made_in_no_folder_of_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Path
    ) -> None:
        monkeypatch.setenv(environments.HOME_VARIABLE, str(tmp_path / "home"))
        name = environments.names()[0]
        put(environments.locked(name).folder)
        (tmp_path / "home" / ".lock").write_text("mine")
        before = seen(tmp_path)
        done = run_here("env", "create", name, cwd=project)
        assert done.returncode == 2 and "fix:" in done.stderr
        assert seen(tmp_path) == before
