"""Checkpoints: files of trained weights, read by their framework's names and written for another.

`formats/` reads and writes files, tensor by tensor; `binding` says which tensor of a file is which
of a network's; `conversion` applies a map of weights, `check` runs both frameworks with the result.
"""
