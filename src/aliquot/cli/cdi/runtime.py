"""`aliquot cdi runtime check|configure`: is CDI on in the container runtimes of this machine?"""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from aliquot.cdi.machine.runtimes import carry_out, config_change, installed_version, read_config
from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config import CONFIG_FILES, RUNTIMES, Assessment, Runtime, assess
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, OutputFormat, tell
from aliquot.cli.output import fail, write_json, write_yaml

app = App(
    name="runtime",
    help_format="plaintext",
)


@app.command(name="check")
def check(
    *,
    runtime: Runtime | None = None,
    config: Path | None = None,
    version: str = "",
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """Say whether CDI is on. Exit status: 0 yes; 1 no, or it can't be told; 2 unreadable configuration, no runtime.

    Args:
        runtime: Which one; without it, all that are installed here.
        config: Its configuration file, instead of the usual one. Only with --runtime.
        version: Its version, instead of what the program itself says. Only with --runtime.
        output: table for people; json or yaml for programs.
    """
    if runtime is None and (config is not None or version):
        fail("say which runtime it is", "--runtime containerd, crio, docker or podman")
        return UNUSABLE
    found: list[Assessment] = []
    try:
        for name in RUNTIMES if runtime is None else (runtime,):
            number = version or installed_version(name)
            if runtime is None and not number:
                continue
            file = str(config) if config is not None else CONFIG_FILES[name]
            found.append(assess(name, read_config(file), number))
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    if output == "table":
        for assessment in found:
            _tell(assessment)
        if not found:
            print("none of containerd, crio, docker and podman is installed here")
    else:
        rows = [
            {
                "runtime": assessment.runtime,
                "version": assessment.version or None,
                "cdi": assessment.on,
                "reason": assessment.reason,
                "fix": assessment.fix or None,
                "notes": list(assessment.notes),
            }
            for assessment in found
        ]
        if output == "json":
            write_json({"runtimes": rows})
        else:
            write_yaml({"runtimes": rows})
    if not found:
        return UNUSABLE
    return YES if all(assessment.on for assessment in found) else NO


def _tell(assessment: Assessment) -> None:
    word = {True: "on", False: "off", None: "unknown"}[assessment.on]
    print(f"{assessment.runtime} {assessment.version or '(version unknown)'}: CDI is {word}: {assessment.reason}")
    for note in assessment.notes:
        print(f"  note: {note}")
    if assessment.fix:
        print(f"  fix: {assessment.fix}")


@app.command(name="configure")
def configure(
    *,
    runtime: Runtime,
    config: Path | None = None,
    version: str = "",
    dry_run: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Switch CDI on in a runtime's configuration. Comments stay, a backup is kept, a second time changes nothing.

    Args:
        runtime: Which one.
        config: Its configuration file, instead of the usual one.
        version: Its version, instead of what the program itself says.
        dry_run: Show the difference, and write nothing.
    """
    try:
        file = str(config) if config is not None else CONFIG_FILES[runtime]
        change = config_change(runtime, file, version or installed_version(runtime))
        if not change.needed:
            print(f"{runtime}: CDI is on already, nothing is changed")
            return YES
        if dry_run:
            print(change.diff(), end="")
            return YES
        backup = carry_out(change)
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    print(f"{file}: CDI is on{f' (before: {backup})' if backup else ''}; restart {runtime}")
    return YES
