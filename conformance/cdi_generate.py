"""The NVIDIA generator's cases: a host with one of two mock GPUs, and the options of a command line.

The driver root is looked at where it's on this machine. Where it isn't, ``cdi_host.json`` is what was found on the tree
that the shared material's ``tools/fake-driver-root.sh`` makes at /opt/nvroot.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aliquot.cdi.documents.write import to_json, to_yaml
from aliquot.cdi.generate.hook_calls import NVIDIA_HOOK, HookCalls, nvidia_tool
from aliquot.cdi.generate.inventory import Gpu, Inventory, MigDevice
from aliquot.cdi.generate.inventory_json import inventory_of
from aliquot.cdi.generate.spec import MODES, Options, generate
from aliquot.cdi.host.discover import discover
from aliquot.cdi.problems import Problem, SpecError

RECORDED = Path(__file__).with_name("cdi_host.json")
ADDRESSES = ("0000:07:00.0", "0000:0f:00.0", "0000:47:00.0", "0000:4e:00.0")


def generated(given: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one case: the spec's text, and how many warnings came with it.

    Raises:
        SpecError: nothing can be generated.
    """
    form, mode = given.get("format", "yaml"), given.get("mode", "nvml")
    mode = "nvml" if mode == "auto" else mode
    if form not in {"yaml", "json"} or mode not in MODES:
        raise SpecError([Problem("syntax", f"no format {form!r}, or no mode {mode!r}")])
    features = given.get("featureFlags", ())
    hooks = HookCalls(
        nvidia_tool(given.get("hookPath") or NVIDIA_HOOK),
        frozenset(given.get("disabledHooks", ())),
        frozenset(given.get("enabledHooks", ())),
        given.get("ldconfigPath", ""),
    )
    options = Options(
        mode=mode,
        vendor=given.get("vendor", ""),
        class_=given.get("class", ""),
        strategies=tuple(given.get("strategies", ("index", "uuid"))),
        devices=tuple(given.get("deviceIDs", ("all",))),
        all_device=not given.get("noAllDevice", False),
        hooks=hooks,
        additional_gids="no-additional-gids-for-device-nodes" not in features,
        sockets="disable-ipc-discoverer" not in features,
        explicit_libraries="enable-explicit-driver-libraries" in features,
    )
    made = generate(host(given), options)
    text = to_json(made.spec) if form == "json" else to_yaml(made.spec)
    return {"specs": [text], "warningCount": len(made.warnings)}


def host(given: Mapping[str, Any]) -> Inventory:
    """The machine that the case was answered on."""
    root = given.get("driverRoot", "/")
    recorded = inventory_of(json.loads(RECORDED.read_text(encoding="utf-8")))
    found = recorded
    if Path(root).is_dir():
        found = replace(discover(root, given.get("devRoot", "")), capabilities=recorded.capabilities, notes=())
    elif root != recorded.driver_root:
        found = Inventory(driver_root=root, dev_root=given.get("devRoot", root))
    return replace(found, gpus=gpus(given.get("gpus", 0), given.get("migOnGPU", ())))


def gpus(count: int, instances: tuple[int, ...] | list[int]) -> tuple[Gpu, ...]:
    """A100 GPUs, the first of them with so many MIG devices each."""
    made: list[Gpu] = []
    given = 0
    for index in range(count):
        size = instances[index] if index < len(instances) else 0
        mig = tuple(
            MigDevice(index=i, gpu_instance=i + 1, compute_instance=0, uuid=f"MIG-{_uuid(given + i)}")
            for i in range(size)
        )
        given += size
        nodes = (f"card{index}", f"renderD{128 + index}")
        address = ADDRESSES[index % len(ADDRESSES)]
        uuid = f"GPU-{_uuid(index)}"
        made.append(Gpu(index=index, minor=index, uuid=uuid, address=address, drm_nodes=nodes, mig=mig or None))
    return tuple(made)


def _uuid(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"
