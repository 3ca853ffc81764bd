"""What pipelines install is what wrote their files; nobody's package of the same name."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import Result

from modeldocs.cli.ci import origin
from tests.cli.ci.hosts import BIN
from tests.repositories import History

REPOSITORY = Path(__file__).parents[3]
HOST = "https://example.org"
Run = Callable[..., Result]

FROM_AN_INDEX = re.compile(
    r"(?:\bpipx?|\buv(?: tool| pip)?|\bpoetry|\bconda)\s+(?:install|add)\b"
    r"(?P<words>[^\n`&|;#]*?)[\s'\"](?:mkdocs-)?modeldocs(?:\[[^\]]*\])?['\"]?(?!\s*@)(?=[\s'\"=<>~`)]|$)"
)
"""A command that takes modeldocs by its name alone."""

OWN_INDEX = ("--index-url", "--no-index")


def taken_by_name(text: str) -> list[str]:
    return [
        match[0]
        for match in FROM_AN_INDEX.finditer(text)
        if not any(option in match["words"] for option in OWN_INDEX)
    ]


def texts() -> Iterator[tuple[str, str]]:
    """All that we write for others, by file: the guide, templates, messages, workflows."""
    for folder in ("site_src", "templates", ".github"):
        for file in sorted((REPOSITORY / folder).rglob("*")):
            if file.suffix in (".md", ".j2", ".yml", ".js", ".html"):
                yield str(file), file.read_text()
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile"):
        yield name, (REPOSITORY / name).read_text()
    for file in sorted((REPOSITORY / "modeldocs").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield str(file), node.value
            elif isinstance(node, ast.JoinedStr):
                yield str(file), ast.unparse(node)


def test_nothing_that_we_write_takes_modeldocs_by_its_name_alone() -> None:
    assert taken_by_name("run `pip install 'modeldocs[remote]'`")
    assert taken_by_name("pip install --no-deps mkdocs-modeldocs\n")
    assert not taken_by_name('pip install "mkdocs-modeldocs[x] @ git+https://a/b@c"')
    found = [(file, one) for file, text in texts() for one in taken_by_name(text)]
    assert found == []


class Installed:
    """modeldocs installed from somewhere into a folder of its own, and run from there."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder = folder
        self.pip("install", "-q", source)

    def _env(self) -> dict[str, str]:
        """What keeps pip from fetching anything but the source; requirements are there."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "GIT_"))}
        return kept | {
            "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
            "PIP_TARGET": str(self.folder),
            "PIP_NO_DEPS": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # of a negative option, which 0 switches on
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONPATH": str(self.folder),
        }

    def pip(self, *words: str) -> None:
        done = subprocess.run(
            [BIN / "pip", *words], env=self._env(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return self._done([sys.executable, "-m", "modeldocs", *words], cwd)

    def shell(self, script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """A step of a pipeline, as hosts run it."""
        return self._done(["bash", "-e", "-o", "pipefail", "-c", script], cwd)

    def _done(self, command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=cwd, env=self._env(), capture_output=True, text=True, check=False
        )

    def marker(self) -> str:
        """The version that is imported."""
        done = self._done(
            [sys.executable, "-c", "import modeldocs; print(modeldocs.__version__)"], self.folder
        )
        return done.stdout.strip()


def project(folder: Path) -> History:
    """A repository with what a build of the package needs, and its first commit."""
    made = History(folder)
    for name in ("modeldocs", "templates"):
        shutil.copytree(
            REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, folder)
    release(made, "0.1.0+first")
    return made


def release(made: History, version: str) -> str:
    return made.commit(
        {"modeldocs/__init__.py": f'"""modeldocs."""\n\n__version__ = "{version}"\n'}
    )


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> History:
    """A checkout of two commits that a bare repository has; the tag `first` is that of one."""
    folder = tmp_path_factory.mktemp("remote")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder / "bare.git"], check=True)
    made = project(folder / "project")
    made.git("remote", "add", "origin", str(folder / "bare.git"))
    made.git("tag", "first")
    release(made, "0.1.0+second")
    made.git("push", "-q", "origin", "main")
    return made


def catalog(folder: Path) -> Path:
    (folder / "models" / "net").mkdir(parents=True)
    (folder / "models" / "net" / "pytorch.py").write_text("import torch\n")
    return folder


def steps(folder: Path, name: str) -> list[str]:
    jobs = yaml.safe_load((folder / ".github" / "workflows" / name).read_text())["jobs"].values()
    return [step["run"].strip() for job in jobs for step in job["steps"] if "run" in step]


def installs_what_wrote_it(written: Path, at: Path, version: str) -> None:
    """Run the steps that install, really; what is imported then is what wrote them."""
    for number, name in enumerate(("modeldocs.yml", "modeldocs-comment.yml")):
        step = steps(written, name)[0]
        assert not taken_by_name(step)
        there = Installed.__new__(Installed)
        there.folder = at / str(number)
        done = there.shell(step, written)
        assert done.returncode == 0, done.stderr
        assert there.marker() == version
    pipeline = yaml.safe_load((written / ".gitlab-ci.yml").read_text())
    assert steps(written, "modeldocs.yml")[0] in pipeline[".modeldocs"]["before_script"][-1]


@pytest.mark.slow
class TestFromGit:
    def test_a_pipeline_installs_the_commit_that_wrote_it(
        self, remote: History, tmp_path: Path
    ) -> None:
        first = remote.git("rev-parse", "first")
        source = f"git+{(remote.folder.parent / 'bare.git').as_uri()}@{first}"
        here, written = Installed(tmp_path / "here", source), catalog(tmp_path / "catalog")
        for host in ("github", "gitlab"):
            done = here.run("ci", host, ".", cwd=written)
            assert done.returncode == 0, done.stderr
        assert steps(written, "modeldocs.yml")[0] == (
            f'pip install "mkdocs-modeldocs[pytorch] @ {source}"'
        )
        installs_what_wrote_it(written, tmp_path, "0.1.0+first")

    def test_a_checkout_is_told_by_its_remote_and_commit(
        self, remote: History, tmp_path: Path
    ) -> None:
        here, written = Installed(tmp_path / "here", str(remote.folder)), catalog(tmp_path / "c")
        for host in ("github", "gitlab"):
            done = here.run("ci", host, ".", cwd=written)
            assert done.returncode == 0, done.stderr
        bare = (remote.folder.parent / "bare.git").as_uri()
        commit = remote.git("rev-parse", "HEAD")
        assert (
            f"mkdocs-modeldocs[pytorch] @ git+{bare}@{commit}" in steps(written, "modeldocs.yml")[0]
        )
        installs_what_wrote_it(written, tmp_path, "0.1.0+second")

    def test_a_checkout_that_is_not_what_runs_is_refused(self, tmp_path: Path) -> None:
        made = project(tmp_path / "project")
        here = Installed(tmp_path / "here", str(made.folder))
        written = catalog(tmp_path / "catalog")
        assert "is on no remote" in refused(here, written)
        subprocess.run(
            ["git", "init", "-q", "--bare", "-b", "main", tmp_path / "bare.git"], check=True
        )
        made.git("remote", "add", "origin", str(tmp_path / "bare.git"))
        made.git("push", "-q", "origin", "main")
        assert here.run("ci", "gitlab", ".", cwd=written).returncode == 0
        release(made, "0.1.0+third")
        made.git("push", "-q", "origin", "main")
        assert "is not the commit" in refused(here, written)


@pytest.mark.slow
class TestFromAWheel:
    @pytest.fixture
    def wheel(self, remote: History, tmp_path: Path) -> Path:
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(tmp_path)]
        subprocess.run(build, cwd=remote.folder, check=True, capture_output=True)
        return next(tmp_path.glob("*.whl"))

    def test_a_pipeline_installs_the_wheel_beside_it_by_its_hash(
        self, wheel: Path, tmp_path: Path
    ) -> None:
        written = catalog(tmp_path / "catalog")
        (written / "wheels").mkdir()
        beside = Path(shutil.copy(wheel, written / "wheels"))
        here = Installed(tmp_path / "here", str(beside))
        for host in ("github", "gitlab"):
            done = here.run("ci", host, ".", cwd=written)
            assert done.returncode == 0, done.stderr
        installs_what_wrote_it(written, tmp_path, "0.1.0+second")
        with beside.open("ab") as stream:
            stream.write(b"altered")
        there = Installed.__new__(Installed)
        there.folder = tmp_path / "altered"
        done = there.shell(steps(written, "modeldocs.yml")[0], written)
        assert done.returncode != 0
        assert "DO NOT MATCH THE HASHES" in done.stderr
        assert not there.folder.exists()

    def test_a_wheel_elsewhere_is_refused(self, wheel: Path, tmp_path: Path) -> None:
        here = Installed(tmp_path / "here", str(wheel))
        assert "lies outside the repository" in refused(here, catalog(tmp_path / "catalog"))


def refused(here: Installed, written: Path) -> str:
    """The message of a command that has written nothing."""
    done = here.run("ci", "github", ".", cwd=written)
    assert (done.returncode, done.stdout) == (2, "")
    assert "fix:" in done.stderr and "Traceback" not in done.stderr
    assert not (written / ".github").exists()
    return done.stderr


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the installer have written down another source."""

    def tell(**direct_url: object) -> None:
        monkeypatch.setattr(origin, "_told", lambda: direct_url)

    return tell


class TestSources:
    @pytest.mark.parametrize(
        ("direct_url", "requirement"),
        [
            (
                {"url": f"{HOST}/m.git", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}},
                f"mkdocs-modeldocs @ git+{HOST}/m.git@{'a' * 40}",
            ),
            (
                {
                    "url": "https://user:secret@example.org/mono.git",
                    "vcs_info": {"vcs": "git", "commit_id": "b" * 40},
                    "subdirectory": "tools/m",
                },
                f"mkdocs-modeldocs @ git+{HOST}/mono.git@{'b' * 40}#subdirectory=tools/m",
            ),
            (
                {"url": f"{HOST}/m-1.whl", "archive_info": {"hashes": {"sha256": "c" * 64}}},
                f"mkdocs-modeldocs @ {HOST}/m-1.whl#sha256={'c' * 64}",
            ),
        ],
    )  # fmt: skip
    def test_what_the_installer_has_noted_is_pinned(
        self, direct_url: dict[str, object], requirement: str, told, tmp_path: Path, run: Run
    ) -> None:
        told(**direct_url)
        assert run("ci", "github", str(tmp_path)).exit_code == 0
        assert steps(tmp_path, "modeldocs.yml")[0] == f'pip install "{requirement}"'

    @pytest.mark.parametrize(
        "direct_url",
        [
            {"url": "https://example.org/m", "vcs_info": {"vcs": "hg", "commit_id": "a" * 40}},
            {"url": "https://example.org/m.git", "vcs_info": {"vcs": "git", "commit_id": "main"}},
            {"url": "https://example.org/m.whl", "archive_info": {}},
            {"url": "https://example.org/$(id).whl", "archive_info": {"hash": "sha256=1"}},
            {"url": "file:///nowhere/m.whl", "archive_info": {}},
            {"url": "file:///", "dir_info": {}},
            {},
        ],
    )
    def test_what_is_not_pinned_is_refused(
        self, direct_url: dict[str, object], told, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        told(**direct_url)
        said = refused("ci", "github", str(tmp_path))
        assert "no source of modeldocs to install" in said and "fix:" in said
        assert list(tmp_path.iterdir()) == []

    def test_a_package_of_an_index_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        monkeypatch.setattr(origin, "DISTRIBUTION", "click")  # which was installed from one
        said = refused("ci", "gitlab", str(tmp_path))
        assert "from a package index" in said and "installation:" in said


def configured(folder: Path, installation: str) -> None:
    options = {"modeldocs": {"installation": installation}}
    (folder / "mkdocs.yml").write_text(json.dumps({"site_name": "Nets", "plugins": [options]}))


class TestChoices:
    def test_a_team_names_its_own_index(self, tmp_path: Path, run: Run) -> None:
        catalog(tmp_path)
        configured(tmp_path, "--index-url https://pip.example.org/simple mkdocs-modeldocs==0.1.0")
        assert run("ci", "github", str(tmp_path)).exit_code == 0
        start = "pip install --index-url https://pip.example.org/simple mkdocs-modeldocs"
        assert steps(tmp_path, "modeldocs.yml")[0] == f"{start}[pytorch]==0.1.0"
        assert steps(tmp_path, "modeldocs-comment.yml")[0] == f"{start}==0.1.0"

    @pytest.mark.parametrize(
        "installation",
        [
            "modeldocs",
            "mkdocs-modeldocs==0.1.0",
            "--extra-index-url https://pip.example.org/simple mkdocs-modeldocs",
            "--index-url https://pip.example.org/simple modeldocs",
            "numpy",
        ],
    )
    def test_one_that_anybody_may_fill_is_refused(
        self, installation: str, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        configured(tmp_path, installation)
        assert "fix:" in refused("ci", "github", str(tmp_path))
        assert not (tmp_path / ".github").exists()

    @pytest.mark.parametrize(
        "lines",
        [
            "modeldocs\n",
            "numpy\nmodeldocs[pytorch]>=0.1  # our pages\n",
            "--index-url https://pip.example.org/simple\nmodeldocs\n",
            "mkdocs-modeldocs==0.1.0\n",
            "--extra-index-url https://pip.example.org/simple\nmkdocs-modeldocs\n",
            "-r more.txt\n",
        ],
    )
    def test_requirements_that_name_a_strangers_package_are_refused(
        self, lines: str, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        (tmp_path / "requirements.txt").write_text(lines)
        (tmp_path / "more.txt").write_text("-r requirements.txt\nmodeldocs\n")
        said = refused("ci", "gitlab", str(tmp_path))
        assert "requirements.txt installs" in said and "fix:" in said
        assert not (tmp_path / ".gitlab-ci.yml").exists()

    @pytest.mark.parametrize(
        "lines",
        [
            f"mkdocs-modeldocs[pytorch] @ git+https://example.org/m.git@{'a' * 40}\n",
            "--index-url https://pip.example.org/simple\nmkdocs-modeldocs==0.1.0\n",
            f"mkdocs-modeldocs==0.1.0 \\\n    --hash=sha256:{'c' * 64}\n",
            "./wheels/mkdocs_modeldocs-0.1.0-py3-none-any.whl\n",
        ],
    )
    def test_requirements_with_a_source_are_used_as_they_are(
        self, lines: str, tmp_path: Path, run: Run
    ) -> None:
        (tmp_path / "requirements.txt").write_text(lines)
        assert run("ci", "github", str(tmp_path)).exit_code == 0
        assert steps(tmp_path, "modeldocs.yml")[0] == "pip install -r requirements.txt"

    def test_requirements_without_modeldocs_are_installed_beside_it(
        self, tmp_path: Path, told, run: Run
    ) -> None:
        told(url="https://example.org/m.git", vcs_info={"vcs": "git", "commit_id": "a" * 40})
        (tmp_path / "requirements.txt").write_text("timm\n")
        assert run("ci", "github", str(tmp_path)).exit_code == 0
        source = f"mkdocs-modeldocs @ git+https://example.org/m.git@{'a' * 40}"
        assert steps(tmp_path, "modeldocs.yml")[0] == f'pip install "{source}" -r requirements.txt'
        assert steps(tmp_path, "modeldocs-comment.yml")[0] == f'pip install "{source}"'

    @pytest.mark.parametrize(
        "command",
        [
            "pip install modeldocs",
            "pip install 'modeldocs[pytorch]'",
            "pip install torch && uv pip install -q mkdocs-modeldocs",
            "pip install torch\npip install modeldocs==0.1.0",
        ],
    )
    def test_a_command_that_takes_it_by_its_name_is_refused(
        self, command: str, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        assert "the command installs" in refused(
            "ci", "github", str(tmp_path), "--install", command
        )
        assert not (tmp_path / ".github").exists()

    def test_it_is_said_what_to_do_next(self, tmp_path: Path, run: Run) -> None:
        said = run("ci", "github", str(tmp_path), "--install", "true").output
        assert "Settings > Pages" in said and "MODELDOCS_URL" in said
        assert "next: " in run("ci", "gitlab", str(tmp_path), "--install", "true").output
