"""Reading a configuration of the device plugin: everything that's wrong with it at once, each with its path."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import msgspec

from aliquot.kube.reading.shape import Fault, FaultsError, faults, found, is_object
from aliquot.kube.reading.strict import unknown_fields, without_unknown
from aliquot.sharing.plugin_config.judge import full_name, judge
from aliquot.sharing.plugin_config.shape import WireConfig, WireReplicas, WireSharing
from aliquot.sharing.plugin_config.values import MigStrategy, PluginConfig, Replicas, Replicated
from aliquot.sharing.strategies import Strategy

SECTIONS = frozenset({"flags", "resources", "sharing", "imex"})
"""What such a file holds beside its version: how it's told from other files."""


def read_plugin_config(value: Any) -> tuple[PluginConfig, tuple[Fault, ...]]:
    """Read a configuration.

    Args:
        value: the file as plain data.

    Returns:
        The configuration, and the minor faults: what the plugin passes over.

    Raises:
        FaultsError: with every fault, the minor ones too.
    """
    if not is_object(value):
        raise FaultsError(Fault("", f"expected an object, found {found(value)}", "version: v1, sharing: ..."))
    known = without_unknown(value, WireConfig)
    # the plugin reads past fields that it doesn't know, where NVIDIA's driver for claims doesn't
    wrong = [replace(fault, message="no such field: the plugin passes over it", minor=True)
             for fault in unknown_fields(value, WireConfig)]  # fmt: skip
    wrong += faults(known, WireConfig)
    places = {fault.path for fault in wrong}
    wrong += [fault for fault in judge(known) if fault.path not in places]
    if any(not fault.minor for fault in wrong):
        raise FaultsError(*wrong)
    config = msgspec.convert(known, WireConfig)
    strategy = config.flags.mig_strategy if config.flags is not None else None
    return (
        PluginConfig(
            mig_strategy=None if strategy is None else MigStrategy(strategy),
            sharing=_sharing(config.sharing),
            flags=_given(known.get("flags") or {}),
        ),
        tuple(wrong),
    )


def _sharing(wire: WireSharing | None) -> Replicas | None:
    if wire is not None and wire.mps is not None:
        return _replicas(Strategy.MPS, wire.mps, fails=True)
    if wire is not None and wire.time_slicing is not None:
        return _replicas(Strategy.TIME_SLICING, wire.time_slicing, fails=False)
    return None


def _replicas(strategy: Strategy, wire: WireReplicas, *, fails: bool) -> Replicas:
    """The replicas of a strategy; `fails`: what the plugin takes where nothing is said of requests for several."""
    names = [(full_name(each.name), each.replicas) for each in wire.resources]
    return Replicas(
        strategy,
        tuple(Replicated(name, count, f"{name}.shared" if wire.rename_by_default else None) for name, count in names),
        fails if wire.fail_requests_greater_than_one is None else wire.fail_requests_greater_than_one,
    )


def _given(flags: dict[str, Any], prefix: str = "") -> Mapping[str, Any]:
    """The flags with a value, those of `plugin` and `gfd` too: `plugin.deviceIDStrategy`."""
    flat: dict[str, Any] = {}
    for name, value in flags.items():
        if is_object(value):
            flat |= _given(value, f"{prefix}{name}.")
        elif value is not None:
            flat[f"{prefix}{name}"] = value
    return MappingProxyType(flat)
