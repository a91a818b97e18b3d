"""Every function there is, as a table. The order of overloads is the order in which cel-go's libraries add them."""

from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import Final

from aliquot.cel import conversions as c
from aliquot.cel import lists, naming, operators, quantities, strings, times
from aliquot.cel.declarations import Function, Impl, Row, declared
from aliquot.cel.networks import Cidr, Ip, NetworkError
from aliquot.cel.nodes import (
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
    OPT_INDEX,
    OR,
)
from aliquot.cel.urls import Url, UrlError, is_url, parse_url
from aliquot.cel.values import NONE, Duration, Err, MapValue, Optional, Timestamp, Uint, Value, key_of

_NUMERIC: Final = (("int64", "int"), ("uint64", "uint"), ("double", "double"))
_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_SORTABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_RUNTIME_NAMES: Final = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}


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


_OPERATORS: Final[list[Row]] = [
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

_STANDARD: Final[list[Row]] = [
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
    ("duration", "string_to_duration", "(string) duration", times.duration_of),
    ("int", "int64_to_int64", "(int) int", c.identity),
    ("int", "double_to_int64", "(double) int", c.int_of_double),
    ("int", "duration_to_int64", "(duration) int", c.nanoseconds),
    ("int", "string_to_int64", "(string) int", c.int_of_string),
    ("int", "timestamp_to_int64", "(timestamp) int", times.seconds_of),
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
    ("timestamp", "int64_to_timestamp", "(int) timestamp", times.timestamp_of_seconds),
    ("timestamp", "string_to_timestamp", "(string) timestamp", times.timestamp_of),
    ("uint", "uint64_to_uint64", "(uint) uint", c.identity),
    ("uint", "double_to_uint64", "(double) uint", c.uint_of_double),
    ("uint", "int64_to_uint64", "(int) uint", c.uint_of_int),
    ("uint", "string_to_uint64", "(string) uint", c.uint_of_string),
    ("contains", "contains_string", "string.(string) bool", strings.contains),
    ("endsWith", "ends_with_string", "string.(string) bool", strings.ends_with),
    ("startsWith", "starts_with_string", "string.(string) bool", strings.starts_with),
    ("matches", "matches", "(string, string) bool", None),
    ("matches", "matches_string", "string.(string) bool", None),
]


def _time_parts() -> list[Row]:
    rows: list[Row] = []
    for name in times.PARTS:
        rows.append((name, f"timestamp_{name}", "timestamp.() int", partial(times.part_of, name)))
        rows.append((name, f"timestamp_{name}_tz", "timestamp.(string) int", partial(times.part_of, name)))
        if name in {"getHours", "getMinutes", "getSeconds", "getMilliseconds"}:
            rows.append((name, f"duration_{name}", "duration.() int", partial(times.duration_part, name)))
    return rows


_ZEROS: Final[dict[str, Value]] = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}


def _kubernetes_lists() -> list[Row]:
    rows: list[Row] = []
    for kind in _COMPARABLE:
        rows.append(("isSorted", f"list_{kind}_is_sorted_bool", f"list({kind}).() bool", lists.is_sorted))
        rows.append(("max", f"list_{kind}_max_{kind}", f"list({kind}).() {kind}", lists.largest))
        rows.append(("min", f"list_{kind}_min_{kind}", f"list({kind}).() {kind}", lists.smallest))
    for kind, zero in _ZEROS.items():
        rows.append(("sum", f"list_{kind}_sum_{kind}", f"list({kind}).() {kind}", lists.summing(zero)))
    rows.append(("indexOf", "list_a_index_of_int", "list(A).(A) int", lists.index_of))
    rows.append(("lastIndexOf", "list_a_last_index_of_int", "list(A).(A) int", lists.last_index_of))
    return rows


def _url_of(text: str) -> Value:
    try:
        return parse_url(text)
    except UrlError as error:
        return Err(str(error))


def _query_of(url: Url) -> MapValue:
    return MapValue({key_of(name): (name, found) for name, found in url.query_values().items()})


def _parsed(parse: Callable[[str], Value]) -> Impl:
    def convert(text: str) -> Value:
        try:
            return parse(text)
        except NetworkError as error:
            return Err(str(error))

    return convert


_ip_of: Final = _parsed(Ip.parse)
_cidr_of: Final = _parsed(Cidr.parse)


def _is_ip(text: str) -> bool:
    return not isinstance(_ip_of(text), Err)


def _is_cidr(text: str) -> bool:
    return not isinstance(_cidr_of(text), Err)


def _is_canonical(text: str) -> Value:
    address = _ip_of(text)
    return address if isinstance(address, Err) else str(address) == text


def _contains_ip_text(network: Cidr, text: str) -> Value:
    address = _ip_of(text)
    return Err("no such overload") if isinstance(address, Err) else network.contains(address)


def _contains_cidr_text(network: Cidr, text: str) -> Value:
    other = _cidr_of(text)
    return other if isinstance(other, Err) else network.contains_network(other)


_KUBERNETES: Final[list[Row]] = [
    ("url", "string_to_url", "(string) url", _url_of),
    ("getScheme", "url_get_scheme", "url.() string", attrgetter("scheme")),
    ("getHost", "url_get_host", "url.() string", attrgetter("host")),
    ("getHostname", "url_get_hostname", "url.() string", attrgetter("hostname")),
    ("getPort", "url_get_port", "url.() string", attrgetter("port")),
    ("getEscapedPath", "url_get_escaped_path", "url.() string", attrgetter("escaped_path")),
    ("getQuery", "url_get_query", "url.() map(string, list(string))", _query_of),
    ("isURL", "is_url_string", "(string) bool", is_url),
    ("find", "string_find_string", "string.(string) string", strings.find),
    ("findAll", "string_find_all_string", "string.(string) list(string)", strings.find_all),
    ("findAll", "string_find_all_string_int", "string.(string, int) list(string)", strings.find_all),
    *_kubernetes_lists(),
    ("path", "authorizer_path", "Authorizer.(string) PathCheck", None),
    ("group", "authorizer_group", "Authorizer.(string) GroupCheck", None),
    ("serviceAccount", "authorizer_serviceaccount", "Authorizer.(string, string) Authorizer", None),
    ("resource", "groupcheck_resource", "GroupCheck.(string) ResourceCheck", None),
    ("subresource", "resourcecheck_subresource", "ResourceCheck.(string) ResourceCheck", None),
    ("namespace", "resourcecheck_namespace", "ResourceCheck.(string) ResourceCheck", None),
    ("name", "resourcecheck_name", "ResourceCheck.(string) ResourceCheck", None),
    ("check", "pathcheck_check", "PathCheck.(string) Decision", None),
    ("check", "resourcecheck_check", "ResourceCheck.(string) Decision", None),
    ("errored", "decision_errored", "Decision.() bool", None),
    ("error", "decision_error", "Decision.() string", None),
    ("allowed", "decision_allowed", "Decision.() bool", None),
    ("reason", "decision_reason", "Decision.() string", None),
    ("fieldSelector", "authorizer_fieldselector", "ResourceCheck.(string) ResourceCheck", None),
    ("labelSelector", "authorizer_labelselector", "ResourceCheck.(string) ResourceCheck", None),
    ("quantity", "string_to_quantity", "(string) quantity", quantities.parse_quantity),
    ("isQuantity", "is_quantity_string", "(string) bool", quantities.is_quantity),
    ("sign", "quantity_sign", "(quantity) int", quantities.sign),
    ("isGreaterThan", "quantity_is_greater_than", "quantity.(quantity) bool", quantities.quantity_above),
    ("isLessThan", "quantity_is_less_than", "quantity.(quantity) bool", quantities.quantity_below),
    ("compareTo", "quantity_compare_to", "quantity.(quantity) int", quantities.compare_quantities),
    ("asApproximateFloat", "quantity_get_float", "quantity.() double", quantities.as_float),
    ("asInteger", "quantity_get_int", "quantity.() int", quantities.as_integer),
    ("isInteger", "quantity_is_integer", "quantity.() bool", quantities.is_integer),
    ("add", "quantity_add", "quantity.(quantity) quantity", quantities.plus),
    ("add", "quantity_add_int", "quantity.(int) quantity", quantities.plus),
    ("sub", "quantity_sub", "quantity.(quantity) quantity", quantities.minus),
    ("sub", "quantity_sub_int", "quantity.(int) quantity", quantities.minus),
    ("semver", "string_to_semver", "(string) semver", quantities.parse_semver),
    ("semver", "string_bool_to_semver", "(string, bool) semver", quantities.parse_semver),
    ("isSemver", "is_semver_string", "(string) bool", quantities.is_semver),
    ("isSemver", "is_semver_string_bool", "(string, bool) bool", quantities.is_semver),
    ("isGreaterThan", "semver_is_greater_than", "semver.(semver) bool", quantities.version_above),
    ("isLessThan", "semver_is_less_than", "semver.(semver) bool", quantities.version_below),
    ("compareTo", "semver_compare_to", "semver.(semver) int", quantities.compare_versions),
    ("major", "semver_major", "semver.() int", quantities.major),
    ("minor", "semver_minor", "semver.() int", quantities.minor),
    ("patch", "semver_patch", "semver.() int", quantities.patch),
    ("ip", "string_to_ip", "(string) ip", _ip_of),
    ("ip", "cidr_ip", "cidr.() ip", Cidr.ip),
    ("ip.isCanonical", "ip_is_canonical", "(string) bool", _is_canonical),
    ("isIP", "is_ip", "(string) bool", _is_ip),
    ("string", "ip_to_string", "(ip) string", str),
    ("string", "cidr_to_string", "(cidr) string", str),
    ("family", "ip_family", "ip.() int", attrgetter("address.version")),
    ("isUnspecified", "ip_is_unspecified", "ip.() bool", attrgetter("address.is_unspecified")),
    ("isLoopback", "ip_is_loopback", "ip.() bool", attrgetter("address.is_loopback")),
    ("isLinkLocalMulticast", "ip_link_local_multicast", "ip.() bool", attrgetter("is_link_local_multicast")),
    ("isLinkLocalUnicast", "ip_link_local_unicast", "ip.() bool", attrgetter("is_link_local_unicast")),
    ("isGlobalUnicast", "ip_global_unicast", "ip.() bool", attrgetter("is_global_unicast")),
    ("cidr", "string_to_cidr", "(string) cidr", _cidr_of),
    ("isCIDR", "is_cidr", "(string) bool", _is_cidr),
    ("containsIP", "cidr_contains_ip_string", "cidr.(string) bool", _contains_ip_text),
    ("containsIP", "cidr_contains_ip_ip", "cidr.(ip) bool", Cidr.contains),
    ("containsCIDR", "cidr_contains_cidr_string", "cidr.(string) bool", _contains_cidr_text),
    ("containsCIDR", "cidr_contains_cidr", "cidr.(cidr) bool", Cidr.contains_network),
    ("prefixLength", "cidr_prefix_length", "cidr.() int", attrgetter("bits")),
    ("masked", "cidr_masked", "cidr.() cidr", attrgetter("masked")),
    ("format.named", "format-named", "(string) optional(format)", naming.named),
    ("validate", "format-validate", "format.(string) optional(list(string))", naming.validate),
]


def _constant(value: Value) -> Impl:
    return lambda: value


_FORMATS: Final[list[Row]] = [
    (f"format.{name}", f"format.{name}", "() format", _constant(found)) for name, found in naming.FORMATS.items()
]


def _format(template: Value, arguments: Value) -> Value:
    from aliquot.cel.formatting import format_text

    return format_text(template, arguments)


_STRINGS: Final[list[Row]] = [
    ("charAt", "string_char_at_int", "string.(int) string", strings.char_at),
    ("indexOf", "string_index_of_string", "string.(string) int", strings.index_of),
    ("indexOf", "string_index_of_string_int", "string.(string, int) int", strings.index_of),
    ("lastIndexOf", "string_last_index_of_string", "string.(string) int", strings.last_index_of),
    ("lastIndexOf", "string_last_index_of_string_int", "string.(string, int) int", strings.last_index_of_offset),
    ("lowerAscii", "string_lower_ascii", "string.() string", strings.lower_ascii),
    ("replace", "string_replace_string_string", "string.(string, string) string", strings.replace),
    ("replace", "string_replace_string_string_int", "string.(string, string, int) string", strings.replace),
    ("split", "string_split_string", "string.(string) list(string)", strings.split),
    ("split", "string_split_string_int", "string.(string, int) list(string)", strings.split),
    ("substring", "string_substring_int", "string.(int) string", strings.substring),
    ("substring", "string_substring_int_int", "string.(int, int) string", strings.substring_to),
    ("trim", "string_trim", "string.() string", strings.trim),
    ("upperAscii", "string_upper_ascii", "string.() string", strings.upper_ascii),
    ("format", "string_format", "string.(list(dyn)) string", _format),
    ("strings.quote", "strings_quote", "(string) string", strings.quote),
    ("join", "list_join", "list(string).() string", strings.join),
    ("join", "list_join_string", "list(string).(string) string", strings.join),
]

_SETS: Final[list[Row]] = [
    ("sets.contains", "list_sets_contains_list", "(list(T), list(T)) bool", lists.set_contains),
    ("sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) bool", lists.set_equivalent),
    ("sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) bool", lists.set_intersects),
]


def _is_zero(value: Value) -> bool:
    """cel-go's zero values; Kubernetes' own types have none."""
    if value is None:
        return True
    if type(value) in {Duration, Timestamp}:
        return bool(value.nanos == (0 if type(value) is Duration else operators.TIME_MIN))
    if type(value) is Uint:
        return bool(value.value == 0)
    return type(value) in {bool, int, float, str, bytes, list, tuple, dict, MapValue} and not value


def _optional_unless_zero(value: Value) -> Optional:
    return NONE if _is_zero(value) else Optional(value)


def _has_value(option: Optional) -> bool:
    return option is not NONE


def _value_of(option: Optional) -> Value:
    return Err("optional.none() dereference") if option is NONE else option.value


_OPTIONALS: Final[list[Row]] = [
    ("optional.of", "optional_of", "(V) optional(V)", Optional),
    ("optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) optional(V)",
     _optional_unless_zero),
    ("optional.none", "optional_none", "() optional(V)", _constant(NONE)),
    ("value", "optional_value", "optional(V).() V", _value_of),
    ("hasValue", "optional_hasValue", "optional(V).() bool", _has_value),
    ("or", "optional_or_optional", "optional(V).(optional(V)) optional(V)", None),
    ("orValue", "optional_orValue_value", "optional(V).(V) V", None),
    (OPT_INDEX, "list_optindex_optional_int", "(list(V), int) optional(V)", None),
    (OPT_INDEX, "optional_list_optindex_optional_int", "(optional(list(V)), int) optional(V)", None),
    (OPT_INDEX, "map_optindex_optional_value", "(map(K, V), K) optional(V)", None),
    (OPT_INDEX, "optional_map_optindex_optional_value", "(optional(map(K, V)), K) optional(V)", None),
    (INDEX, "optional_list_index_int", "(optional(list(V)), int) optional(V)", None),
    (INDEX, "optional_map_index_value", "(optional(map(K, V)), K) optional(V)", None),
    ("last", "list_last", "list(V).() optional(V)", lists.last),
    ("first", "list_first", "list(V).() optional(V)", lists.first),
    ("optional.unwrap", "optional_unwrap", "(list(optional(V))) list(V)", lists.unwrap),
    ("unwrapOpt", "optional_unwrapOpt", "list(optional(V)).() list(V)", lists.unwrap),
]  # fmt: skip


def _sorts() -> list[Row]:
    rows: list[Row] = []
    for kind in _SORTABLE:
        name = _RUNTIME_NAMES.get(kind, kind)
        rows.append(("sort", f"list_{name}_sort", f"list({kind}).() list({kind})", None))
        identifier = f"list_{name}_sortByAssociatedKeys"
        rows.append(("@sortByAssociatedKeys", identifier, f"list(T).(list({kind})) list(T)", None))
    return rows


_LISTS: Final[list[Row]] = [
    ("slice", "list_slice", "list(T).(int, int) list(T)", lists.part),
    ("flatten", "list_flatten", "list(list(T)).() list(T)", lists.flatten),
    ("flatten", "list_flatten_int", "list(dyn).(int) list(dyn)", lists.flatten),
    *_sorts(),
    ("lists.range", "lists_range", "(int) list(int)", lists.whole_numbers),
    ("reverse", "list_reverse", "list(T).() list(T)", lists.reverse),
    ("distinct", "list_distinct", "list(T).() list(T)", lists.distinct),
    ("cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) map(K, V)", lists.insert_entry),
    ("cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) map(K, V)", lists.insert_all),
]

_SHARED: Final[dict[str, Impl]] = {
    NOT: operators.invert,
    ADD: operators.add,
    "_/_": operators.divide,
    "_%_": operators.modulo,
    "_*_": operators.multiply,
    NEGATE: operators.negate,
    "_-_": operators.subtract,
    "_<_": operators.less,
    "_<=_": operators.less_or_equal,
    "_>_": operators.greater,
    "_>=_": operators.greater_or_equal,
    IN: lists.is_in,
    "size": strings.size,
    "type": c.type_of,
    "dyn": c.identity,
    "matches": strings.matches,
    "sort": lists.sort,
    "@sortByAssociatedKeys": lists.sort_by_keys,
}
_UNGUARDED: Final = frozenset({"contains", "endsWith", "startsWith", "flatten"})
_ONE_BY_ONE: Final = frozenset({"string_format"})


@cache
def functions(includes: Impl | None, *, int_to_duration: bool) -> dict[str, Function]:
    """All functions by name.

    Args:
        includes: the implementation of `includes`, or None where it doesn't exist.
        int_to_duration: whether `duration(int)` is declared, which never works.
    """
    rows = [*_OPERATORS, *_STANDARD, *_time_parts(), *_KUBERNETES, *_FORMATS, *_STRINGS, *_SETS, *_OPTIONALS, *_LISTS]
    if includes is not None:
        name = "dra_includes_dyn_dyn" if includes is lists.includes else "list_includes_dyn_dyn"
        rows.append(("includes", name, "dyn.(dyn) bool", includes))
    if not int_to_duration:
        rows = [row for row in rows if row[1] != "int64_to_duration"]
    return declared(rows, _SHARED, _UNGUARDED, _ONE_BY_ONE)
