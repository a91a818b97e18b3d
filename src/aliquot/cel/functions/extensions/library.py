"""cel-go's extensions as a table. The order of overloads is the order in which they add them."""

from typing import Final

from aliquot.cel.functions.declarations import Impl, Row
from aliquot.cel.functions.extensions import lists, map_entries, optionals, sets, sorting, strings
from aliquot.cel.functions.extensions.optionals import has_value, optional_unless_zero, value_of
from aliquot.cel.operator_names import INDEX, OPT_INDEX
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.value import Value

_SORTABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_RUNTIME_NAMES: Final = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}


def _format(template: Value, arguments: Value) -> Value:
    from aliquot.cel.functions.extensions.formatting import format_text

    return format_text(template, arguments)


STRINGS: Final[list[Row]] = [
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

SETS: Final[list[Row]] = [
    ("sets.contains", "list_sets_contains_list", "(list(T), list(T)) bool", sets.set_contains),
    ("sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) bool", sets.set_equivalent),
    ("sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) bool", sets.set_intersects),
]


OPTIONALS: Final[list[Row]] = [
    ("optional.of", "optional_of", "(V) optional(V)", Optional),
    ("optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) optional(V)",
     optional_unless_zero),
    ("optional.none", "optional_none", "() optional(V)", lambda: NONE),
    ("value", "optional_value", "optional(V).() V", value_of),
    ("hasValue", "optional_hasValue", "optional(V).() bool", has_value),
    ("or", "optional_or_optional", "optional(V).(optional(V)) optional(V)", None),
    ("orValue", "optional_orValue_value", "optional(V).(V) V", None),
    (OPT_INDEX, "list_optindex_optional_int", "(list(V), int) optional(V)", None),
    (OPT_INDEX, "optional_list_optindex_optional_int", "(optional(list(V)), int) optional(V)", None),
    (OPT_INDEX, "map_optindex_optional_value", "(map(K, V), K) optional(V)", None),
    (OPT_INDEX, "optional_map_optindex_optional_value", "(optional(map(K, V)), K) optional(V)", None),
    (INDEX, "optional_list_index_int", "(optional(list(V)), int) optional(V)", None),
    (INDEX, "optional_map_index_value", "(optional(map(K, V)), K) optional(V)", None),
    ("last", "list_last", "list(V).() optional(V)", optionals.last),
    ("first", "list_first", "list(V).() optional(V)", optionals.first),
    ("optional.unwrap", "optional_unwrap", "(list(optional(V))) list(V)", optionals.unwrap),
    ("unwrapOpt", "optional_unwrapOpt", "list(optional(V)).() list(V)", optionals.unwrap),
]  # fmt: skip


def _sorts() -> list[Row]:
    rows: list[Row] = []
    for kind in _SORTABLE:
        name = _RUNTIME_NAMES.get(kind, kind)
        rows.append(("sort", f"list_{name}_sort", f"list({kind}).() list({kind})", None))
        identifier = f"list_{name}_sortByAssociatedKeys"
        rows.append(("@sortByAssociatedKeys", identifier, f"list(T).(list({kind})) list(T)", None))
    return rows


LISTS: Final[list[Row]] = [
    ("slice", "list_slice", "list(T).(int, int) list(T)", lists.part),
    ("flatten", "list_flatten", "list(list(T)).() list(T)", lists.flatten),
    ("flatten", "list_flatten_int", "list(dyn).(int) list(dyn)", lists.flatten),
    *_sorts(),
    ("lists.range", "lists_range", "(int) list(int)", lists.whole_numbers),
    ("reverse", "list_reverse", "list(T).() list(T)", lists.reverse),
    ("distinct", "list_distinct", "list(T).() list(T)", lists.distinct),
    ("cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) map(K, V)", map_entries.insert_entry),
    ("cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) map(K, V)", map_entries.insert_all),
]


ONE_BY_ONE: Final = frozenset({"string_format"})

SINCE_1_37: Final[dict[str, Impl]] = {
    "string_index_of_string_int": strings.index_of_checked,
    "string_last_index_of_string_int": strings.last_index_of_checked,
}
"""What cel-go 0.29 does otherwise, by overload."""

SHARED: Final[dict[str, Impl]] = {"sort": sorting.sort, "@sortByAssociatedKeys": sorting.sort_by_keys}
