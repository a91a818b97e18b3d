"""Label and field selectors, as a list's query has them."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from aliquot.cluster.objects.resources import Resource
from aliquot.cluster.objects.status import StatusError

Json = dict[str, Any]
Matches = Callable[[Json], bool]

_TERM = re.compile(
    r"\s*(?:(?P<absent>!)\s*(?P<no>[^\s,=!()]+)"
    r"|(?P<key>[^\s,=!()]+)(?:\s*(?P<op>==|=|!=)\s*(?P<value>[^\s,()]*)"
    r"|\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)

_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_SELECTABLE: Final[Mapping[str, Mapping[str, Any]]] = {
    "Node": {"spec.unschedulable": False},
    "Pod": {
        "spec.nodeName": "",
        "spec.restartPolicy": "",
        "spec.schedulerName": "",
        "spec.serviceAccountName": "",
        "spec.hostNetwork": False,
        "status.phase": "",
        "status.podIP": "",
        "status.nominatedNodeName": "",
    },
    "Event": {f"involvedObject.{name}": "" for name in _INVOLVED}
    | {"reason": "", "reportingComponent": "", "source.component": "", "type": ""},
    "ResourceSlice": {"spec.nodeName": "", "spec.driver": "", "spec.pool.name": ""},
}
"""Kind -> fields that can be selected beside metadata.name and metadata.namespace -> what an absent one counts as."""


def selector(resource: Resource, labels: str, fields: str) -> Matches:
    """Both together.

    Raises:
        StatusError: 400: it can't be read, or that field can't be selected by.
    """
    tests = [*_label_tests(labels), *_field_tests(resource, fields)]
    return lambda thing: all(test(thing) for test in tests)


def _label_tests(text: str) -> list[Matches]:
    tests: list[Matches] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TERM.match(text, at)
        if found is None or found.end() == at:
            raise StatusError(400, f"unable to parse the label selector {text!r} from {text[at:]!r} on")
        tests.append(_label_test(found))
        at = found.end()
    return tests


def _label_test(found: "re.Match[str]") -> Matches:
    key = found["no"] or found["key"]
    if found["absent"]:
        return lambda thing: key not in _labels(thing)
    if found["op"] in {"=", "=="}:
        return lambda thing: _labels(thing).get(key) == found["value"]
    if found["op"] == "!=":
        return lambda thing: _labels(thing).get(key) != found["value"]
    if found["set"] is None:
        return lambda thing: key in _labels(thing)
    values = {each.strip() for each in found["values"].split(",")}
    if found["set"] == "in":
        return lambda thing: _labels(thing).get(key) in values
    return lambda thing: _labels(thing).get(key) not in values


def _labels(thing: Json) -> Json:
    return thing["metadata"].get("labels") or {}


def _field_tests(resource: Resource, text: str) -> list[Matches]:
    known = {"metadata.name": "", **({"metadata.namespace": ""} if resource.namespaced else {})}
    known |= _SELECTABLE.get(resource.kind, {})
    tests: list[Matches] = []
    for term in filter(None, (each.strip() for each in text.split(","))):
        name, operator, value = re.fullmatch(r"([^=!]*)(==|=|!=)?(.*)", term).groups()  # type: ignore[union-attr]  # matches all
        name = "source.component" if name == "source" else name
        if operator is None:
            raise StatusError(400, f"invalid field selector {text!r}: {term!r} compares with nothing")
        if name not in known:
            raise StatusError(400, f"field label not supported: {name} (known of {resource.name}: {', '.join(known)})")
        tests.append(_field_test(name, value, known[name], wanted=operator != "!="))
    return tests


def _field_test(name: str, value: str, absent: Any, *, wanted: bool) -> Matches:
    def matches(thing: Json) -> bool:
        found: Any = thing
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        found = absent if found is None else found
        text = str(found).lower() if isinstance(found, bool) else str(found)
        return (text == value) == wanted

    return matches
