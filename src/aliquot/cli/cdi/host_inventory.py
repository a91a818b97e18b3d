"""`aliquot cdi generate --host`: what this host has, by its files and by its driver."""

from dataclasses import replace
from pathlib import Path

from aliquot.cdi.generate.inventory import Inventory, under
from aliquot.cdi.host.discover import discover
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cli.host_input import host_of
from aliquot.devices.hosts.nvml.host import NvmlHost
from aliquot.sharing.inventory import inventory_of

SYSFS = "sysfs:"
_ML = "libnvidia-ml.so."


def inventory_from(host: str, driver_root: str, dev_root: str, *, ask: bool = True) -> Inventory | None:
    """The inventory of a host; None after saying why there's no such host.

    Args:
        host: as of `--host`; empty: this machine, by files alone where its driver can't be asked.
        driver_root: where the driver's files are.
        dev_root: where /dev is, if not there.
        ask: whether GPUs matter; where they don't, no driver is asked.

    Raises:
        SpecError: the driver that was to be asked doesn't answer.
    """
    if host.startswith(SYSFS):
        root = host.removeprefix(SYSFS) or "/"
        # a machine may have no PCI bus, as WSL2 has none; a folder that has nothing of a root is no host
        if not any((Path(root) / each).is_dir() for each in ("dev", "proc", "sys")) and host_of(host) is None:
            return None
        return discover(driver_root, dev_root, root)
    files = discover(driver_root, dev_root)
    if not ask or (not host and files.driver is None):
        return files
    asked = NvmlHost(library=_library(files)) if host in {"", "nvml"} else host_of(host)
    if asked is None:
        return None
    try:
        survey = asked.survey()
    finally:
        asked.release()
    if survey.driver is not None or survey.gpus:
        return inventory_of(files, survey)
    if host:
        raise SpecError(Problem("host", str(trouble), "host", trouble.hint) for trouble in survey.troubles)
    words = "; ".join(str(trouble) for trouble in survey.troubles)
    return replace(files, notes=(*files.notes, f"GPUs are as files tell, since the driver can't be asked: {words}"))


def _library(files: Inventory) -> Path | None:
    """The driver's own library below another root; None: the one that this machine's loader finds."""
    if files.driver is None or files.driver_root == "/":
        return None
    paths = (library.path for library in files.driver.libraries if library.name.startswith(_ML))
    return next((Path(under(files.driver_root, path)) for path in paths), None)
