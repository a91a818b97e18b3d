"""Which ConfigMaps, Secrets and disks a pod names, from the JSON of its volumes and environment."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from aliquot.kube.reading.wire.pods import (
    WireDisk,
    WireEnv,
    WireEnvFrom,
    WireProjected,
    WireRef,
    WireSecretVolume,
)
from aliquot.kube.references import Disk, Reference

_env = msgspec.json.Decoder(list[WireEnv])
_env_from = msgspec.json.Decoder(list[WireEnvFrom])
_ref = msgspec.json.Decoder(WireRef)
_secret = msgspec.json.Decoder(WireSecretVolume)
_projected = msgspec.json.Decoder(WireProjected)
_disk = msgspec.json.Decoder(WireDisk)

NOTHING: Final[tuple[Reference, ...]] = ()
DISKS: Final = frozenset({"gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"})


def container_references(env: bytes, env_from: bytes) -> tuple[Reference, ...]:
    """Of a container's env and envFrom, each once. What can't be read names nothing: no decision reads it."""
    found: dict[Reference, None] = {}

    def note(kind: str, ref: WireRef | None) -> None:
        if ref is not None and ref.name:
            found[Reference(kind, ref.name, bool(ref.optional))] = None

    try:
        for entry in _env.decode(env) if env else ():
            if entry.value_from is not None:
                note("ConfigMap", entry.value_from.config_map_key_ref)
                note("Secret", entry.value_from.secret_key_ref)
        for source in _env_from.decode(env_from) if env_from else ():
            note("ConfigMap", source.config_map_ref)
            note("Secret", source.secret_ref)
    except msgspec.MsgspecError:
        return ()
    return tuple(found)


def _config_map(raw: bytes) -> tuple[Reference, ...]:
    wire = _ref.decode(raw)
    return (Reference("ConfigMap", wire.name, bool(wire.optional)),) if wire.name else ()


def _secret_volume(raw: bytes) -> tuple[Reference, ...]:
    wire = _secret.decode(raw)
    return (Reference("Secret", wire.secret_name, bool(wire.optional)),) if wire.secret_name else ()


def _projections(raw: bytes) -> tuple[Reference, ...]:
    found: list[Reference] = []
    for source in _projected.decode(raw).sources or ():
        for kind, ref in (("ConfigMap", source.config_map), ("Secret", source.secret)):
            if ref is not None and ref.name:
                found.append(Reference(kind, ref.name, bool(ref.optional)))
    return tuple(found)


READS: Final[Mapping[str, Callable[[bytes], tuple[Reference, ...]]]] = {
    "configMap": _config_map,
    "secret": _secret_volume,
    "projected": _projections,
}
"""Kind of volume -> what its source refers to."""


def disk(kind: str, raw: msgspec.Raw) -> Disk:
    """A disk named in the pod, by what tells it from others of its kind."""
    wire = _disk.decode(raw)
    identity: tuple[str, ...]
    match kind:
        case "gcePersistentDisk":
            identity = (wire.pd_name or "",)
        case "awsElasticBlockStore":
            identity = (wire.volume_id or "",)
        case "iscsi":
            identity = (wire.iqn or "",)
        case _:
            identity = (wire.pool or "rbd", wire.image or "")
    return Disk(kind, identity, frozenset(wire.monitors or ()), bool(wire.read_only))
