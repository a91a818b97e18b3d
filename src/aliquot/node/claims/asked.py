"""What a claim asks of this node: its allocated devices of one driver, each with the configuration that counts for it.

The claim is the API server's, read anew; what the kubelet says of it is only its name and UID.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from aliquot.dra.claim import AllocatedConfig, AllocatedDevice, Claim
from aliquot.dra.device import DeviceId
from aliquot.dra.read import GROUP, KINDS
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import FaultsError
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.sharing.claim_configs.choose import Offered, WrongKind, config_for
from aliquot.sharing.claim_configs.read import read_config
from aliquot.sharing.claim_configs.values import ClaimConfig
from aliquot.sharing.publish.pools import GPU_DRIVER

COMPUTE_DOMAINS: Final = "compute-domain.nvidia.com"
"""NVIDIA's driver for IMEX channels: its devices may stand beside ours in one claim, and are its own business."""
_ON_MIG: Final = re.compile(r"gpu-[0-9]+-mig-.+", re.ASCII)
_SAFE_UID: Final = re.compile(r"[A-Za-z0-9][-.A-Za-z0-9]{0,62}", re.ASCII)
_SAFE_DEVICE: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_READERS: Final = {
    f"{GROUP}/{version}": kind for kind in KINDS if kind.name == "ResourceClaim" for version in kind.versions
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDevice:
    """One result of the allocation."""

    device: DeviceId
    request: str
    """`request`, or `request/subrequest`."""
    config: ClaimConfig
    group: str
    """Devices of one group share what their configuration sets up, such as an MPS daemon."""
    admin: bool = False
    share_id: str | None = None
    consumed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of a device that several claims hold: how much this one has of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a claim asks of this node by one driver."""

    claim: ClaimRef
    devices: tuple[AskedDevice, ...]


def read_asked(thing: Mapping[str, Any] | None, claim: ClaimRef, *, driver: str, node: str) -> Asked | Refusal:
    """What a claim asks.

    Args:
        thing: the ResourceClaim as the API server has it now; None: it has none of that name.
        claim: which one the kubelet means.
        driver: whose devices.
        node: the name of this node, which is its pools' too.
    """
    found = _found(thing, claim)
    if isinstance(found, Refusal):
        return found
    assert found.allocation is not None
    results = [result for result in found.allocation.results if result.device.driver == driver]
    elsewhere = sorted({result.device.pool for result in results} - {node})
    odd = [result.device.device for result in results if _SAFE_DEVICE.fullmatch(result.device.device) is None]
    if elsewhere:
        return Refusal(f"claim {claim} has devices of {', '.join(elsewhere)}, and this is {node}")
    if odd:
        return Refusal(f"claim {claim} has {', '.join(map(repr, odd))}: no device can be called so")
    if not results:
        others = sorted({result.device.driver for result in found.allocation.results})
        left = f": its devices are of {', '.join(others)}" if others else ""
        hint = f"{COMPUTE_DOMAINS} prepares its own" if COMPUTE_DOMAINS in others else ""
        return Refusal(f"claim {claim} has no device of {driver}{left}", hint)
    return _with_configs(claim, results, found.allocation.config, driver)


def _found(thing: Mapping[str, Any] | None, claim: ClaimRef) -> Claim | Refusal:
    """The claim, if it's the one that is meant, and somebody may use it here."""
    if _SAFE_UID.fullmatch(claim.uid) is None:
        return Refusal(f"{claim.uid!r} is no UID of a claim")
    if thing is None:
        return Refusal(f"there is no claim {claim}: it was deleted")
    version = str(thing.get("apiVersion"))
    reader = _READERS.get(version)
    if reader is None:
        return Refusal(f"claim {claim} is of {version}, which isn't known", f"{', '.join(sorted(_READERS))} are")
    noun, faults = reader.read(msgspec.json.encode(thing), Memo())
    if not isinstance(noun, Claim):
        told = "; ".join(f"{fault.path}: {fault.message}" for fault in faults)
        return Refusal(f"claim {claim} can't be read: {told}")
    if noun.meta.uid != claim.uid:
        key = f"{claim.namespace}/{claim.name}"
        return Refusal(f"claim {key} has the UID {noun.meta.uid}, not {claim.uid}: it was deleted and made anew")
    if noun.allocation is None:
        return Refusal(f"claim {claim} isn't allocated")
    if not noun.reserved_for:
        return Refusal(f"claim {claim} is reserved for no pod: nobody may use it now")
    return noun


def _with_configs(
    claim: ClaimRef, results: Sequence[AllocatedDevice], configs: Sequence[AllocatedConfig], driver: str
) -> Asked | Refusal:
    mine = [each for each in configs if each.config.driver == driver]
    if driver != GPU_DRIVER and mine:
        return Refusal(f"claim {claim}: {driver} knows no configuration", "leave it out")
    offered: list[Offered] = []
    wrong: list[str] = []
    for each in mine:
        where = _where(each)
        try:
            config = read_config(each.config.parameters)
        except FaultsError as error:
            wrong += [
                f"{where}: {': '.join(filter(None, (fault.path, fault.message)))}"
                + (f" ({fault.hint})" if fault.hint else "")
                for fault in error.faults
            ]
        else:
            offered.append(Offered(config, each.source == "FromClass", each.config.requests, where))
    devices: list[AskedDevice] = []
    for result in results:
        on_mig = _ON_MIG.fullmatch(result.device.device) is not None
        chosen = config_for(result.request, offered, on_mig=on_mig)
        if isinstance(chosen, WrongKind):
            wrong.append(f"{chosen.path}: {chosen.message}")
        else:
            devices.append(_device(result, chosen, offered))
    if wrong:
        return Refusal(f"claim {claim}: {'; '.join(dict.fromkeys(wrong))}", "correct the claim or its class")
    return Asked(claim, tuple(devices))


def _where(config: AllocatedConfig) -> str:
    owner = "the class's" if config.source == "FromClass" else "the claim's"
    named = f" for {', '.join(config.config.requests)}" if config.config.requests else ""
    return f"{owner} configuration{named}"


def _device(result: AllocatedDevice, config: ClaimConfig, offered: Sequence[Offered]) -> AskedDevice:
    """With its group: the devices of a configuration; with MIG, of its request too: an MPS daemon serves one."""
    number = next((number for number, each in enumerate(offered) if each.config is config), None)
    parts = [
        *_group(number),
        *([result.request] if config.for_mig else []),
        *(["admin"] if result.admin_access else []),
    ]
    return AskedDevice(
        device=result.device,
        request=result.request,
        config=config,
        group=" ".join(parts),
        admin=result.admin_access,
        share_id=result.share_id,
        consumed={name: str(amount) for name, amount in (result.consumed or {}).items()},
    )


def _group(number: int | None) -> Iterator[str]:
    yield "none" if number is None else str(number)
