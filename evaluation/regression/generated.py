"""Step times of generated runs, by model of noise, and planted slowdowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Series = list[NDArray[np.float64]]
"""Milliseconds of the steps of a run, one array for each process."""

PROCESSES, STEPS = 3, 200
STEP_MS: Final = 10.0


def white(random: Generator) -> NDArray[np.float64]:
    """Independent steps that vary by 2 %."""
    return random.normal(0, 0.02, STEPS)


def autoregressive(random: Generator) -> NDArray[np.float64]:
    """Steps that vary by 2 %, each like the one before it: AR(1) with a coefficient of 0.95."""
    return _autoregressive(random, 0.02, 0.95)


def drift(random: Generator) -> NDArray[np.float64]:
    """A device that heats up: up to 3 % slower at the end of a process than at its start."""
    rise = random.uniform(0, 0.03) * np.linspace(0, 1, STEPS)
    return random.normal(0, 0.01, STEPS) + rise


def bimodal(random: Generator) -> NDArray[np.float64]:
    """Two clocks 6 % apart, between which the device changes every 40 steps on average."""
    changes = random.random(STEPS) < 1 / 40
    slow = (np.cumsum(changes) + random.integers(2)) % 2
    return random.normal(0, 0.005, STEPS) + 0.06 * slow


def bursts(random: Generator) -> NDArray[np.float64]:
    """Interference: for some 8 steps at a time, 6 % of all, steps are up to three times as long."""
    noise = random.normal(0, 0.01, STEPS)
    for start in np.flatnonzero(random.random(STEPS) < 0.06 / 8):
        noise[start : start + random.integers(4, 13)] += random.uniform(0.2, 1.1)
    return noise


def offsets(random: Generator) -> NDArray[np.float64]:
    """Processes that differ by 0.7 %, by where their memory lies for example."""
    return random.normal(0, 0.01, STEPS) + random.normal(0, 0.007)


def together(random: Generator) -> NDArray[np.float64]:
    """Processes that differ by 0.5 %, with correlated steps and bursts."""
    noise = _autoregressive(random, 0.01, 0.8) + random.normal(0, 0.005)
    return noise + np.maximum(bursts(random), 0)


MODELS: Final[dict[str, Callable[[Generator], NDArray[np.float64]]]] = {
    "white": white,
    "AR(1)": autoregressive,
    "drift": drift,
    "bimodal clocks": bimodal,
    "bursts": bursts,
    "process offsets": offsets,
    "offsets, AR(1) and bursts": together,
}
"""Models of noise: the logarithm of each step's time, of one process."""


def run(model: str, random: Generator) -> Series:
    """A run of three processes under a model of noise."""
    return [STEP_MS * np.exp(MODELS[model](random)) for _ in range(PROCESSES)]


def _autoregressive(random: Generator, spread: float, coefficient: float) -> NDArray[np.float64]:
    """A stationary AR(1) series of that standard deviation."""
    values = random.normal(0, spread, STEPS)
    change = np.sqrt(1 - coefficient**2)
    for step in range(1, STEPS):
        values[step] = coefficient * values[step - 1] + change * values[step]
    return values


def whole(series: Series, share: float) -> Series:
    """Every step is slower by that share."""
    return [process * (1 + share) for process in series]


def one_process(series: Series, share: float) -> Series:
    """Every step of the first process is slower by that share."""
    return [series[0] * (1 + share), *series[1:]]


def tail(series: Series, share: float) -> Series:
    """The slowest fifth of the steps of each process is slower by that share."""
    return [np.where(p >= np.quantile(p, 0.8), p * (1 + share), p) for p in series]


SLOWDOWNS: Final[dict[str, Callable[[Series, float], Series]]] = {
    "whole run": whole,
    "one process": one_process,
    "tail": tail,
}
