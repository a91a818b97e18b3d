"""Which text of an object is what: walks any object and hides what names somebody. Unknown text counts as a name."""

import re
from collections.abc import Mapping
from typing import Any

from aliquot.cluster.anonymous.pseudonyms import Pseudonyms
from aliquot.cluster.anonymous.vocabulary import words

Json = dict[str, Any]

FIRST = ("Node", "Namespace", "ResourceSlice", "DeviceClass", "ResourceClaimTemplate", "ResourceClaim")
"""Kinds to anonymise before others: what they name is recognised in texts of the others."""

_KEPT = words(
    """
    apiVersion kind type status operator effect phase protocol restartPolicy preemptionPolicy whenUnsatisfiable
    nodeAffinityPolicy nodeTaintsPolicy allocationMode policy completionMode concurrencyPolicy action strategy
    resourceVersion kubeletVersion containerRuntimeVersion architecture operatingSystem qosClass imagePullPolicy
    dnsPolicy volumeBindingMode reclaimPolicy persistentVolumeReclaimPolicy accessModes volumeMode provisioner
    driver resource apiGroup group matchAttribute distinctAttribute extendedResourceName resourceName scope
    scopeName bindingConditions bindingFailureConditions declaredFeatures podManagementPolicy schedule maxSurge
    maxUnavailable minAvailable procMount terminationMessagePolicy whenDeleted whenScaled updatePolicy
    unhealthyPodEvictionPolicy managementPolicy fsType server state
    """
)
"""Fields whose text is Kubernetes' own, or a resource's, driver's or attribute's name."""

_DROPPED = words(
    """
    addresses podIP podIPs hostIP hostIPs clusterIP clusterIPs externalIPs loadBalancerIP podCIDR podCIDRs
    osImage kernelVersion machineID systemUUID bootID fieldPath hostAliases dnsConfig selfLink subdomain
    terminationMessagePath daemonEndpoints imageID containerID volumesAttached volumesInUse
    volumeAttributes
    """
)
"""Fields that nothing decides by, and that show a network, a machine or a setup."""

_AMOUNTS = words(
    """
    requests limits capacity allocatable overhead hard used counters consumedCapacity total default
    defaultRequest max min maxLimitRequestRatio allocatedResources
    """
)
"""Maps of resource names; where they hold text, that's an amount."""

_LABELS = frozenset({"labels", "matchLabels", "nodeSelector", "selector", "nodeLabels", "podLabels"})
_LABEL_KEYS = frozenset({"topologyKey", "matchLabelKeys", "mismatchLabelKeys", "topologyKeys", "finalizers"})
_AMOUNT_FIELDS = frozenset({"value", "min", "max", "step", "default", "validValues", "storage", "averageValue"})
_CONDITIONS = frozenset({"type", "conditionType", "bindingConditions", "bindingFailureConditions"})
_MESSAGES = frozenset({"message", "note"})
_IMAGES = frozenset({"image", "names"})
_UIDS = frozenset({"uid", "shareID", "podUID"})

_TIMES = ("Time", "Timestamp", "At", "timeAdded", "time")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_AMOUNT = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+|[numkMGTPE]i?|Ki)?%?")
_FIELD = re.compile(r"[a-z][A-Za-z0-9]{0,60}")
_REASON = re.compile(r"[A-Z][A-Za-z]{1,60}")
_PROVIDER = re.compile(r"([a-z]{2,20}:/{2,3})(.*)", re.DOTALL)
_CLASS_QUOTA = ".storageclass.storage.k8s.io/"


def anonymised(thing: Json, names: Pseudonyms) -> Json:
    """The same object with other names. Objects of the kinds FIRST come first.

    Args:
        thing: an object as JSON, with apiVersion and kind.
        names: of its cluster; they learn from it.
    """
    meta = thing.get("metadata")
    if thing.get("kind") == "Node" and isinstance(meta, dict):
        names.nodes.add(str(meta.get("name", "")))
    made: Json = _mapping("", thing, names)
    return made


def _value(field: str, value: Any, names: Pseudonyms) -> Any:
    if isinstance(value, dict):
        return _mapping(field, value, names)
    if isinstance(value, list):
        return [_value(field, item, names) for item in value]
    if isinstance(value, str):
        return _text(field, value, names)
    return value


def _mapping(field: str, value: Json, names: Pseudonyms) -> Any:
    if field == "parameters":
        return _opaque(value, names)
    if field == "annotations":
        return {names.label_key(key): names.name(text) if isinstance(text, str) else "" for key, text in value.items()}
    if field in _LABELS and all(isinstance(text, str) or text is None for text in value.values()):
        return {
            names.label_key(key): None if text is None else names.label_value(key, text) for key, text in value.items()
        }
    if field == "attributes":
        names.technical.update(key.rpartition("/")[2] for key in value)
        return {key: _attribute(one, names) for key, one in value.items()}
    if value.keys() == {"requests"} and isinstance(value["requests"], dict):  # of a claim's capacity
        return {"requests": _mapping("requests", value["requests"], names)}
    if field in _AMOUNTS and any("/" in key or key in {"cpu", "memory", "pods", "storage"} for key in value):
        names.technical.update(value)
    if field in _AMOUNTS and not value.keys() <= _FIELDS_OF_RANGES:
        return {_resource(key, names): _amount(one, names) for key, one in value.items()}
    if "key" in value and value.keys() <= _SELECTING:
        return _selecting(value, names)
    made = {
        key if _FIELD.fullmatch(key) else names.label_key(key): _value(key, one, names)
        for key, one in value.items()
        if key not in _DROPPED
    }
    for group in ("apiVersion", "apiGroup"):
        if isinstance(value.get(group), str):
            made[group], own = names.api_group(value[group])
            if own and isinstance(value.get("kind"), str):
                made["kind"] = names.name(value["kind"])
    return made


_SELECTING = {"key", "operator", "effect", "value", "values", "timeAdded", "tolerationSeconds"}
"""Fields of taints, tolerations and requirements of labels."""
_FIELDS_OF_RANGES = {"min", "max", "step", "default", "validValues", "validRange", "type"}


def _opaque(value: Any, names: Pseudonyms) -> Any:
    """Somebody's own structure: its keys may be anything, too."""
    if isinstance(value, dict):
        return {
            key if key in _KEPT or names.message(key) == key else names.name(key): (
                one if key in {"apiVersion", "kind", "strategy"} else _opaque(one, names)
            )
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_opaque(one, names) for one in value]
    return names.name(value) if isinstance(value, str) else value


def _selecting(value: Json, names: Pseudonyms) -> Json:
    key = str(value["key"])
    made: Json = {**value, "key": names.label_key(key)}
    if isinstance(value.get("value"), str):
        made["value"] = names.label_value(key, value["value"])
    if isinstance(value.get("values"), list):
        made["values"] = [names.label_value(key, one) if isinstance(one, str) else one for one in value["values"]]
    return made


def _attribute(value: Any, names: Pseudonyms) -> Any:
    if isinstance(value, str):
        return names.attribute(value)
    if isinstance(value, list):
        return [_attribute(one, names) for one in value]
    if isinstance(value, Mapping):
        return {key: _attribute(one, names) for key, one in value.items()}
    return value


def _resource(key: str, names: Pseudonyms) -> str:
    name, marked, rest = key.partition(_CLASS_QUOTA)
    return names.name(name) + marked + rest if marked else key


def _amount(value: Any, names: Pseudonyms) -> Any:
    if isinstance(value, str):
        return value if _AMOUNT.fullmatch(value) else names.name(value)
    return _value("value", value, names)


def _text(field: str, text: str, names: Pseudonyms) -> str:
    if field in _CONDITIONS and "/" in text:
        return names.label_key(text)
    if not text or field in _KEPT or (field.endswith(_TIMES) and _TIME.fullmatch(text)):
        return text
    if field in _UIDS:
        return names.uid(text)
    if field in _LABEL_KEYS:
        return names.label_key(text)
    if field in _MESSAGES:
        return names.message(text)
    if field == "expression":
        return names.expression(text)
    if field in _IMAGES and ("/" in text or ":" in text or "@" in text):
        return names.image(text)
    if field == "reason" and _REASON.fullmatch(text):
        return names.reason(text)
    if field in _AMOUNT_FIELDS and _AMOUNT.fullmatch(text):
        return text
    if field == "providerID" and (found := _PROVIDER.fullmatch(text)) is not None:
        return found[1] + names.name(found[2])
    return names.name(text)
