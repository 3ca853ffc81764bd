"""A port's code may do what it likes: it harms nothing, and what went wrong is told."""

from __future__ import annotations

import compileall
import textwrap
import time
from pathlib import Path

import pytest

from modeldocs.digest import of_file as digest
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.loading import LoadedPort

from . import ports


@pytest.fixture(autouse=True)
def chainer(environment):
    """The framework of these ports, of all the one that is imported the fastest."""
    environment("chainer")


def write(folder: Path, source: str) -> LoadRequest:
    return ports.write(folder, source, "chainer.py")


def in_worker(request: LoadRequest, limits: Limits | None = None) -> LoadedPort:
    return ports.in_worker(request, "chainer", limits)


READY = "from chainer import links\nINPUTS = {'x': (1, 4)}\n"


def failure(folder, source, **limits):
    """How a port fails, with the limits given."""
    result = in_worker(write(folder, source), limits=Limits(**({"seconds": 60} | limits)))
    assert result.graph is None
    assert result.failure is not None
    assert result.failure.reason and "\n" not in result.failure.reason
    return result.failure


def doing(code):
    """A port that runs `code` while its model is built."""
    body = textwrap.indent(textwrap.dedent(code).strip(), "    ")
    return f"{READY}import os, sys\ndef model():\n{body}\n    return links.Linear(4, 2)\n"


class TestFailures:
    def test_an_exception_is_told_with_its_line(self, tmp_path):
        told = failure(
            tmp_path, "import chainer\n\ndef model():\n    raise ValueError('too wide')\n"
        )
        assert told.reason == "building the model raised ValueError: too wide"
        assert (told.file, told.line) == ("chainer.py", 4)
        assert told.fix == "run the file on its own, correct it, and build again"

    def test_a_missing_package_is_told_by_name(self, tmp_path):
        told = failure(tmp_path, "import chainer\nimport a_package_that_is_not_there\n")
        assert told.line == 2
        assert told.reason == "imports a_package_that_is_not_there, which is not installed"
        assert told.fix.startswith("install a_package_that_is_not_there")

    def test_a_syntax_error_has_line_and_column(self, tmp_path):
        told = failure(tmp_path, "import chainer\nclass Net(chainer.Chain:\n    pass\n")
        assert told.reason.startswith("not valid Python: ")
        assert (told.file, told.line, told.column) == ("chainer.py", 2, 24)

    def test_bytes_that_are_no_text_are_told(self, tmp_path):
        request = write(tmp_path, "")
        Path(request.path).write_bytes(b"import chainer\n\x00\xff\xfe")
        told = in_worker(request).failure
        assert "Python" in told.reason

    def test_something_that_is_no_model(self, tmp_path):
        told = failure(tmp_path, "import chainer\ndef model():\n    return {'layers': 3}\n")
        assert told.reason == "the entry point returned dict, not a chainer.Link"
        assert "entry:" in told.fix

    def test_leaving_by_sys_exit(self, tmp_path):
        told = failure(tmp_path, "import sys, chainer\nsys.exit(3)\n")
        assert told.reason == "importing it raised SystemExit: 3"

    def test_leaving_by_os_exit(self, tmp_path):
        told = failure(tmp_path, "import os, chainer\nos._exit(0)\n")
        assert told.reason == "ended its process itself, with status 0"
        assert told.fix == "take the exit out of its code"
        assert told.file == "chainer.py"

    def test_a_crash_is_told_by_its_signal(self, tmp_path):
        told = failure(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
        assert told.reason == "crashed its process with SIGSEGV"

    def test_a_hang_is_stopped(self, tmp_path):
        began = time.monotonic()
        told = failure(tmp_path, "while True: pass\n", seconds=3)
        assert told.reason == "was stopped after 3 s"
        assert "limits:" in told.fix
        assert time.monotonic() - began < 30

    def test_eating_memory_is_stopped(self, tmp_path):
        source = "import chainer\nheld = [bytearray(2**24) for _ in range(10**6)]\n"
        told = failure(tmp_path, source, memory_mb=1500)
        assert "MemoryError" in told.reason
        assert "memory_mb" in told.fix

    def test_a_tensor_that_does_not_fit_is_told_as_memory(self, tmp_path):
        """Torch raises RuntimeError where others raise MemoryError."""
        pytest.importorskip("torch")
        source = "from torch import nn\nINPUTS = {'x': (1, 4)}\ndef model():\n"
        request = ports.write(tmp_path, f"{source}    return nn.Linear(200_000, 200_000)\n")
        failure = ports.in_worker(request, limits=Limits(seconds=60, memory_mb=1500)).failure
        assert (failure.file, failure.line) == ("pytorch.py", 4)
        assert "memory" in failure.reason
        assert "memory_mb" in failure.fix

    def test_recursion_without_end(self, tmp_path):
        told = failure(tmp_path, "import chainer\ndef model():\n    return model()\n")
        assert "RecursionError" in told.reason
        assert told.line == 3

    def test_an_exception_whose_text_raises(self, tmp_path):
        source = """
            import chainer
            class Odd(Exception):
                def __str__(self):
                    raise RuntimeError("nothing to say")
            raise Odd
        """
        assert "Odd" in failure(tmp_path, source).reason

    def test_a_result_of_its_own_making_is_not_taken(self, tmp_path):
        """A port that writes what the worker would write only harms its own page."""
        code = """
            import pathlib
            folder = pathlib.Path(os.environ['HOME']).parent
            (folder / "result.json").write_text("[not json")
            os._exit(0)
        """
        assert "no readable result" in failure(tmp_path, doing(code)).reason


class TestPrinting:
    def test_what_it_prints_is_kept_apart_from_the_result(self, tmp_path):
        code = "print('to stdout')\nprint('to stderr', file=sys.stderr)\nos.system('echo child')"
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is None
        assert result.graph.totals().parameters == 10
        assert result.printed == "to stdout\nto stderr\nchild\n"


class TestFilesRead:
    @pytest.fixture
    def port(self, tmp_path):
        (tmp_path / "widths.json").write_text("[4, 2]")
        (tmp_path / "parts.py").write_text("from chainer import links\ndef layer(a, b):\n"
                                           "    return links.Linear(a, b)\n")  # fmt: skip
        (tmp_path / "unread.py").write_text("")
        return write(
            tmp_path,
            """
            import json, pathlib, tempfile
            import parts
            INPUTS = {'x': (1, 4)}
            def model():
                with open('log.txt', 'w') as log:
                    log.write('built')
                pathlib.Path(tempfile.gettempdir(), 'built.log').write_text('again')
                return parts.layer(*json.loads(
                    pathlib.Path(__file__).with_name('widths.json').read_text()))
            """,
        )

    def test_a_module_beside_it_and_a_data_file_are_told_with_digests(self, port, tmp_path):
        compileall.compile_dir(tmp_path, quiet=1)  # compiled modules are told by their source
        result = in_worker(port)
        assert result.failure is None
        assert [Path(path).name for path in result.read] == [
            "chainer.py", "parts.py", "widths.json",
        ]  # fmt: skip
        assert result.read == {path: digest(Path(path)) for path in result.read}
        assert result.graph.layers[0].origins[0].file == "parts.py"

    def test_they_are_told_of_a_port_that_failed_too(self, tmp_path):
        (tmp_path / "parts.py").write_text("raise RuntimeError('half done')\n")
        result = in_worker(write(tmp_path, "import chainer\nimport parts\n"))
        assert (result.failure.file, result.failure.line) == ("parts.py", 1)
        assert [Path(path).name for path in result.read] == ["chainer.py", "parts.py"]
