"""The environment that definitions are proven in."""

from __future__ import annotations

import pytest

from modeldocs import environments
from modeldocs.environments import Environment, creation


@pytest.fixture(scope="session")
def opencv() -> Environment:
    """OpenCV's environment, made where it is not there yet."""
    held = environments.locked("opencv")
    creation.create(held)
    return held
