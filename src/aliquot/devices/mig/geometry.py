"""MIG: which profiles a GPU offers, where they may start and what they hold.

The memory of a GPU is cut into units, and its multiprocessors into compute slices (8 and 7 on an A100). An instance
takes a range of memory units from one of its profile's starts, and a number of compute slices. Profile names are not
unique: `1g.35gb` is the double-memory profile of an H200 and the single one of a GB300, so a profile belongs to a
geometry. Source: the tables of data/mig.json, whose rows name theirs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

RESOURCE_PREFIX: Final = "nvidia.com/mig-"
LABEL_FACTOR: Final = 0.88
"""The least share of its label that a measured profile holds (H100 94GB 1g.12gb: 10.62 GiB of 12), rounded down."""

_NAME: Final = re.compile(r"(?P<compute>[0-9]+)g\.(?P<gib>[0-9]+)gb(?P<variant>(?:[+-][a-z]+(?:\.[a-z]+)?)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One MIG profile of one geometry."""

    name: str
    """As NVML prints it, such as `1g.5gb` or `1g.5gb+me`."""
    kind: str
    """`1g`, `2g`, `3g`, `4g`, `7g`; `1g2` for double memory; with `+me`, `+me.all`, `-me` or `+gfx`."""
    profile_id: int | None
    """The id that nvidia-smi takes."""
    compute_slices: int
    memory_slices: int | None
    """Memory units that it covers; None where it isn't known."""
    starts: tuple[int, ...]
    """Memory units where it may start; empty where they aren't known."""
    max_instances: int
    memory_mib: int | None
    """The least MiB that a driver was seen to give it; None where nobody has published it."""
    memory_mib_observed: tuple[int, ...]
    sm_count: int | None
    certainty: str
    source: str
    """A key of the table's sources; `node` where a node reported it."""
    copy_engines: int | None = None
    decoders: int | None = None
    encoders: int | None = None
    jpegs: int | None = None
    ofas: int | None = None
    """Engines for JPEG and for optical flow; None where nobody has published how many."""

    @property
    def resource_name(self) -> str:
        """The extended resource that the device plugin's mixed strategy offers: `+` becomes `.`."""
        return RESOURCE_PREFIX + self.name.replace("+", ".")

    @property
    def plain(self) -> bool:
        """Whether it's no variant with other media or graphics engines."""
        return "+" not in self.kind and "-" not in self.kind

    @property
    def takes_media_extension(self) -> bool:
        """Whether it takes the media engines of which a GPU has one set to give (`+me`, `+me.all`)."""
        return "+me" in self.kind

    @property
    def label_gib(self) -> int:
        """The number in its name: what it's called, not what it holds."""
        return _parsed(self.name)[1]


@dataclass(frozen=True, slots=True)
class ShareMemory:
    """How much memory an instance holds, and who says so."""

    mib: int
    source: str
    """`node` (reported), `table` (measured elsewhere), or `label` (guessed from the name)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """How MIG may cut one GPU model."""

    key: str
    pci_device_ids: tuple[str, ...]
    """NVIDIA's device ids, lower case hexadecimal."""
    memory_units: int | None
    """None, like `compute_units`, where the layout isn't published: read it from the node."""
    compute_units: int | None
    max_instances: int
    total_sm: int | None
    total_memory_mib: int | None
    placement_certainty: str
    """`documented`, `assumed` (from a GPU of the same family) or `unknown`."""
    profiles: tuple[Profile, ...]

    def __hash__(self) -> int:
        return hash((self.key, len(self.profiles)))  # caches by geometry needn't walk all profiles

    @property
    def known(self) -> bool:
        """Whether placements can be judged."""
        return self.memory_units is not None

    def profile(self, name: str) -> Profile | None:
        """The profile of a name or a resource name, or None.

        Drivers disagree by one in some labels (`7g.79gb`, `7g.80gb`; `3g.39gb`, `3g.40gb`): both are found.
        """
        wanted = profile_name(name)
        exact = next((profile for profile in self.profiles if profile.name == wanted), None)
        if exact is not None or _NAME.fullmatch(wanted) is None:
            return exact
        compute, gib, variant = _parsed(wanted)
        for profile in self.profiles:
            own_compute, own_gib, own_variant = _parsed(profile.name)
            if (own_compute, own_variant) == (compute, variant) and abs(own_gib - gib) == 1:
                return profile
        return None

    def plain_profiles(self, *, double_memory: bool = True) -> tuple[Profile, ...]:
        """The profiles without variants, with or without the 1g of double memory."""
        return tuple(p for p in self.profiles if p.plain and (double_memory or p.kind != "1g2"))

    def smallest_holding(self, mib: int, reported: Mapping[str, int] | None = None) -> tuple[Profile, ...]:
        """The plain profiles that hold so much memory with the fewest memory units, fewest compute slices first.

        Args:
            mib: the need.
            reported: MiB of profiles by name, as nodes reported them; they count more than the table.

        Returns:
            All that tie (`1g.35gb` and `2g.35gb` of an H200); empty if none holds it.
        """
        holding = [p for p in self.plain_profiles() if memory_of(p, reported).mib >= mib]
        sizes = [_size(p) for p in holding]
        ties = [p for p in holding if _size(p) == min(sizes)]
        return tuple(sorted(ties, key=lambda p: (p.compute_slices, p.name)))


def memory_of(profile: Profile, reported: Mapping[str, int] | None = None) -> ShareMemory:
    """The memory of an instance: as a node reported it, else as measured, else 0.88 of its label."""
    if reported is not None and profile.name in reported:
        return ShareMemory(reported[profile.name], "node")
    if profile.memory_mib is not None:
        return ShareMemory(profile.memory_mib, "table")
    return ShareMemory(int(profile.label_gib * 1024 * LABEL_FACTOR), "label")


def profile_name(name: str) -> str:
    """A profile's own name, from that or from a resource name (`nvidia.com/mig-1g.5gb.me` is `1g.5gb+me`)."""
    if not name.startswith(RESOURCE_PREFIX):
        return name
    size, unit, variant = name.removeprefix(RESOURCE_PREFIX).partition("gb")
    return f"{size}{unit}+{variant[1:]}" if variant.startswith(".") else f"{size}{unit}{variant}"


def _parsed(name: str) -> tuple[int, int, str]:
    match = _NAME.fullmatch(name)
    assert match is not None, name
    return int(match["compute"]), int(match["gib"]), match["variant"]


def _size(profile: Profile) -> tuple[int, int]:
    return (profile.memory_slices or 0, profile.label_gib if profile.memory_slices is None else 0)
