"""What never leaves a cluster in a dump: secrets, environments, commands, and bookkeeping that nobody reads."""

from typing import Any

Json = dict[str, Any]

ONLY_METADATA = frozenset({"Secret", "ConfigMap"})
_CONTAINERS = frozenset({"containers", "initContainers", "ephemeralContainers"})
_OF_CONTAINERS = frozenset(
    {"command", "args", "envFrom", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "workingDir"}
)
_LAST_APPLIED = "last-applied-configuration"
"""The end of the annotations in which kubectl and others keep the whole manifest, a Secret's data and commands too."""


def pruned(thing: Json) -> Json:
    """The object without them; nothing that decides placement goes.

    Of Secrets and ConfigMaps name, namespace, uid and labels are left; of environments the variables' names; of
    containers neither command nor arguments nor probes; of ended containers not their last words.
    """
    if thing.get("kind") in ONLY_METADATA:
        meta = thing.get("metadata")
        meta = meta if isinstance(meta, dict) else {}
        kept = {key: meta[key] for key in ("name", "namespace", "uid", "labels") if key in meta}
        return {"apiVersion": thing.get("apiVersion"), "kind": thing.get("kind"), "metadata": kept}
    return {key: _value(key, value) for key, value in thing.items()}


def _value(field: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _mapping(field, value)
    if isinstance(value, list):
        if field in _CONTAINERS:
            return [_container(item) if isinstance(item, dict) else item for item in value]
        return [_value(field, item) for item in value]
    return value


def _mapping(field: str, value: Json) -> Json:
    if field == "annotations":
        return {key: text for key, text in value.items() if not key.endswith(_LAST_APPLIED)}
    if field == "metadata":
        value = {key: one for key, one in value.items() if key != "managedFields"}
    if field == "terminated":
        value = {key: one for key, one in value.items() if key != "message"}
    return {key: _value(key, one) for key, one in value.items()}


def _container(value: Json) -> Json:
    kept = {key: _value(key, one) for key, one in value.items() if key not in _OF_CONTAINERS}
    if isinstance(value.get("env"), list):
        kept["env"] = [{"name": one.get("name")} for one in value["env"] if isinstance(one, dict)]
    return kept
