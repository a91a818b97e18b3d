"""How one release of kube-scheduler's allocator differs from another: its rules of order and its defects, by name.

The defects are numbered as `story` and the tests name them.
1.36 is v0.36.2 of k8s.io/dynamic-resource-allocation; 1.37 is v0.37.2, which repaired most of them; 1.37.0-alpha.2
has all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from aliquot.kube.release import Kubernetes


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a release does. Every field is False where nothing is said: the repaired allocator of 1.36's rules."""

    name: str

    # Rules that changed.
    config_covers_all: bool = False
    """A claim's configuration is listed once, and without requests if it covers them all (else: once per request)."""
    errors_name_devices: bool = False
    """A CEL run-time error says on which device it happened."""
    counter_slices_by_node: bool = False
    """Slices with shared counters follow their node selection; the missing ones are fetched (else: seen everywhere)."""
    limit_per_request: bool = False
    """The limit of 32 is checked at each request, and the error says so (else: at the end of the claim)."""
    all_counts_busy_capacity: bool = False
    """Mode All keeps devices whose capacity is in use, and then fails (else: it leaves them out)."""
    strict_capacity: bool = False
    """A capacity that is negative, or too large to calculate with, is a fatal error."""
    shares_pay_once: bool = False
    """A share without capacities counts as use: later shares pay no counters (else: only capacities count)."""

    # Defects.
    refused_keep_counters: bool = False
    """1: a candidate's counters stay charged when a taint or a constraint then refuses it."""
    shared_keep_counters: bool = False
    """2: going back from a shareable device doesn't give back its counters."""
    counters_by_pool_name: bool = False
    """3: pools of the same name of two drivers share one table of counters."""
    overdrawn_blocks_pool: bool = False
    """4: one overdrawn counter blocks every device of the pool that consumes any counter."""
    distinct_by_request: bool = False
    """5: distinctAttribute remembers one value per request name."""
    match_never_widens: bool = False
    """6: matchAttribute on lists keeps its narrowed set when going back."""
    admin_pays_counters: bool = False
    """7: admin access to a partition is charged as if it were a second use."""
    late_capacity_leaks: bool = False
    """8: a last refusal for capacity undoes neither constraints nor counters."""
    request_grows: bool = False
    """9: a fractional capacity request that no policy rounds is added to while it's checked."""
    counters_are_lent: bool = False
    """10: a fractional counter of the first device charged is added to as if it were the bill."""


V1_36: Final = Behaviour(
    "1.36",
    refused_keep_counters=True,
    shared_keep_counters=True,
    counters_by_pool_name=True,
    overdrawn_blocks_pool=True,
    distinct_by_request=True,
    match_never_widens=True,
    admin_pays_counters=True,
    late_capacity_leaks=True,
    request_grows=True,
    counters_are_lent=True,
)

V1_37_ALPHA_2: Final = replace(
    V1_36,
    name="1.37.0-alpha.2",
    config_covers_all=True,
    errors_name_devices=True,
    counter_slices_by_node=True,
)

V1_37: Final = Behaviour(
    "1.37",
    config_covers_all=True,
    errors_name_devices=True,
    counter_slices_by_node=True,
    limit_per_request=True,
    all_counts_busy_capacity=True,
    strict_capacity=True,
    shares_pay_once=True,
    overdrawn_blocks_pool=True,
    admin_pays_counters=True,
)

REPAIRED: Final = Behaviour("repaired")
"""1.36's rules with every defect repaired: what `exact` answers."""

BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    behaviour.name: behaviour for behaviour in (V1_36, V1_37_ALPHA_2, V1_37, REPAIRED)
}


def behaviour_of(kubernetes: Kubernetes) -> Behaviour:
    """Returns the behaviour of a release. What is older than 1.36 reads as 1.36 (not compared with the real one)."""
    if kubernetes.minor < 37:
        return V1_36
    return V1_37_ALPHA_2 if kubernetes.pre_release.startswith("alpha") else V1_37
