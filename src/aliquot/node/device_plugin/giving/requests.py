"""What speaks against giving devices to a container: sentences that land in the pod's events."""

from collections.abc import Sequence

from aliquot.node.device_plugin.offering.resource import Resource
from aliquot.sharing.strategies import Strategy


def refusal(resource: Resource, ids: Sequence[str]) -> str | None:
    """Why a container can't have these ids; None: it can."""
    known = resource.ids
    unknown = sorted(set(ids) - known.keys())
    if unknown:
        return f"{resource.name} has no {_listed(unknown)} (any more): it has {_listed(list(known)) or 'no device'}"
    if not ids:
        return f"no device of {resource.name} was asked for"
    if resource.single and len(set(ids)) > 1:
        return (
            f"{len(set(ids))} of {resource.name} were asked for, and a container may have 1: these are shares of a GPU "
            f"({resource.way.value}), and more of them give {_no_more(resource.way)}. Ask for 1"
        )
    ill = [unit for unit in resource.units_of(ids) if unit.fault is not None]
    if ill:
        return "; ".join(f"{unit.where} ({unit.uuid}) isn't healthy: {unit.fault}" for unit in ill)
    return None


def _no_more(way: Strategy) -> str:
    if way is Strategy.MPS:
        return "one program no more than its limits"
    return "no more time or memory than one does"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:8])} and {len(names) - 8} more"
