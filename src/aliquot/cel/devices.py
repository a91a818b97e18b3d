"""The device that an expression looks at: a small protocol, and its form prepared once for many expressions."""

from collections.abc import Mapping
from typing import Protocol

from aliquot.units.quantity import Quantity


class AttributeLike(Protocol):
    """An attribute's value: `kind` is int, bool, string, version, or one of these in plural for a list."""

    @property
    def kind(self) -> str:
        """int, bool, string, version, ints, bools, strings, versions; anything else is an unsupported value."""
        ...

    @property
    def value(self) -> object:
        """An int, bool or str (a version is text), or a sequence of them for the plural kinds."""
        ...


class DeviceLike(Protocol):
    """What `prepare` reads of a device. Names are as published: `domain/name`, or `name` in the driver's domain."""

    @property
    def driver(self) -> str:
        """The driver's name, which is also the domain of names without one."""
        ...

    @property
    def attributes(self) -> Mapping[str, AttributeLike]:
        """The attributes by name."""
        ...

    @property
    def capacity(self) -> Mapping[str, Quantity]:
        """The capacities by name."""
        ...

    @property
    def allow_multiple(self) -> bool:
        """allowMultipleAllocations; False where the device doesn't say."""
        ...


class PreparedDevice:
    """A device whose attributes are converted and grouped by domain: make one per device, evaluate many programs.

    One attribute that can't be converted (a version that isn't a semantic version, a list where the gate for lists is
    off) makes *every* expression fail on the device, even `true`.
    """

    __slots__ = ()


def prepare(device: DeviceLike) -> PreparedDevice:
    """Convert a device once, for any number of programs of any environment."""
    raise NotImplementedError
