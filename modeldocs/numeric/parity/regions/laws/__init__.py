"""Laws behind constants: the rule that a table's values follow, found by its numbers.

A law has the numbers of its rule (the base of a rotary table, the edges of a band), which say how
two tables differ, and the form in which one table holds it, which says nothing: which axes, which
values stand for seen and hidden, how often a feature is repeated.
"""
