"""The feature gates that NVIDIA's own driver for claims needs for a way of sharing (dra-driver-nvidia-gpu at 9593204).

All are alpha there, and off by default: without its gate the driver refuses a configuration with such a strategy.
"""

from collections.abc import Sequence
from typing import Final

from aliquot.sharing.claim_configs.values import Mps, Sharing

TIME_SLICING: Final = "TimeSlicingSettings"
MPS: Final = "MPSSupport"
DYNAMIC_MIG: Final = "DynamicMIG"
PASSTHROUGH: Final = "PassthroughSupport"
NO_MULTI_USER: Final = "NVIDIA's own driver has multiUser since June 2026, and refuses it up to release v0.4.1"
"""Its pull request 1153, merged after v0.4.1, which refuses fields that it doesn't know."""


def gates_of(sharing: Sharing | None, *, creates: bool = False) -> tuple[str, ...]:
    """The gates that must be on.

    Args:
        sharing: what the configuration says; None: nothing, which needs none.
        creates: whether a MIG instance is made for the claim.
    """
    own = () if sharing is None else ((MPS,) if isinstance(sharing, Mps) else (TIME_SLICING,))
    return (*own, *((DYNAMIC_MIG,) if creates else ()))


def gates_words(gates: Sequence[str]) -> str:
    """What NVIDIA's driver needs, in a sentence."""
    if {MPS, DYNAMIC_MIG} <= set(gates):
        return (
            f"NVIDIA's own driver can't do this: its feature gates {MPS} and {DYNAMIC_MIG} (alpha, off by default) "
            "exclude each other, so that it has MPS only on MIG instances that are there already"
        )
    which = f"feature gates {' and '.join(gates)}" if len(gates) > 1 else f"feature gate {gates[0]}"
    return f"NVIDIA's own driver needs its {which} (alpha, off by default) for this"
