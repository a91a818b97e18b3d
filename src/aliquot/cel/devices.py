"""The device that an expression looks at: a small protocol, and its form prepared once for many expressions."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol, final

from aliquot.cel.functions.kubernetes.semvers import parse_semver
from aliquot.cel.values.value import Err, Value
from aliquot.units.quantity import Quantity

SMALL: Final = 256
"""The longest text, list or set of names in a device for which the fast path is used; the API allows 64."""


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


class Domains(dict[str, dict[str, Value]]):
    """Names by domain. Looking up an unknown domain gives an empty map, though `in` says that it isn't there."""

    __slots__ = ()

    default: ClassVar[dict[str, Value]] = {}


@final
class PreparedDevice:
    """A device whose attributes are converted and grouped by domain: make one per device, evaluate many programs.

    One attribute that can't be converted (a version that isn't a semantic version, a list where the gate for lists is
    off) makes *every* expression fail on the device, even `true`. Maps keep the published order; Go's have none.
    """

    __slots__ = (
        "allow_multiple", "attributes", "capacity", "driver", "failure", "is_plain", "is_plain_with_lists",
        "list_failure", "root",
    )  # fmt: skip

    def __init__(self, device: DeviceLike) -> None:
        self.failure: str | None = None
        """Why no expression can be evaluated on the device, whatever the gates; None if they can."""
        self.list_failure: str | None = None
        """As `failure`, where lists aren't supported."""
        longest = 0  # the length of the longest text or list, or the number of the most names in a domain
        self.driver = driver = clean(device.driver)
        self.allow_multiple = device.allow_multiple
        self.attributes = Domains()
        self.capacity = Domains()
        for name, attribute in device.attributes.items():
            value = self._converted(name, attribute.kind, attribute.value)
            longest = max(longest, _longest(value))
            domain, identifier = _split(name, driver)
            self.attributes.setdefault(domain, {})[identifier] = value
        for name, amount in device.capacity.items():
            domain, identifier = _split(name, driver)
            self.capacity.setdefault(domain, {})[identifier] = amount
        sizes = [len(driver), len(self.attributes), len(self.capacity), *map(len, self.attributes.values())]
        is_small = max(longest, *sizes, *map(len, self.capacity.values())) <= SMALL
        self.is_plain = is_small and self.failure is None and self.list_failure is None
        """Whether the fast path may look at the device."""
        self.is_plain_with_lists = is_small and self.failure is None
        """Whether it may where lists are supported."""
        self.root: dict[str, Value] = {
            "driver": driver,
            "allowMultipleAllocations": self.allow_multiple,
            "attributes": self.attributes,
            "capacity": self.capacity,
        }

    def _converted(self, name: str, kind: str, value: Any) -> Value:
        """The run-time value of an attribute; what can't be converted is noted as a failure."""
        if kind in _LIST_KINDS:
            if self.list_failure is None:
                self.list_failure = f"attribute {name}: unsupported attribute value"
            return [self._converted(name, kind[:-1], item) for item in value]
        if kind == "int":
            return int(value)
        if kind == "bool":
            return bool(value)
        text = clean(value) if isinstance(value, str) else ""
        if kind == "string":
            return text
        if kind == "version":
            parsed = parse_semver(text)
            if isinstance(parsed, Err) and self.failure is None:
                self.failure = f"attribute {name}: parse semantic version: {parsed.message}"
            return parsed
        if self.failure is None:
            self.failure = f"attribute {name}: unsupported attribute value"
        return None


def _longest(value: Value) -> int:
    """The length of a text, or of a list and the texts in it."""
    kind: type[object] = value.__class__
    if kind is list:
        return max(len(value), *map(_longest, value), 0)
    return len(value) if kind is str else 0


_LIST_KINDS: Final = frozenset({"ints", "bools", "strings", "versions"})


def _split(name: str, driver: str) -> tuple[str, str]:
    domain, slash, identifier = name.partition("/")
    return (clean(domain), clean(identifier)) if slash else (driver, clean(name))


def clean(text: str) -> str:
    """The text as Go holds it: half surrogate pairs, which JSON can spell, become replacement characters."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def prepare(device: DeviceLike) -> PreparedDevice:
    """Convert a device once, for any number of programs of any environment."""
    return PreparedDevice(device)
