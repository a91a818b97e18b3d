"""Selectors on devices: each CEL expression is compiled once and evaluated once per distinct device.

Two devices are the same to CEL if driver, attributes, capacities and allowMultipleAllocations are equal: names, taints
and counters aren't visible to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from aliquot.dra.device import Device


@dataclass(frozen=True, slots=True)
class Failure:
    """A selector that has no verdict: it can't be compiled, or not be evaluated on this device."""

    phase: Literal["compile", "runtime"]
    text: str
    """As Kubernetes words it, without the prefix that names class or claim."""


Verdict = bool | Failure
Evaluate = Callable[[str, str, Device], Verdict]
"""(expression, driver, device) -> verdict."""

Kind = int
"""Number of a distinct device content, as CEL sees it; equal for equal contents, in order of first sight."""


@dataclass(slots=True)
class Selectors:
    """Remembers verdicts. `evaluate` does the work, once per expression and kind of device."""

    evaluate: Evaluate
    _kinds: dict[object, Kind] = field(default_factory=dict[object, Kind])
    _seen: dict[tuple[str, int], tuple[Kind, Device]] = field(
        default_factory=dict[tuple[str, int], tuple[Kind, Device]]
    )
    _verdicts: dict[tuple[str, Kind], Verdict] = field(default_factory=dict[tuple[str, Kind], Verdict])

    def kind(self, driver: str, device: Device) -> Kind:
        """Numbers a device by its content. Device values are remembered by identity, so ask with the same object."""
        seen = self._seen.get((driver, id(device)))
        if seen is not None:
            return seen[0]
        content = (
            driver,
            device.allow_multiple,
            tuple(sorted((name, value.kind, value.value) for name, value in device.attributes.items())),
            tuple(sorted((name, str(value.value)) for name, value in device.capacity.items())),
        )
        kind = self._kinds.setdefault(content, len(self._kinds))
        self._seen[driver, id(device)] = (kind, device)  # keeps the device alive, so its id stays its own
        return kind

    def verdict(self, expression: str, driver: str, device: Device) -> Verdict:
        """Evaluates an expression on a device, or remembers."""
        key = (expression, self.kind(driver, device))
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = self.evaluate(expression, driver, device)
        return known
