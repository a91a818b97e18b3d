"""Static types: what the checker says of an expression before any device is seen."""

from typing import Final

DYN: Final = 0
ANY: Final = 1
ERROR: Final = 2
PARAM: Final = 3
NULL: Final = 4
LIST: Final = 5
MAP: Final = 6
OPAQUE: Final = 7
STRUCT: Final = 8
TYPE: Final = 9
BOOL: Final = 10
INT: Final = 11
UINT: Final = 12
DOUBLE: Final = 13
STRING: Final = 14
BYTES: Final = 15
TIMESTAMP: Final = 16
DURATION: Final = 17
"""Kinds of types. DYN and ANY are both unknown until run time; only DYN may be iterated over."""


class Type:
    """A type: a kind, a name and, for containers, parameters. Compared with `same`; simple types are singletons."""

    __slots__ = ("kind", "name", "nullable", "opened", "params")

    def __init__(self, kind: int, name: str, *params: "Type") -> None:
        self.kind = kind
        self.name = name
        self.params = params
        self.nullable = False
        """Whether null may be assigned to it, as to the wrappers of protocol buffers."""
        self.opened: bool = kind == PARAM or any(param.opened for param in params)
        """Whether a type parameter occurs in it."""

    def __str__(self) -> str:
        """As cel-go's messages print it: `map(string, any)`."""
        if self.nullable:
            return f"wrapper({self.name})"
        if self.params:
            return f"{self.name}({', '.join(map(str, self.params))})"
        return self.name


def list_of(element: Type) -> Type:
    """The type of lists of one element type."""
    return Type(LIST, "list", element)


def map_of(key: Type, value: Type) -> Type:
    """The type of maps."""
    return Type(MAP, "map", key, value)


def optional_of(value: Type) -> Type:
    """The type of optional values."""
    return Type(OPAQUE, "optional_type", value)


def type_of(value: Type) -> Type:
    """The type of a type: what `type(x)` has."""
    return Type(TYPE, "type", value)


def nullable(inner: Type) -> Type:
    """The type of a wrapper message: the wrapped one's values, and null."""
    made = Type(inner.kind, inner.name)
    made.nullable = True
    return made


DYN_T: Final = Type(DYN, "dyn")
ANY_T: Final = Type(ANY, "any")
ERROR_T: Final = Type(ERROR, "!error!")
NULL_T: Final = Type(NULL, "null")
BOOL_T: Final = Type(BOOL, "bool")
INT_T: Final = Type(INT, "int")
UINT_T: Final = Type(UINT, "uint")
DOUBLE_T: Final = Type(DOUBLE, "double")
STRING_T: Final = Type(STRING, "string")
BYTES_T: Final = Type(BYTES, "bytes")
TIMESTAMP_T: Final = Type(TIMESTAMP, "timestamp")
DURATION_T: Final = Type(DURATION, "duration")
LIST_OF_STRING_T: Final = list_of(STRING_T)
QUANTITY_T: Final = Type(STRUCT, "kubernetes.Quantity")
SEMVER_T: Final = Type(STRUCT, "kubernetes.Semver")
URL_T: Final = Type(STRUCT, "kubernetes.URL")
FORMAT_T: Final = Type(STRUCT, "kubernetes.NamedFormat")
DEVICE_T: Final = Type(STRUCT, "kubernetes.DRADevice")
IP_T: Final = Type(OPAQUE, "net.IP")
CIDR_T: Final = Type(OPAQUE, "net.CIDR")


def same(left: Type, right: Type) -> bool:
    """Whether two types are exactly the same, names of parameters included."""
    if left is right:
        return True
    if left.kind != right.kind or left.name != right.name or len(left.params) != len(right.params):
        return False
    return all(same(a, b) for a, b in zip(left.params, right.params, strict=True))


def is_dyn(candidate: Type) -> bool:
    """Whether the type is only known at run time."""
    return candidate.kind <= ANY


def unwrapped(candidate: Type) -> tuple[Type, bool]:
    """The type inside an optional, and whether it was one."""
    if candidate.kind == OPAQUE and candidate.name == "optional_type":
        return candidate.params[0], True
    return candidate, False
