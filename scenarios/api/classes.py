"""DeviceClasses."""

from typing import Final

from scenarios.api.selectors import attribute, selector
from scenarios.drivers import GPU, NIC, Json


def device_class(name: str, expression: str = "") -> Json:
    """A class; without an expression it takes every device."""
    return {"metadata": {"name": name}, "spec": {"selectors": [selector(expression)]} if expression else {}}


def of_driver(driver: str) -> str:
    """All devices of a driver."""
    return f"device.driver == '{driver}'"


CLASSES: Final = (
    device_class("gpu", f"{of_driver(GPU)} && {attribute('type')} == 'gpu'"),
    device_class("mig", f"{of_driver(GPU)} && {attribute('type')} == 'mig'"),
    device_class("nic", of_driver(NIC)),
    device_class("any"),
)
"""Whole GPUs, partitions, network cards, everything."""
