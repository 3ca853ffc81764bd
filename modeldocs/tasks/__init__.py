"""Tasks: their kinds, the store of their results, and the pool that runs them.

`build` runs those of a catalog, `ports` those of single ports, `prune` deletes results that are no
longer of use. Each kind is imported when it is used: charts and drawings cost half a second.
"""
