"""A process of its own for code that is not ours: what it may not do, and what is told of it."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits, confinement, landlock

from .misbehaving import Code

REPOSITORY = Path(__file__).parents[2]
MODULE = Code.__module__


@pytest.fixture(params=["new process", "forked"])
def run(monkeypatch, request):
    """`run(code)`: how running `code` isolated ended, within small limits."""
    preload = [MODULE] if request.param == "forked" else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))

    def start(code, *, result=True, loopback=False, **limits):
        request = Code(text=textwrap.dedent(code), result=result)
        limited = Limits(**({"seconds": 20} | limits))
        with isolation.run(
            MODULE, request, limited, access=isolation.Access(loopback=loopback), preload=preload
        ) as outcome:
            return outcome

    return start


@pytest.fixture
def mark():
    """An argument of processes that are looked for."""
    return f"modeldocs-{os.getpid()}-{time.monotonic_ns()}"


def running(mark):
    """Whether a process with this argument is still there."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (process / "cmdline").read_bytes():
                return True
    return False


def ends(mark):
    """Whether no process with this argument is left: what was killed may take a moment to go."""
    deadline = time.monotonic() + 5
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not running(mark)


def refuses_namespaces() -> bool:
    """Whether the kernel lets no process of ours leave the network."""
    child = os.fork()
    if child == 0:
        os._exit(0 if confinement.leave_network() else 1)
    return os.waitpid(child, 0)[1] != 0


class TestEnds:
    def test_a_result_is_no_failure(self, run):
        outcome = run("pass")
        assert (outcome.failure, outcome.fix, outcome.printed) == (None, None, "")

    @pytest.mark.parametrize("status", [0, 7])
    def test_an_exit_of_its_own_is_told(self, run, status):
        outcome = run(f"import os; os._exit({status})")
        assert outcome.failure == f"ended its process itself, with status {status}"
        assert outcome.fix == "take the exit out of its code"

    @pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGFPE"])
    def test_a_crash_is_told_by_its_signal(self, run, name):
        outcome = run(f"import os, signal; os.kill(os.getpid(), signal.{name})")
        assert outcome.failure == f"crashed its process with {name}"
        assert "memory" in outcome.fix

    def test_a_real_time_signal_is_told_by_its_number(self, run):
        outcome = run("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 3)")
        assert outcome.failure.startswith("crashed its process with signal ")

    def test_no_file_or_argument_says_which_module_runs(self, run):
        seen = run(
            "import sys\n"
            "files = [p for p in folder.iterdir() if p.is_file() and p.name != 'request.json']\n"
            "told = [sys.argv, open('/proc/self/cmdline').read()]\n"
            "told += [p.read_text() for p in files]\n"
            "print('misbehaving' in str(told), sorted(p.name for p in files))"
        )
        assert seen.printed == "False ['printed.txt']\n"

    def test_a_hang_is_stopped(self, run):
        outcome = run("while True: pass", seconds=1)
        assert outcome.failure == "was stopped after 1 s"
        assert "seconds" in outcome.fix

    def test_a_hang_that_ignores_signals_is_stopped(self, run):
        outcome = run(
            """
            import signal, time
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)
            while True:
                try:
                    time.sleep(60)
                except BaseException:
                    pass
            """,
            seconds=1,
        )
        assert outcome.failure == "was stopped after 1 s"

    def test_threads_that_never_end_are_not_waited_for(self, run):
        outcome = run(
            "import threading, time\nthreading.Thread(target=lambda: time.sleep(600)).start()"
        )
        assert outcome.failure is None

    def test_what_it_registered_for_the_end_does_not_run(self, run):
        assert run("import atexit; atexit.register(print, 'late')").printed == ""

    def test_memory_has_a_limit(self, run):
        outcome = run(
            """
            try:
                held = [bytearray(2**24) for _ in range(10**6)]
            except MemoryError:
                print("enough")
            """,
            memory_mb=300,
        )
        assert (outcome.failure, outcome.printed) == (None, "enough\n")

    def test_files_have_a_limit(self, run):
        outcome = run(
            """
            try:
                with open("big.bin", "wb") as stream:
                    for _ in range(64):
                        stream.write(bytes(2**20))
            except OSError as error:
                print(error.strerror)
            """,
            file_mb=4,
        )
        assert outcome.printed == "File too large\n"


class TestReach:
    def test_it_sees_no_secrets(self, run, monkeypatch):
        monkeypatch.setenv("A_SECRET_TOKEN", "hunter2")
        outcome = run("import os; print(os.environ); print(open('/proc/self/environ').read())")
        assert "HOME" in outcome.printed
        assert "hunter2" not in outcome.printed
        assert "A_SECRET_TOKEN" not in outcome.printed

    def test_home_and_current_folder_are_its_own(self, run):
        outcome = run(
            "import os; print(os.path.expanduser('~') == os.getcwd() == os.environ['TMPDIR'])"
        )
        assert outcome.printed == "True\n"

    def test_it_reads_nothing_from_the_terminal(self, run):
        assert run("import sys; print(repr(sys.stdin.read()))").printed == "''\n"

    def test_the_current_folder_is_not_imported_from(self, run):
        code = "import sys; print('' in sys.path, any('home' == p for p in sys.path))"
        assert run(code).printed == "False False\n"

    def test_it_has_no_network(self, run):
        outcome = run(
            """
            import socket
            listener = socket.socket()
            try:
                listener.bind(("127.0.0.1", 0))
                listener.listen()
                socket.create_connection(listener.getsockname(), timeout=2)
                print("reached")
            except OSError:
                print("refused")
            """
        )
        assert outcome.printed == "refused\n" or refuses_namespaces()

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="wants /proc")
    def test_children_are_killed_with_it(self, run, mark):
        outcome = run(
            f"""
            import subprocess, sys
            child = [sys.executable, "-c", "import time; time.sleep(60)", {mark!r}]
            print("started", subprocess.Popen(child).poll())
            """
        )
        assert outcome.printed == "started None\n"
        assert ends(mark)

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="wants /proc")
    def test_children_that_left_its_group_are_killed_too(self, run, mark):
        outcome = run(
            f"""
            import os, sys
            read, write = os.pipe()
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.set_inheritable(write, True)
                    words = ["-c", f"import os, time; os.write({{write}}, b'.'); time.sleep(60)"]
                    os.execv(sys.executable, [sys.executable, *words, {mark!r}])
                os._exit(0)
            print("started", os.read(read, 1))
            """
        )
        assert outcome.printed == "started b'.'\n"
        assert ends(mark)

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the kernel for it")
    def test_it_ends_with_the_process_that_watches_it(self, run, mark):
        watcher = os.fork()
        if watcher == 0:
            run(
                f"""
                import os, sys
                code = "import time; time.sleep(60)"
                os.execv(sys.executable, [sys.executable, "-c", code, {mark!r}])
                """
            )
            os._exit(0)
        started = time.monotonic()
        while not running(mark) and time.monotonic() - started < 20:
            time.sleep(0.02)
        os.kill(watcher, 9)
        os.waitpid(watcher, 0)
        assert ends(mark)

    @pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
    def test_it_reads_no_file_that_it_was_not_given(self, run, tmp_path):
        (tmp_path / "secret.txt").write_text("secret")
        outcome = run(
            f"""
            import os, subprocess
            from pathlib import Path
            places = [{str(tmp_path / "secret.txt")!r}, "/etc/shadow",
                      f"/proc/{{os.getppid()}}/environ"]
            for place in places:
                try:
                    print(len(Path(place).read_bytes()))
                except OSError as error:
                    print(type(error).__name__)
            made = subprocess.run(["/bin/cat", places[0]], capture_output=True)
            print(made.returncode, made.stdout)
            """
        )
        assert outcome.printed == "PermissionError\n" * 3 + "1 b''\n"

    @pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
    def test_it_writes_its_own_folder_alone(self, run, tmp_path):
        outcome = run(
            f"""
            from pathlib import Path
            (folder / "own.txt").write_text("mine")
            for place in ({str(tmp_path)!r}, {str(REPOSITORY)!r}):
                try:
                    Path(place, "written.txt").write_text("not mine")
                    print("written")
                except PermissionError:
                    print("refused")
            """
        )
        assert outcome.printed == "refused\n" * 2
        assert not (tmp_path / "written.txt").exists()

    def test_it_reads_what_it_was_given(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))
        (tmp_path / "given.txt").write_text("given")
        code = Code(text=f"print(open({str(tmp_path / 'given.txt')!r}).read())")
        with isolation.run(MODULE, code, Limits(seconds=20), reads=[tmp_path]) as outcome:
            assert outcome.printed == "given\n"

    @pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="has no filter")
    def test_it_reaches_no_service_by_a_socket_with_a_path(self, run, tmp_path):
        """Such as Docker's, or that of an SSH agent; pairs of sockets stay possible."""
        path = tmp_path / "service"
        with socket.socket(socket.AF_UNIX) as service:
            service.bind(str(path))
            service.listen()
            outcome = run(
                f"""
                import ctypes, socket
                def attempt(make):
                    try:
                        print(type(make()).__name__)
                    except PermissionError:
                        print("refused")
                attempt(lambda: socket.socket(socket.AF_UNIX).connect({str(path)!r}))
                attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
                attempt(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
                attempt(lambda: socket.socketpair())
                io_uring_setup = 425
                print(ctypes.CDLL(None).syscall(io_uring_setup, 1, None))
                """
            )
        assert outcome.printed == "refused\n" * 3 + "tuple\n-1\n"

    @pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no shared memory")
    def test_its_shared_memory_is_its_own(self, run, mark):
        if refuses_namespaces():
            pytest.skip("the kernel refuses namespaces")
        others = Path("/dev/shm", mark)
        others.write_text("of another program")
        try:
            outcome = run(
                f"""
                import multiprocessing
                from pathlib import Path
                print(Path({str(others)!r}).exists())
                Path({str(others)!r} + "-left").write_text("x")
                multiprocessing.Lock()
                """
            )
        finally:
            others.unlink()
        assert outcome.printed == "False\n"
        assert not Path(f"{others}-left").exists()

    @pytest.mark.skipif(landlock.version() < 6, reason="the kernel has no scopes of Landlock")
    def test_it_signals_no_process_but_its_own(self, run):
        outcome = run(
            """
            import os, signal
            try:
                os.kill(os.getppid(), signal.SIGCONT)
            except PermissionError:
                print("refused")
            """
        )
        assert outcome.printed == "refused\n"

    def test_nothing_of_it_stays(self, run, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        run("open('left.txt', 'w').write('x')")
        run("import os; os.mkdir('shut'); os.mkdir('shut/in'); os.chmod('shut', 0)")
        run("import os; os.chmod(folder, 0)", result=False)
        assert list(tmp_path.iterdir()) == []


class TestPrinting:
    def test_what_it_prints_is_kept_in_order(self, run):
        outcome = run(
            """
            import os, sys
            print("to stdout")
            print("to stderr", file=sys.stderr)
            os.system("echo from a child")
            """
        )
        assert outcome.printed == "to stdout\nto stderr\nfrom a child\n"

    def test_what_it_printed_before_it_failed_is_kept(self, run):
        assert run("import os; print('so far'); os._exit(1)").printed == "so far\n"

    def test_much_printing_is_cut(self, run):
        outcome = run("print('y' * 1_000_000)")
        assert outcome.failure is None
        assert outcome.printed == "y" * isolation.LOG_BYTES + "\n… (cut)"

    def test_endless_printing_ends(self, run):
        outcome = run("while True: print('y' * 10_000)", file_mb=4)
        assert outcome.failure

    def test_bytes_that_are_no_text_stay_readable(self, run):
        assert run(r"import os; os.write(1, b'\xff\xfe ok\n')").printed == "\ufffd\ufffd ok\n"

    def test_a_closed_output_does_no_harm(self, run):
        outcome = run("import os, sys; sys.stdout.close(); os.close(1); os.close(2)")
        assert outcome.failure is None

    def test_a_link_in_place_of_the_log_is_not_followed(self, run, tmp_path):
        secret = tmp_path / "secret.txt"
        secret.write_text("not for pages")
        outcome = run(
            f"""
            (folder / "printed.txt").unlink()
            (folder / "printed.txt").symlink_to({str(secret)!r})
            """
        )
        assert "not for pages" not in outcome.printed


class TestResults:
    @pytest.fixture
    def read(self, monkeypatch):
        """`read(code)`: what the parent reads of the file `out` that `code` leaves."""
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))

        def start(code):
            limits = Limits(seconds=20, file_mb=4)
            with isolation.run(MODULE, Code(text=code), limits) as outcome:
                return outcome.read("out")

        return start

    def test_a_plain_file_is_read(self, read):
        assert read("(folder / 'out').write_text('done')") == b"done"

    @pytest.mark.parametrize(
        "code",
        [
            "pass",
            "(folder / 'out').symlink_to('/dev/zero')",
            "(folder / 'out').symlink_to('/etc/passwd')",
            "import os; os.mkfifo(folder / 'out')",
            "(folder / 'out').mkdir()",
        ],
    )
    def test_links_pipes_and_what_is_not_there_are_refused(self, read, code):
        with pytest.raises(OSError, match="out"):
            read(code)


CONNECT = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=5).close()
"""


@pytest.mark.skipif(refuses_namespaces(), reason="the kernel refuses namespaces")
class TestLoopback:
    def test_processes_of_a_run_may_connect_to_each_other_where_that_is_asked(self, run):
        outcome = run(CONNECT, loopback=True)
        assert outcome.failure is None, outcome.printed

    def test_others_may_not(self, run):
        assert run(CONNECT).failure is not None

    def test_the_loopback_interface_is_the_only_one(self, run):
        code = "import socket; print([name for _, name in socket.if_nameindex()])"
        assert run(code, loopback=True).printed.strip() == "['lo']"


@pytest.mark.parametrize("preload", [[], [MODULE]])
def test_a_run_that_is_stopped_from_another_thread_ends_at_once(preload):
    ended = []

    def wait() -> None:
        code = Code("import time; time.sleep(600)")
        with (
            pytest.raises(ModeldocsError, match="was interrupted") as caught,
            isolation.run(MODULE, code, Limits(seconds=600), preload=preload),
        ):
            pass
        ended.append(caught.value.fix)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(1)
    isolation.stop()
    thread.join(60)
    assert ended == ["run it again"]


def test_what_runs_after_a_stop_is_not_stopped():
    isolation.stop()
    with isolation.run(MODULE, Code(""), Limits(seconds=60)) as outcome:
        assert outcome.failure is None
