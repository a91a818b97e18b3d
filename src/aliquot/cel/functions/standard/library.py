"""The standard library as a table. The order of overloads is the order in which cel-go adds them."""

from functools import partial
from typing import Final

from aliquot.cel.functions.declarations import Impl, Row
from aliquot.cel.functions.standard import calendar, durations, texts, timestamps
from aliquot.cel.functions.standard import conversions as c
from aliquot.cel.operator_names import (
    ADD,
    AND,
    CONDITIONAL,
    EQUALS,
    IN,
    INDEX,
    NEGATE,
    NOT,
    NOT_EQUALS,
    NOT_STRICTLY_FALSE,
    OR,
)
from aliquot.cel.operators import arithmetic, ordering
from aliquot.cel.operators.membership import is_in

_NUMERIC: Final = (("int64", "int"), ("uint64", "uint"), ("double", "double"))


def _comparisons() -> list[Row]:
    rows: list[Row] = []
    for symbol, name in (("<", "less"), ("<=", "less_equals"), (">", "greater"), (">=", "greater_equals")):
        function = f"_{symbol}_"
        rows.append((function, f"{name}_bool", "(bool, bool) bool", None))
        for left, left_type in _NUMERIC:
            for right, right_type in _NUMERIC:
                suffix = left if left == right else f"{left}_{right}"
                rows.append((function, f"{name}_{suffix}", f"({left_type}, {right_type}) bool", None))
        rows += [(function, f"{name}_{kind}", f"({kind}, {kind}) bool", None)
                 for kind in ("string", "bytes", "timestamp", "duration")]  # fmt: skip
    return rows


OPERATORS: Final[list[Row]] = [
    (CONDITIONAL, "conditional", "(bool, A, A) A", None),
    (AND, "logical_and", "(bool, bool) bool", None),
    (OR, "logical_or", "(bool, bool) bool", None),
    (NOT, "logical_not", "(bool) bool", None),
    (NOT_STRICTLY_FALSE, "not_strictly_false", "(bool) bool", None),
    (EQUALS, "equals", "(A, A) bool", None),
    (NOT_EQUALS, "not_equals", "(A, A) bool", None),
    (ADD, "add_bytes", "(bytes, bytes) bytes", None),
    (ADD, "add_double", "(double, double) double", None),
    (ADD, "add_duration_duration", "(duration, duration) duration", None),
    (ADD, "add_duration_timestamp", "(duration, timestamp) timestamp", None),
    (ADD, "add_timestamp_duration", "(timestamp, duration) timestamp", None),
    (ADD, "add_int64", "(int, int) int", None),
    (ADD, "add_list", "(list(A), list(A)) list(A)", None),
    (ADD, "add_string", "(string, string) string", None),
    (ADD, "add_uint64", "(uint, uint) uint", None),
    ("_/_", "divide_double", "(double, double) double", None),
    ("_/_", "divide_int64", "(int, int) int", None),
    ("_/_", "divide_uint64", "(uint, uint) uint", None),
    ("_%_", "modulo_int64", "(int, int) int", None),
    ("_%_", "modulo_uint64", "(uint, uint) uint", None),
    ("_*_", "multiply_double", "(double, double) double", None),
    ("_*_", "multiply_int64", "(int, int) int", None),
    ("_*_", "multiply_uint64", "(uint, uint) uint", None),
    (NEGATE, "negate_double", "(double) double", None),
    (NEGATE, "negate_int64", "(int) int", None),
    ("_-_", "subtract_double", "(double, double) double", None),
    ("_-_", "subtract_duration_duration", "(duration, duration) duration", None),
    ("_-_", "subtract_int64", "(int, int) int", None),
    ("_-_", "subtract_timestamp_duration", "(timestamp, duration) timestamp", None),
    ("_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) duration", None),
    ("_-_", "subtract_uint64", "(uint, uint) uint", None),
    *_comparisons(),
    (INDEX, "index_list", "(list(A), int) A", None),
    (INDEX, "index_map", "(map(A, B), A) B", None),
    (IN, "in_list", "(A, list(A)) bool", None),
    (IN, "in_map", "(A, map(A, B)) bool", None),
]

STANDARD: Final[list[Row]] = [
    ("size", "size_bytes", "(bytes) int", None),
    ("size", "bytes_size", "bytes.() int", None),
    ("size", "size_list", "(list(A)) int", None),
    ("size", "list_size", "list(A).() int", None),
    ("size", "size_map", "(map(A, B)) int", None),
    ("size", "map_size", "map(A, B).() int", None),
    ("size", "size_string", "(string) int", None),
    ("size", "string_size", "string.() int", None),
    ("type", "type", "(A) type(A)", None),
    ("dyn", "to_dyn", "(A) dyn", None),
    ("bool", "bool_to_bool", "(bool) bool", c.identity),
    ("bool", "string_to_bool", "(string) bool", c.bool_of_string),
    ("bytes", "bytes_to_bytes", "(bytes) bytes", c.identity),
    ("bytes", "string_to_bytes", "(string) bytes", c.bytes_of),
    ("double", "double_to_double", "(double) double", c.identity),
    ("double", "int64_to_double", "(int) double", float),
    ("double", "string_to_double", "(string) double", c.double_of_string),
    ("double", "uint64_to_double", "(uint) double", c.double_of_uint),
    ("duration", "duration_to_duration", "(duration) duration", c.identity),
    ("duration", "int64_to_duration", "(int) duration", c.duration_of_int),
    ("duration", "string_to_duration", "(string) duration", durations.duration_of),
    ("int", "int64_to_int64", "(int) int", c.identity),
    ("int", "double_to_int64", "(double) int", c.int_of_double),
    ("int", "duration_to_int64", "(duration) int", c.nanoseconds),
    ("int", "string_to_int64", "(string) int", c.int_of_string),
    ("int", "timestamp_to_int64", "(timestamp) int", timestamps.seconds_of),
    ("int", "uint64_to_int64", "(uint) int", c.int_of_uint),
    ("string", "string_to_string", "(string) string", c.identity),
    ("string", "bool_to_string", "(bool) string", c.string_of),
    ("string", "bytes_to_string", "(bytes) string", c.string_of),
    ("string", "double_to_string", "(double) string", c.string_of),
    ("string", "duration_to_string", "(duration) string", c.string_of),
    ("string", "int64_to_string", "(int) string", c.string_of),
    ("string", "timestamp_to_string", "(timestamp) string", c.string_of),
    ("string", "uint64_to_string", "(uint) string", c.string_of),
    ("timestamp", "timestamp_to_timestamp", "(timestamp) timestamp", c.identity),
    ("timestamp", "int64_to_timestamp", "(int) timestamp", timestamps.timestamp_of_seconds),
    ("timestamp", "string_to_timestamp", "(string) timestamp", timestamps.timestamp_of),
    ("uint", "uint64_to_uint64", "(uint) uint", c.identity),
    ("uint", "double_to_uint64", "(double) uint", c.uint_of_double),
    ("uint", "int64_to_uint64", "(int) uint", c.uint_of_int),
    ("uint", "string_to_uint64", "(string) uint", c.uint_of_string),
    ("contains", "contains_string", "string.(string) bool", texts.contains),
    ("endsWith", "ends_with_string", "string.(string) bool", texts.ends_with),
    ("startsWith", "starts_with_string", "string.(string) bool", texts.starts_with),
    ("matches", "matches", "(string, string) bool", None),
    ("matches", "matches_string", "string.(string) bool", None),
]


def time_parts() -> list[Row]:
    """The functions that take timestamps and durations apart."""
    rows: list[Row] = []
    for name in calendar.PARTS:
        rows.append((name, f"timestamp_{name}", "timestamp.() int", partial(calendar.part_of, name)))
        rows.append((name, f"timestamp_{name}_tz", "timestamp.(string) int", partial(calendar.part_of, name)))
        if name in {"getHours", "getMinutes", "getSeconds", "getMilliseconds"}:
            rows.append((name, f"duration_{name}", "duration.() int", partial(durations.duration_part, name)))
    return rows


SHARED: Final[dict[str, Impl]] = {
    NOT: arithmetic.invert,
    ADD: arithmetic.add,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "_*_": arithmetic.multiply,
    NEGATE: arithmetic.negate,
    "_-_": arithmetic.subtract,
    "_<_": ordering.less,
    "_<=_": ordering.less_or_equal,
    "_>_": ordering.greater,
    "_>=_": ordering.greater_or_equal,
    IN: is_in,
    "size": texts.size,
    "type": c.type_of,
    "dyn": c.identity,
    "matches": texts.matches,
}
UNGUARDED: Final = frozenset({"contains", "endsWith", "startsWith", "flatten"})
