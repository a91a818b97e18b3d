"""DeviceTaintRules, merged into the slices that they taint (upstream's resourceslice tracker)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aliquot.dra.device import Device, Slice, TaintRule


def tainted_slices(slices: Iterable[Slice], rules: Sequence[TaintRule]) -> tuple[Slice, ...]:
    """Returns slices whose devices carry the taints of the rules behind their own; slices without stay the same."""
    return tuple(_tainted(published, rules) for published in slices)


def _tainted(published: Slice, rules: Sequence[TaintRule]) -> Slice:
    mine = [rule for rule in rules if rule.driver in (None, published.driver) and rule.pool in (None, published.pool)]
    if not any(_names(rule, device) for rule in mine for device in published.devices):
        return published
    return replace(published, devices=tuple(_with_taints(device, mine) for device in published.devices))


def _with_taints(device: Device, rules: Sequence[TaintRule]) -> Device:
    added = tuple(rule.taint for rule in rules if _names(rule, device))
    return replace(device, taints=(*device.taints, *added)) if added else device


def _names(rule: TaintRule, device: Device) -> bool:
    return rule.device in (None, device.name)
