"""Selectors on devices: each CEL expression is compiled once, and evaluated once per distinct device.

Distinct means: in what the expression can look at. Of a thousand GPUs, each with its UUID, one is asked if it is a GPU.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from aliquot.allocation.rules.device_memo import DeviceMemo
from aliquot.dra.device import Attribute, Device, Slice


@dataclass(frozen=True, slots=True)
class CelFailure:
    """A selector that has no verdict: it can't be compiled, or not be evaluated on this device."""

    phase: Literal["compile", "runtime"]
    text: str
    """As Kubernetes words it, without the prefix that names class or claim."""


SelectorVerdict = bool | CelFailure
Evaluate = Callable[[str, str, Device], SelectorVerdict]
"""(expression, driver, device) -> verdict."""
Read = tuple[str, str, str]
"""`attributes` or `capacity`, domain, name."""
Reads = Callable[[str], Iterable[Read] | None]
"""Expression -> all that it can look at, besides the driver and allowMultipleAllocations; None: anything."""

Content = tuple[object, ...]
_ALWAYS_CONVERTED: Final = frozenset({"string", "int", "bool"})
"""Kinds of attributes that no evaluation can fail on. One of another kind may make every expression fail."""


def _anything(_expression: str) -> None:
    return None


@dataclass(slots=True)
class Selectors:
    """Remembers verdicts. `evaluate` does the work, once per expression and distinct device."""

    evaluate: Evaluate
    reads: Reads = _anything
    _verdicts: dict[Content, SelectorVerdict] = field(default_factory=dict[Content, SelectorVerdict])
    _names: dict[str, tuple[tuple[bool, str, str, str], ...] | None] = field(
        default_factory=dict[str, "tuple[tuple[bool, str, str, str], ...] | None"]
    )
    """Expression -> (it's an attribute, domain, name, full name) of what it can look at."""
    _odd: DeviceMemo[Content] = field(default_factory=lambda: DeviceMemo(_odd))
    """The attributes of a device that may not be convertible."""

    def verdict(self, expression: str, driver: str, device: Device) -> SelectorVerdict:
        """Evaluates an expression on a device, or remembers."""
        names = self._looks_at(expression)
        key = self._all(driver, device) if names is None else self._seen(names, driver, device)
        key = (expression, *key)
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = self.evaluate(expression, driver, device)
        return known

    def sound(self, expressions: Sequence[str], slices: Iterable[Slice]) -> bool:
        """Says whether all expressions have verdicts on every device of these slices.

        Of the devices that show the expressions the same values one is asked, as `verdict` would find out more slowly.
        """
        names: set[tuple[bool, str, str, str]] = set()
        for expression in expressions:
            of_this = self._looks_at(expression)
            if of_this is None:
                return False
            names.update(of_this)
        asked: set[tuple[object, ...]] = set()
        for published in slices:
            driver = published.driver
            read = [(a, n) for a, domain, name, full in names for n in ((full, name) if domain == driver else (full,))]
            attributes_read = [name for is_attribute, name in read if is_attribute]
            capacity_read = [name for is_attribute, name in read if not is_attribute]
            for device in published.devices:
                attributes = device.attributes
                shown: list[object] = [
                    (value.kind, value.value) for value in attributes.values() if value.kind not in _ALWAYS_CONVERTED
                ]
                for name in attributes_read:
                    value = attributes.get(name)
                    shown.append(value and (value.kind, value.value))
                if capacity_read:
                    shown += [_amount(device, name) for name in capacity_read]
                key = (driver, device.allow_multiple, *shown)
                if key in asked:
                    continue
                asked.add(key)
                for expression in expressions:
                    if isinstance(self.verdict(expression, driver, device), CelFailure):
                        return False
        return True

    def _looks_at(self, expression: str) -> tuple[tuple[bool, str, str, str], ...] | None:
        try:
            return self._names[expression]
        except KeyError:
            names = self._names[expression] = self._named(expression)
            return names

    def _named(self, expression: str) -> tuple[tuple[bool, str, str, str], ...] | None:
        found = self.reads(expression)
        if found is None:
            return None
        return tuple((kind == "attributes", domain, name, f"{domain}/{name}") for kind, domain, name in sorted(found))

    def _seen(self, names: tuple[tuple[bool, str, str, str], ...], driver: str, device: Device) -> Content:
        """What an expression can look at, of a device."""
        content: list[object] = [driver, device.allow_multiple, self._odd.of(device)]
        for is_attribute, domain, name, full in names:
            if is_attribute:
                content.append(_told(device.attributes.get(full)))
                if domain == driver:
                    content.append(_told(device.attributes.get(name)))
            else:
                content.append(_amount(device, full))
                if domain == driver:
                    content.append(_amount(device, name))
        return tuple(content)

    def _all(self, driver: str, device: Device) -> Content:
        return (
            driver,
            device.allow_multiple,
            tuple(sorted((name, value.kind, value.value) for name, value in device.attributes.items())),
            tuple(sorted((name, str(value.value)) for name, value in device.capacity.items())),
        )


def _odd(device: Device) -> Content:
    return tuple(
        (name, value.kind, value.value)
        for name, value in device.attributes.items()
        if value.kind not in _ALWAYS_CONVERTED
    )


def _told(attribute: Attribute | None) -> object:
    return None if attribute is None else (attribute.kind, attribute.value)


def _amount(device: Device, name: str) -> object:
    capacity = device.capacity.get(name)
    return None if capacity is None else (capacity.value, capacity.value.form)
