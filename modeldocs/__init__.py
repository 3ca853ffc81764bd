"""modeldocs: static sites of model reports from neural-network definitions."""

__version__ = "0.1.0"
