"""Values of plain data as fields of a spec have them: text, numbers, lists, objects. `decode` has the fields.

Two ways, by `exact`. Without it, as the Go library reads: field names in any case, a number or a boolean where text is
due becomes text, 1.0 is a whole number. With it, as the specification is written.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from aliquot.cdi.documents.load import Where, path_text
from aliquot.cdi.documents.yaml_scalar import MAX_UINT, MIN_INT, float_text, whole
from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem

Reader: TypeAlias = "Callable[[Decoder, Any, Where], Any]"
Fields: TypeAlias = Mapping[str, tuple[str, Reader]]
"""Field name in the document -> attribute, and how its value is read."""


@dataclass(frozen=True, slots=True)
class ObjectFields:
    """The fields of an object; `older` are those that a later version of the specification dropped."""

    known: Fields
    older: Fields = field(default_factory=dict[str, tuple[str, "Reader"]])


_KINDS: tuple[tuple[type, str], ...] = (
    (dict, "an object"),
    (list, "a list"),
    (str, "text"),
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a number"),
)


@dataclass(slots=True)
class Decoder:
    """Reads values and gathers what doesn't fit. `older_fields` also takes fields that a later version dropped."""

    exact: bool = False
    older_fields: bool = False
    problems: list[Problem] = field(default_factory=list[Problem])

    def wrong(self, where: Where, message: str, hint: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem("syntax", message, path_text(where), hint))

    def mismatch(self, value: Any, where: Where, due: str, hint: str = "") -> None:
        """Note a value of the wrong type."""
        kind = next((name for type_, name in _KINDS if isinstance(value, type_)), "null")
        self.wrong(where, f"{kind} stands where {due} is due", hint)

    def members(self, data: Any, where: Where, fields: ObjectFields) -> dict[str, Any]:
        """The attributes that an object gives; unknown fields are problems, null leaves a field out."""
        if not is_object(data):
            hint = "SPEC.md prints a list there by mistake" if isinstance(data, list) and where else ""
            self.mismatch(data, where, "an object", hint)
            return {}
        attributes: dict[str, Any] = {}
        keys: dict[str, str] = {}
        known_fields = fields.known
        for key, value in data.items():
            known = known_fields.get(key) or self.other_field(key, where, fields)
            if known is not None and value is not None:
                attribute, reader = known
                read = reader(self, value, (where, key))
                if key >= keys.setdefault(attribute, key):  # `KIND` beside `kind`: Go reads keys sorted, the last wins
                    attributes[attribute], keys[attribute] = read, key
        return attributes

    def other_field(self, key: str, where: Where, fields: ObjectFields) -> tuple[str, Reader] | None:
        """The field that a name means which isn't one as it stands."""
        if key in fields.older:
            if self.older_fields:
                return fields.older[key]
            self.wrong((where, key), f"unknown field {key!r}", "1.1.0 dropped it: remove it, or use enableMonitoring")
            return None
        folded = _fold(key)
        meant = next((name for name in fields.known if _fold(name) == folded), None)
        if meant is not None and not self.exact:
            return fields.known[meant]
        near = [meant] if meant else difflib.get_close_matches(key[:40], list(fields.known), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(fields.known)}"
        self.wrong((where, key), f"unknown field {key!r}", hint)
        return None


def _fold(name: str) -> str:
    """Case folding letter by letter, as Go's JSON has it."""
    return "".join(letter if len(letter) == 1 else raw for raw in name for letter in (raw.casefold(),))


def text(decoder: Decoder, value: Any, where: Where) -> str:
    """Text; where it isn't exact, also a number or a boolean, as the text that Go makes of it."""
    if isinstance(value, str):
        return value
    if not decoder.exact:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int) and MIN_INT <= value <= MAX_UINT:
            return str(value)
        if isinstance(value, int | float):
            return float_text(float(value))
    quote = isinstance(value, bool | int | float)
    decoder.mismatch(value, where, "text", "put it in quotes" if quote else "")
    return ""


def flag(decoder: Decoder, value: Any, where: Where) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        decoder.mismatch(value, where, "true or false")
    return value is True


def _number(decoder: Decoder, value: Any, where: Where, *, low: int, high: int) -> int:
    number: Any = value
    if isinstance(value, float) and not decoder.exact:
        number = None if low == 0 and str(value) == "-0.0" else whole(value)  # Go writes it as -0
        if number is None:
            decoder.wrong(where, f"{value} isn't a whole number")
            return 0
    if not isinstance(number, int) or isinstance(number, bool):
        hint = f"write {int(str(value), 8)}, which is octal {value}" if _is_octal(value) else ""
        decoder.mismatch(value, where, "a whole number", hint)
        return 0
    if not low <= number <= high:
        decoder.wrong(where, f"{number} isn't between {low} and {high}")
        return 0
    return number


def _is_octal(value: Any) -> bool:
    return isinstance(value, str) and 3 <= len(value) <= 6 and all(digit in "01234567" for digit in value)


int64: Reader = partial(_number, low=-(2**63), high=2**63 - 1)
uint32: Reader = partial(_number, low=0, high=2**32 - 1)


def items_of(decoder: Decoder, value: Any, where: Where) -> list[Any]:
    """The items of a list."""
    if is_list(value):
        return value
    decoder.mismatch(value, where, "a list")
    return []


def texts(decoder: Decoder, value: Any, where: Where) -> tuple[str, ...]:
    """A list of texts; null is the empty one."""
    items = enumerate(items_of(decoder, value, where))
    return tuple("" if item is None else text(decoder, item, (where, i)) for i, item in items)


def numbers(decoder: Decoder, value: Any, where: Where) -> tuple[int, ...]:
    """A list of unsigned 32-bit numbers; null is 0."""
    items = enumerate(items_of(decoder, value, where))
    return tuple(0 if item is None else uint32(decoder, item, (where, i)) for i, item in items)


def text_map(decoder: Decoder, value: Any, where: Where) -> dict[str, str]:
    """An object whose values are texts; null is the empty one."""
    if not is_object(value):
        decoder.mismatch(value, where, "an object")
        return {}
    return {key: "" if item is None else text(decoder, item, (where, key)) for key, item in value.items()}
