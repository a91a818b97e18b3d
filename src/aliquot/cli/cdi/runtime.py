"""`aliquot cdi runtime check|configure`: is CDI on in the container runtimes of this machine?"""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Annotated

from cyclopts import App, Parameter

from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.machine.runtimes import LocalConfigFiles, carry_out, config_changes, installed_version, main_file
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config.assess import assess
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.readers import unreadable
from aliquot.cdi.runtime_config.releases import RUNTIMES, Runtime
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, OutputFormat, tell
from aliquot.cli.help import epilogue
from aliquot.cli.output import fail, write_json, write_yaml

app = App(
    name="runtime",
    help="Is CDI on in containerd, CRI-O, Docker, Podman? Switch it on.",
    help_epilogue=epilogue(
        "aliquot cdi runtime check",
        "aliquot cdi runtime configure --runtime containerd --dry-run   # only shows",
    ),
    help_format="plaintext",
)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is said of a runtime: the judgement of its configuration, and the specs that it can't read."""

    found: Assessment
    unread: tuple[Problem, ...]

    @property
    def good(self) -> bool:
        return bool(self.found.on) and not self.unread


@app.command(
    name="check",
    help_epilogue=epilogue(
        "aliquot cdi runtime check",
        "aliquot cdi runtime check --runtime containerd --version 1.7.29",
        "aliquot cdi runtime check --runtime podman --config containers.conf",
        status="0  yes, and it reads all specs\n1  no, or it can't be told\n2  unreadable configuration, no runtime",
    ),
)
def check(
    *,
    runtime: Runtime | None = None,
    config: Path | None = None,
    version: str = "",
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """Say whether CDI is on, by the rules of the runtime's own release, and which specs that release can't read.

    Args:
        runtime: Which one; without it, all that are installed here.
        config: Its configuration file, instead of the usual one; drop-in files beside it count. Only with --runtime.
        version: Its version, instead of what the program itself says. Only with --runtime.
        output: table for people; json or yaml for programs.
    """
    if runtime is None and (config is not None or version):
        fail("say which runtime it is", "--runtime containerd, crio, docker or podman")
        return UNUSABLE
    answers: list[_Answer] = []
    try:
        for name in RUNTIMES if runtime is None else (runtime,):
            number = version or installed_version(name)
            if runtime is None and not number:
                continue
            found = assess(name, main_file(name, config), LocalConfigFiles(), number)
            answers.append(_Answer(_as_asked(found, config, version), _unread(found)))
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    if output == "table":
        for answer in answers:
            _tell(answer)
        if not answers:
            print("none of containerd, crio, docker and podman is installed here")
    else:
        rows = [_row(answer) for answer in answers]
        if output == "json":
            write_json({"runtimes": rows})
        else:
            write_yaml({"runtimes": rows})
    if not answers:
        return UNUSABLE
    return YES if all(answer.good for answer in answers) else NO


def _as_asked(found: Assessment, config: Path | None, version: str) -> Assessment:
    """The same with a fix for the file and version that were given, and a word where that file isn't there."""
    verb = f"aliquot cdi runtime configure --runtime {found.runtime}"
    given = "".join(f" {flag} {value}" for flag, value in (("--version", version), ("--config", config)) if value)
    fix = found.fix.replace(verb, verb + given) if "--config" not in found.fix else found.fix
    notes = found.notes
    if config is not None and not config.exists():
        notes = (*notes, f"there's no {config}: judged as without it")
    return replace(found, fix=fix, notes=notes)


def _unread(found: Assessment) -> tuple[Problem, ...]:
    """The specs in its folders that it can't read."""
    if not found.spec_dirs:
        return ()
    files = Folders(found.spec_dirs).registry().files
    specs = ((file.spec, file.path) for file in files if file.spec is not None and file.good)
    problems = (unreadable(spec, path, found.runtime, found.version) for spec, path in specs)
    return tuple(problem for problem in problems if problem is not None)


def _tell(answer: _Answer) -> None:
    found = answer.found
    word = {True: "on", False: "off", None: "unknown"}[found.on]
    print(f"{found.runtime} {found.version or '(version unknown)'}: CDI is {word}: {found.reason}")
    for note in found.notes:
        print(f"  note: {note}")
    if found.reads is not None:
        where = f", in {', '.join(found.spec_dirs)}" if found.spec_dirs else ""
        print(f"  specs: it reads cdiVersion up to {found.reads}{where}")
    for problem in answer.unread:
        print(f"  spec: {problem.file}: {problem.message}")
        print(f"  fix: {problem.hint}")
    for row in found.rows:
        print(f"  rule: {row}")
    if found.fix:
        print(f"  fix: {found.fix}")


def _row(answer: _Answer) -> dict[str, object]:
    found = answer.found
    return {
        "runtime": found.runtime,
        "version": found.version or None,
        "cdi": found.on,
        "starts": found.starts,
        "reason": found.reason,
        "fix": found.fix or None,
        "notes": list(found.notes),
        "specDirs": list(found.spec_dirs) if found.spec_dirs is not None else None,
        "readsUpTo": found.reads,
        "unreadableSpecs": [{"file": one.file, "message": one.message, "fix": one.hint} for one in answer.unread],
        "rules": [{"releases": row.releases, "does": row.does, "source": row.source} for row in found.rows],
    }


@app.command(
    name="configure",
    help_epilogue=epilogue(
        "aliquot cdi runtime configure --runtime containerd --dry-run",
        "cp /etc/containerd/config.toml copy.toml",
        "aliquot cdi runtime configure --runtime containerd --config copy.toml",
        status="0  CDI is on (with --dry-run: the difference is shown, if there is one)\n"
        "2  the configuration can't be read, changed or written, and why",
    ),
)
def configure(
    *,
    runtime: Runtime,
    config: Path | None = None,
    version: str = "",
    dry_run: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Switch CDI on in a runtime's configuration. Comments stay, a backup is kept, a second time changes nothing.

    Without --dry-run it writes the configuration of this machine's runtime, below /etc: as root. The file as it was
    stays beside it under a name that ends in .bak, and the line that takes the change back is printed. It restarts
    nothing. The change is read back by the rules of the runtime's release first: a file with which it wouldn't start
    isn't written.

    Args:
        runtime: Which one.
        config: Its configuration file, instead of the usual one.
        version: Its version, instead of what the program itself says.
        dry_run: Show the difference, and write nothing.
    """
    try:
        changes, notes = config_changes(runtime, main_file(runtime, config), version or installed_version(runtime))
        if not changes:
            print(f"{runtime}: CDI is on already, nothing is changed")
        elif dry_run:
            for change in changes:
                print(change.diff(), end="")
        else:
            for change in changes:
                backup = carry_out(change)
                kept = f" (before: {backup})" if backup else ""
                print(f"{change.file}: CDI is on{kept}; restart {runtime}")
                written = quote(str(Path(change.file).resolve()))
                back = f"mv {quote(backup)} {written}" if backup else f"rm {written}"
                print(f"  undo: {back}; restart {runtime}")
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    for note in notes if not dry_run else ():
        print(f"  note: {note}")
    return YES
