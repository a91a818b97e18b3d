"""A claim's CDI spec, from its entry and the host's inventory alone: it can be written again without the claim."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from aliquot.cdi.generate.hook_calls import HookCalls
from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.generate.nvidia import NEEDED_NODES
from aliquot.cdi.generate.simplify import simplified
from aliquot.cdi.generate.spec import Options, generate
from aliquot.cdi.problems import SpecError
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Device, NetDevice, Spec
from aliquot.cdi.versions import NEWEST, minimum_version
from aliquot.devices.links import Nic
from aliquot.devices.survey import Survey
from aliquot.node.claims.entry import Entry, HeldDevice, instance_at
from aliquot.node.claims.names import device_name, kind_of
from aliquot.node.claims.refusal import Refusal, later
from aliquot.sharing.inventory import inventory_of
from aliquot.sharing.setup.edits import edits_of
from aliquot.sharing.setup.steps import Daemon, StartMps

STAYS: Final = "the runtime reads no CDI 1.1 (netDevices), so its interface stays on the node"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecOptions:
    """How specs are written on this node."""

    hooks: HookCalls = field(default_factory=HookCalls)
    net_devices: bool = False
    """Whether the runtime reads CDI 1.1, and so moves network interfaces into containers."""


@dataclass(frozen=True, slots=True)
class ClaimSpec:
    """A spec, and what a claim doesn't get by it."""

    spec: Spec
    notes: tuple[str, ...] = ()


def spec_of(entry: Entry, files: Inventory, survey: Survey, options: SpecOptions | None = None) -> ClaimSpec | Refusal:
    """The spec of a claim.

    Args:
        entry: with the devices that it holds, all of one driver.
        files: what the host has on disk.
        survey: the host as it stands, with the claim's instances.
        options: how.
    """
    making = _Making(entry, files, survey, options or SpecOptions())
    try:
        found = making.nic_devices() if entry.devices[0].gpu is None else making.gpu_devices()
    except SpecError as error:
        return later(f"no CDI spec for claim {entry.claim}: {'; '.join(map(str, error.problems))}")
    if isinstance(found, Refusal):
        return found
    devices, common = found
    kind = kind_of(entry.devices[0].device.driver)
    spec = simplified(Spec(version=NEWEST, kind=kind, devices=devices, edits=common))
    return ClaimSpec(replace(spec, version=minimum_version(spec)), tuple(making.notes))


class _Making:
    def __init__(self, entry: Entry, files: Inventory, survey: Survey, options: SpecOptions) -> None:
        self.entry = entry
        self.files = files
        self.survey = survey
        self.options = options
        self.notes: list[str] = []

    def gpu_devices(self) -> tuple[tuple[Device, ...], ContainerEdits] | Refusal:
        lacking = [path for path in NEEDED_NODES if self.files.node(path) is None]
        if lacking:
            verb = "isn't" if len(lacking) == 1 else "aren't"
            hint = "retry: the driver makes it; nvidia-modprobe -c0 -u does so at once"
            return later(f"{' and '.join(lacking)} {verb} there yet: CUDA needs it", hint)
        ids: list[tuple[HeldDevice, str]] = []
        for device in self.entry.devices:
            uuid = self._uuid(device)
            if uuid is None:
                return later(f"{device.device.device}: there is no such MIG instance now")
            ids.append((device, uuid))
        inventory = inventory_of(self.files, self.survey)
        wanted = tuple(dict.fromkeys(uuid for _, uuid in ids))
        options = Options(
            devices=wanted, strategies=("uuid",), all_device=False, numbers=False, hooks=self.options.hooks
        )
        made = generate(inventory, options).spec
        lost = [device.device.device for device, uuid in ids if made.device(uuid) is None]
        if lost:
            return later(
                f"not all device nodes of {', '.join(lost)} are there yet", "retry; nvidia-modprobe makes them"
            )
        daemons = [step.daemon for step in self.entry.steps if isinstance(step, StartMps)]
        one = edits_of(daemons[0]) if self._one_for_all(daemons) else None
        devices = [
            Device(name=self._name(device), edits=self._edits(made, uuid, device, [] if one else daemons))
            for device, uuid in ids
        ]
        return tuple({device.name: device for device in devices}.values()), made.edits + (one or NO_EDITS)

    def _uuid(self, device: HeldDevice) -> str | None:
        target = device.target
        assert target is not None
        return target.gpu if target.place is None else instance_at(self.survey, target)

    def _one_for_all(self, daemons: list[Daemon]) -> bool:
        """Whether every container of the claim is a client of one daemon: its mounts come once then."""
        return len(daemons) == 1 and all(device.target in daemons[0].targets for device in self.entry.devices)

    def _edits(self, made: Spec, uuid: str, device: HeldDevice, daemons: list[Daemon]) -> ContainerEdits:
        generated = made.device(uuid)
        assert generated is not None
        serving = next((each for each in daemons if not device.admin and device.target in each.targets), None)
        return generated.edits + edits_of(serving)

    def _name(self, device: HeldDevice) -> str:
        return device_name(self.entry.claim.uid, device.device.device)

    # --- network cards -----------------------------------------------------------------------------------------------
    def nic_devices(self) -> tuple[tuple[Device, ...], ContainerEdits] | Refusal:
        rdma = [nic for nic in self.files.nics if nic.address in {device.address for device in self.entry.devices}]
        made = generate(replace(self.files, nics=tuple(rdma)), _RDMA).spec if rdma else None
        devices: list[Device] = []
        for device in self.entry.devices:
            nic = next((each for each in self.survey.nics if each.pci == device.address), None)
            if nic is None:
                return later(f"{device.device.device} isn't there now")
            found = made.device(nic.pci) if made is not None else None
            if nic.rdma and found is None:
                return later(f"{device.device.device}: its RDMA device has no nodes in /dev/infiniband yet")
            moved = ContainerEdits(net_devices=tuple(self._moved(nic)))
            edits = (found.edits if found is not None else NO_EDITS) + moved
            if not edits:
                return Refusal(f"{device.device.device}: it has no RDMA device, and {STAYS}")
            devices.append(Device(name=self._name(device), edits=edits))
        common = made.edits if made is not None else NO_EDITS
        return tuple({device.name: device for device in devices}.values()), common

    def _moved(self, nic: Nic) -> Iterator[NetDevice]:
        """A virtual function's interfaces; a card's own is the node's way out."""
        if not nic.virtual_function:
            return
        if self.options.net_devices:
            yield from (NetDevice(host_interface_name=name, name=name) for name in nic.interfaces)
        elif nic.interfaces:
            self.notes.append(f"{', '.join(nic.interfaces)}: {STAYS}")


_RDMA: Final = Options(mode="nic", all_device=False, numbers=False)
