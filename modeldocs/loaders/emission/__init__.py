"""The one way in which loaders write ONNX.

`graph` collects layers into a model, and `builder` adds the nodes of one layer, their shapes
inferred. `windows`, `layouts`, `element_types` and `settings` translate a framework's settings.
The other files emit families of operators that several frameworks share.
"""
