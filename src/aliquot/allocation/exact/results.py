"""From the search's picks to allocations. What is the same for every call on a node is built once."""

from collections.abc import Mapping

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact.compiled_claims import Alternative, Plan
from aliquot.allocation.exact.node_devices import View
from aliquot.allocation.rules.results import SHARE_ID, Pick, claim_allocation
from aliquot.allocation.search.depth_first import Picks
from aliquot.dra.claim import AllocatedDevice, ClaimAllocation, DeviceClass
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement

_NOTHING = ClaimAllocation()


def awarded(plan: Plan, view: View, picks: Picks, classes: Mapping[str, DeviceClass], visited: int) -> Allocation:
    """The allocations of all claims.

    Raises:
        ResultError: the picked devices can't be written down as an allocation.
    """
    if len(plan.claims) == 1:
        return Allocation((_claim(plan, view, picks, 0, classes),), visited)
    given: list[Picks] = [[] for _ in plan.claims]
    for pick in picks:
        given[plan.steps[pick[0]].claim].append(pick)
    return Allocation(tuple(_claim(plan, view, mine, number, classes) for number, mine in enumerate(given)), visited)


def _claim(plan: Plan, view: View, picks: Picks, number: int, classes: Mapping[str, DeviceClass]) -> ClaimAllocation:
    if number in plan.configured:
        return _configured(plan, view, picks, number, classes)
    results: list[AllocatedDevice] = []
    first = next((devices[0] for _, _, devices in picks if devices), None)
    for step, place, devices in picks:
        one = plan.steps[step]
        alternative = one.alternatives[place]
        name = one.names[place]
        results += [award(view, name, device, alternative) for device in devices]
    if first is None:
        return _NOTHING
    if view.local >> first & 1:  # upstream looks at the devices in order, and a local one ends that
        return ClaimAllocation(tuple(results), (), here(view))
    return _configured(plan, view, picks, number, classes)


def here(view: View) -> NodeSelector:
    """Selects the view's node alone."""
    if view.here is None:
        only = Requirement("metadata.name", "In", (view.node.name,))
        view.here = NodeSelector((NodeSelectorTerm(fields=(only,)),))
    return view.here


def award(view: View, name: str, device: int, alternative: Alternative) -> AllocatedDevice:
    """The entry of an allocation for one device; equal entries are built once."""
    key = (name, device, alternative.id, alternative.admin)
    made = view.awards.get(key)
    if made is None:
        made = view.awards[key] = _device(view, name, device, alternative)
    return made


def _device(view: View, name: str, device: int, alternative: Alternative) -> AllocatedDevice:
    shared = bool(view.shareable >> device & 1)
    binding = view.features.binding_conditions
    one = view.devices[device]
    _, _, tolerations, wanted = alternative.key
    return AllocatedDevice(
        request=name,
        device=view.ids[device],
        admin_access=alternative.admin,
        tolerations=tolerations,
        share_id=SHARE_ID if shared else None,
        consumed=(view.consumed(device, wanted) or None) if shared else None,
        binding_conditions=one.binding_conditions if binding else (),
        binding_failure_conditions=one.binding_failure_conditions if binding else (),
    )


def _configured(
    plan: Plan, view: View, picks: Picks, number: int, classes: Mapping[str, DeviceClass]
) -> ClaimAllocation:
    """A claim with configuration, or whose devices can be reached from several nodes."""
    chosen: list[int | None] = []
    given: list[Pick] = []
    for step, place, devices in picks:
        one = plan.steps[step]
        alternative = place if one.listed else None
        chosen.append(alternative)
        for device in devices:
            shared = bool(view.shareable >> device & 1)
            consumed = view.consumed(device, one.alternatives[place].key[3]) if shared else None
            given.append(
                Pick(
                    one.request,
                    alternative,
                    view.devices[device],
                    view.ids[device],
                    view.slices[device],
                    shared,
                    consumed,
                )
            )
    return claim_allocation(
        plan.claims[number],
        given,
        chosen,
        classes,
        view.node,
        view.features,
        covers_all=False,
        implementation="experimental",
    )
