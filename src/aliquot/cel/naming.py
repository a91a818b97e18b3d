"""Kubernetes' named formats: `format.dns1123Label().validate(text)`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Final

from aliquot.cel.dynamics import register
from aliquot.cel.regexes import compile_regex
from aliquot.cel.urls import is_url
from aliquot.cel.values import NONE, Optional, Value

Rule = Callable[[str], list[str]]
"""The complaints about a text; none if it's fine."""

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_KEY_RULE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)


def _fits(pattern: str, text: str) -> bool:
    return bool(compile_regex(f"^{pattern}$").search(text))


def _pattern_complaint(rule: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {shown}regex used for validation is '{pattern}')"


def _fitting(longest: int, unit: str, pattern: str, rule: str, *examples: str) -> Rule:
    """A length and a pattern, with the words of apimachinery's validation: expressions can look at them."""

    def check(text: str) -> list[str]:
        complaints: list[str] = []
        if len(text.encode()) > longest:
            complaints.append(f"must be no more than {longest} {unit}")
        if not _fits(pattern, text):
            complaints.append(_pattern_complaint(rule, pattern, *examples))
        return complaints

    return check


def _as_prefix(rule: Rule) -> Rule:
    """A name to which something is appended may end in a hyphen."""
    return lambda text: rule(f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text)


_plain_label = _fitting(
    63,
    "characters",
    _LABEL,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character",
    "my-name",
    "123-abc",
)


def _label(text: str) -> list[str]:
    complaints = _plain_label(text)
    if complaints and not _fits(_LABEL, text) and _fits(_SUBDOMAIN, text):
        complaints[-1] = "must not contain dots"
    return complaints


def _subdomain_in(unit: str) -> Rule:
    return _fitting(
        253,
        unit,
        _SUBDOMAIN,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character",
        "example.com",
    )


_subdomain = _subdomain_in("characters")
_label_1035 = _fitting(
    63,
    "characters",
    _LABEL_1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    "my-name",
    "abc-123",
)
_label_value = _fitting(
    63,
    "bytes",
    f"({_KEY})?",
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character",
    "MyValue",
    "my_value",
    "12345",
)


def _qualified_name(text: str) -> list[str]:
    parts = text.split("/")
    complaint = _pattern_complaint(_KEY_RULE, _KEY, "MyName", "my.name", "123-abc")
    if len(parts) > 2:
        return [
            f"a valid label key {complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    complaints: list[str] = []
    if len(parts) == 2:
        prefix = ["must be non-empty"] if not parts[0] else _subdomain_in("bytes")(parts[0])
        complaints += [f"prefix part {each}" for each in prefix]
    name = parts[-1]
    if not name:
        complaints.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        complaints.append("name part must be no more than 63 bytes")
    if not _fits(_KEY, name):
        complaints.append(f"name part {complaint}")
    return complaints


def _only_if(test: Callable[[str], bool], complaint: str) -> Rule:
    return lambda text: [] if test(text) else [complaint]


_UUID: Final = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_BASE64: Final = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))", re.ASCII)


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    try:
        date(year or 4, month, day)  # year 0 is a leap year, which Python doesn't have
    except ValueError:
        return False
    return True


def _is_datetime(text: str) -> bool:
    parts = text.lower().split("t")
    if len(parts) < 2 or not _is_date(parts[0]):
        return False
    match = _TIME.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format: its name, its rule, and the length of its pattern as the cost of a check counts it."""

    name: str
    rule: Rule
    pattern_size: int

    unhashable_in_go: ClassVar[str] = "cel.Format"


register(NamedFormat, "kubernetes.NamedFormat")

FORMATS: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", _label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", _subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", _label_1035, 30),
    "qualifiedName": NamedFormat("QualifiedName", _qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _as_prefix(_label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _as_prefix(_subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _as_prefix(_label_1035), 30),
    "labelValue": NamedFormat("LabelValue", _label_value, 40),
    "uri": NamedFormat("URI", _only_if(is_url, "is no absolute URI"), 1103),
    "uuid": NamedFormat("uuid", _only_if(lambda t: bool(_UUID.fullmatch(t)), "does not match the UUID format"), 70),
    "byte": NamedFormat("byte", _only_if(lambda t: bool(_BASE64.fullmatch(t)), "invalid base64"), 84),
    "date": NamedFormat("date", _only_if(_is_date, "invalid date"), 71),
    "datetime": NamedFormat("datetime", _only_if(_is_datetime, "invalid datetime"), 71),
}
"""The pattern sizes are those of apiserver's format library (1.36)."""


def named(name: str) -> Value:
    """`format.named(name)`: the format, if there's one."""
    found = FORMATS.get(name)
    return NONE if found is None else Optional(found)


def validate(chosen: NamedFormat, text: str) -> Value:
    """The complaints about a text, or nothing."""
    complaints = chosen.rule(text)
    return Optional(complaints) if complaints else NONE
