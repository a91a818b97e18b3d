"""What an older spec in another file does to one that was just written: the same devices, by files that may be gone."""

from pathlib import Path

from aliquot.cdi.machine.files import remove_spec
from aliquot.cdi.spec import Spec
from aliquot.cli.cdi.output import Dirs, folders_of
from aliquot.cli.output import warn


def others_of(path: Path, spec: Spec, dirs: Dirs, *, remove: bool) -> None:
    """Tell of the other files in the spec folders that define devices of this spec.

    Args:
        path: where the spec is.
        spec: the spec.
        dirs: the folders; none: the usual ones.
        remove: take those away that define nothing else.

    Raises:
        SpecError: one can't be removed.
    """
    folders = folders_of(dirs)
    own = path.resolve()
    registry = folders.registry()
    mine = next((file for file in registry.files if Path(file.path).resolve() == own), None)
    if mine is None:
        return  # not where container engines look
    names = {device.name for device in spec.devices}
    for file in registry.files:
        if file.spec is None or file.spec.kind != spec.kind or Path(file.path).resolve() == own:
            continue
        shared = names & {device.name for device in file.spec.devices}
        if not shared:
            continue
        if remove and len(shared) == len(file.spec.devices):
            remove_spec(Path(file.path).parent, Path(file.path).name)
            warn(f"{file.path} is removed: {path} defines all of its devices")
            continue
        wins = "its definitions win" if file.priority > mine.priority else "these hide its definitions"
        if file.priority == mine.priority:
            wins = "neither can be resolved"
        count = "1 device" if len(shared) == 1 else f"{len(shared)} devices"
        fix = "remove it" if len(shared) < len(file.spec.devices) else "remove it, or let --remove-stale do it"
        warn(f"{file.path} defines {count} of {path} too, and {wins} ({fix})")
