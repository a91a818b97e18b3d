"""Hooks as a spec calls them: NVIDIA's `nvidia-cdi-hook` (or `nvidia-ctk hook`), or `aliquot cdi hook`.

All run at createContainer: the container's mounts are there, its processes aren't, and the path is one of the host.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

from aliquot.cdi.spec import Hook

HookVerb = Literal[
    "create-symlinks",
    "chmod",
    "enable-cuda-compat",
    "update-ldcache",
    "disable-device-node-modification",
    "update-application-profile",
]
HOOK_VERBS: tuple[HookVerb, ...] = get_args(HookVerb)

OWN_VERBS: frozenset[str] = frozenset({"create-symlinks", "update-ldcache", "chmod"})
"""What `aliquot cdi hook` can do."""

OFF_BY_DEFAULT = frozenset({"chmod"})
"""Old versions of crun needed it; it fails where /dev is the host's (NVIDIA/nvidia-container-toolkit#143)."""

NVIDIA_HOOK = "/usr/bin/nvidia-cdi-hook"


@dataclass(frozen=True, slots=True)
class HookTool:
    """The program that does the work: its path on the host, the arguments before the verb, and the verbs it knows."""

    path: str
    first: tuple[str, ...]
    verbs: frozenset[str]
    env: tuple[str, ...] = ()


def nvidia_tool(path: str = NVIDIA_HOOK) -> HookTool:
    """NVIDIA's own program at that path."""
    name = path.rpartition("/")[2]
    first = (name, "hook") if name == "nvidia-ctk" else (name,)
    return HookTool(path, first, frozenset(HOOK_VERBS), ("NVIDIA_CTK_DEBUG=false",))


def own_tool(path: str) -> HookTool:
    """This package's command at that path."""
    return HookTool(path, (path.rpartition("/")[2], "cdi", "hook"), OWN_VERBS)


@dataclass(frozen=True, slots=True)
class HookCalls:
    """Makes hook calls; those that are switched off, or that the program can't do, become no hook at all.

    `disabled` may hold "all", `enabled` takes precedence over it. `ldconfig` is the host's ldconfig where it isn't the
    usual one.
    """

    tool: HookTool = field(default_factory=nvidia_tool)
    disabled: frozenset[str] = frozenset()
    enabled: frozenset[str] = frozenset()
    ldconfig: str = ""

    def wants(self, verb: HookVerb) -> bool:
        """Whether the hook is switched on, be the program able or not."""
        return verb in self.enabled or not ({verb, "all"} & self.disabled or verb in OFF_BY_DEFAULT)

    def call(self, verb: HookVerb, *args: str) -> tuple[Hook, ...]:
        """One call, or none."""
        if not self.wants(verb) or verb not in self.tool.verbs:
            return ()
        words = (*self.tool.first, verb, *args)
        return (Hook(hook_name="createContainer", path=self.tool.path, args=words, env=self.tool.env),)

    def links(self, links: tuple[tuple[str, str], ...]) -> tuple[Hook, ...]:
        """Make symbolic links, given as what they hold and where they are."""
        flags = [word for target, link in dict.fromkeys(links) for word in ("--link", f"{target}::{link}")]
        return self.call("create-symlinks", *flags) if flags else ()

    def ldcache(self, folders: tuple[str, ...]) -> tuple[Hook, ...]:
        """Let the loader find libraries in these folders."""
        flags = ["--ldconfig-path", self.ldconfig] if self.ldconfig else []
        flags += [word for folder in dict.fromkeys(folders) for word in ("--folder", folder)]
        return self.call("update-ldcache", *flags) if folders else ()

    def chmod(self, folders: tuple[str, ...]) -> tuple[Hook, ...]:
        """Open folders of device nodes to everybody."""
        flags = [word for folder in dict.fromkeys(folders) for word in ("--path", folder)]
        return self.call("chmod", "--mode", "755", *flags) if folders else ()
