"""An OCI runtime spec while it is edited: copies each part before it changes, so that the original stays.

Knows the members that CDI edits and leaves all others alone.
"""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.qualified_names import is_qualified


class OciSpec:
    """A copy on write. `root` is the edited spec."""

    def __init__(self, oci: Mapping[str, Any]) -> None:
        self.root: dict[str, Any] = dict(oci)
        self._own: dict[tuple[str, ...], Any] = {}  # the parts that are copies already

    def part(self, *path: str) -> dict[str, Any]:
        """The object at the path, made if absent, safe to change."""
        own: dict[str, Any] | None = self._own.get(path)
        if own is None:
            holder = self.part(*path[:-1]) if path[:-1] else self.root
            inner = holder.get(path[-1])
            if not is_object(inner) and inner is not None:
                raise _not_oci(path, "an object")
            own = holder[path[-1]] = self._own[path] = dict(inner or {})
        return own

    def items(self, *path: str) -> list[Any]:
        """The list at the path, made if absent, safe to change; its items are the original's."""
        own: list[Any] | None = self._own.get(path)
        if own is None:
            holder = self.part(*path[:-1]) if path[:-1] else self.root
            items = holder.get(path[-1])
            if not is_list(items) and items is not None:
                raise _not_oci(path, "a list")
            own = holder[path[-1]] = self._own[path] = list(items or [])
        return own

    def make_process(self) -> None:
        """Complete the process with the members that the OCI spec requires."""
        process = self.part("process")
        user = self.part("process", "user")
        user.setdefault("uid", 0)
        user.setdefault("gid", 0)
        process.setdefault("cwd", "")

    def owner(self) -> dict[str, int]:
        """The process's `uid` and `gid` as far as they aren't root's: what it makes belongs to them."""
        process = self.root.get("process")
        user = process.get("user") if is_object(process) else None
        found = user if is_object(user) else {}
        owner: dict[str, int] = {}
        for member in ("uid", "gid"):
            number = found.get(member)
            if isinstance(number, int) and number > 0:
                owner[member] = number
        return owner

    def has_user_namespace(self) -> bool:
        """Tell whether the container gets, or joins, a user namespace."""
        linux = self.root.get("linux")
        namespaces = linux.get("namespaces") if is_object(linux) else None
        return is_list(namespaces) and any(is_object(entry) and entry.get("type") == "user" for entry in namespaces)

    def set_env(self, variables: Iterable[tuple[str, str]]) -> None:
        """Set variables, each a name and its entry: existing ones in place (the last of a name), others at the end."""
        self.make_process()
        env = self.items("process", "env")
        places = {str(entry).partition("=")[0]: i for i, entry in enumerate(env)}
        for name, entry in variables:
            if name in places:
                env[places[name]] = entry
            else:
                places[name] = len(env)
                env.append(entry)

    def add_gid(self, gid: int) -> None:
        """Add a group to the process unless it has it."""
        self.make_process()
        gids = self.items("process", "user", "additionalGids")
        if gid not in gids:
            gids.append(gid)

    def put_devices(self, devices: Sequence[dict[str, Any]]) -> None:
        """Add device nodes at the end, each instead of the first one of its path."""
        _replace(self.items("linux", "devices"), "path", devices)

    def add_device_rules(self, rules: Iterable[dict[str, Any]]) -> None:
        """Add cgroup rules; older ones stay."""
        self.items("linux", "resources", "devices").extend(rules)

    def set_net_device(self, host_name: str, name: str) -> None:
        """Move a network interface of the host into the container."""
        self.part("linux", "netDevices")[host_name] = {"name": name}

    def add_mounts(self, mounts: Sequence[dict[str, Any]]) -> None:
        """Add mounts, each instead of the first one on exactly that destination, then order all by depth.

        Mounts of one depth stay as they stood.
        """
        items = self.items("mounts")
        depths = [_depth(destination) for destination in _replace(items, "destination", mounts)]
        items[:] = [items[i] for i in sorted(range(len(items)), key=depths.__getitem__)]

    def add_hooks(self, stage: str, hooks: Iterable[dict[str, Any]]) -> None:
        """Add hooks at the end of their stage."""
        self.items("hooks", stage).extend(hooks)

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


def _replace(items: list[Any], member: str, entries: Sequence[dict[str, Any]]) -> list[str]:
    """Add entries, each instead of the first item with the same member; that member of all items then."""
    keys = [str(item.get(member, "")) if is_object(item) else "" for item in items]
    new: list[str] = [entry[member] for entry in entries]
    if len(set(new)) == len(new) and set(new).isdisjoint(keys):  # nothing to replace, as a rule
        items += entries
        return keys + new
    for key, entry in zip(new, entries, strict=True):
        if key in keys:
            first = keys.index(key)
            del keys[first], items[first]
        keys.append(key)
        items.append(entry)
    return keys


@lru_cache(maxsize=4096)  # containers have the same mounts again and again
def _depth(destination: str) -> int:
    """Slashes in the cleaned destination."""
    cleaned = posixpath.normpath(destination)  # which alone keeps a double slash at the start
    return cleaned.count("/") - cleaned.startswith("//")


def _not_oci(path: tuple[str, ...], due: str) -> SpecError:
    at = ".".join(path)
    return SpecError([Problem("syntax", f"the OCI spec's {at} isn't {due}", at)])
