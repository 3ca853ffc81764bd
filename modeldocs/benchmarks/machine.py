"""Facts of the machine that need no framework. What cannot be found out is None.

Neither the host's name nor its user is looked at.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
from pathlib import Path

import msgspec

from modeldocs.benchmarks.sections import Clocks, Device, Host

_NVML = ("libnvidia-ml.so.1", "libnvidia-ml.so", "nvml.dll")


def host() -> Host:
    """Processor, cores and operating system."""
    text = _read("/proc/cpuinfo")
    return Host(
        cpu=_cpu_name(text),
        physical_cores=_physical_cores(text),
        logical_cores=_usable_cores(),
        os=_system(),
    )


def cpu() -> Device:
    """The processor as the device of a CPU run."""
    return Device(name=host().cpu or "CPU of unknown model", kind="cpu", count=1)


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _cpu_name(text: str) -> str | None:
    found = re.search(r"^(?:model name|Hardware|Model)\s*:\s*(\S.*)$", text, re.M)
    name = found.group(1) if found else platform.processor()
    return " ".join(name.split()) or None


def _physical_cores(text: str) -> int | None:
    """Cores counted once each by their (socket, core) pair."""
    pairs = re.findall(r"^physical id\s*:\s*(\d+)$.*?^core id\s*:\s*(\d+)$", text, re.M | re.S)
    return len(set(pairs)) or None


def _usable_cores() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _system() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return f"{platform.system()} {platform.mac_ver()[0]}".strip() or None


def peak_rss_bytes() -> int | None:
    """Most memory this process has held.

    Linux tells it of the address space; `ru_maxrss` would count what the parent held before
    `exec` as well, so it is asked only elsewhere.
    """
    found = re.search(r"^VmHWM:\s*(\d+) kB$", _read("/proc/self/status"), re.M)
    if found:
        return int(found.group(1)) * 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def with_driver_facts(device: Device, uuid: str) -> Device:
    """A CUDA device with what its driver tells, its clocks and temperature as of now."""
    width, generation = _smi(uuid, "pcie.link.width.current"), _smi(uuid, "pcie.link.gen.current")
    return msgspec.structs.replace(
        device,
        driver=_smi(uuid, "driver_version"),
        power_limit_w=_number(_smi(uuid, "power.limit")),
        clocks_before=_clocks(uuid),
        temperature_before_c=_number(_smi(uuid, "temperature.gpu")),
        link=f"PCIe {generation}.0 x{width}" if width and generation else None,
    )


def with_state_after(device: Device, uuid: str) -> Device:
    """The device with its clocks, temperature and throttle reasons as of now."""
    reasons = _smi(uuid, "clocks_event_reasons.active")
    return msgspec.structs.replace(
        device,
        clocks_after=_clocks(uuid),
        temperature_after_c=_number(_smi(uuid, "temperature.gpu")),
        throttle_reasons=reasons or _smi(uuid, "clocks_throttle_reasons.active"),
    )


def _clocks(uuid: str) -> Clocks:
    return Clocks(
        core_mhz=_number(_smi(uuid, "clocks.sm")), memory_mhz=_number(_smi(uuid, "clocks.mem"))
    )


def _smi(uuid: str, field: str) -> str | None:
    """One field at a time, since a driver that lacks one refuses them all."""
    command = ["nvidia-smi", "-i", uuid, f"--query-gpu={field}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    said = done.stdout.strip()
    return None if not said or said.startswith("[") or said == "N/A" else said


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def energy_mj(uuid: str) -> int | None:
    """The device's energy counter in millijoules, since its driver was loaded."""
    library = _nvml()
    if library is None:
        return None
    handle, counter = ctypes.c_void_p(), ctypes.c_ulonglong()
    if library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle)):
        return None
    if library.nvmlDeviceGetTotalEnergyConsumption(handle, ctypes.byref(counter)):
        return None
    return counter.value


def _nvml() -> ctypes.CDLL | None:
    for name in _NVML:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None
