"""What `aliquot mig` is asked about: a GPU, profiles, a layout; told in full where they can't be read."""

import re
from collections.abc import Sequence

from aliquot.cli.output import fail, say_hint
from aliquot.devices.mig import Geometry, Placement, Profile, all_geometries, geometry_of, memory_of
from aliquot.devices.mig.legal_layouts import violations
from aliquot.devices.naming import families_named, models_named, nearest_names
from aliquot.units.quantity import Quantity

MIB = 1 << 20
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?[KMGT]i?", re.ASCII)
_INSTANCE = re.compile(r"(?P<profile>[^@]+)(?:@(?P<start>[0-9]+))?", re.ASCII)


def model_of(name: str) -> Geometry | None:
    """The geometry of a GPU by any of its names; None after saying why there's none."""
    models, families = models_named(name), families_named(name)
    if len(families) == 1 and all(geometry_of(each) is families[0] for each in models):
        return families[0]
    if len(models) == 1 and not families:
        shared = f"it can be shared by time-slicing{' or MPS' if models[0].mps else ''}"
        fail(f"{models[0].key} has no MIG: {shared if models[0].vendor == 'nvidia' else 'only GPUs of NVIDIA have it'}")
        return None
    known = f"known with MIG: {', '.join(each.key for each in all_geometries())}"
    if models or families:
        others = [each.key for each in models if each.mig is None]
        fail(f"{name} is more than one GPU", f"say which: {', '.join([*(each.key for each in families), *others])}")
        return None
    meant = nearest_names(name)
    fail(f"no GPU is called {name!r}", f"did you mean {' or '.join(meant)}?" if meant else known)
    if meant:
        say_hint(known)
    return None


def holding(geometry: Geometry, amount: str) -> tuple[Profile, ...] | None:
    """The smallest profiles that hold an amount of memory such as 17Gi, empty if none does; None: it's no amount."""
    if _AMOUNT.fullmatch(amount) is None:
        return None
    return geometry.smallest_holding(-(-Quantity.parse(amount).value() // MIB))


def held_by(profile: Profile) -> str:
    """A profile with the memory that it holds: the least and the most that was seen, for it differs between drivers."""
    least, most = memory_of(profile).mib, max(profile.memory_mib_observed, default=0)
    if memory_of(profile).source == "label":
        return f"{profile.name} (about {least / 1024:.0f} GiB, guessed by its label)"
    span = f"{least / 1024:.2f}" if most <= least else f"{least / 1024:.2f} to {most / 1024:.2f}"
    return f"{profile.name} ({span} GiB)"


def memory_words(profiles: Sequence[Profile]) -> str:
    """What profiles hold, and who says so: the table names no drivers, for its sources named none."""
    differ = any(len(set(each.memory_mib_observed)) > 1 for each in profiles)
    drivers = "drivers differ, and which gave which isn't published" if differ else "with which driver isn't published"
    measured = any(memory_of(each).source == "table" for each in profiles)
    source = f"as this program's table has it ({drivers})" if measured else "for nobody has published it"
    return f"{', '.join(map(held_by, profiles))}, {source}: what the node reports counts"


def memory_json(profile: Profile) -> dict[str, object]:
    """The same for programs."""
    memory = memory_of(profile)
    return {"memoryMiB": memory.mib, "source": memory.source, "observedMiB": list(profile.memory_mib_observed)}


def profiles_of(geometry: Geometry, names: Sequence[str]) -> list[str] | None:
    """The geometry's own names of profiles, for an amount of memory the smallest; None after naming what it hasn't."""
    amounts = {name: holding(geometry, name) for name in names}
    found = [found[0] if (found := amounts[name]) else geometry.profile(name) for name in names]
    for name, profile in zip(names, found, strict=True):
        if profile is None and amounts[name] is not None:
            largest = max(memory_of(each).mib for each in geometry.profiles)
            fail(f"no MIG profile of {geometry.key} holds {name}", f"the largest holds {largest / 1024:.2f} GiB")
        elif profile is None:
            fail(f"{geometry.key} has no MIG profile {name}", f"it has {', '.join(p.name for p in geometry.profiles)}")
    if not geometry.known:
        fail(f"where MIG instances of {geometry.key} may lie isn't published", "ask the node: aliquot mig list")
        return None
    known = [profile.name for profile in found if profile is not None]
    return known if len(known) == len(found) else None


def layout_of(geometry: Geometry, text: str) -> tuple[Placement, ...] | None:
    """A layout as `3g.20gb@0,1g.5gb@4`; None after saying everything that's wrong with it.

    The start may be left out where a profile has just one.
    """
    if text.strip() in {"", "empty"}:
        return ()
    faults: list[tuple[str, str]] = []
    state: list[Placement] = []
    for part in text.split(","):
        match = _INSTANCE.fullmatch(part.strip())
        profile = geometry.profile(match["profile"]) if match else None
        if match is None:
            faults.append((f"--on: {part.strip()!r} is no instance", "write PROFILE@START, such as 3g.20gb@0"))
        elif profile is None:
            offered = ", ".join(p.name for p in geometry.profiles)
            faults.append((f"--on: {geometry.key} has no MIG profile {match['profile']}", f"it has {offered}"))
        elif match["start"] is None and len(profile.starts) != 1:
            starts = ", ".join(map(str, profile.starts))
            faults.append((f"--on: where does {profile.name} start?", f"write {profile.name}@START, one of {starts}"))
        else:
            start = profile.starts[0] if match["start"] is None else int(match["start"])
            state.append(Placement(start, profile.name))
    if geometry.known:
        faults += [(f"--on: {fault}", "") for fault in violations(geometry, state)]
    for message, hint in faults:
        fail(message, hint)
    return None if faults else tuple(sorted(state))
