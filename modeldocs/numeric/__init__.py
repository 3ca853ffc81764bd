"""Numbers: graphs run in onnxruntime (`execution`), two ports run with the same weights (`parity`),
and a port run against its own framework (`proof`).
"""
