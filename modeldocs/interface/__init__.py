"""The Python interface: the commands as functions, for sources and for objects of this process.

`import modeldocs as md` has them as `md.load`, `md.diff`, `md.verify`, `md.generate` and `md.live`.
Their results are plain data; a notebook shows each of them as the site does.
"""
