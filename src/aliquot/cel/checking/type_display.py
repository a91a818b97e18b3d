"""Static types by the names that they have at run time."""

from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.static_types import Type

_RUNTIME_NAMES: Final = {
    t.ANY: "google.protobuf.Any",
    t.NULL: "null_type",
    t.TIMESTAMP: "google.protobuf.Timestamp",
    t.DURATION: "google.protobuf.Duration",
}


def runtime_name(found: Type) -> str:
    """The type's name at run time, without parameters."""
    return _RUNTIME_NAMES.get(found.kind, found.name)


def declared_name(found: Type) -> str:
    """The type as cel-go prints a program's result type: `google.protobuf.Any`, `list(string)`."""
    if found.nullable:
        return str(found)
    name = runtime_name(found)
    return f"{name}({', '.join(declared_name(param) for param in found.params)})" if found.params else name
