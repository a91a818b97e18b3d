"""One more node: a copy of a kind that's there, a changed one, or the cheapest known instance."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.advisor.case import Case, Spot, device_requests
from aliquot.advisor.gpus import partitioned
from aliquot.advisor.remedies.new_node.bought import instances
from aliquot.advisor.remedies.new_node.offer import offer
from aliquot.advisor.remedies.new_node.templates import (
    CONDITION_PREFIX,
    Template,
    but_zone,
    has_devices,
    joined,
    templates,
)
from aliquot.advisor.remedies.new_node.variants import in_zones, larger
from aliquot.advisor.wayout import Candidate
from aliquot.scheduling.blockers.autoscaler import MAX_SIZE

KEEPING_OFF = frozenset({"TaintToleration", "NodeAffinity"})


def cures(case: Case) -> Iterator[Candidate]:
    """Copies as they are; else without their taint; else partitioned to what the pod asks; else another kind of node.

    None where what is asked for is free already on a node that something else keeps the pod off: one more of the same
    doesn't help.
    """
    wanted = device_requests(case.pod)
    if any(_only_kept_off(case, spot) for spot in case.spots):
        return
    some = False
    asks_devices = bool(wanted or case.pod.claims)
    full = any(one.kind == "autoscaler" and one.subject == MAX_SIZE for one in case.blockers)
    known = [*(replace(one, full=full) for one in templates(case.snapshot)), *_groups(case)]
    fitting = [one for one in known if has_devices(one) == asks_devices] or known
    zoned: set[object] = set()
    for template in fitting:
        if (kind := but_zone(template)) in zoned:
            continue
        for variant in _variants(template, wanted):
            trial, name = joined(case.trial, variant)
            if case.placed(trial, name):
                some = True
                zoned.add(kind)
                yield offer(variant, name)
                if not variant.note:
                    break
    if some:
        return
    for several in (instances(case.snapshot, wanted), larger(case, fitting), in_zones(case, fitting)):
        found = next(_placing(case, several), None)
        if found is not None:
            yield found
            return


def _groups(case: Case) -> list[Template]:
    """Those that a person named."""
    if case.node_groups is None:
        return []
    return [replace(one, count=0, given=True) for one in templates(case.node_groups)]


def _placing(case: Case, several: Iterator[Template]) -> Iterator[Candidate]:
    for template in several:
        trial, name = joined(case.trial, template)
        if case.placed(trial, name):
            yield offer(template, name)


def _only_kept_off(case: Case, spot: Spot) -> bool:
    """Its devices are free, and a taint of its group or a selector is all that's in the way."""
    if not (device_requests(case.pod) or case.pod.claims) or case.error:
        return False
    sick = any(reason.subject.startswith(CONDITION_PREFIX) for reason in spot.reasons)
    return spot.problems <= KEEPING_OFF and spot.node.ready is not False and not sick


def _variants(template: Template, wanted: Mapping[str, int]) -> Iterator[Template]:
    yield template
    if template.node.taints:
        yield replace(template, node=replace(template.node, taints=()), note="without its taint")
    for name in wanted:
        if name not in template.node.allocatable and (layout := partitioned(template.node, name)) is not None:
            node, text = layout
            yield replace(template, node=node, note=text)
