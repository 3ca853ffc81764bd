"""A network at the sizes that another takes: the same one for another batch, length or image.

`resizing` gives inputs other sizes and every node behind them; what a node states of sizes
(`stated_sizes`) and what has to be as long as something else (`equal_axes`, `shortening`) follow.
"""
