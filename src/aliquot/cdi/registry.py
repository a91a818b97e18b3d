"""Who wins when several files define a device: the registry of spec files, as one frozen value.

Folders have priorities; for each device the definition of the highest folder counts. Two definitions in that folder
cancel each other, and both files get an error; their other devices stay. A broken file hurts no other one. Unlike in
the Go library, a conflict below a single higher definition does no harm.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aliquot.cdi.problems import Problem
from aliquot.cdi.qualified_names import parse_device, qualify, reference_fault
from aliquot.cdi.spec import Device, Spec


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A file that was found: its path, its folder's priority (higher wins), and what was read.

    With problems, `spec` is as much as could be read, or None; it defines nothing.
    """

    path: str
    priority: int
    spec: Spec | None
    problems: tuple[Problem, ...] = ()

    @property
    def good(self) -> bool:
        """Whether the file defines its devices."""
        return self.spec is not None and not self.problems


@dataclass(frozen=True, slots=True)
class Definition:
    """A device in the file that defines it."""

    file: SpecFile
    spec: Spec
    device: Device

    @property
    def name(self) -> str:
        """The qualified name."""
        return qualify(self.spec.kind, self.device.name)


@dataclass(frozen=True, slots=True)
class Registry:
    """All files and what follows from them. Make one with `registry_of`.

    `devices` holds the winners by qualified name, sorted. `errors` holds the problems of each path: of files that don't
    load or conflict, and of folders that can't be read.
    """

    files: tuple[SpecFile, ...] = ()
    devices: Mapping[str, Definition] = field(default_factory=dict[str, Definition])
    definitions: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict[str, tuple[Definition, ...]])
    errors: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict[str, tuple[Problem, ...]])

    @property
    def vendors(self) -> tuple[str, ...]:
        """The vendors of all good files, also of those whose devices are shadowed."""
        return tuple(sorted({file.spec.vendor for file in self.files if file.spec is not None and file.good}))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of all good files."""
        return tuple(sorted({file.spec.class_ for file in self.files if file.spec is not None and file.good}))

    def why_not(self, name: str) -> Problem:
        """Why a device that isn't in `devices` can't be resolved, and what to do."""
        reason, hint = self._why_not(name)
        return Problem("unresolvable", f"the device {name!r} can't be resolved: {reason}", hint=hint)

    def _why_not(self, name: str) -> tuple[str, str]:
        asked = parse_device(name)
        fault = reference_fault(asked)
        if fault:
            return fault, "ask for vendor/class=name"
        rivals = self.definitions.get(name, ())
        if rivals:
            top = max(rival.file.priority for rival in rivals)
            paths = [rival.file.path for rival in rivals if rival.file.priority == top]
            return f"{' and '.join(paths)} both define it", "remove it from all but one of them"
        broken = [
            file for file in self.files if file.spec is not None and not file.good and file.spec.kind == asked.kind
        ]
        if broken:
            first = broken[0]
            return f"{first.path} defines {asked.kind} but failed to load: {first.problems[0]}", "mend that file"
        siblings = [other.device.name for key, other in self.devices.items() if key.startswith(f"{asked.kind}=")]
        if siblings:
            near = difflib.get_close_matches(asked.name, siblings, n=1) or sorted(siblings)[:8]
            return f"no file defines it, though {asked.kind} is known", f"there is {', '.join(near)}"
        unread = [file.path for file in self.files if file.spec is None]
        hint = f"{', '.join(unread)} can't be read at all" if unread else "see `aliquot cdi list`"
        return f"no file defines {asked.kind}", hint


def registry_of(files: Iterable[SpecFile], folder_errors: Mapping[str, Problem] | None = None) -> Registry:
    """The registry of these files."""
    ordered = tuple(sorted(files, key=lambda file: (file.priority, file.path)))
    definitions: dict[str, list[Definition]] = {}
    errors: dict[str, list[Problem]] = {path: [problem] for path, problem in (folder_errors or {}).items()}
    for file in ordered:
        if file.problems:
            errors.setdefault(file.path, []).extend(file.problems)
        if file.spec is not None and file.good:
            for device in file.spec.devices:
                definition = Definition(file, file.spec, device)
                definitions.setdefault(definition.name, []).append(definition)
    devices: dict[str, Definition] = {}
    for name in sorted(definitions):
        levels: dict[int, list[Definition]] = {}
        for definition in definitions[name]:
            levels.setdefault(definition.file.priority, []).append(definition)
        for rivals in levels.values():
            _note_conflict(name, rivals, errors)
        winners = levels[max(levels)]
        if len(winners) == 1:
            devices[name] = winners[0]
    return Registry(
        files=ordered,
        devices=devices,
        definitions={name: tuple(found) for name, found in sorted(definitions.items())},
        errors={path: tuple(errors[path]) for path in sorted(errors)},
    )


def _note_conflict(name: str, rivals: list[Definition], errors: dict[str, list[Problem]]) -> None:
    for rival in rivals:
        others = sorted(other.file.path for other in rivals if other is not rival)
        if others:
            message = f"the device {name!r} is also defined by {', '.join(others)}"
            problem = Problem("conflict", message, hint="remove it from all but one of them", file=rival.file.path)
            errors.setdefault(rival.file.path, []).append(problem)
