"""A node that would do, as it's offered: its title, the command, what it costs."""

import shlex
from collections import Counter
from collections.abc import Sequence

from aliquot.advisor.amounts import about
from aliquot.advisor.causes.cause import number
from aliquot.advisor.remedies.new_node.groups import GROUP_LABELS, LARGEST
from aliquot.advisor.remedies.new_node.templates import PER_NODE, TYPE, Template, joined
from aliquot.advisor.wayout import After, Candidate, Change, Cost, Risk, Trial
from aliquot.dra.device import Device
from aliquot.pricing.instances import default_prices


def offer(template: Template, name: str, times: int = 1) -> Candidate:
    """The candidate; `name`: the new node's."""
    node = template.node
    kind = node.meta.labels.get(TYPE, "")
    manifest = {
        "labels": {key: value for key, value in sorted(node.meta.labels.items()) if key not in PER_NODE},
        "taints": [str(taint) for taint in node.taints],
        "allocatable": {name: about(name, amount) for name, amount in sorted(node.allocatable.items())},
        "devices": [f"{one.driver}/{device.name}" for one in template.slices for device in one.devices],
    }

    def apply(trial: Trial) -> Trial:
        for _ in range(times):
            trial = joined(trial, template)[0]
        return trial

    return Candidate(
        kind="add-node",
        target="node",
        title=_title(template, kind, times),
        changes=(Change("node (new)", _command(template, kind, times), manifest, _undo(template)),),
        apply=apply,
        risk=Risk(
            "medium",
            f"the device plugins that are there offer {template.renamed} instead: the new node's must be set otherwise",
        )
        if template.renamed
        else Risk("low", "none for what runs; the node must come up with its driver before the pod starts"),
        rank=42 if template.note else 40,
        cost=cost_of(kind, times),
        tried=After(name),
        several=lambda count: offer(template, name, count),
    )


def _title(template: Template, kind: str, times: int) -> str:
    devices = ", ".join((*counted(template), *published(template)))
    note = f", {template.note}" if template.like and template.note else ""
    if template.given:
        lead = f"Scale up node group {template.like}{f' by {times} nodes' if times > 1 else ''}{note}"
    elif template.like:
        lead = f"Add {f'{times} nodes' if times > 1 else 'a node'} like {template.like}{note}"
    else:
        some = f"{times} {kind} nodes" if times > 1 else f"a {kind} node"
        lead = f"Add {some} ({template.note})"
    return f"{lead}: {devices}{' each' if times > 1 else ''}" if devices else lead


def counted(template: Template) -> list[str]:
    """What device plugins give there."""
    return [f"{amount} {name}" for name, amount in sorted(template.node.allocatable.items()) if "/" in name and amount]


def published(template: Template) -> list[str]:
    """What drivers publish there, in devices that one can touch: `8 GPUs of gpu.nvidia.com, whole or in MIG slices`."""
    drivers: dict[str, list[Device]] = {}
    for one in template.slices:
        drivers.setdefault(one.driver, []).extend(one.devices)
    return [_words(devices, driver) for driver, devices in drivers.items() if devices]


def _words(devices: Sequence[Device], driver: str) -> str:
    kinds = Counter(str(device.attributes["type"].value) if "type" in device.attributes else "" for device in devices)
    if not kinds.keys() <= {"gpu", "mig"}:
        return f"{number(len(devices), 'device')} of {driver}"
    chips = {use.counter_set for device in devices for use in device.consumes}  # each is one GPU's
    if kinds["mig"] and chips:
        return f"{number(max(kinds['gpu'], len(chips)), 'GPU')} of {driver}, whole or in MIG instances"
    both = (number(kinds[kind], words) for kind, words in (("gpu", "GPU"), ("mig", "MIG instance")) if kinds[kind])
    return f"{' and '.join(both)} of {driver}"


def _command(template: Template, kind: str, times: int) -> str:
    node = template.node
    if template.given:
        return f"# scale node group {template.like} up by {number(times, 'node')}"
    for label, command in {**GROUP_LABELS, **(LARGEST if template.full else {})}.items():
        if name := node.meta.labels.get(label):
            return command.format(name=shlex.quote(name), count=template.count + times)
    some = "a node" if times == 1 else f"{times} nodes"
    if template.another:
        return f"# add {some} like {template.like}, {template.note} (no group of it is in the input)"
    of_type = f" of type {kind}" if kind else ""
    where = "to its group (autoscaler, cloud console or kubeadm join)"
    return f"# add {some}{of_type} {where if template.like else '(no group of it is in the input)'}"


def _undo(template: Template) -> str:
    """As many nodes as before; empty where a person adds the node by other means."""
    command = _command(template, "", 0).splitlines()[-1] if not template.given else "#"
    return "" if command.startswith("#") else command


def cost_of(kind: str, times: int = 1) -> Cost:
    """The list price of so many instances of a type, if it's known."""
    row = default_prices().named(kind) if kind else None
    if row is None or row.usd_per_hour is None:
        return Cost(None, f"price of {kind} isn't known" if kind else "price isn't known")
    many = f"{times} x " if times > 1 else ""
    return Cost(
        row.usd_per_hour * times,
        f"${row.usd_per_hour * times:.2f}/h for {many}{row.instance_type} ({row.provider} {row.region}, list price of"
        f" {row.as_of})",
    )
