"""Specs made of the recorded host, and what they hold: a kit for the tests of `cdi.generate`."""

import json
from dataclasses import replace
from typing import Any

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.generate.inventory_json import inventory_of
from aliquot.cdi.generate.spec import Generated, Mode, Options, generate
from aliquot.cdi.spec import Device
from conformance.cdi_generate import RECORDED, gpus


def host(count: int = 2, *mig: int, **changes: Any) -> Inventory:
    """The recorded host with so many GPUs and MIG devices on them."""
    recorded = inventory_of(json.loads(RECORDED.read_text()))
    return replace(recorded, gpus=gpus(count, mig), **changes)


def made(inventory: Inventory, mode: Mode = "nvml", **options: Any) -> Generated:
    return generate(inventory, Options(mode=mode, **options))


def names(result: Generated) -> list[str]:
    return [device.name for device in result.spec.devices]


def paths(device: Device | None) -> list[str]:
    assert device is not None
    return [node.path for node in device.edits.device_nodes]


def words(result: Generated) -> list[tuple[str, ...]]:
    return [hook.args for hook in result.spec.edits.hooks]
