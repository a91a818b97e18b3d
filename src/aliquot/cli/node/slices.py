"""`aliquot node slices`: the ResourceSlices of this node, as they'd be published."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from cyclopts import Parameter

from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.node.look import looked_at
from aliquot.cli.output import fail, note, warn, write_json, write_yaml
from aliquot.cli.release import changed_gates
from aliquot.devices.hosts.protocol import Host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.dra.device import Slice
from aliquot.dra.slices.packing import pack
from aliquot.dra.slices.pool import Unfit
from aliquot.dra.write import slice_json
from aliquot.kube.release import NEWEST, Kubernetes, kubernetes_of
from aliquot.sharing.publish.options import NIC_DRIVER, Options
from aliquot.sharing.publish.pools import Published, published
from aliquot.sharing.publish.shares import Shares

LEFT_OUT, UNUSABLE = 1, 2
FIRST_WITH_V1 = 34
MOST_SHARES = 1024
"""More than any GPU can usefully have; a slip of the keyboard is caught."""
_MINOR = re.compile(r"v?1\.(\d+)")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")

Output = Annotated[Literal["yaml", "json", "text"], Parameter(name=["--output", "-o"])]


def slices(
    *,
    host: HostOption = "nvml",
    kubernetes: str = f"1.{NEWEST}",
    output: Output = "yaml",
    node: str | None = None,
    mig: Literal["dynamic", "static"] = "dynamic",
    consumable_shares: str | None = None,
    nic_driver: str = NIC_DRIVER,
    feature_gates: str | None = None,
) -> int:
    """The ResourceSlices of this node, as they'd be published.

    Args:
        host: nvml (this machine), sim:FILE, preset:NAME, or sysfs:DIR.
        kubernetes: The API server's release: its limits, and what it drops while a feature gate is off.
        output: yaml, json, or text for an overview.
        node: The node's name in Kubernetes; without it, the host's own.
        mig: dynamic offers every place where a claim may have a MIG instance made, static only the instances there are.
        consumable_shares: How many claims may hold a GPU or a standing MIG device at once: a number, memory, unlimited.
        nic_driver: The driver name of network cards.
        feature_gates: Gates of the API server that aren't as its release has them: A=true,B=false.
    """
    try:
        release, shares = _release(kubernetes, feature_gates or ""), _shares(consumable_shares or "")
    except ValueError as error:
        fail(*map(str, error.args))
        return UNUSABLE
    found = host_of(host)
    if found is None:
        return UNUSABLE
    name = node or _name_of(found)
    if not _named(name, 253, "--node", "a node") or not _named(nic_driver, 63, "--nic-driver", "a driver"):
        return UNUSABLE
    try:
        survey, geometries = looked_at(found)
    finally:
        found.release()
    options = Options(node=name, kubernetes=release, mig=mig, shares=shares, nic_driver=nic_driver)
    offered = published(survey, geometries, options)
    for trouble in survey.troubles:
        warn(f"{trouble} ({trouble.hint})" if trouble.hint else trouble)
    for left in offered.left_out:
        warn(left)
    for each in offered.notes:
        note(each)
    cut = _cut(offered, release)
    if cut is None:
        return UNUSABLE
    _print(cut, output)
    return LEFT_OUT if offered.left_out or survey.troubles else 0


def _release(text: str, gates: str) -> Kubernetes:
    """The release that was asked for.

    Raises:
        ValueError: with what to tell, if it isn't one that publishes slices as resource.k8s.io/v1.
    """
    found = _MINOR.match(text.strip())
    if found is not None and not FIRST_WITH_V1 <= int(found[1]) <= NEWEST:
        raise ValueError(f"--kubernetes: 1.{found[1]} isn't supported here", f"1.{FIRST_WITH_V1} to 1.{NEWEST}")
    release = kubernetes_of(text)
    return release.changed(changed_gates(gates, release))


def _shares(text: str) -> Shares | None:
    """How GPUs are shared.

    Raises:
        ValueError: with what to tell.
    """
    if text in {"memory", "unlimited"}:
        return "memory" if text == "memory" else "unlimited"
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SHARES:
        raise ValueError(f"--consumable-shares: {text!r} isn't known", f"1 to {MOST_SHARES}, memory or unlimited")
    return int(text)


def _name_of(host: Host) -> str:
    """As the kubelet would call the node: a simulated one by its file, else by this machine's name."""
    given = host.file.name if isinstance(host, SimulatedHost) else os.uname().nodename
    return (given or "node").lower()


def _named(text: str, most: int, option: str, what: str) -> bool:
    """Whether it's a DNS subdomain, as names of nodes and of drivers are; says so where it isn't."""
    good = len(text) <= most and _SUBDOMAIN.fullmatch(text) is not None
    if not good:
        fail(f"{option}: {text!r} is no name of {what}", f"at most {most} lower-case letters, digits, dots and hyphens")
    return good


def _cut(offered: Published, release: Kubernetes) -> tuple[Slice, ...] | None:
    """All pools as slices; None after saying what the API server would have against them."""
    found: list[Slice] = []
    for pool in offered.pools:
        packed = pack(pool, release)
        if isinstance(packed, Unfit):
            for reason in packed.reasons:
                fail(f"{pool.driver}: {reason}")
            return None
        found += packed.slices
    return tuple(found)


def _print(cut: Sequence[Slice], output: str) -> None:
    if output == "text":
        for line in _lines(cut):
            print(line)
    elif output == "json":
        write_json({"apiVersion": "v1", "kind": "List", "items": [slice_json(one) for one in cut]})
    else:
        for number, one in enumerate(cut):
            sys.stdout.write("---\n" if number else "")
            write_yaml(slice_json(one))


def _lines(cut: Sequence[Slice]) -> Iterator[str]:
    for driver in dict.fromkeys(one.driver for one in cut):
        mine = [one for one in cut if one.driver == driver]
        slices_ = "1 slice" if len(mine) == 1 else f"{len(mine)} slices"
        yield f"{driver}, pool {mine[0].pool}, generation {mine[0].generation}: {slices_}"
        width = max(len(one.meta.name) for one in mine)
        for one in mine:
            yield f"  {one.meta.name.ljust(width)}  {'; '.join(_parts(one))}"


def _parts(one: Slice) -> Iterator[str]:
    sets = len(one.shared_counters)
    parts = [device for device in one.devices if "-mig-" in device.name]
    others = [device.name for device in one.devices if "-mig-" not in device.name]
    if sets:
        yield f"{sets} counter set{'s' if sets > 1 else ''}"
    if others:
        yield ", ".join(others) if len(others) <= 8 else f"{', '.join(others[:8])} and {len(others) - 8} more"
    for words, there in (("MIG device", True), ("MIG place", False)):
        some = [each.name for each in parts if ("uuid" in each.attributes) is there]
        if some:
            yield f"1 {words} ({some[0]})" if len(some) == 1 else f"{len(some)} {words}s ({some[0]} …)"
    if not one.devices and not sets:
        yield "no devices"
    tainted = sum(bool(device.taints) for device in one.devices)
    if tainted:
        yield f"{tainted} tainted"
