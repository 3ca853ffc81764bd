"""Builds in processes that are forked from this one, which has imported all that they use, compiled
the templates of pages and found what decides a key.

`python -m tests.tasks.builds` reads a line of arguments of `modeldocs build` at a time from its
standard input, as JSON. It answers with the number of the process, which leads a group of its own,
and when that has ended with its status. All that takes four times as long as such a build, which a
blow would rarely meet while it stores or writes something.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

from modeldocs.cli import main
from modeldocs.isolation.confinement import die_with_parent
from modeldocs.site.templating import Templates
from modeldocs.tasks import closure, pool
from modeldocs.tasks.kinds import KINDS

_USED = ("modeldocs.cli.build", "modeldocs.site.build", "modeldocs.site.project", "pygraphviz")


def _forked(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        count, multiprocessing.get_context("fork"), initializer=die_with_parent
    )


def _build(arguments: list[str]) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    main(["build", *arguments])


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def serve() -> None:
    """Import, then build what is asked for until the input ends."""
    for name in _USED:
        importlib.import_module(name)
    Templates().compile()
    for kind in KINDS.values():
        closure.versions(closure.closure(kind.runs.__module__).packages)
    pool._processes = _forked
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                _build(json.loads(line))
            except SystemExit as error:
                os._exit(error.code if isinstance(error.code, int) else 0)
            finally:
                os._exit(70)
        _say(child)
        _say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    serve()
