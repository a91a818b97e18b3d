"""Ways past devices that are broken: repaired, would they do? The repair itself is a person's."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor.case import Case, Spot, device_requests
from aliquot.advisor.causes.device_clauses import rules_with
from aliquot.advisor.causes.plugins import darkened, gives_none
from aliquot.advisor.causes.usable import PRESSURES, pressure
from aliquot.advisor.remedies.taints import with_taints
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.allocation.answer import Tainted
from aliquot.dra.device import DeviceTaint, Slice
from aliquot.snapshot.snapshot import Snapshot

NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints of nodes whose kubelet is ill or doesn't answer."""


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """A node that isn't ready, counted devices above allocatable, and devices that their driver tainted."""
    yield from _not_ready(spot)
    yield from _pressed(spot)
    yield from _counted(case, spot)
    yield from _tainted(case, spot)


def _not_ready(spot: Spot) -> Iterator[Candidate]:
    node = spot.node
    if node.ready is not False and not any(taint.key in NOT_READY for taint in node.taints):
        return
    sound = replace(with_taints(node, tuple(taint for taint in node.taints if taint.key not in NOT_READY)), ready=True)
    yield Candidate(
        kind="repair",
        target=f"node/{node.name}",
        title=f"Repair {node.name}: it isn't ready, and has what the pod asks for",
        changes=(
            Change(
                f"node {node.name}",
                f"kubectl describe node {shlex.quote(node.name)}"
                "  # its conditions and events say why: the kubelet stopped, the network, a full disk? The taint"
                " goes when it's ready",
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.with_node(sound), trial.pod),
        risk=Risk("low", "what still runs there may have to restart"),
        rank=13,
        node=node.name,
        cures="TaintToleration",
    )


def _pressed(spot: Spot) -> Iterator[Candidate]:
    """A ready node that is short of what every pod needs: its taint goes by itself when that's mended."""
    node = spot.node
    if node.ready is False or not any(taint.key in PRESSURES for taint in node.taints):
        return
    sound = with_taints(node, tuple(taint for taint in node.taints if taint.key not in PRESSURES))
    yield Candidate(
        kind="repair",
        target=f"node/{node.name}",
        title=f"Repair {node.name}: it's {pressure((node,))}, and has what the pod asks for",
        changes=(
            Change(
                f"node {node.name}",
                f"kubectl describe node {shlex.quote(node.name)}"
                "  # its conditions and events say what is short: take unused images and logs off a full disk, stop"
                " what uses the memory. The taint goes when there's enough",
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.with_node(sound), trial.pod),
        risk=Risk("low", "what runs there may be evicted by its kubelet before that's done"),
        rank=13,
        node=node.name,
        cures="TaintToleration",
    )


def _counted(case: Case, spot: Spot) -> Iterator[Candidate]:
    node = spot.node
    for name in device_requests(case.pod):
        sick = node.capacity.get(name, 0) - node.allocatable.get(name, 0)
        if sick <= 0 or any(node.name in darkened(case.snapshot, one) for one in case.blockers):
            continue
        none = gives_none(node, name)
        why = (
            "none is allocatable: its device plugin stopped, or all are unhealthy"
            if none
            else (f"{sick} of its {node.capacity[name]} {name} are unhealthy (not allocatable)")
        )
        whole = replace(node, allocatable={**node.allocatable, name: node.capacity[name]})
        yield Candidate(
            kind="repair",
            target=f"node/{node.name}",
            title=f"Repair {node.name}: {f'of its {node.capacity[name]} {name} ' if none else ''}{why}",
            changes=(
                Change(
                    f"node {node.name}",
                    f"kubectl describe node {shlex.quote(node.name)}"
                    "  # then look at the device plugin's log and the kernel's on that node: a stopped plugin, an Xid,"
                    " ECC errors? Restart it, or reset or replace the device",
                ),
            ),
            apply=lambda trial, whole=whole: Trial(trial.snapshot.with_node(whole), trial.pod),  # type: ignore[misc]
            risk=Risk("low", "other pods of the node may have to leave for the repair"),
            rank=14,
            node=node.name,
            cures=name,
        )


def _tainted(case: Case, spot: Spot) -> Iterator[Candidate]:
    story = case.stories.get(spot.node.name)
    taints: dict[DeviceTaint, list[str]] = {}
    for request in story.requests if story is not None else ():
        for device in request.devices:
            for why in device.reasons:
                if isinstance(why, Tainted) and not rules_with(case.snapshot, why.taint):
                    names = taints.setdefault(replace(why.taint, time_added=None), [])
                    if device.device.device not in names:
                        names.append(device.device.device)
    for taint, names in taints.items():
        text = f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"

        def apply(trial: Trial, taint: DeviceTaint = taint) -> Trial:
            return Trial(_healed(trial.snapshot, spot.node.name, taint), trial.pod)

        yield Candidate(
            kind="repair",
            target=f"ResourceSlice of {spot.node.name}",
            title=f"Repair {', '.join(names)} of {spot.node.name}: its driver taints it {text} until it's well",
            changes=(
                Change(
                    f"device {', '.join(names)} of node {spot.node.name}",
                    f"# look at the driver's log and the kernel's on {spot.node.name} (Xid, ECC), reset or replace"
                    f" {', '.join(names)}; the driver then takes the taint away",
                ),
            ),
            apply=apply,
            risk=Risk("low", "what runs on the device has to leave for the repair"),
            rank=14,
            node=spot.node.name,
            cures="DynamicResources",
        )


def _healed(snapshot: Snapshot, node: str, taint: DeviceTaint) -> Snapshot:
    """Without that taint on the node's devices."""
    for one in list(snapshot.slices.values()):
        if one.node_name == node:
            devices = tuple(
                replace(device, taints=tuple(t for t in device.taints if replace(t, time_added=None) != taint))
                for device in one.devices
            )
            mended: Slice = replace(one, devices=devices)
            if mended != one:
                snapshot = snapshot.with_object(mended)
    return snapshot
