"""An OCI runtime spec while it is edited: copies each part before it changes, so that the original stays.

Knows the members that CDI edits and leaves all others alone.
"""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from aliquot.cdi.document import is_list, is_object
from aliquot.cdi.names import is_qualified
from aliquot.cdi.problems import Problem, SpecError


class OciSpec:
    """A copy on write. `root` is the edited spec."""

    def __init__(self, oci: Mapping[str, Any]) -> None:
        self.root: dict[str, Any] = dict(oci)
        self._own: dict[tuple[str, ...], Any] = {}  # the parts that are copies already
        self._places: dict[str, int] | None = None  # of each environment variable

    def part(self, *path: str) -> dict[str, Any]:
        """The object at the path, made if absent, safe to change."""
        own: dict[str, Any] | None = self._own.get(path) if path else self.root
        if own is None:
            holder = self.part(*path[:-1])
            inner = holder.get(path[-1])
            if not is_object(inner) and inner is not None:
                raise _not_oci(path, "an object")
            own = holder[path[-1]] = self._own[path] = dict(inner or {})
        return own

    def items(self, *path: str) -> list[Any]:
        """The list at the path, made if absent, safe to change; its items are the original's."""
        own: list[Any] | None = self._own.get(path)
        if own is None:
            holder = self.part(*path[:-1])
            items = holder.get(path[-1])
            if not is_list(items) and items is not None:
                raise _not_oci(path, "a list")
            own = holder[path[-1]] = self._own[path] = list(items or [])
        return own

    def process(self) -> dict[str, Any]:
        """The process, made with the members that the OCI spec requires."""
        process = self.part("process")
        self.part("process", "user").setdefault("uid", 0)
        self.part("process", "user").setdefault("gid", 0)
        process.setdefault("cwd", "")
        return process

    def user(self) -> dict[str, int]:
        """The process's user and group as far as they're given."""
        process = self.root.get("process")
        user = process.get("user") if is_object(process) else None
        found = user if is_object(user) else {}
        return {member: found[member] for member in ("uid", "gid") if isinstance(found.get(member), int)}

    def has_user_namespace(self) -> bool:
        """Tell whether the container gets, or joins, a user namespace."""
        linux = self.root.get("linux")
        namespaces = linux.get("namespaces") if is_object(linux) else None
        return is_list(namespaces) and any(is_object(entry) and entry.get("type") == "user" for entry in namespaces)

    def set_env(self, entries: Iterable[str]) -> None:
        """Set variables: an existing one in place (the last of its name), others at the end."""
        self.process()
        env = self.items("process", "env")
        if self._places is None:
            self._places = {str(entry).partition("=")[0]: i for i, entry in enumerate(env)}
        for entry in entries:
            name = entry.partition("=")[0]
            if name in self._places:
                env[self._places[name]] = entry
            else:
                self._places[name] = len(env)
                env.append(entry)

    def add_gid(self, gid: int) -> None:
        """Add a group to the process unless it has it."""
        self.process()
        gids = self.items("process", "user", "additionalGids")
        if gid not in gids:
            gids.append(gid)

    def put_devices(self, devices: Iterable[dict[str, Any]]) -> None:
        """Add device nodes at the end, each instead of the first one of its path."""
        _replace(self.items("linux", "devices"), "path", devices)

    def add_device_rules(self, rules: Iterable[dict[str, Any]]) -> None:
        """Add cgroup rules; older ones stay."""
        self.items("linux", "resources", "devices").extend(rules)

    def set_net_device(self, host_name: str, name: str) -> None:
        """Move a network interface of the host into the container."""
        self.part("linux", "netDevices")[host_name] = {"name": name}

    def add_mounts(self, mounts: Iterable[dict[str, Any]]) -> None:
        """Add mounts, each instead of the first one on exactly that destination, then order all by depth.

        Depth is the number of slashes in the cleaned destination; mounts of one depth stay as they stood.
        """
        items = self.items("mounts")
        _replace(items, "destination", mounts)
        items.sort(key=_depth)

    def add_hook(self, stage: str, hook: dict[str, Any]) -> None:
        """Add a hook at the end of its stage."""
        self.items("hooks", stage).append(hook)

    def set_intel_rdt(self, settings: dict[str, Any]) -> None:
        """Replace the RDT settings as a whole."""
        self.part("linux")["intelRdt"] = settings


def take_requests(oci: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The qualified names that stand as paths in linux.devices, and the spec without them.

    Plain nodes stay; a path that comes again replaces the earlier entry in its place.
    """
    spec = OciSpec(oci)
    if not is_object(spec.root.get("linux")):
        return (), spec.root
    requested: dict[str, None] = {}
    plain: dict[str, Any] = {}
    for entry in spec.items("linux", "devices"):
        path = str(entry.get("path", "")) if is_object(entry) else ""
        if is_qualified(path):
            requested[path] = None
        else:
            plain[path] = entry
    spec.part("linux")["devices"] = list(plain.values())
    return tuple(requested), spec.root


def _replace(items: list[Any], member: str, entries: Iterable[dict[str, Any]]) -> None:
    keys = [str(item.get(member)) if is_object(item) else "" for item in items]
    for entry in entries:
        key = entry[member]
        if key in keys:
            first = keys.index(key)
            del keys[first], items[first]
        keys.append(key)
        items.append(entry)


def _depth(mount: Any) -> int:
    """Slashes in the cleaned destination."""
    destination = str(mount.get("destination", "")) if is_object(mount) else ""
    if destination[:1] == "/" != destination[-1:] and "//" not in destination and "/." not in destination:
        return destination.count("/")  # it's clean already
    cleaned = posixpath.normpath(destination)  # which alone keeps a double slash at the start
    return cleaned.count("/") - cleaned.startswith("//")


def _not_oci(path: tuple[str, ...], due: str) -> SpecError:
    at = ".".join(path)
    return SpecError([Problem("syntax", f"the OCI spec's {at} isn't {due}", at)])
