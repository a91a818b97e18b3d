"""Names: of vendors, classes and devices, and `vendor/class=name`, which asks for a device.

Source of the rules: the Go library's parser at the specification's 1.1.0. Lengths aren't limited there; `check` does
so where it is strict. A name's fault is a sentence, or None for a good name.
"""

import string
from dataclasses import dataclass

from aliquot.cdi.problems import Problem, SpecError

_LETTERS = frozenset(string.ascii_letters)
_ALNUM = frozenset(string.ascii_letters + string.digits)
_INNER = _ALNUM | frozenset("_-.")


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A device as it's asked for. `vendor` and `class_` are both "" where the text wasn't qualified."""

    vendor: str
    class_: str
    name: str

    @property
    def kind(self) -> str:
        """`vendor/class`."""
        return f"{self.vendor}/{self.class_}"

    def __str__(self) -> str:
        """`vendor/class=name`, or the bare name."""
        return f"{self.kind}={self.name}" if self.vendor else self.name


def qualify(kind: str, name: str) -> str:
    """The qualified name of a device of that kind."""
    return f"{kind}={name}"


def spec_file_name(kind: str, transient_id: str = "") -> str:
    """The customary name of a kind's spec file, without its ending: `vendor-class`.

    `transient_id` sets a spec apart that lives as long as one claim or container: `vendor-class_id`; slashes in it
    become underscores.
    """
    name = kind.replace("/", "-", 1)
    return f"{name}_{transient_id}".replace("/", "_") if transient_id else name


def split_kind(kind: str) -> tuple[str, str]:
    """Vendor and class, cut at the first slash; two empty strings without a slash or with an empty half."""
    vendor, _, class_ = kind.partition("/")
    return (vendor, class_) if vendor and class_ else ("", "")


def parse_device(text: str) -> QualifiedName:
    """Take a reference to a device apart. Never fails: what isn't qualified becomes a bare name."""
    left, _, name = text.partition("=")
    vendor, class_ = split_kind(left)
    if text.startswith("/") or not name or not vendor:
        return QualifiedName("", "", text)
    return QualifiedName(vendor, class_, name)


def parse_qualified(text: str) -> QualifiedName:
    """Take a qualified name apart and check its three parts.

    Raises:
        SpecError: it isn't qualified, or a part is faulty.
    """
    device = parse_device(text)
    fault = reference_fault(device)
    if fault:
        raise SpecError([Problem("name", f"invalid device {text!r}: {fault}", hint="vendor/class=name is expected")])
    return device


def is_qualified(text: str) -> bool:
    """Tell whether the text is a well-formed qualified name."""
    return reference_fault(parse_device(text)) is None


def reference_fault(device: QualifiedName) -> str | None:
    """What's wrong with a qualified name, if anything."""
    if not device.vendor:
        return "it has no vendor and class"
    return vendor_fault(device.vendor) or class_fault(device.class_) or device_name_fault(device.name)


def vendor_fault(vendor: str) -> str | None:
    """What's wrong with a vendor's name, if anything."""
    return _fault("vendor", vendor, first=_LETTERS, inner=_INNER, starts="a letter")


def class_fault(class_: str) -> str | None:
    """What's wrong with a class's name, if anything."""
    return _fault("class", class_, first=_LETTERS, inner=_INNER, starts="a letter")


def device_name_fault(name: str) -> str | None:
    """What's wrong with a device's name, if anything. A colon may stand inside, unlike in the specification's prose."""
    return _fault("device name", name, first=_ALNUM, inner=_INNER | {":"}, starts="a letter or digit")


def _fault(what: str, name: str, *, first: frozenset[str], inner: frozenset[str], starts: str) -> str | None:
    if not name:
        return f"the {what} is empty"
    if name[0] not in first:
        return f"the {what} {name!r} should start with {starts}"
    for character in name[1:-1]:
        if character not in inner:
            return f"the {what} {name!r} has the character {character!r}"
    if name[-1] not in _ALNUM:
        return f"the {what} {name!r} should end with a letter or digit"
    return None
