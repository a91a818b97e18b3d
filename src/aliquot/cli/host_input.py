"""`--host`: which host a command looks at."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aliquot.cli.output import fail
from aliquot.devices.hosts.nvml.host import NvmlHost
from aliquot.devices.hosts.protocol import Host
from aliquot.devices.hosts.simulated.file import HostFileError, read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_names, preset_text
from aliquot.devices.hosts.sysfs import SysfsHost

HostOption = Annotated[str, Parameter(name="--host")]
HINT = "--host nvml, sim:FILE, preset:NAME or sysfs:DIR"


def host_of(text: str) -> Host | None:
    """The host of an option; None after saying everything that's wrong with it."""
    kind, colon, rest = text.partition(":")
    if text == "nvml":
        return NvmlHost()
    if kind == "preset" and colon:
        return _preset(rest)
    if kind == "sim" and rest:
        return _simulated(Path(rest), text)
    if kind == "sysfs" and colon:
        return _sysfs(Path(rest or "/"))
    fail(f"--host: {text!r} isn't known", HINT)
    return None


def _sysfs(root: Path) -> Host | None:
    devices = root / "sys/bus/pci/devices"
    try:
        empty = not any(devices.iterdir())
    except OSError:
        empty = False
    hint = "sysfs:DIR, where DIR holds sys/: / on this machine, else the root of a container or of a copy"
    if not root.is_dir():
        fail(f"--host: there is no folder {root}", hint)
    elif not devices.is_dir():
        fail(f"--host: there is no {devices}: what {root} has can't be found out", hint)
    elif empty:
        fail(f"--host: {devices} is empty: no PCI device can be seen there, so nothing is known of GPUs", hint)
    else:
        return SysfsHost(root)
    return None


def _preset(name: str) -> Host | None:
    text = preset_text(name)
    if text is None:
        fail(f"--host: there is no preset {name!r}", f"aliquot node presets: {', '.join(preset_names())}")
        return None
    return SimulatedHost(read_host(text, name), name=f"preset:{name}")


def _simulated(path: Path, name: str) -> Host | None:
    try:
        file = read_host(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        fail(f"--host: can't read {path}: {error.strerror}")
    except UnicodeDecodeError:
        fail(f"--host: {path} isn't UTF-8")
    except HostFileError as error:
        for fault in error.faults:
            fail(f"{path}: {fault.path}: {fault.message}" if fault.path else f"{path}: {fault.message}", fault.hint)
    else:
        host = SimulatedHost(file, name=name, state=path.with_name(f"{path.name}.state"))
        try:
            host.check()
        except ValueError as error:
            fail(str(error))
            return None
        return host
    return None
