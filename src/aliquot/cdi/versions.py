"""The specification's versions, and which one a spec needs at least.

Source: the CDI specification 1.1.0 and its released versions; a spec is valid when the version that it declares stands
at or after the version that it needs in VERSIONS (no arithmetic on the numbers).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aliquot.cdi.spec import ContainerEdits, Spec

VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0")
OLDEST = "0.3.0"
"""The first version that was tagged. The two before it are known by name but accepted nowhere."""
NEWEST = VERSIONS[-1]

LAST_WITH_CMT = "1.0.0"
"""The last version whose `intelRdt` has enableCMT and enableMBM."""


@dataclass(frozen=True, slots=True)
class VersionNeed:
    """A reason why a spec needs a version: the field that brought it, and where it stands."""

    version: str
    path: str
    feature: str


def normal(version: str) -> str | None:
    """The version without its one optional leading `v`; None if it isn't a known one."""
    bare = version.removeprefix("v")
    return bare if bare in VERSIONS else None


def rank(version: str) -> int:
    """The place of a known version in the order of release.

    Raises:
        ValueError: the version isn't a known one.
    """
    return VERSIONS.index(version.removeprefix("v"))


def minimum_version(spec: Spec) -> str:
    """The oldest version that has every field that the spec uses."""
    return max((need.version for need in needs(spec)), key=rank, default=OLDEST)


def needs(spec: Spec) -> tuple[VersionNeed, ...]:
    """Every use of a field that isn't in the oldest version, in the order of the document."""
    return tuple(_needs(spec))


def _needs(spec: Spec) -> Iterator[VersionNeed]:
    if "." in spec.class_:
        yield VersionNeed("0.6.0", "kind", "a dot in the class")
    if spec.annotations:
        yield VersionNeed("0.6.0", "annotations", "annotations")
    yield from edits_needs(spec.edits, "containerEdits")
    for i, device in enumerate(spec.devices):
        at = f"devices[{i}]"
        if device.name[:1].isdigit() and device.name[0].isascii():
            yield VersionNeed("0.5.0", f"{at}.name", "a device name that starts with a digit")
        if device.annotations:
            yield VersionNeed("0.6.0", f"{at}.annotations", "annotations")
        yield from edits_needs(device.edits, f"{at}.containerEdits")


def edits_needs(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    """The needs of one block of edits that stands at the path `at`."""
    for rule in _RULES:
        yield from rule(edits, at)


def _host_paths(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    for i, node in enumerate(edits.device_nodes):
        if node.host_path:
            yield VersionNeed("0.5.0", f"{at}.deviceNodes[{i}].hostPath", "hostPath of a device node")


def _net_devices(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    if edits.net_devices:
        yield VersionNeed("1.1.0", f"{at}.netDevices", "netDevices")


def _mount_types(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    for i, mount in enumerate(edits.mounts):
        if mount.type:
            yield VersionNeed("0.4.0", f"{at}.mounts[{i}].type", "type of a mount")


def _intel_rdt(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    rdt = edits.intel_rdt
    if rdt is None:
        return
    yield VersionNeed("0.7.0", f"{at}.intelRdt", "intelRdt")
    if rdt.schemata is not None:  # the empty list counts
        yield VersionNeed("1.1.0", f"{at}.intelRdt.schemata", "schemata of intelRdt")
    if rdt.enable_monitoring:
        yield VersionNeed("1.1.0", f"{at}.intelRdt.enableMonitoring", "enableMonitoring of intelRdt")


def _gids(edits: ContainerEdits, at: str) -> Iterator[VersionNeed]:
    if edits.additional_gids:  # also [0]
        yield VersionNeed("0.7.0", f"{at}.additionalGids", "additionalGids")


_RULES: tuple[Callable[[ContainerEdits, str], Iterator[VersionNeed]], ...] = (
    _host_paths,
    _net_devices,
    _mount_types,
    _intel_rdt,
    _gids,
)
