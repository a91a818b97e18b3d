"""Nodes that differ from those that are there: with more CPU or memory, or in the zone of a volume."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from aliquot.advisor.amounts import about
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.remedies.new_node.groups import GROUP_LABELS, provider_of
from aliquot.advisor.remedies.new_node.templates import TYPE, ZONES, Template
from aliquot.advisor.remedies.volume_places import places_of
from aliquot.kube.node import Node
from aliquot.snapshot.effective import effective_request

SOLD: Mapping[str, int] = {"cpu": 1024 * 1000, "memory": 32 << 40}
"""Millicores and bytes of the largest machines that are sold: for more than that there's no larger node."""
SPARE = 8
"""One part in so many: what DaemonSets and the system need of a node beside the pod."""


def larger(case: Case, known: Sequence[Template]) -> Iterator[Template]:
    """Of a pod that asks for more CPU or memory than such nodes have: nodes like them of a larger size."""
    request = effective_request(case.pod)
    wanted = device_requests(case.pod)
    found: list[tuple[int, Template]] = []
    for template in known:
        if all(template.node.allocatable.get(name, 0) >= asked for name, asked in wanted.items()):
            sizes, doublings = _grown(template.node, request)
            if doublings and all(sizes.get(name, 0) <= most for name, most in SOLD.items()):
                found.append((doublings, _with(template, sizes)))
    yield from (template for _, template in sorted(found, key=lambda one: (one[0], one[1].like)))


def _grown(node: Node, request: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Its amounts of CPU and memory, doubled until they hold the request; how often that was."""
    sizes, doublings = dict(node.allocatable), 0
    for name in SOLD:
        if sizes.get(name, 0) < request.get(name, 0):
            while 0 < sizes.get(name, 0) < min(request[name] + request[name] // SPARE, 2 * SOLD[name]):
                sizes[name] *= 2
                doublings += 1
    return sizes, doublings


def _with(template: Template, sizes: Mapping[str, int]) -> Template:
    old = template.node.allocatable
    grown = [f"{about(name, sizes[name])} of {name}" for name in SOLD if sizes.get(name, 0) != old.get(name, 0)]
    made = _apart(template)
    labels = {key: value for key, value in made.node.meta.labels.items() if key != TYPE}
    meta = replace(made.node.meta, labels=labels)
    node = replace(made.node, meta=meta, allocatable=sizes, capacity=sizes)
    return replace(made, note=f"but with {listed(grown)}", node=node)


def in_zones(case: Case, known: Sequence[Template]) -> Iterator[Template]:
    """Of a pod whose volume is bound to a zone: nodes there, where nodes are a cloud's to make."""
    if not provider_of(case.snapshot):
        return
    for place in places_of(case.snapshot, case.pod):
        for key, value in place.labels.items():
            if key in ZONES:
                for template in known:
                    made = _apart(template)
                    labels = {**made.node.meta.labels, key: value}
                    node = replace(made.node, meta=replace(made.node.meta, labels=labels))
                    yield replace(made, node=node, note=f"but in zone {value}")


def _apart(template: Template) -> Template:
    """Of no group that's there."""
    labels = {key: value for key, value in template.node.meta.labels.items() if key not in GROUP_LABELS}
    node = replace(template.node, meta=replace(template.node.meta, labels=labels))
    return replace(template, node=node, another=True)
