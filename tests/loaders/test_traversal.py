"""Walks through graphs."""

from __future__ import annotations

from modeldocs.loaders.traversal import post_order


def test_each_item_comes_after_those_that_follow_it_in_the_order_of_a_depth_first_search() -> None:
    following = {"d": "bc", "b": "a", "c": "a", "a": "", "e": "d", "x": ""}
    assert post_order(["d", "e"], following.__getitem__) == ["a", "b", "c", "d", "e"]


def test_a_cycle_is_broken_where_it_is_entered() -> None:
    following = {"a": "b", "b": "c", "c": "a"}
    assert post_order("b", following.__getitem__) == ["a", "c", "b"]
