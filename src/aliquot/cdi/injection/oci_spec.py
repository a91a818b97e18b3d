"""An OCI runtime spec while it is edited: copies each part before it changes, so that the original stays.

Knows the members that CDI edits and leaves all others alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aliquot.cdi.injection.oci_entries import mount_depth
from aliquot.cdi.injection.prepared_edits import PreparedHook, PreparedMounts, PreparedNodes, hook_copies
from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError


class OciSpec:
    """A copy on write. `root` is the edited spec; its parts are made where they are absent.

    Raises:
        SpecError: by all methods that change something, where a part isn't of the type that the OCI spec gives it.
    """

    __slots__ = ("_linux", "_process", "_user", "root")

    def __init__(self, oci: Mapping[str, Any]) -> None:
        self.root: dict[str, Any] = dict(oci)
        self._process: dict[str, Any] | None = None
        self._user: dict[str, Any] | None = None
        self._linux: dict[str, Any] | None = None

    @property
    def linux(self) -> dict[str, Any]:
        """The object `linux`, safe to change."""
        if self._linux is None:
            self._linux = _own_object(self.root, "linux", "linux")
        return self._linux

    def has_user_namespace(self) -> bool:
        """Tell whether the container gets, or joins, a user namespace."""
        linux = self.root.get("linux")
        namespaces = linux.get("namespaces") if is_object(linux) else None
        return is_list(namespaces) and any(is_object(entry) and entry.get("type") == "user" for entry in namespaces)

    def set_env(self, variables: Iterable[tuple[str, str]]) -> None:
        """Set variables, each a name and its entry: existing ones in place (the last of a name), others at the end."""
        env = _own_list(self._made_process(), "env", "process.env")
        places = {str(entry).partition("=")[0]: i for i, entry in enumerate(env)}
        for name, entry in variables:
            if name in places:
                env[places[name]] = entry
            else:
                places[name] = len(env)
                env.append(entry)

    def add_gids(self, gids: Iterable[int]) -> None:
        """Add groups to the process unless it has them."""
        self._made_process()
        assert self._user is not None
        own = _own_list(self._user, "additionalGids", "process.user.additionalGids")
        for gid in gids:
            if gid not in own:
                own.append(gid)

    def add_devices(self, nodes: PreparedNodes) -> None:
        """Add device nodes at the end, each instead of the first one of its path, and their cgroup rules.

        A node belongs to the process's owner unless the spec says to whom. Older cgroup rules stay.
        """
        entries = [entry.copy() for entry in nodes.entries]
        for member, owner in self._owner().items():
            for entry in entries:
                entry.setdefault(member, owner)  # an explicit 0 stays
        items = _own_list(self.linux, "devices", "linux.devices")
        keys = _keys(items, "path")
        if len({*keys, *nodes.paths}) == len(keys) + len(entries):  # nothing to replace, as a rule
            items += entries
        else:
            _put(items, keys, entries, nodes.paths)
        if nodes.rules:
            resources = _own_object(self.linux, "resources", "linux.resources")
            rules = _own_list(resources, "devices", "linux.resources.devices")
            rules += [rule.copy() for rule in nodes.rules]

    def set_net_devices(self, names: Iterable[tuple[str, str]]) -> None:
        """Move network interfaces of the host, each by its name there, into the container under another name."""
        own = _own_object(self.linux, "netDevices", "linux.netDevices")
        for host_name, name in names:
            own[host_name] = {"name": name}

    def add_mounts(self, mounts: PreparedMounts, *, in_user_namespace: bool) -> None:
        """Add mounts, each instead of the first one on exactly that destination, then order all by depth.

        Mounts of one depth stay as they stood.
        """
        items = _own_list(self.root, "mounts", "mounts")
        keys = _keys(items, "destination")
        entries = mounts.copies(in_user_namespace=in_user_namespace)
        depths = [*map(mount_depth, keys), *mounts.depths]
        if len(mounts.distinct) == len(entries) and mounts.distinct.isdisjoint(keys):  # nothing to replace, as a rule
            items += entries
        else:
            depths = [*map(mount_depth, _put(items, keys, entries, mounts.destinations))]
        self.root["mounts"] = [items[i] for i in sorted(range(len(items)), key=depths.__getitem__)]

    def add_hooks(self, hooks: Mapping[str, Iterable[PreparedHook]]) -> None:
        """Add hooks at the end of their stages."""
        own = _own_object(self.root, "hooks", "hooks")
        for stage, added in hooks.items():
            _own_list(own, stage, f"hooks.{stage}").extend(hook_copies(added))

    def set_intel_rdt(self, settings: dict[str, Any]) -> None:
        """Replace the RDT settings as a whole."""
        self.linux["intelRdt"] = settings

    def _owner(self) -> dict[str, int]:
        """The process's `uid` and `gid` as far as they aren't root's: what it makes belongs to them."""
        process = self.root.get("process")
        user = process.get("user") if is_object(process) else None
        owner: dict[str, int] = {}
        if is_object(user):
            for member in ("uid", "gid"):
                number = user.get(member)
                if isinstance(number, int) and number > 0:
                    owner[member] = number
        return owner

    def _made_process(self) -> dict[str, Any]:
        """The process, safe to change, with the members that the OCI spec requires."""
        if self._process is None:
            self._process = _own_object(self.root, "process", "process")
            self._user = _own_object(self._process, "user", "process.user")
            self._user.setdefault("uid", 0)
            self._user.setdefault("gid", 0)
            self._process.setdefault("cwd", "")
        return self._process


def _own_object(holder: dict[str, Any], member: str, path: str) -> dict[str, Any]:
    """The holder's object, which from now on is a copy."""
    found = holder.get(member)
    if not is_object(found) and found is not None:
        raise _not_oci(path, "an object")
    own = holder[member] = {} if found is None else found.copy()
    return own


def _own_list(holder: dict[str, Any], member: str, path: str) -> list[Any]:
    """The holder's list, which from now on is a copy; its items are the original's."""
    found = holder.get(member)
    if not is_list(found) and found is not None:
        raise _not_oci(path, "a list")
    own: list[Any] = [] if found is None else found.copy()
    holder[member] = own
    return own


def _keys(items: Sequence[Any], member: str) -> list[str]:
    return [str(item.get(member, "")) if is_object(item) else "" for item in items]


def _put(items: list[Any], keys: list[str], entries: Sequence[dict[str, Any]], new: Iterable[str]) -> list[str]:
    """Add entries, each instead of the first item of its key; the keys of all items then."""
    for key, entry in zip(new, entries, strict=True):
        if key in keys:
            first = keys.index(key)
            del keys[first], items[first]
        keys.append(key)
        items.append(entry)
    return keys


def _not_oci(path: str, due: str) -> SpecError:
    return SpecError([Problem("syntax", f"the OCI spec's {path} isn't {due}", path)])
