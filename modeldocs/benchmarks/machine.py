"""Facts of the machine that need no framework; those that are unknown are None.

The names of the host and of its users are never read.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
from pathlib import Path

import msgspec

from modeldocs.benchmarks.metadata import Clocks, Device, Host

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
    match = re.search(r"^(?:model name|Hardware|Model)\s*:\s*(\S.*)$", text, re.M)
    name = match.group(1) if match else platform.processor()
    return " ".join(name.split()) or None


def _physical_cores(text: str) -> int | None:
    """Number of different pairs of socket and core in /proc/cpuinfo."""
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
    """Peak memory of this process in bytes.

    On Linux it is read from /proc, since `ru_maxrss` would include the parent's memory before
    `exec`.
    """
    match = re.search(r"^VmHWM:\s*(\d+) kB$", _read("/proc/self/status"), re.M)
    if match:
        return int(match.group(1)) * 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def gpu_name(number: str) -> str | None:
    """The name of a device of the driver; None where it cannot be read."""
    return _smi(number, "name")


def with_driver_facts(device: Device, uuid: str) -> Device:
    """A CUDA device with the facts of its driver and its present clocks and temperature."""
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
    """The device with its present clocks, temperature and throttle reasons."""
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
    """One field of nvidia-smi; a query of several fails if the driver lacks one of them."""
    command = ["nvidia-smi", "-i", uuid, f"--query-gpu={field}", "--format=csv,noheader,nounits"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    value = process.stdout.strip()
    return None if not value or value.startswith("[") or value == "N/A" else value


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def energy_mj(uuid: str) -> int | None:
    """The device's energy counter in millijoules, which starts when the driver is loaded."""
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
