"""Container annotations, by which a client asks a runtime for devices, and Kubernetes' rules for annotations.

A key is `cdi.k8s.io/PLUGIN_DEVICE`, its value the qualified names joined with commas. Source: the Go library's
annotations.go at 1.1.0; the rules of `annotation_faults` are Kubernetes' (apimachinery, objectmeta validation).
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping

from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.qualified_names import parse_qualified

PREFIX = "cdi.k8s.io/"
MAX_KEY_NAME = 63
"""Characters of `PLUGIN_DEVICE`; Kubernetes' limit for the part after the slash."""
MAX_ANNOTATIONS_BYTES = 256 * 1024
"""Keys and values of one object together; Kubernetes' limit."""

_ALNUM = frozenset(string.ascii_letters + string.digits)
_INNER = _ALNUM | frozenset("_-.")


def annotation_key(plugin: str, device_id: str) -> str:
    """The key under which a plugin asks for devices; slashes in the id become underscores.

    Raises:
        SpecError: plugin or id is empty, too long together, or has a character that a key can't hold.
    """
    name = f"{plugin}_{device_id.replace('/', '_')}"
    fault = None
    if not plugin:
        fault = "the plugin's name is empty"
    elif not device_id:
        fault = "the device id is empty"
    elif len(name.encode(errors="surrogatepass")) > MAX_KEY_NAME:
        fault = f"{name!r} is longer than {MAX_KEY_NAME} characters"
    elif name[0] not in _ALNUM or name[-1] not in _ALNUM:
        fault = f"{name!r} should start and end with a letter or digit"
    else:
        bad = next((character for character in name if character not in _INNER), None)
        fault = f"{name!r} has the character {bad!r}" if bad else None
    if fault:
        raise SpecError([Problem("name", f"invalid annotation key: {fault}")])
    return PREFIX + name


def annotation_value(devices: Iterable[str]) -> str:
    """The value that asks for these devices.

    Raises:
        SpecError: a name isn't qualified, or faulty.
    """
    return ",".join(str(parse_qualified(device)) for device in devices)


def annotate(annotations: Mapping[str, str], plugin: str, device_id: str, devices: Iterable[str]) -> dict[str, str]:
    """A copy of the annotations that also asks for these devices.

    Raises:
        SpecError: key or value is faulty, or the key is taken already.
    """
    key = annotation_key(plugin, device_id)
    if key in annotations:
        raise SpecError([Problem("name", f"the annotation {key!r} is in use already", path=f"annotations.{key}")])
    return {**annotations, key: annotation_value(devices)}


def requested_devices(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """The devices that annotations ask for, in the order of the keys; annotations of other kinds are left alone.

    Raises:
        SpecError: a piece isn't a qualified name (an empty value isn't either). All bad pieces are named.
    """
    devices: list[str] = []
    problems: list[Problem] = []
    for key in sorted(annotations):
        if not key.startswith(PREFIX):
            continue
        for piece in annotations[key].split(","):
            try:
                parse_qualified(piece)
            except SpecError as error:
                problems += [Problem(p.category, p.message, f"annotations.{key}", p.hint) for p in error.problems]
            else:
                devices.append(piece)
    if problems:
        raise SpecError(problems)
    return tuple(devices)


_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN = re.compile(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*")
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def annotation_faults(annotations: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The keys that break Kubernetes' rules, each with its fault; the key "" stands for all of them together."""
    for key in sorted(annotations):
        prefix, slash, name = key.lower().rpartition("/")
        if "/" in prefix:
            yield key, "has more than one slash"
        elif slash and (len(prefix) > 253 or not _DNS_SUBDOMAIN.fullmatch(prefix)):
            yield key, "has a prefix that isn't a DNS subdomain"
        elif len(name) > MAX_KEY_NAME or not _NAME.fullmatch(name):
            yield key, f"isn't a name of at most {MAX_KEY_NAME} letters, digits, '-', '_' and '.'"
    total = sum(len(text.encode(errors="surrogatepass")) for pair in annotations.items() for text in pair)
    if total > MAX_ANNOTATIONS_BYTES:
        yield "", f"take {total} bytes, more than {MAX_ANNOTATIONS_BYTES}"
