"""The one way in which loaders write ONNX.

`builder` adds nodes, their shapes inferred; `names` and `model` end a graph; `windows`, `layouts`
and `settings` translate what frameworks tell; the other files hold what several frameworks draw
alike.
"""
