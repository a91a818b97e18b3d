"""The fake libnvidia-ml.so.1: compiled once for all tests, and its state made from a host file."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from aliquot.devices.catalogue import GpuModel
from aliquot.devices.gpu import Recovery
from aliquot.devices.hosts.nvml.host import NvmlHost
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.look import MIB, brand_of, first_state, model_of, pci_of
from aliquot.devices.hosts.simulated.shape import HostFile
from aliquot.devices.mig import Geometry, Profile, geometry_of, memory_of

TRAPS = """
name: traps
gpus:
  - {model: A100-40GB, mig: true, minor: 5, pci: "0000:07:00.0"}
  - {model: H100-SXM-80GB, minor: 2, pci: "0001:0f:00.0", links: 6, ecc: true}
  - {model: A100-80GB, minor: 0, pci: "0000:47:00.0"}
"""
SOURCES = Path(__file__).parent / "fake_nvml"
ARCHITECTURES = {"Volta": 5, "Turing": 6, "Ampere": 7, "Ada": 8, "Hopper": 9, "Blackwell": 10}
BRANDS = {"NvidiaRTX": 13, "Nvidia": 14, "GeForceRTX": 15}
MODES = {"default": 0, "prohibited": 2, "exclusive-process": 3}
KINDS = {"compute": 0, "graphics": 1, "mps": 2}
ENUMS = {"1g": 0, "2g": 1, "3g": 2, "4g": 3, "7g": 4, "1g+me": 7, "2g+me": 8, "1g2": 9, "1g+gfx": 10, "2g+gfx": 11,
         "4g+gfx": 12, "1g-me": 13, "2g-me": 14, "1g+me.all": 15, "2g+me.all": 16}  # fmt: skip
NONE_32 = 2**32 - 1
NONE_64 = 2**64 - 1


@lru_cache(maxsize=8)
def library(missing: tuple[str, ...] = ()) -> Path:
    """The fake, built by the C compiler; without some symbols, as an old driver is."""
    folder = Path(tempfile.mkdtemp(prefix="fake-nvml-"))
    script = folder / "symbols"
    hidden = f"local: {' '.join(f'{name};' for name in missing)}" if missing else ""
    script.write_text(f"{{ global: *; {hidden} }};", encoding="ascii")
    target = folder / "libnvidia-ml.so.1"
    sources = [str(path) for path in sorted(SOURCES.glob("*.c"))]
    subprocess.run(
        ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-format-truncation", "-shared", "-fPIC",
         "-Wl,-soname,libnvidia-ml.so.1", f"-Wl,--version-script={script}", "-o", str(target), *sources, "-lpthread"],
        check=True,
    )  # fmt: skip
    return target


class Fake:
    """A machine with the fake library: its state file, and hosts on it."""

    def __init__(self, folder: Path, text: str, *, missing: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir(exist_ok=True)
        self.file = read_host(text, "fake")
        self.library = library(missing)
        self.state = folder / "state"
        self.write(state_of(self.file))
        self.hosts: list[NvmlHost] = []

    def host(self, *, limit_s: float = 20, environment: Mapping[str, str] | None = None) -> NvmlHost:
        """A host on this machine."""
        environment = {**os.environ, "FAKE_NVML_STATE": str(self.state), **(environment or {})}
        host = NvmlHost(library=self.library, root=self.root, limit_s=limit_s, environment=environment)
        self.hosts.append(host)
        return host

    def smi(self) -> None:
        """Put a fake nvidia-smi below the driver's root."""
        program = self.root / "usr/bin/nvidia-smi"
        program.parent.mkdir(parents=True, exist_ok=True)
        script = Path(__file__).with_name("fake_smi.py")
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n', encoding="ascii")
        program.chmod(0o755)

    def close(self) -> None:
        for host in self.hosts:
            host.release()

    def read(self) -> dict[str, str]:
        lines = self.state.read_text(encoding="ascii").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def write(self, state: Mapping[str, object]) -> None:
        draft = self.state.with_name("state.draft")
        draft.write_text("".join(f"{key} {value}\n" for key, value in state.items()), encoding="ascii")
        draft.replace(self.state)

    def set(self, **values: object) -> None:
        """Change the state: `_` before a GPU's key is a dot (`g0_lost=1` is `g0.lost`)."""
        self.put({key.replace("__", "."): value for key, value in values.items()})

    def put(self, values: Mapping[str, object]) -> None:
        self.write({**self.read(), **values})

    def drop(self, prefix: str) -> None:
        self.write({key: value for key, value in self.read().items() if not key.startswith(prefix)})


def old(folder: Path, *missing: str) -> Fake:
    """A machine whose driver lacks some functions."""
    return Fake(folder, TRAPS, missing=missing)


def state_of(host: HostFile) -> dict[str, object]:
    """The state of the fake that a host file describes."""
    major, minor = host.driver.cuda.split(".")
    state: dict[str, object] = {
        "driver": host.driver.version,
        "cuda": int(major) * 1000 + int(minor) * 10,
        "count": len(host.gpus),
        "privileged": int(host.privileged),
        "clients": len(host.clients),
        "fresh_uuids": int(host.mig_uuids == "fresh"),
    }
    for index, (gpu, now) in enumerate(zip(host.gpus, first_state(host).gpus.values(), strict=True)):
        model = model_of(gpu)
        mine: dict[str, object] = {
            "uuid": now.uuid,
            "name": gpu.name or model.products[0],
            "minor": index if gpu.minor is None else gpu.minor,
            "pci": "0000" + pci_of(host, index).upper(),
            "pciid": _pci_number(model),
            "brand": BRANDS[brand_of(gpu.name or model.products[0])],
            "arch": ARCHITECTURES[model.architecture],
            "cc": model.compute_capability,
            "memory": (gpu.memory_mi_b or model.memory_mib or 0) * MIB,
            "used": (gpu.used_mi_b or 0) * MIB + sum(process.memory or 0 for process in now.processes),
            "persistence": int(gpu.persistence),
            "compute_mode": MODES[gpu.compute_mode],
            "temperature": gpu.temperature_c,
            "power": gpu.power_w * 1000,
            "nvlinks": gpu.links,
            "throttle": 0,
            "field.230": list(Recovery).index(now.recovery),
        }
        if model.tdp_w is not None:
            mine["power_limit"] = int(model.tdp_w * 1000)
        mine["utilisation"] = gpu.busy_percent
        if model.architecture in {"Hopper", "Blackwell"}:
            mine |= {"gpm": 1, "metric.1": gpu.busy_percent, "metric.2": gpu.busy_percent}
            working = {process.gi for process in now.processes}
            for each in now.instances:
                busy = gpu.busy_percent if each.id in working else 0
                mine |= {f"metric.{each.id}.{number}": busy for number in (1, 2)}
        if gpu.ecc is not None:
            mine["ecc"] = int(gpu.ecc)
        geometry = geometry_of(model)
        if geometry is not None:
            mine |= {
                "mig": int(gpu.mig),
                "mig_pending": int(gpu.mig),
                "needs_reset": int(model.architecture == "Ampere"),
            }
            mine |= {"units": geometry.memory_units or 0, "compute": geometry.compute_units or 0}
            mine |= {f"prof.{ENUMS[profile.kind]}": _row(profile) for profile in _placed(geometry)}
        for instance in now.instances:
            kind = next(profile.kind for profile in geometry.profiles if profile.name == instance.profile)  # type: ignore[union-attr]
            mine[f"gi.{instance.id}"] = f"{ENUMS[kind]} {instance.start} {instance.size}"
            mine[f"ci.{instance.id}.0"] = {1: 0, 2: 1, 3: 2, 4: 3, 7: 4}[instance.compute[0].slices or 0]
            mine[f"ciuuid.{instance.id}.0"] = instance.compute[0].uuid
        for number, process in enumerate(now.processes):
            memory = NONE_64 if process.memory is None else process.memory
            gi, ci = (NONE_32 if each is None else each for each in (process.gi, process.ci))
            mine[f"proc.{number}"] = f"{KINDS[process.kind]} {process.pid} {memory} {gi} {ci}"
        if any(fault.lost and fault.gpu == index for fault in host.faults):
            mine["lost"] = 1
        state |= {f"g{index}.{key}": value for key, value in mine.items() if value is not None}
    return state


def _pci_number(model: GpuModel) -> str:
    vendor, device = model.pci_ids[0].split(":")
    return f"0x{device}{vendor}"


def _placed(geometry: Geometry) -> Iterable[Profile]:
    return [profile for profile in geometry.profiles if profile.starts]


def _row(profile: Profile) -> str:
    """id slices most sm ce dec enc jpeg ofa p2p mib size starts name."""
    starts = ",".join(map(str, profile.starts))
    engines = [profile.copy_engines, profile.decoders, profile.encoders, profile.jpegs, profile.ofas]
    numbers = [profile.profile_id, profile.compute_slices, profile.max_instances, profile.sm_count or 0]
    numbers += [engine or 0 for engine in (*engines, 0)]  # and whether peers reach it: not
    return f"{' '.join(map(str, numbers))} {memory_of(profile).mib} {profile.memory_slices} {starts} {profile.name}"
