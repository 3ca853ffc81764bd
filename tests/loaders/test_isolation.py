"""A port's code may do what it likes: it harms nothing, and what went wrong is told."""

from __future__ import annotations

import os
import textwrap
import time
from pathlib import Path

import pytest

from modeldocs import confined, isolation
from modeldocs.isolation import Limits

from .ports import in_worker, write

pytest.importorskip("torch")

READY = "from torch import nn\nINPUTS = {'x': (1, 4)}\n"
WELL = READY + "def model():\n    return nn.Linear(4, 2)\n"


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
    return f"{READY}import os, sys\ndef model():\n{body}\n    return nn.Linear(4, 2)\n"


class TestFailures:
    def test_an_exception_is_told_with_its_line(self, tmp_path):
        told = failure(tmp_path, "import torch\n\ndef model():\n    raise ValueError('too wide')\n")
        assert told.reason == "building the model raised ValueError: too wide"
        assert (told.file, told.line) == ("pytorch.py", 4)
        assert told.mend == "run the file on its own, correct it, and build again"

    def test_a_missing_package_is_told_by_name(self, tmp_path):
        told = failure(tmp_path, "import torch\nimport a_package_that_is_not_there\n")
        assert told.line == 2
        assert "No module named 'a_package_that_is_not_there'" in told.reason
        assert told.mend.startswith("install a_package_that_is_not_there")

    def test_a_syntax_error_has_line_and_column(self, tmp_path):
        told = failure(tmp_path, "import torch\nclass Net(torch.nn.Module:\n    pass\n")
        assert told.reason.startswith("not valid Python: ")
        assert (told.file, told.line, told.column) == ("pytorch.py", 2, 10)

    def test_bytes_that_are_no_text_are_told(self, tmp_path):
        request = write(tmp_path, "")
        Path(request.path).write_bytes(b"import torch\n\x00\xff\xfe")
        told = in_worker(request).failure
        assert "Python" in told.reason

    def test_something_that_is_no_model(self, tmp_path):
        told = failure(tmp_path, "import torch\ndef model():\n    return {'layers': 3}\n")
        assert told.reason == "the entry point returned dict, not a torch.nn.Module"
        assert "entry:" in told.mend

    def test_leaving_by_sys_exit(self, tmp_path):
        told = failure(tmp_path, "import sys, torch\nsys.exit(3)\n")
        assert told.reason == "importing it raised SystemExit: 3"

    def test_leaving_by_os_exit(self, tmp_path):
        for status in (0, 7):
            told = failure(tmp_path, f"import os, torch\nos._exit({status})\n")
            assert told.reason == f"ended its process itself, with status {status}"
            assert told.mend == "take the exit out of its code"

    def test_a_crash_is_told_by_its_signal(self, tmp_path):
        told = failure(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
        assert told.reason == "crashed its process with SIGSEGV"

    def test_a_hang_is_stopped(self, tmp_path):
        began = time.monotonic()
        told = failure(tmp_path, "while True: pass\n", seconds=3)
        assert told.reason == "was stopped after 3 s"
        assert "limits:" in told.mend
        assert time.monotonic() - began < 30

    def test_a_hang_that_ignores_signals_is_stopped(self, tmp_path):
        source = """
            import signal, time
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)
            while True:
                try:
                    time.sleep(60)
                except BaseException:
                    pass
        """
        assert failure(tmp_path, source, seconds=3).reason == "was stopped after 3 s"

    def test_eating_memory_is_stopped(self, tmp_path):
        source = "import torch\nheld = [bytearray(2**24) for _ in range(10**6)]\n"
        told = failure(tmp_path, source, memory_mb=1500)
        assert "MemoryError" in told.reason
        assert "memory_mb" in told.mend

    def test_a_tensor_that_does_not_fit_is_told_as_memory(self, tmp_path):
        told = failure(tmp_path, doing("nn.Linear(200_000, 200_000)"), memory_mb=1500)
        assert (told.file, told.line) == ("pytorch.py", 5)
        assert "memory" in told.reason
        assert "memory_mb" in told.mend

    def test_recursion_without_end(self, tmp_path):
        told = failure(tmp_path, "import torch\ndef model():\n    return model()\n")
        assert "RecursionError" in told.reason
        assert told.line == 3

    def test_an_exception_whose_text_raises(self, tmp_path):
        source = """
            import torch
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

    def test_links_among_its_results_are_not_followed(self, tmp_path):
        secret = tmp_path / "secret.txt"
        secret.write_text("not for pages")
        code = f"""
            import pathlib
            folder = pathlib.Path(os.environ['HOME']).parent
            (folder / "result.json").write_text("{{}}")
            (folder / "printed.txt").unlink()
            (folder / "printed.txt").symlink_to({str(secret)!r})
            (folder / "graph.json").symlink_to("/dev/zero")
            os._exit(0)
        """
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is not None
        assert "not for pages" not in result.printed


class TestHarm:
    def test_it_sees_no_secrets(self, tmp_path, monkeypatch):
        monkeypatch.setenv("A_SECRET_TOKEN", "hunter2")
        result = in_worker(write(tmp_path, doing("print(sorted(os.environ))\nprint(os.environ)")))
        assert result.failure is None
        assert "hunter2" not in result.printed
        assert "A_SECRET_TOKEN" not in result.printed

    def test_home_and_current_folder_are_its_own(self, tmp_path):
        code = "print(os.path.expanduser('~') == os.getcwd() == os.environ['TMPDIR'])"
        result = in_worker(write(tmp_path, doing(code)))
        assert result.printed == "True\n"

    def test_it_has_no_network(self, tmp_path):
        code = """
            import socket
            from modeldocs import confined, isolation
            listener = socket.socket()
            try:
                listener.bind(("127.0.0.1", 0))
                listener.listen()
                socket.create_connection(listener.getsockname(), timeout=2)
                print("reached")
            except OSError as error:
                print("refused", error)
        """
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is None
        if not refuses_namespaces():
            assert result.printed.startswith("refused")

    def test_children_are_killed_with_it(self, tmp_path):
        mark = tmp_path / "alive.txt"
        code = f"""
            import subprocess
            child = ("import time\\n"
                     "while True:\\n"
                     "    open({str(mark)!r}, 'a').write('.')\\n"
                     "    time.sleep(0.05)\\n")
            subprocess.Popen([sys.executable, "-c", child])
            import time
            while not os.path.exists({str(mark)!r}):
                time.sleep(0.05)
        """
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is None
        assert mark.exists()
        time.sleep(0.3)
        before = mark.stat().st_size
        time.sleep(0.3)
        assert mark.stat().st_size == before

    def test_children_that_leave_the_group_are_killed_too(self, tmp_path):
        mark = tmp_path / "alive.txt"
        code = f"""
            import time
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    for _ in range(400):
                        open({str(mark)!r}, 'a').write('.')
                        time.sleep(0.05)
                os._exit(0)
            while not os.path.exists({str(mark)!r}):
                time.sleep(0.05)
        """
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is None
        time.sleep(0.3)
        before = mark.stat().st_size
        time.sleep(0.3)
        assert mark.stat().st_size == before

    def test_a_huge_file_is_refused(self, tmp_path):
        code = """
            with open("big.bin", "wb") as stream:
                for _ in range(64):
                    stream.write(bytes(2**20))
        """
        told = failure(tmp_path, doing(code), file_mb=8)
        assert "File too large" in told.reason
        assert "big" not in os.listdir(tmp_path)

    def test_nothing_of_it_stays(self, tmp_path, monkeypatch):
        place = tmp_path / "temporary"
        place.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(place))
        in_worker(write(tmp_path, doing("open('left.txt', 'w').write('x')")))
        in_worker(write(tmp_path, doing("os.mkdir('shut'); os.chmod('shut', 0)")))
        assert list(place.iterdir()) == []


class TestPrinting:
    def test_what_it_prints_is_kept_in_order(self, tmp_path):
        code = "print('to stdout')\nprint('to stderr', file=sys.stderr)\nos.system('echo from a child')"
        result = in_worker(write(tmp_path, doing(code)))
        assert result.failure is None
        assert result.printed == "to stdout\nto stderr\nfrom a child\n"

    def test_what_it_printed_before_it_failed_is_kept(self, tmp_path):
        result = in_worker(write(tmp_path, "print('so far')\nimport os\nos._exit(1)\n"))
        assert result.failure is not None
        assert result.printed == "so far\n"

    def test_much_printing_is_cut(self, tmp_path):
        result = in_worker(write(tmp_path, doing("print('y' * 1_000_000)")))
        assert result.failure is None
        assert result.printed == "y" * isolation.LOG_BYTES + "\n… (cut)"

    def test_endless_printing_ends(self, tmp_path):
        told = failure(tmp_path, doing("while True: print('y' * 10_000)"), file_mb=8)
        assert told.reason

    def test_it_prints_nothing_of_ours(self, tmp_path):
        assert in_worker(write(tmp_path, WELL)).printed == ""

    def test_bytes_that_are_no_text_are_kept_readable(self, tmp_path):
        result = in_worker(write(tmp_path, doing(r"os.write(1, b'\xff\xfe ok\n')")))
        assert result.printed == "\ufffd\ufffd ok\n"

    def test_a_closed_output_does_no_harm(self, tmp_path):
        result = in_worker(write(tmp_path, doing("sys.stdout.close(); os.close(1); os.close(2)")))
        assert result.failure is None


class TestFilesRead:
    @pytest.fixture
    def port(self, tmp_path):
        (tmp_path / "widths.json").write_text("[4, 2]")
        (tmp_path / "parts.py").write_text("from torch import nn\ndef layer(a, b):\n"
                                           "    return nn.Linear(a, b)\n")  # fmt: skip
        (tmp_path / "unread.py").write_text("")
        return write(
            tmp_path,
            """
            import json, pathlib
            import parts
            INPUTS = {'x': (1, 4)}
            def model():
                with open('log.txt', 'w') as log:
                    log.write('built')
                pathlib.Path(__file__).with_name('built.log').write_text('again')
                return parts.layer(*json.loads(
                    pathlib.Path(__file__).with_name('widths.json').read_text()))
            """,
        )

    def test_a_module_beside_it_and_a_data_file_are_told_with_digests(self, port, tmp_path):
        result = in_worker(port)
        assert result.failure is None
        assert [Path(path).name for path in result.read] == [
            "parts.py", "pytorch.py", "widths.json",
        ]  # fmt: skip
        assert all(len(digest) == 40 for digest in result.read.values())
        assert result.graph.layers[0].origins[0].file == "parts.py"

    def test_a_change_in_one_changes_its_digest_alone(self, port, tmp_path):
        before = in_worker(port).read
        (tmp_path / "widths.json").write_text("[4, 3]")
        after = in_worker(port).read
        changed = [Path(path).name for path in after if after[path] != before[path]]
        assert changed == ["widths.json"]

    def test_a_module_that_was_compiled_before_is_told_by_its_source(self, port, tmp_path):
        import compileall

        compileall.compile_dir(tmp_path, quiet=1)
        assert [Path(path).name for path in in_worker(port).read] == [
            "parts.py", "pytorch.py", "widths.json",
        ]  # fmt: skip

    def test_they_are_told_of_a_port_that_failed_too(self, tmp_path):
        (tmp_path / "parts.py").write_text("raise RuntimeError('half done')\n")
        result = in_worker(write(tmp_path, "import torch\nimport parts\n"))
        assert (result.failure.file, result.failure.line) == ("parts.py", 1)
        assert [Path(path).name for path in result.read] == ["parts.py", "pytorch.py"]


def refuses_namespaces() -> bool:
    """Whether the kernel lets no process of ours leave the network."""
    child = os.fork()
    if child == 0:
        os._exit(0 if confined.leave_network() else 1)
    return os.waitpid(child, 0)[1] != 0
