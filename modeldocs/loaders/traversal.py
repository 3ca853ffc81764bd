"""Walks through graphs, without recursion: files may nest as deeply as they like."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def post_order(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> list[T]:
    """All that `starts` lead to, themselves included, each after those that are `following` it.

    A cycle is broken where it is entered.
    """
    ordered: list[T] = []
    seen: set[T] = set()
    stack = [(item, False) for item in reversed(list(starts))]
    while stack:
        item, is_expanded = stack.pop()
        if is_expanded:
            ordered.append(item)
        elif item not in seen:
            seen.add(item)
            stack.append((item, True))
            stack += [(other, False) for other in reversed(list(following(item)))]
    return ordered
