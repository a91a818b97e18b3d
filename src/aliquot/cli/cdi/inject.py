"""`aliquot cdi inject`: devices into an OCI runtime spec."""

import json
import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from aliquot.cdi.annotations import requested_devices
from aliquot.cdi.host.local_nodes import LocalNodes
from aliquot.cdi.injection.inject import inject as inject_devices
from aliquot.cdi.injection.requests import take_requests
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, Dirs, folders_of, read_text, tell, warn_of_errors
from aliquot.cli.output import fail, warn


def inject(
    *,
    spec: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    device: Annotated[tuple[str, ...], Parameter(name=["--device", "-D"], negative=())] = (),
    dirs: Dirs = (),
    resolve: Annotated[bool, Parameter(name="--resolve", negative=())] = False,
    annotations: Annotated[bool, Parameter(name="--annotations", negative=())] = False,
    userns_bind: Annotated[bool, Parameter(name="--userns-bind", negative=())] = False,
    in_place: Annotated[bool, Parameter(name=["--in-place", "-i"], negative=())] = False,
) -> int:
    """Give devices to a container: edit its OCI runtime spec. All or nothing.

    Args:
        spec: The OCI spec (a bundle's config.json), or - for standard input.
        device: vendor/class=name. May be given several times.
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        resolve: Also inject names that stand as paths in linux.devices, and take them out there.
        annotations: Also inject what the spec's cdi.k8s.io/ annotations ask for.
        userns_bind: In a user namespace, bind-mount device nodes whose host path differs: runtimes can't make them.
        in_place: Write the spec back to its file instead of printing it.
    """
    try:
        oci = _object(json.loads(read_text(spec)), spec)
        names = [*device]
        if annotations:
            given = oci.get("annotations") or {}
            names += requested_devices({key: value for key, value in given.items() if isinstance(value, str)})
        if resolve:
            found, oci = take_requests(oci)
            names += found
    except SpecError as error:
        tell(replace(problem, file=problem.file or str(spec)) for problem in error.problems)
        return UNUSABLE
    except (ValueError, RecursionError) as error:
        fail(f"{spec} isn't JSON: {error}")
        return UNUSABLE
    if not names and not resolve and not annotations:
        fail("no device is asked for", "--device vendor/class=name; `aliquot cdi list` knows them")
        return UNUSABLE
    registry = folders_of(dirs).registry()
    try:
        injected = inject_devices(
            oci, list(dict.fromkeys(names)), registry, LocalNodes(), bind_in_user_namespace=userns_bind
        )
    except SpecError as error:
        if error.category == "syntax":  # it's the OCI spec's
            tell(problem.inside(str(spec)) for problem in error.problems)
            return UNUSABLE
        warn_of_errors(registry)
        tell(error.problems)
        return NO
    for warning in injected.warnings:
        warn(warning)
    text = _text(injected.oci)
    if not in_place or str(spec) == "-":
        print(text, end="")
        return YES
    try:
        _write_back(spec, text)
    except OSError as error:
        fail(f"{spec} can't be written: {error.strerror}")
        return UNUSABLE
    return YES


def _object(data: Any, spec: Path) -> dict[str, Any]:
    annotations = data.get("annotations") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(annotations, dict | None):
        raise SpecError([Problem("syntax", "it isn't an OCI runtime spec", file=str(spec))])
    return data


def _text(oci: dict[str, Any]) -> str:
    text = json.dumps(oci, indent=2, ensure_ascii=False)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # half a character pair, which JSON can escape
            text = json.dumps(oci, indent=2)
    return text + "\n"


def _write_back(spec: Path, text: str) -> None:
    """Replace the file in one step, with the mode that it had."""
    target = spec.resolve()
    handle, temporary = tempfile.mkstemp(prefix=".", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink()
        raise
