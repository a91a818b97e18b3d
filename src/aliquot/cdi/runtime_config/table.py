"""What each release of a container runtime does: one table, with the place in that runtime's source.

Read from the tagged sources of containerd 1.6.0 to 2.4.2, CRI-O 1.23 to 1.36, Docker (moby) 24.0 to 29.7.2 and Podman
3.1 to 5.8.2; containerd's rows also held against the programs themselves (`python -m conformance.runtimes`).
"""

from collections.abc import Mapping

from aliquot.cdi.runtime_config.releases import Release, Row, Runtime, Topic, parsed

KNOWN_TO: Mapping[Runtime, Release] = {
    "containerd": (2, 4, 2),
    "crio": (1, 36, 3),
    "docker": (29, 7, 2),
    "podman": (5, 8, 2),
}
"""The newest release that was read. What comes after it is judged like it, and that is said."""

_Told = tuple[Release, str, str, str]
"""Since, releases in words, value, what they do."""


def _rows(runtime: Runtime, topic: Topic, source: str, *told: _Told) -> tuple[Row, ...]:
    return tuple(
        Row(runtime=runtime, topic=topic, since=since, releases=releases, value=value, does=does, source=source)
        for since, releases, value, does in told
    )


TABLE: tuple[Row, ...] = (
    *_rows(
        "containerd",
        "cdi",
        "its CRI configuration has no such key",
        ((0, 0, 0), "before 1.7", "none", "it knows no CDI"),
    ),
    *_rows(
        "containerd",
        "cdi",
        "pkg/cri/config/config_unix.go",
        ((1, 7, 0), "1.7", "off", "CDI is off unless `enable_cdi` is true"),
    ),
    *_rows(
        "containerd",
        "cdi",
        "internal/cri/config/config_unix.go",
        ((2, 0, 0), "2.0 to 2.3", "on", "CDI is on unless `enable_cdi` is false"),
    ),
    *_rows(
        "containerd",
        "cdi",
        "RELEASES.md; internal/cri/config/config.go has no `enable_cdi`",
        ((2, 4, 0), "2.4 and later", "always", "CDI is on, and no key switches it off"),
    ),
    *_rows(
        "containerd",
        "file version",
        "services/server/config/config.go",
        ((0, 0, 0), "up to 1.6.31", "", "it doesn't look at the version of its file beyond 2"),
        ((1, 6, 32), "1.6.32 and later 1.6", "2", "it refuses a file of version 3"),
        ((1, 7, 0), "1.7.0 to 1.7.16", "", "it takes a file of version 3 for one of version 2"),
        ((1, 7, 17), "1.7.17 and later 1.7", "2", "it refuses a file of version 3"),
    ),
    *_rows(
        "containerd",
        "file version",
        "version/version.go",
        ((2, 0, 0), "2.0 to 2.2", "3", "it knows files up to version 3"),
        ((2, 3, 0), "2.3 and later", "4", "it knows files up to version 4"),
    ),
    *_rows(
        "containerd",
        "plugin names",
        "services/server/config/config.go",
        ((0, 0, 0), "up to 1.6", "dots", "from version 2 of the file on, names of plugins have at least three dots"),
        ((1, 7, 0), "1.7", "prefix", "from version 2 of the file on, names of plugins begin with io.containerd."),
    ),
    *_rows(
        "containerd",
        "plugin names",
        "cmd/containerd/server/config/config.go",
        (
            (2, 0, 0),
            "2.0 and later",
            "dot",
            "from version 2 of the file on, names in disabled_plugins and required_plugins have a dot",
        ),
    ),
    *_rows(
        "containerd",
        "imports",
        "services/server/config/config.go, mergeConfig",
        (
            (0, 0, 0),
            "up to 1.7",
            "sections",
            "a plugin's section in an imported file replaces the one before as a whole",
        ),
    ),
    *_rows(
        "containerd",
        "imports",
        "cmd/containerd/server/config/config.go",
        ((2, 0, 0), "2.0 to 2.2", "keys", "imported files are merged key by key, then brought to version 3 together"),
        (
            (2, 3, 0),
            "2.3 and later",
            "migrated",
            "each file is brought to version 4 by itself, then they are merged key by key",
        ),
    ),
    *_rows(
        "containerd",
        "import patterns",
        "services/server/config/config.go, resolveImports",
        ((0, 0, 0), "up to 1.6.28", "cwd", "relative patterns are sought where it was started"),
        ((1, 6, 29), "1.6.29 and later 1.6", "beside", "relative patterns are sought beside the file"),
        ((1, 7, 0), "1.7.0 to 1.7.15", "cwd", "relative patterns are sought where it was started"),
        ((1, 7, 16), "1.7.16 and later", "beside", "relative patterns are sought beside the file"),
    ),
    *_rows(
        "containerd",
        "import versions",
        "services/server/config/config.go",
        ((0, 0, 0), "up to 2.2", "any", "imported files may have any version that it knows"),
    ),
    *_rows(
        "containerd",
        "import versions",
        "cmd/containerd/server/config/config.go",
        ((2, 3, 0), "2.3.0 to 2.3.4", "rising", "an imported file mustn't have a higher version than the first file"),
        ((2, 3, 5), "2.3.5 and later", "any", "imported files may have any version that it knows"),
    ),
    *_rows(
        "containerd",
        "old section",
        "plugins/cri/runtime/plugin.go",
        ((0, 0, 0), "2.0.0 and 2.0.1", "replaces", "version 2's CRI section replaces version 3's"),
        ((2, 0, 2), "2.0.2 and later", "fills", "version 2's CRI section gives the keys that version 3's hasn't"),
    ),
    *_rows(
        "containerd",
        "specs",
        "go.mod",
        ((1, 7, 0), "1.7.0 to 1.7.11", "0.5.0", "it reads specs up to 0.5.0 (CDI library 0.5)"),
        ((1, 7, 12), "1.7.12 to 1.7.15", "0.6.0", "it reads specs up to 0.6.0 (CDI library 0.6)"),
        ((1, 7, 16), "1.7.16 to 1.7.26", "0.7.0", "it reads specs up to 0.7.0 (CDI library 0.7)"),
        ((1, 7, 27), "1.7.27 and later 1.7", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((2, 0, 0), "2.0.0 to 2.0.4", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((2, 0, 5), "2.0.5 to 2.2.0", "1.0.0", "it reads specs up to 1.0.0 (CDI library 1.0)"),
        ((2, 2, 1), "2.2.1 and later", "1.1.0", "it reads specs up to 1.1.0 (CDI library 1.1)"),
    ),
    *_rows(
        "crio",
        "cdi",
        "pkg/config/config.go has no cdi_spec_dirs",
        ((0, 0, 0), "before 1.24", "none", "it knows no CDI"),
    ),
    *_rows(
        "crio",
        "cdi",
        "pkg/config/config.go",
        ((1, 24, 0), "1.24 and later", "always", "CDI is on where it has a folder for specs"),
    ),
    *_rows(
        "crio",
        "requests",
        "internal/factory/container/device.go",
        (
            (0, 0, 0),
            "1.24 to 1.27",
            "annotations",
            "it takes devices from annotations only, not from the kubelet's CDIDevices",
        ),
        (
            (1, 28, 0),
            "1.28 and later",
            "fields",
            "it takes devices from the kubelet's CDIDevices, and from annotations",
        ),
    ),
    *_rows(
        "crio",
        "specs",
        "go.mod",
        ((1, 24, 0), "1.24", "0.3.0", "it reads specs up to 0.3.0 (CDI library 0.3)"),
        ((1, 25, 0), "1.25 to 1.27", "0.5.0", "it reads specs up to 0.5.0 (CDI library 0.5)"),
        ((1, 28, 0), "1.28 and 1.29", "0.6.0", "it reads specs up to 0.6.0 (CDI library 0.6)"),
        ((1, 30, 0), "1.30", "0.7.0", "it reads specs up to 0.7.0 (CDI library 0.7)"),
        ((1, 31, 0), "1.31 and 1.32", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((1, 33, 0), "1.33 and 1.34", "1.0.0", "it reads specs up to 1.0.0 (CDI library 1.0)"),
        ((1, 35, 0), "1.35 and later", "1.1.0", "it reads specs up to 1.1.0 (CDI library 1.1)"),
    ),
    *_rows(
        "docker",
        "cdi",
        "daemon/config/config.go has no cdi-spec-dirs",
        ((0, 0, 0), "before 25.0", "none", "it knows no CDI"),
    ),
    *_rows(
        "docker",
        "cdi",
        "cmd/dockerd/daemon.go",
        ((25, 0, 0), "25.0 to 28.1", "off", "CDI is off unless `features.cdi` is true"),
    ),
    *_rows(
        "docker",
        "cdi",
        "cmd/dockerd/daemon.go, cdiEnabled",
        ((28, 2, 0), "28.2 and later", "on", "CDI is on unless `features.cdi` is false"),
    ),
    *_rows(
        "docker",
        "specs",
        "vendor.mod",
        ((25, 0, 0), "25.0.0 to 25.0.16", "0.6.0", "it reads specs up to 0.6.0 (CDI library 0.6)"),
        ((25, 0, 17), "25.0.17 and later 25.0", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((26, 0, 0), "26.0", "0.6.0", "it reads specs up to 0.6.0 (CDI library 0.6)"),
        ((26, 1, 0), "26.1 to 27.3", "0.7.0", "it reads specs up to 0.7.0 (CDI library 0.7)"),
        ((27, 4, 0), "27.4 to 28.0", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((28, 1, 0), "28.1 to 29.2", "1.0.0", "it reads specs up to 1.0.0 (CDI library 1.0)"),
        ((29, 3, 0), "29.3 and later", "1.1.0", "it reads specs up to 1.1.0 (CDI library 1.1)"),
    ),
    *_rows(
        "podman",
        "cdi",
        "go.mod has no CDI library",
        ((0, 0, 0), "before 3.2", "none", "it knows no CDI"),
    ),
    *_rows(
        "podman",
        "cdi",
        "libpod/container_internal_linux.go",
        ((3, 2, 0), "3.2 and later", "always", "CDI is on"),
    ),
    *_rows(
        "podman",
        "spec dirs",
        "libpod/container_internal_common.go",
        ((0, 0, 0), "up to 5.4", "/etc/cdi:/var/run/cdi", "it looks into the CDI library's two folders"),
    ),
    *_rows(
        "podman",
        "spec dirs",
        "containers/common 0.63, pkg/config/default.go",
        ((5, 5, 0), "5.5", "/etc/cdi", "by itself it looks into /etc/cdi only"),
    ),
    *_rows(
        "podman",
        "spec dirs",
        "containers/common 0.64, pkg/config/default.go",
        ((5, 6, 0), "from 5.6", "/etc/cdi:/var/run/cdi", "by itself it looks into both usual folders"),
    ),
    *_rows(
        "podman",
        "spec dirs key",
        "libpod/container_internal_common.go",
        ((0, 0, 0), "up to 5.4", "ignored", "`cdi_spec_dirs` has no effect"),
        ((5, 5, 0), "5.5 and later", "obeyed", "`cdi_spec_dirs` of [engine] is obeyed"),
    ),
    *_rows(
        "podman",
        "specs",
        "go.mod",
        ((3, 2, 0), "3.2 to 4.0", "0.2.0", "it reads specs up to 0.2.0"),
        ((4, 1, 0), "4.1 and 4.2", "0.4.0", "it reads specs up to 0.4.0 (CDI library 0.4)"),
        ((4, 3, 0), "4.3 to 4.6", "0.5.0", "it reads specs up to 0.5.0 (CDI library 0.5)"),
        ((4, 7, 0), "4.7 to 5.0", "0.6.0", "it reads specs up to 0.6.0 (CDI library 0.6)"),
        ((5, 1, 0), "5.1", "0.7.0", "it reads specs up to 0.7.0 (CDI library 0.7)"),
        ((5, 2, 0), "5.2 to 5.4", "0.8.0", "it reads specs up to 0.8.0 (CDI library 0.8)"),
        ((5, 5, 0), "from 5.5", "1.0.0", "it reads specs up to 1.0.0 (CDI library 1.0)"),
    ),
)


def row(runtime: Runtime, topic: Topic, release: Release) -> Row | None:
    """What holds for a release; None where nothing is known of it."""
    held = [each for each in TABLE if each.runtime == runtime and each.topic == topic and each.since <= release]
    return max(held, key=lambda each: each.since, default=None)


def releases_meant(runtime: Runtime, version: str) -> tuple[Release, ...]:
    """The releases that a version may be: one for a whole version; else the first of each group that behaves alike.

    Raises:
        SpecError: it isn't a version.
    """
    numbers = parsed(version)
    if len(numbers) == len(("major", "minor", "patch")):
        major, minor, patch = numbers
        return ((major, minor, patch),)
    borders = {each.since for each in TABLE if each.runtime == runtime}
    if numbers:
        major, minor = numbers
        return tuple(sorted({(major, minor, 0), *(each for each in borders if each[:2] == numbers)}))
    first = min(
        each.since for each in TABLE if each.runtime == runtime and each.topic == "cdi" and each.value != "none"
    )
    return tuple(sorted(each for each in borders if each >= first))
