"""Which specs a release can't read, and what to do: its CDI library knows no newer version than its own."""

from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.releases import Release, Runtime, shown
from aliquot.cdi.runtime_config.table import releases_meant, row
from aliquot.cdi.spec import Spec
from aliquot.cdi.versions import OLDEST, minimum_version, normal, rank


def unreadable(spec: Spec, file: str, runtime: Runtime, version: str) -> Problem | None:
    """Why a runtime of that version can't read a spec, or None where it can, or where that isn't known.

    A version without its patch number counts as its first patch release. The library refuses a version that it doesn't
    know, whatever the spec uses; `lower` rewrites it.

    Raises:
        SpecError: the version isn't one.
    """
    if not version:
        return None
    release: Release = releases_meant(runtime, version)[0]
    library = row(runtime, "specs", release)
    declared = normal(spec.version)
    if library is None or declared is None or rank(declared) <= rank(library.value):
        return None
    message = f"{runtime} {shown(release)} can't read it: cdiVersion {declared}, and it knows up to {library.value}"
    if rank(library.value) < rank(OLDEST):
        return Problem("version", message, "cdiVersion", f"update {runtime}", file)
    least = minimum_version(spec)
    loss = "" if rank(least) <= rank(library.value) else f", and tells what is lost: it uses fields of {least}"
    hint = f"aliquot cdi lower {file} --to {library.value} rewrites it{loss}; or update {runtime}"
    return Problem("version", message, "cdiVersion", hint, file)
