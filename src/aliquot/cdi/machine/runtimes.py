"""Container runtimes of this machine: their versions and configuration files. An edge; `runtime_config` judges."""

import difflib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config import Runtime, configured

_COMMANDS: dict[Runtime, tuple[str, ...]] = {
    "containerd": ("containerd", "--version"),
    "crio": ("crio", "--version"),
    "docker": ("dockerd", "--version"),
    "podman": ("podman", "--version"),
}


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What configuring does to a file: the text before and after ("" before where there's no file)."""

    file: str
    before: str
    after: str

    @property
    def needed(self) -> bool:
        """Whether there's anything to do."""
        return self.before != self.after

    def diff(self) -> str:
        """The difference, as `diff -u` prints it."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True), self.after.splitlines(keepends=True), self.file, self.file
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def installed_version(runtime: Runtime) -> str:
    """The version that the runtime itself tells; "" where it isn't installed or doesn't say."""
    command = _COMMANDS[runtime]
    program = shutil.which(command[0])
    if program is None:
        return ""
    try:
        done = subprocess.run([program, *command[1:]], check=False, capture_output=True, text=True, timeout=20)  # noqa: S603 fixed commands
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"(?:^|[ v])(\d+\.\d+[.\d]*)", done.stdout)
    return match.group(1).rstrip(".") if match is not None else ""


def read_config(file: str) -> str:
    """A configuration file's text; "" where there's none.

    Raises:
        SpecError: it can't be read.
    """
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError([Problem("io", f"it can't be read: {error}", file=file)]) from None


def config_change(runtime: Runtime, file: str, version: str) -> ConfigChange:
    """What has to change in a configuration file.

    Raises:
        SpecError: it can't be read or understood, or the runtime knows no CDI.
    """
    before = read_config(file)
    try:
        return ConfigChange(file, before, configured(runtime, before, version))
    except SpecError as error:
        raise SpecError(problem.inside(file) for problem in error.problems) from None


def carry_out(change: ConfigChange) -> str:
    """Write the changed file in one step, keeping its mode and owner; the path of the backup, "" where none was needed.

    The backup is the file's name with `.bak`, then `.bak.1` and so on: no earlier one is lost.

    Raises:
        SpecError: the disk refuses.
    """
    if not change.needed:
        return ""
    path = Path(change.file).resolve()
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        backup = _backup(path) if path.exists() else ""
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(change.after)
                os.fchmod(handle, 0o644)
                if backup:
                    shutil.copystat(path, temporary)
                    found = path.stat()
                    os.fchown(handle, found.st_uid, found.st_gid)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SpecError([Problem("io", f"it can't be written: {error.strerror}", file=change.file)]) from None
    return backup


def _backup(path: Path) -> str:
    number, backup = 0, path.with_name(f"{path.name}.bak")
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.bak.{number}")
    shutil.copy2(path, backup)
    return str(backup)
