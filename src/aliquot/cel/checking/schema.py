"""What the checker knows in one environment: the device's fields, the names of types, and the functions."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.environment import Environment
from aliquot.cel.functions.declarations import Function, Impl
from aliquot.cel.functions.kubernetes import includes
from aliquot.cel.functions.library import functions
from aliquot.cel.static_types import Type

_A: Final = Type(t.PARAM, "A")
_B: Final = Type(t.PARAM, "B")
TYPE_NAMES: Final[dict[str, Type]] = {
    "bool": t.BOOL_T,
    "bytes": t.BYTES_T,
    "double": t.DOUBLE_T,
    "int": t.INT_T,
    "uint": t.UINT_T,
    "string": t.STRING_T,
    "null_type": t.NULL_T,
    "list": t.list_of(_A),
    "map": t.map_of(_A, _B),
    "type": Type(t.TYPE, "type"),
    "google.protobuf.Timestamp": t.TIMESTAMP_T,
    "google.protobuf.Duration": t.DURATION_T,
    "optional_type": Type(t.OPAQUE, "optional_type", Type(t.PARAM, "T")),
    "net.IP": t.IP_T,
    "net.CIDR": t.CIDR_T,
    "kubernetes.DRADevice": t.DEVICE_T,
}
"""Names that stand for a type, as in `type(x) == int`."""

QUALIFIED_ENDS: Final = frozenset(name.rpartition(".")[2] for name in TYPE_NAMES if "." in name)
"""Last parts of the qualified ones, so that most selections need not be looked up."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Schema:
    """An environment as the checker sees it."""

    fields: dict[str, Type]
    """The fields of `device`."""
    attribute: Type
    """The type of an attribute: any, or dyn where it may be a list."""
    functions: dict[str, Function]
    escaped_names: bool
    """Whether names may stand in backticks."""
    locals_shadow: bool
    """Whether a local variable hides a qualified name that begins with it."""
    exact_result: bool
    """Whether only bool and the attributes' own type may be the result; else any of any and dyn, too."""


@lru_cache(maxsize=64)
def schema_of(environment: Environment) -> Schema:
    """The schema of an environment, remembered."""
    minor, stored = environment.minor, environment.mode == "stored"
    # 1.37 has one device type per set of gates, and stored expressions get the newest; in 1.36 the gate alone decides
    dynamic = environment.list_attributes or (minor >= 37 and stored)
    attribute = t.DYN_T if dynamic else t.ANY_T
    fields = {
        "driver": t.STRING_T,
        "attributes": t.map_of(t.STRING_T, t.map_of(t.STRING_T, attribute)),
        "capacity": t.map_of(t.STRING_T, t.map_of(t.STRING_T, t.QUANTITY_T)),
    }
    if stored or environment.consumable_capacity:
        fields["allowMultipleAllocations"] = t.BOOL_T
    return Schema(
        fields=fields,
        attribute=attribute,
        functions=functions(_includes(environment), since_1_37=minor >= 37),
        escaped_names=minor >= 37,
        locals_shadow=minor >= 37,
        exact_result=minor >= 37,
    )


def _includes(environment: Environment) -> Impl | None:
    """`includes` came with 1.36, behind the gate for new expressions; 1.37 dropped the limit of length."""
    if environment.minor < 36 or (environment.mode == "new" and not environment.list_attributes):
        return None
    return includes.includes if environment.minor == 36 else includes.includes_any_length
