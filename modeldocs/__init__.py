"""modeldocs: static sites of model reports from neural-network definitions."""

import os

__version__ = "0.1.0"

# onnxruntime 1.32 reports its use to its maker unless this is set before it is first imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
