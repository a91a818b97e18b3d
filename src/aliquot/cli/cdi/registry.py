"""`aliquot cdi list|show|explain|watch`: what the spec folders hold."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from aliquot.cdi.documents.write import device_data, edits_data, to_data, to_json, to_yaml
from aliquot.cdi.problems import SpecError
from aliquot.cdi.registry import Definition, Registry
from aliquot.cdi.spec import Spec
from aliquot.cdi.versions import minimum_version
from aliquot.cli.cdi.output import (
    NO,
    UNUSABLE,
    YES,
    Dirs,
    OutputFormat,
    TextFormat,
    folders_of,
    read_spec,
    tell,
    warn_of_errors,
)
from aliquot.cli.output import fail, write_json, write_yaml


def list_devices(
    kind: Annotated[str, Parameter(show_default=False)] = "",
    /,
    *,
    dirs: Dirs = (),
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """The devices that can be asked for, each with the file that defines it.

    Args:
        kind: Only this vendor/class, or this vendor.
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        output: table for people; json or yaml for programs.
    """
    folders = folders_of(dirs)
    registry = folders.registry()
    found = [
        definition
        for name, definition in registry.devices.items()
        if not kind or name.startswith((f"{kind}=", f"{kind}/"))
    ]
    if output == "table":
        width = max((len(definition.name) for definition in found), default=0)
        for definition in found:
            print(f"{definition.name:{width}}  {definition.file.path}{_shadow_note(registry, definition)}")
        if not found:
            print(f"no devices in {' '.join(folders.folders)}")
        warn_of_errors(registry)
    else:
        _write(output, {"devices": [_entry(registry, definition) for definition in found], "errors": _errors(registry)})
    return YES


def _shadow_note(registry: Registry, winner: Definition) -> str:
    others = [definition.file.path for definition in registry.definitions[winner.name] if definition is not winner]
    return f"  (hides {', '.join(others)})" if others else ""


def _entry(registry: Registry, definition: Definition) -> dict[str, Any]:
    hidden = [other.file.path for other in registry.definitions[definition.name] if other is not definition]
    return {
        "name": definition.name,
        "file": definition.file.path,
        "priority": definition.file.priority,
        "hides": hidden,
    }


def _errors(registry: Registry) -> dict[str, list[str]]:
    return {path: [str(problem) for problem in problems] for path, problems in registry.errors.items()}


def _write(output: str, value: dict[str, Any]) -> None:
    if output == "json":
        write_json(value)
    else:
        write_yaml(value)


def show(
    what: str,
    /,
    *,
    dirs: Dirs = (),
    output: Annotated[TextFormat, Parameter(name=["--output", "-o"])] = "yaml",
) -> int:
    """A device's edits, or a whole spec file, in canonical form.

    Args:
        what: vendor/class=name, or a file.
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        output: yaml or json.
    """
    if "=" not in what and (what.endswith((".yaml", ".json")) or Path(what).exists()):
        try:
            spec = read_spec(Path(what))
        except SpecError as error:
            tell(error.problems)
            return UNUSABLE
        print(to_json(spec) if output == "json" else to_yaml(spec), end="")
        return YES
    registry = folders_of(dirs).registry()
    found = registry.devices.get(what)
    if found is None:
        tell([registry.why_not(what)])
        return NO
    alone = Spec(version=found.spec.version, kind=found.spec.kind, devices=(found.device,), edits=found.spec.edits)
    _write(
        output,
        {
            "file": found.file.path,
            "cdiVersion": found.spec.version,
            "minimumVersion": minimum_version(alone),
            "kind": found.spec.kind,
            "device": device_data(found.device),
            "containerEdits": edits_data(found.spec.edits),
        },
    )
    return YES


def explain(
    device: str,
    /,
    *,
    dirs: Dirs = (),
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """Which file defines a device, which definitions it hides, or why it can't be resolved.

    Args:
        device: vendor/class=name.
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        output: table for people; json or yaml for programs.
    """
    folders = folders_of(dirs)
    registry = folders.registry()
    winner = registry.devices.get(device)
    why = None if winner is not None else registry.why_not(device)
    rivals = [rival for rival in registry.definitions.get(device, ()) if rival is not winner]
    if output != "table":
        value = {
            "device": device,
            "resolvable": winner is not None,
            "winner": None if winner is None else _entry(registry, winner),
            "others": [{"file": rival.file.path, "priority": rival.file.priority} for rival in reversed(rivals)],
            "reason": None if why is None else why.message,
            "hint": None if why is None else why.hint,
            "folders": list(folders.folders),
            "missingFolders": list(folders.missing),
        }
        _write(output, value)
        return YES if winner is not None else NO
    if winner is not None:
        needed = minimum_version(winner.spec)
        print(
            f"{device} is defined by {winner.file.path} (priority {winner.file.priority}, cdiVersion {needed} or later)"
        )
        for rival in reversed(rivals):
            same = to_data(rival.spec) == to_data(winner.spec)
            print(
                f"  hides {rival.file.path} (priority {rival.file.priority}{', with the same content' if same else ''})"
            )
    if why is not None:
        tell([why])
        for rival in reversed(rivals):
            print(f"  {rival.file.path} (priority {rival.file.priority}) defines it")
    for folder in folders.missing:
        print(f"  {folder} doesn't exist")
    return YES if winner is not None else NO


def watch(*, dirs: Dirs = (), changes: int = 0) -> int:
    """Tell each device that comes, goes or changes, and each error, until interrupted.

    Args:
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        changes: Stop after so many changes; 0 for never.
    """
    from aliquot.cdi.machine.inotify import Watcher

    if changes < 0:
        fail("--changes can't be negative")
        return UNUSABLE
    with Watcher(folders_of(dirs)) as watcher:
        if watcher.fallback:
            print(f"# looking every second: {watcher.fallback}", flush=True)
        last = Registry()
        for seen, registry in enumerate(watcher.changes()):
            for line in difference(last, registry):
                print(line, flush=True)
            last = registry
            if changes and seen >= changes:
                break
    return YES


def difference(old: Registry, new: Registry) -> list[str]:
    """What differs between two looks, a line each: `+`, `-`, `~` for devices, `!` for errors."""
    lines = [f"- {name}" for name in old.devices if name not in new.devices]
    for name, found in new.devices.items():
        before = old.devices.get(name)
        if before is None:
            lines.append(f"+ {name}  {found.file.path}")
        elif (before.device, before.spec.edits, before.file.path) != (found.device, found.spec.edits, found.file.path):
            lines.append(f"~ {name}  {found.file.path}")
    for path, problems in new.errors.items():
        if old.errors.get(path) != problems:
            lines += [f"! {problem}" for problem in problems]
    return lines
