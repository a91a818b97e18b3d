"""Kubernetes' named formats: `format.dns1123Label().validate(text)`."""

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from aliquot.cel.functions.kubernetes.name_rules import (
    as_prefix,
    label,
    label_1035,
    label_value,
    qualified_name,
    subdomain,
)
from aliquot.cel.values.named_format import NamedFormat, NameRule
from aliquot.cel.values.network.url_parser import is_url
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.value import Value


def _only_if(test: Callable[[str], bool], complaint: str) -> NameRule:
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


FORMATS: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", label_1035, 30),
    "qualifiedName": NamedFormat("QualifiedName", qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", as_prefix(label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", as_prefix(subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", as_prefix(label_1035), 30),
    "labelValue": NamedFormat("LabelValue", label_value, 40),
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
