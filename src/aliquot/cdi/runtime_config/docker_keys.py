"""The members of Docker's daemon.json and their types, as moby 25.0 and 29.7 both have them (daemon/config/config.go).

What isn't here isn't judged: a release may have it or not.
"""

from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal["boolean", "integer", "string", "list of strings", "object", "object of booleans", "object of strings"]

_BY_KIND: Final[Mapping[Kind, tuple[str, ...]]] = {
    "boolean": (
        "debug",
        "experimental",
        "icc",
        "init",
        "ip-forward",
        "ip-masq",
        "ip6tables",
        "iptables",
        "ipv6",
        "live-restore",
        "no-new-privileges",
        "raw-logs",
        "selinux-enabled",
        "tls",
        "tlsverify",
        "userland-proxy",
    ),
    "integer": (
        "max-concurrent-downloads",
        "max-concurrent-uploads",
        "max-download-attempts",
        "mtu",
        "network-control-plane-mtu",
        "shutdown-timeout",
    ),
    "string": (
        "bip",
        "bridge",
        "cgroup-parent",
        "containerd",
        "data-root",
        "default-cgroupns-mode",
        "default-ipc-mode",
        "default-runtime",
        "exec-root",
        "fixed-cidr",
        "fixed-cidr-v6",
        "group",
        "init-path",
        "log-driver",
        "log-level",
        "metrics-addr",
        "pidfile",
        "seccomp-profile",
        "storage-driver",
        "tlscacert",
        "tlscert",
        "tlskey",
        "userns-remap",
    ),
    "list of strings": (
        "authorization-plugins",
        "cdi-spec-dirs",
        "dns-opts",
        "dns-search",
        "exec-opts",
        "hosts",
        "labels",
        "node-generic-resources",
        "storage-opts",
    ),
    "object": (
        "builder",
        "default-network-opts",
        "default-ulimits",
        "runtimes",
    ),
    "object of booleans": ("features",),
    "object of strings": ("log-opts",),
}
KINDS: Final[Mapping[str, Kind]] = {name: kind for kind, names in _BY_KIND.items() for name in names}
"""The type of each member."""
