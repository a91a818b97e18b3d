"""All kinds by name."""

from collections.abc import Callable, Mapping
from typing import Final

from scenarios.mixed.build import Build
from scenarios.mixed.kinds import asking, beside, devices, held, partitions, places
from scenarios.mixed.truth import Injected

KINDS: Final[Mapping[str, Callable[[Build], list[Injected]]]] = {
    "held-counted": held.counted,
    "held-mig-slices": held.mig_slices,
    "held-shares": held.shares,
    "held-devices": held.dra_devices,
    "slices-held": partitions.slices_held,
    "scattered": held.scattered,
    "larger-than-any": held.larger,
    "unhealthy": held.unhealthy,
    "unhealthy-last": held.unhealthy_last,
    "rollout": held.rollout,
    "last-one": held.last_one,
    "taint": places.taint,
    "label-value": places.label_value,
    "label-key": places.label_key,
    "zone": places.zone,
    "cordoned": places.cordoned,
    "not-ready": places.not_ready,
    "cpu-short": places.cpu_short,
    "memory-short": places.memory_short,
    "anti-affinity": places.anti_affinity,
    "spread": places.topology_spread,
    "host-port": places.host_port,
    "misspelt": asking.misspelt,
    "shared-forgotten": asking.shared_forgotten,
    "whole-on-sliced": asking.whole_on_sliced,
    "other-profile": asking.other_profile,
    "counted-on-dra": asking.counted_on_dra,
    "class-missing": devices.class_missing,
    "cel-value": devices.cel_value,
    "cel-attribute": devices.cel_attribute,
    "cel-capacity": devices.cel_capacity,
    "cel-too-much": devices.cel_too_much,
    "template-missing": devices.template_missing,
    "claim-elsewhere": devices.claim_elsewhere,
    "all-taken": devices.all_taken,
    "no-common-root": devices.no_common_root,
    "no-card-beside": devices.no_card_beside,
    "device-taint-rule": devices.tainted_by_rule,
    "device-taint": devices.tainted_by_driver,
    "incomplete-pool": devices.incomplete,
    "no-such-slice": partitions.no_such_slice,
    "whole-cut": partitions.whole_cut,
    "volume-missing": beside.volume_missing,
    "volume-elsewhere": beside.volume_elsewhere,
    "storage-class-missing": beside.class_missing,
    "scheduler-missing": beside.scheduler_missing,
    "quota-full": beside.quota_full,
}
CUT: Final = frozenset(
    {"held-mig-slices", "slices-held", "whole-on-sliced", "other-profile", "no-such-slice", "whole-cut"}
)
"""Kinds that need a model that MIG can cut, of which there are few."""
