"""Processes of the pool: they end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os

from modeldocs.tasks import pool


def begin() -> None:
    pool._begin()


def begin_late() -> None:
    """Begin as if the parent had been killed while this process started."""
    os.getppid = lambda: 1
    pool._begin()


def test_a_process_whose_parent_was_killed_while_it_started_ends_at_once() -> None:
    context = multiprocessing.get_context("spawn")
    codes = []
    for target in (begin, begin_late):
        process = context.Process(target=target)
        process.start()
        process.join()
        codes.append(process.exitcode)
    assert codes == [0, 1]
