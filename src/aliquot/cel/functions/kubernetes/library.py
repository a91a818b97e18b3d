"""Kubernetes' functions as a table. The order of overloads is the order in which its libraries add them."""

from operator import attrgetter
from typing import Final

from aliquot.cel.functions.declarations import Impl, Row
from aliquot.cel.functions.kubernetes import lists, named_formats, quantities, regexes, semvers
from aliquot.cel.functions.kubernetes.networks import (
    cidr_of,
    contains_cidr_text,
    contains_ip_text,
    ip_of,
    is_canonical,
    is_cidr,
    is_ip,
)
from aliquot.cel.functions.kubernetes.urls import query_of, url_of
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.url_parser import is_url
from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.times import Duration
from aliquot.cel.values.value import Value

_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


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


KUBERNETES: Final[list[Row]] = [
    ("url", "string_to_url", "(string) url", url_of),
    ("getScheme", "url_get_scheme", "url.() string", attrgetter("scheme")),
    ("getHost", "url_get_host", "url.() string", attrgetter("host")),
    ("getHostname", "url_get_hostname", "url.() string", attrgetter("hostname")),
    ("getPort", "url_get_port", "url.() string", attrgetter("port")),
    ("getEscapedPath", "url_get_escaped_path", "url.() string", attrgetter("escaped_path")),
    ("getQuery", "url_get_query", "url.() map(string, list(string))", query_of),
    ("isURL", "is_url_string", "(string) bool", is_url),
    ("find", "string_find_string", "string.(string) string", regexes.find),
    ("findAll", "string_find_all_string", "string.(string) list(string)", regexes.find_all),
    ("findAll", "string_find_all_string_int", "string.(string, int) list(string)", regexes.find_all),
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
    ("semver", "string_to_semver", "(string) semver", semvers.parse_semver),
    ("semver", "string_bool_to_semver", "(string, bool) semver", semvers.parse_semver),
    ("isSemver", "is_semver_string", "(string) bool", semvers.is_semver),
    ("isSemver", "is_semver_string_bool", "(string, bool) bool", semvers.is_semver),
    ("isGreaterThan", "semver_is_greater_than", "semver.(semver) bool", semvers.version_above),
    ("isLessThan", "semver_is_less_than", "semver.(semver) bool", semvers.version_below),
    ("compareTo", "semver_compare_to", "semver.(semver) int", semvers.compare_versions),
    ("major", "semver_major", "semver.() int", semvers.major),
    ("minor", "semver_minor", "semver.() int", semvers.minor),
    ("patch", "semver_patch", "semver.() int", semvers.patch),
    ("ip", "string_to_ip", "(string) ip", ip_of),
    ("ip", "cidr_ip", "cidr.() ip", Cidr.ip),
    ("ip.isCanonical", "ip_is_canonical", "(string) bool", is_canonical),
    ("isIP", "is_ip", "(string) bool", is_ip),
    ("string", "ip_to_string", "(ip) string", str),
    ("string", "cidr_to_string", "(cidr) string", str),
    ("family", "ip_family", "ip.() int", attrgetter("address.version")),
    ("isUnspecified", "ip_is_unspecified", "ip.() bool", attrgetter("address.is_unspecified")),
    ("isLoopback", "ip_is_loopback", "ip.() bool", attrgetter("address.is_loopback")),
    ("isLinkLocalMulticast", "ip_link_local_multicast", "ip.() bool", attrgetter("is_link_local_multicast")),
    ("isLinkLocalUnicast", "ip_link_local_unicast", "ip.() bool", attrgetter("is_link_local_unicast")),
    ("isGlobalUnicast", "ip_global_unicast", "ip.() bool", attrgetter("is_global_unicast")),
    ("cidr", "string_to_cidr", "(string) cidr", cidr_of),
    ("isCIDR", "is_cidr", "(string) bool", is_cidr),
    ("containsIP", "cidr_contains_ip_string", "cidr.(string) bool", contains_ip_text),
    ("containsIP", "cidr_contains_ip_ip", "cidr.(ip) bool", Cidr.contains),
    ("containsCIDR", "cidr_contains_cidr_string", "cidr.(string) bool", contains_cidr_text),
    ("containsCIDR", "cidr_contains_cidr", "cidr.(cidr) bool", Cidr.contains_network),
    ("prefixLength", "cidr_prefix_length", "cidr.() int", attrgetter("bits")),
    ("masked", "cidr_masked", "cidr.() cidr", attrgetter("masked")),
    ("format.named", "format-named", "(string) optional(format)", named_formats.named),
    ("validate", "format-validate", "format.(string) optional(list(string))", named_formats.validate),
]


def _constant(value: Value) -> Impl:
    return lambda: value


FORMATS: Final[list[Row]] = [
    (f"format.{name}", f"format.{name}", "() format", _constant(found)) for name, found in named_formats.FORMATS.items()
]
