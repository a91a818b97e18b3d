"""Devices that are asked for in an OCI runtime spec itself: by their qualified names as paths in `linux.devices`."""

from collections.abc import Mapping
from typing import Any

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.qualified_names import is_qualified


def take_requests(oci: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The qualified names that stand as paths in linux.devices, and a copy of the spec without them.

    Plain nodes stay; a path that comes again replaces the earlier entry in its place.

    Raises:
        SpecError: `linux.devices` isn't a list.
    """
    root = dict(oci)
    linux = root.get("linux")
    if not is_object(linux):
        return (), root
    devices = linux.get("devices")
    if not is_list(devices) and devices is not None:
        raise SpecError([Problem("syntax", "the OCI spec's linux.devices isn't a list", "linux.devices")])
    requested: dict[str, None] = {}
    plain: dict[str, Any] = {}
    for entry in devices or []:
        path = str(entry.get("path", "")) if is_object(entry) else ""
        if is_qualified(path):
            requested[path] = None
        else:
            plain[path] = entry
    root["linux"] = {**linux, "devices": list(plain.values())}
    return tuple(requested), root
