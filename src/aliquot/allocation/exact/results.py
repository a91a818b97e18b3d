"""From the search's picks to allocations. What is the same for every call on a node is written once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact.compiled_claims import Alternative, CompiledClaims
from aliquot.allocation.exact.node_devices import NodeDevices
from aliquot.allocation.rules.results import SHARE_ID, PickedDevice, claim_allocation, only_node
from aliquot.allocation.search.depth_first import Picks
from aliquot.dra.claim import AllocatedDevice, ClaimAllocation, DeviceClass
from aliquot.kube.selectors import NodeSelector

_NOTHING = ClaimAllocation()


@dataclass(slots=True, eq=False)
class ResultWriter:
    """Writes down what is given of one node's devices."""

    devices: NodeDevices
    classes: Mapping[str, DeviceClass]
    _written: dict[tuple[str, int, int, bool], AllocatedDevice] = field(
        init=False, default_factory=dict[tuple[str, int, int, bool], AllocatedDevice]
    )
    """(request, device, alternative's id, admin access) -> the entry of an allocation."""
    _here: NodeSelector | None = field(init=False, default=None)

    def allocation(self, claims: CompiledClaims, picks: Picks, visited: int) -> Allocation:
        """The allocations of all claims.

        Raises:
            ResultError: the picked devices can't be written down as an allocation.
        """
        if len(claims.claims) == 1:
            return Allocation((self._claim(claims, picks, 0),), visited)
        given: list[Picks] = [[] for _ in claims.claims]
        for pick in picks:
            given[claims.steps[pick[0]].claim].append(pick)
        return Allocation(tuple(self._claim(claims, mine, number) for number, mine in enumerate(given)), visited)

    @property
    def here(self) -> NodeSelector:
        """Selects the node alone."""
        if self._here is None:
            self._here = only_node(self.devices.node.name)
        return self._here

    def device(self, name: str, device: int, alternative: Alternative) -> AllocatedDevice:
        """The entry of an allocation for one device; equal entries are written once."""
        key = (name, device, alternative.id, alternative.admin)
        written = self._written.get(key)
        if written is None:
            written = self._written[key] = self._device(name, device, alternative)
        return written

    def _claim(self, claims: CompiledClaims, picks: Picks, number: int) -> ClaimAllocation:
        if number in claims.configured:
            return self._configured(claims, picks, number)
        results: list[AllocatedDevice] = []
        first = next((devices[0] for _, _, devices in picks if devices), None)
        for step, place, devices in picks:
            request = claims.steps[step]
            alternative = request.alternatives[place]
            name = request.names[place]
            results += [self.device(name, device, alternative) for device in devices]
        if first is None:
            return _NOTHING
        if self.devices.local >> first & 1:  # upstream looks at the devices in order, and a local device ends that
            return ClaimAllocation(tuple(results), (), self.here)
        return self._configured(claims, picks, number)

    def _device(self, name: str, number: int, alternative: Alternative) -> AllocatedDevice:
        there = self.devices
        shared = bool(there.shareable >> number & 1)
        binding = there.features.binding_conditions
        device = there.devices[number]
        return AllocatedDevice(
            request=name,
            device=there.ids[number],
            admin_access=alternative.admin,
            tolerations=alternative.criteria.tolerations,
            share_id=SHARE_ID if shared else None,
            consumed=(there.consumed(number, dict(alternative.criteria.capacity)) or None) if shared else None,
            binding_conditions=device.binding_conditions if binding else (),
            binding_failure_conditions=device.binding_failure_conditions if binding else (),
        )

    def _configured(self, claims: CompiledClaims, picks: Picks, number: int) -> ClaimAllocation:
        """A claim with configuration, or whose devices can be reached from several nodes."""
        there = self.devices
        chosen: list[int | None] = []
        given: list[PickedDevice] = []
        for step, place, devices in picks:
            request = claims.steps[step]
            alternative = place if request.listed else None
            chosen.append(alternative)
            requests = dict(request.alternatives[place].criteria.capacity)
            for device in devices:
                shared = bool(there.shareable >> device & 1)
                given.append(
                    PickedDevice(
                        request=request.request,
                        alternative=alternative,
                        device=there.devices[device],
                        id=there.ids[device],
                        slice=there.slices[device],
                        shared=shared,
                        consumed=there.consumed(device, requests) if shared else None,
                    )
                )
        return claim_allocation(
            claims.claims[number],
            given,
            chosen,
            self.classes,
            there.node,
            there.features,
            covers_all=False,
            implementation="experimental",
        )
