"""What a container is given for its devices, by each of the strategies that are switched on."""

from collections.abc import Sequence
from typing import Final

from aliquot.cdi.annotations import PREFIX, annotation_key, annotation_value
from aliquot.cdi.qualified_names import qualify
from aliquot.node.device_plugin.giving.base import Base, nodes_of
from aliquot.node.device_plugin.giving.requests import refusal
from aliquot.node.device_plugin.offering.resource import Resource, Unit
from aliquot.node.device_plugin.offering.settings import CDI, ListStrategy, Settings
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.sharing.setup.edits import edits_of
from aliquot.sharing.strategies import Strategy

VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"
VOLUMES: Final = "/var/run/nvidia-container-devices"
"""A folder whose entries' names are the devices; its path says to NVIDIA's runtime that mounts are used."""
_PLUGIN: Final = "aliquot"


def answer(
    resource: Resource, ids: Sequence[str], settings: Settings, base: Base
) -> pb.ContainerAllocateResponse | str:
    """What the container gets; or, for people, why it gets nothing."""
    refused = refusal(resource, ids)
    if refused is not None:
        return refused
    units = resource.units_of(ids)
    names = [unit.index if settings.by_index else unit.uuid for unit in units]
    given = pb.ContainerAllocateResponse(envs=dict.fromkeys(settings.extras, "enabled"))
    wrong = _cdi(given, resource, names, settings, base) if settings.lists & CDI else None
    if wrong is None and resource.way is Strategy.MPS:
        wrong = _mps(given, units, base)
    if wrong is None and settings.device_specs:
        wrong = _specs(given, units, settings, base)
    if wrong is not None:
        return f"{resource.name}: {wrong}"
    if ListStrategy.ENVVAR in settings.lists:
        given.envs[VISIBLE] = ",".join(names)
    if ListStrategy.VOLUME_MOUNTS in settings.lists:
        given.envs[VISIBLE] = VOLUMES
        given.mounts.extend(pb.Mount(container_path=f"{VOLUMES}/{name}", host_path="/dev/null") for name in names)
    return given


def _cdi(
    given: pb.ContainerAllocateResponse, resource: Resource, names: Sequence[str], settings: Settings, base: Base
) -> str | None:
    lacking = [name for name in names if base.cdi_names is not None and name not in base.cdi_names]
    if lacking:
        return f"the CDI spec of {settings.cdi_kind} has no {', '.join(lacking)} (yet)"
    qualified = [qualify(settings.cdi_kind, name) for name in names]
    if ListStrategy.CDI_ANNOTATIONS in settings.lists:
        key = _key(resource.name).removeprefix(PREFIX)
        given.annotations[f"{settings.annotation_prefix}{key}"] = annotation_value(qualified)
    if ListStrategy.CDI_CRI in settings.lists:
        given.cdi_devices.extend(pb.CDIDevice(name=name) for name in qualified)
    return None


def _key(resource: str) -> str:
    """One for each resource: of two answers with one key, the kubelet keeps the first."""
    return annotation_key(_PLUGIN, resource.rpartition("/")[2])


def _mps(given: pb.ContainerAllocateResponse, units: Sequence[Unit], base: Base) -> str | None:
    (unit,) = units
    daemon = base.daemons.get(unit.gpu)
    if daemon is None:
        return f"the MPS daemon of {unit.where} doesn't run"
    edits = edits_of(daemon)
    given.envs.update(dict(pair.split("=", 1) for pair in edits.env))
    given.mounts.extend(
        pb.Mount(container_path=mount.container_path, host_path=mount.host_path, read_only="ro" in mount.options)
        for mount in edits.mounts
    )
    return None


def _specs(given: pb.ContainerAllocateResponse, units: Sequence[Unit], settings: Settings, base: Base) -> str | None:
    nodes = nodes_of(tuple(units), base.files, settings.dev_root)
    if isinstance(nodes, str):
        return nodes
    given.devices.extend(
        pb.DeviceSpec(container_path=node.path, host_path=node.host_path, permissions="rw") for node in nodes
    )
    return None
