"""What `aliquot mig` is asked about: a GPU, profiles, a layout; told in full where they can't be read."""

import re
from collections.abc import Sequence

from aliquot.cel.checking.hints import nearest
from aliquot.cli.output import fail
from aliquot.devices.catalogue import all_models, find
from aliquot.devices.mig import Geometry, Placement, Profile, all_geometries, geometry_of, memory_of
from aliquot.devices.mig.legal_layouts import violations
from aliquot.units.quantity import Quantity

MIB = 1 << 20
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?[KMGT]i?", re.ASCII)
_INSTANCE = re.compile(r"(?P<profile>[^@]+)(?:@(?P<start>[0-9]+))?", re.ASCII)


def model_of(name: str) -> Geometry | None:
    """The geometry of a GPU by any of its names; None after saying why there's none."""
    folded = name.strip().replace(" ", "-").lower()
    exact = [g for g in all_geometries() if g.key.lower() == folded]
    model = find(name)
    if exact or (model is not None and geometry_of(model) is not None):
        return exact[0] if exact or model is None else geometry_of(model)
    if model is not None:
        fail(f"{model.key} has no MIG: it can be shared by time-slicing{' or MPS' if model.mps else ''}")
        return None
    begun = [g for g in all_geometries() if folded and g.key.lower().startswith(folded)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        fail(f"{name} is more than one GPU", f"say which: {', '.join(g.key for g in begun)}")
        return None
    keys = [g.key for g in all_geometries()]
    meant = nearest(name, [*keys, *(product for each in all_models() for product in each.products)])
    fail(f"no GPU is called {name}", f"did you mean {meant}?" if meant else f"known with MIG: {', '.join(keys)}")
    return None


def holding(geometry: Geometry, amount: str) -> tuple[Profile, ...] | None:
    """The smallest profiles that hold an amount of memory such as 17Gi, empty if none does; None: it's no amount."""
    if _AMOUNT.fullmatch(amount) is None:
        return None
    return geometry.smallest_holding(-(-Quantity.parse(amount).value() // MIB))


def held_by(profile: Profile) -> str:
    """A profile with the memory that it holds: the least and the most that was seen, for it differs between drivers."""
    least, most = memory_of(profile).mib, max(profile.memory_mib_observed, default=0)
    span = f"{least / 1024:.2f}" if most <= least else f"{least / 1024:.2f} to {most / 1024:.2f}"
    return f"{profile.name} ({span} GiB)"


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
