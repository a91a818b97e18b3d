"""From picked devices to a claim's allocation: results, configuration in upstream's order, and the node selector."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.allocation.allocator_features import Features, Implementation
from aliquot.dra.claim import (
    AllocatedConfig,
    AllocatedDevice,
    Claim,
    ClaimAllocation,
    DeviceClass,
    DeviceConfig,
    Request,
    SubRequest,
)
from aliquot.dra.device import Device, DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.units.quantity import Quantity

SHARE_ID: Final = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
"""Stands for the random UUID that kube-scheduler makes for a share."""


class ResultError(ValueError):
    """The picked devices can't be written down as an allocation. The text is upstream's."""


@dataclass(frozen=True, slots=True)
class PickedDevice:
    """A device that is given to a request. `alternative` None: the request has none."""

    request: int
    alternative: int | None
    device: Device
    id: DeviceId
    slice: Slice
    shared: bool = False
    """A share of the device, not all of it."""
    consumed: Mapping[str, Quantity] | None = None


def only_node(name: str) -> NodeSelector:
    """Selects one node by its name."""
    return NodeSelector((NodeSelectorTerm(fields=(Requirement("metadata.name", "In", (name,)),)),))


def recipe_of(request: Request, alternative: int | None) -> SubRequest:
    """Returns what is asked for: of the request itself, or of one of its alternatives."""
    if alternative is not None:
        return request.first_available[alternative]
    assert request.exactly is not None  # validation has refused a request without a recipe
    return request.exactly


def full_name(request: Request, alternative: int | None) -> str:
    """Returns `request`, or `request/alternative`."""
    return request.name if alternative is None else f"{request.name}/{request.first_available[alternative].name}"


def claim_allocation(
    claim: Claim,
    picks: Iterable[PickedDevice],
    chosen: Sequence[int | None],
    classes: Mapping[str, DeviceClass],
    node: Node,
    features: Features,
    *,
    covers_all: bool,
    implementation: Implementation,
) -> ClaimAllocation:
    """Writes down what a claim gets.

    Args:
        claim: the claim.
        picks: its devices, in the order of the search.
        chosen: per request, which alternative was chosen; None where there are none.
        classes: by name; those of the chosen recipes exist.
        node: the node it was allocated for.
        features: binding conditions are copied if their feature is on.
        covers_all: 1.37's way of listing a claim's configuration (`Behaviour.config_covers_all`).
        implementation: stable pins to the slice's node, the others to `node`, and only they know bindsToNode.

    Raises:
        ResultError: a slice's node selector has several terms.
    """
    picks = tuple(picks)
    requests = claim.spec.requests
    config = _class_config(requests, chosen, classes) + _claim_config(claim, chosen, once=covers_all)
    if covers_all:
        config = [_shortened(entry, requests, chosen) for entry in config]
    return ClaimAllocation(
        results=tuple(_result(pick, requests[pick.request], features) for pick in picks),
        config=tuple(config),
        node_selector=_node_selector(claim, picks, node, stable=implementation == "stable"),
    )


def _result(pick: PickedDevice, request: Request, features: Features) -> AllocatedDevice:
    recipe = recipe_of(request, pick.alternative)
    binding = features.binding_conditions
    return AllocatedDevice(
        request=full_name(request, pick.alternative),
        device=pick.id,
        admin_access=pick.alternative is None and recipe.admin_access is True,
        tolerations=recipe.tolerations,
        share_id=SHARE_ID if pick.shared else None,
        consumed=pick.consumed or None,
        binding_conditions=pick.device.binding_conditions if binding else (),
        binding_failure_conditions=pick.device.binding_failure_conditions if binding else (),
    )


def _class_config(
    requests: Sequence[Request], chosen: Sequence[int | None], classes: Mapping[str, DeviceClass]
) -> list[AllocatedConfig]:
    """Each class once, at its first request, listing every request that uses it."""
    users: dict[str, list[str]] = {}
    for request, alternative in zip(requests, chosen, strict=True):
        users.setdefault(recipe_of(request, alternative).class_name, []).append(full_name(request, alternative))
    return [
        AllocatedConfig("FromClass", DeviceConfig(config.driver, config.parameters, tuple(names)))
        for class_name, names in users.items()
        for config in classes[class_name].config
    ]


def _claim_config(claim: Claim, chosen: Sequence[int | None], *, once: bool) -> list[AllocatedConfig]:
    config: list[AllocatedConfig] = []
    for entry in claim.spec.config:
        uses = sum(
            request.name in entry.requests or full_name(request, alternative) in entry.requests
            for request, alternative in zip(claim.spec.requests, chosen, strict=True)
        )
        times = 1 if not entry.requests else min(uses, 1) if once else uses
        config.extend([AllocatedConfig("FromClaim", entry)] * times)
    return config


def _shortened(entry: AllocatedConfig, requests: Sequence[Request], chosen: Sequence[int | None]) -> AllocatedConfig:
    named = entry.config.requests
    covers_all = all(
        request.name in named or full_name(request, alternative) in named
        for request, alternative in zip(requests, chosen, strict=True)
    )
    if not named or not covers_all:
        return entry
    return AllocatedConfig(entry.source, DeviceConfig(entry.config.driver, entry.config.parameters))


def _node_selector(claim: Claim, picks: Sequence[PickedDevice], node: Node, *, stable: bool) -> NodeSelector | None:
    fields: list[Requirement] = []
    expressions: list[Requirement] = []
    for pick in picks:
        source = pick.device if pick.slice.per_device_node_selection else pick.slice
        if source.node_name is not None or (pick.device.binds_to_node and not stable):
            return only_node((source.node_name or node.name) if stable else node.name)
        terms = source.node_selector.terms if source.node_selector is not None else ()
        if len(terms) > 1:
            raise ResultError(
                f"create NodeSelector for claim {claim.meta.name}: "
                f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            )
        for term in terms:
            _merge(fields, term.fields)
            _merge(expressions, term.expressions)
    if not fields and not expressions:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))


def _merge(known: list[Requirement], more: Iterable[Requirement]) -> None:
    for requirement in more:
        if not any(
            (requirement.key, requirement.operator, frozenset(requirement.values))
            == (other.key, other.operator, frozenset(other.values))
            for other in known
        ):
            known.append(requirement)
