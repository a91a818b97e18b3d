"""Container runtimes of this machine: their versions and configuration files. An edge; `runtime_config` judges."""

import difflib
import glob
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config.assess import CONFIG_FILES
from aliquot.cdi.runtime_config.configure import configured
from aliquot.cdi.runtime_config.crio import DROP_INS
from aliquot.cdi.runtime_config.releases import Runtime

_COMMANDS: dict[Runtime, tuple[str, ...]] = {
    "containerd": ("containerd", "--version"),
    "crio": ("crio", "--version"),
    "docker": ("dockerd", "--version"),
    "podman": ("podman", "--version"),
}


class LocalConfigFiles:
    """Configuration files of this machine."""

    def read(self, path: str) -> str | None:
        """The text of a file, None where there's none.

        Raises:
            SpecError: it can't be read.
        """
        try:
            return Path(path).read_text(encoding="utf-8") if path else None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise SpecError([Problem("io", f"it can't be read: {error}", file=path)]) from None

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that match a pattern, as Go's filepath.Glob finds them."""
        return tuple(sorted(glob.glob(pattern.replace("[^", "[!"), include_hidden=True)))  # noqa: PTH207 Path.glob wants a root

    def below(self, folder: str) -> tuple[str, ...]:
        """All files below a folder, in the order of filepath.Walk."""
        found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]  # noqa: PTH118 as os.walk names them
        return tuple(sorted(found, key=lambda path: path.split("/")))


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What configuring does to a file: the text before and after ("" before where there's no file).

    `backups` is the folder for the copy of the file as it was, "" for the file's own.
    """

    file: str
    before: str
    after: str
    backups: str = ""

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


def main_file(runtime: Runtime, given: Path | None) -> str:
    """The configuration file that counts: the given one, else the usual one; Podman's several are joined by ":"."""
    if given is None:
        own = [str(Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "containers/containers.conf")]
        override = os.environ.get("CONTAINERS_CONF")
        if runtime == "podman":
            return override or ":".join((CONFIG_FILES[runtime], *own))
        return CONFIG_FILES[runtime]
    if runtime == "crio" and given.name == DROP_INS:
        return str(given / Path(CONFIG_FILES["crio"]).name)
    return str(given)


def config_changes(runtime: Runtime, file: str, version: str) -> tuple[tuple[ConfigChange, ...], tuple[str, ...]]:
    """What has to change in which files, none where CDI is on already; and what is to be said of it.

    Raises:
        SpecError: they can't be read or understood, the runtime knows no CDI, or no change is safe.
    """
    files = LocalConfigFiles()
    answer = configured(runtime, file, files, version)
    changes = tuple(
        ConfigChange(path, files.read(path) or "", text, _backup_folder(runtime, path, file))
        for path, text in answer.texts.items()
    )
    return changes, answer.notes


def _backup_folder(runtime: Runtime, path: str, main: str) -> str:
    """Outside of folders whose files are all read: CRI-O would read the copy, too, and so may a pattern of imports."""
    folder = Path(path).parent
    if runtime == "crio" and folder.name == DROP_INS:
        return str(folder.parent)
    return str(Path(main).parent) if runtime == "containerd" and path != main else ""


def carry_out(change: ConfigChange) -> str:
    """Write the changed file in one step, keeping its mode and owner; the path of the backup, "" for a new file.

    The backup is the file's name with `.bak`, then `.bak.1` and so on: no earlier one is lost.

    Raises:
        SpecError: the disk refuses.
    """
    path = Path(change.file).resolve()
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        backup = _backup(path, Path(change.backups) if change.backups else path.parent) if path.exists() else ""
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


def _backup(path: Path, folder: Path) -> str:
    number, backup = 0, folder / f"{path.name}.bak"
    while backup.exists():
        number += 1
        backup = folder / f"{path.name}.bak.{number}"
    shutil.copy2(path, backup)
    return str(backup)
