"""Single spec files on this machine: read, written and removed."""

import contextlib
import os
import tempfile
from pathlib import Path

from aliquot.cdi.check import Strength, check
from aliquot.cdi.documents.read import SUFFIXES, inspect
from aliquot.cdi.documents.write import to_json, to_yaml
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import Spec


def load_file(path: str | Path, *, strength: Strength = "faithful", older_fields: bool = True) -> Spec:
    """The spec in a file.

    Raises:
        SpecError: it can't be read, or isn't a good spec.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise SpecError([Problem("io", f"it can't be read: {error.strerror}", file=str(path))]) from None
    return inspect(text, file=str(path), strength=strength, older_fields=older_fields).value()


def write_spec(folder: str | Path, name: str, spec: Spec, *, overwrite: bool = True) -> str:
    """Write a spec so that a reader sees the old file or the new one, never half of it; the path of the file.

    `name` is a file name; without `.json` or `.yaml` it becomes YAML. The file can be read by everybody (0644): other
    users' container engines need it. The folder is made if it's missing.

    Raises:
        SpecError: the name has a path in it, the spec isn't good, the file exists and mustn't be replaced, or the disk
            refuses.
    """
    target = _target(folder, name)
    path = str(target)
    problems = check(spec)
    if problems:
        raise SpecError(problem.inside(path) for problem in problems)
    text = to_json(spec) if path.endswith(".json") else to_yaml(spec)
    try:
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        _replace(target, text.encode(), overwrite=overwrite)
    except FileExistsError:
        raise SpecError([Problem("io", "the file exists already", file=path)]) from None
    except OSError as error:
        raise SpecError([Problem("io", f"it can't be written: {error.strerror}", file=path)]) from None
    except UnicodeEncodeError:
        raise SpecError([Problem("syntax", "a text has half of a character pair", file=path)]) from None
    return path


def remove_spec(folder: str | Path, name: str) -> bool:
    """Remove a spec that `write_spec` wrote; whether there was one.

    Raises:
        SpecError: the name has a path in it, or the disk refuses.
    """
    path = _target(folder, name)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise SpecError([Problem("io", f"it can't be removed: {error.strerror}", file=str(path))]) from None
    return True


def _target(folder: str | Path, name: str) -> Path:
    if not name or "/" in name or "\0" in name or name in {".", ".."}:
        message = f"{name!r} isn't a file name"
        raise SpecError([Problem("io", message, hint="give a name without folders", file=str(folder))])
    return Path(folder) / (name if name.endswith(SUFFIXES) else f"{name}.yaml")


def _replace(path: Path, content: bytes, *, overwrite: bool) -> None:
    handle, temporary = tempfile.mkstemp(prefix=".spec.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            os.fchmod(handle, 0o644)  # whatever the umask
            stream.flush()
            os.fsync(handle)
        if overwrite:
            Path(temporary).replace(path)
        else:
            os.link(temporary, path)  # refuses to replace, in one step
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
