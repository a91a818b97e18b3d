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
        self._own: set[str] = set()  # paths of the parts that are copies already
        self._places: dict[str, int] | None = None  # of each environment variable
        self._taken: dict[str, set[str]] = {}  # the keys of a list's entries, to look for those only that are there

    def part(self, *path: str) -> dict[str, Any]:
        """The object at the path, made if absent, safe to change."""
        here = self.root
        at = ""
        for member in path:
            at = f"{at}.{member}" if at else member
            if at not in self._own:
                inner = here.get(member)
                if not is_object(inner) and inner is not None:
                    raise _not_oci(at, "an object")
                here[member] = dict(inner or {})
                self._own.add(at)
            here = here[member]
        return here

    def items(self, *path: str) -> list[Any]:
        """The list at the path, made if absent, safe to change; its items are the original's."""
        holder = self.part(*path[:-1])
        at = ".".join(path)
        if at not in self._own:
            items = holder.get(path[-1])
            if not is_list(items) and items is not None:
                raise _not_oci(at, "a list")
            holder[path[-1]] = list(items or [])
            self._own.add(at)
        found: list[Any] = holder[path[-1]]
        return found

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

    def put_device(self, device: dict[str, Any]) -> None:
        """Add a device node at the end, instead of the first one of that path."""
        self._replace(self.items("linux", "devices"), "path", device)

    def add_device_rule(self, rule: dict[str, Any]) -> None:
        """Add a cgroup rule; older ones stay."""
        self.items("linux", "resources", "devices").append(rule)

    def set_net_device(self, host_name: str, name: str) -> None:
        """Move a network interface of the host into the container."""
        self.part("linux", "netDevices")[host_name] = {"name": name}

    def add_mount(self, mount: dict[str, Any]) -> None:
        """Add a mount at the end, instead of the first one on exactly that destination."""
        self._replace(self.items("mounts"), "destination", mount)

    def _replace(self, items: list[Any], member: str, new: dict[str, Any]) -> None:
        taken = self._taken.get(member)
        if taken is None:
            taken = self._taken[member] = {str(item.get(member)) for item in items if is_object(item)}
        if new[member] in taken:
            found = (i for i, item in enumerate(items) if is_object(item) and item.get(member) == new[member])
            first = next(found, None)
            if first is not None:
                del items[first]
        taken.add(new[member])
        items.append(new)

    def sort_mounts(self) -> None:
        """Order all mounts by the depth of their destination, those of one depth as they stood."""
        self.items("mounts").sort(key=_depth)

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


def _depth(mount: Any) -> int:
    """Slashes in the cleaned destination."""
    destination = str(mount.get("destination", "")) if is_object(mount) else ""
    cleaned = posixpath.normpath(destination)  # which alone keeps a double slash at the start
    return cleaned.count("/") - cleaned.startswith("//")


def _not_oci(path: str, due: str) -> SpecError:
    return SpecError([Problem("syntax", f"the OCI spec's {path} isn't {due}", path)])
