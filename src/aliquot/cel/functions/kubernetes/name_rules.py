"""The rules of Kubernetes' names and labels, with the words of apimachinery's validation."""

from typing import Final

from aliquot.cel.functions.regexes import compile_regex
from aliquot.cel.values.named_format import NameRule

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


def _fitting(longest: int, unit: str, pattern: str, rule: str, *examples: str) -> NameRule:
    """A length and a pattern, with the words of apimachinery's validation: expressions can look at them."""

    def check(text: str) -> list[str]:
        complaints: list[str] = []
        if len(text.encode()) > longest:
            complaints.append(f"must be no more than {longest} {unit}")
        if not _fits(pattern, text):
            complaints.append(_pattern_complaint(rule, pattern, *examples))
        return complaints

    return check


def as_prefix(rule: NameRule) -> NameRule:
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


def label(text: str) -> list[str]:
    """The rule of lowercase RFC 1123 labels."""
    complaints = _plain_label(text)
    if complaints and not _fits(_LABEL, text) and _fits(_SUBDOMAIN, text):
        complaints[-1] = "must not contain dots"
    return complaints


def _subdomain_in(unit: str) -> NameRule:
    return _fitting(
        253,
        unit,
        _SUBDOMAIN,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character",
        "example.com",
    )


subdomain = _subdomain_in("characters")
label_1035 = _fitting(
    63,
    "characters",
    _LABEL_1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    "my-name",
    "abc-123",
)
label_value = _fitting(
    63,
    "bytes",
    f"({_KEY})?",
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character",
    "MyValue",
    "my_value",
    "12345",
)


def qualified_name(text: str) -> list[str]:
    """The rule of label keys."""
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
