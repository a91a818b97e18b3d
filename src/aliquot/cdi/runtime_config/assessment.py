"""Whether CDI is on, as a value with its reasons."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.releases import Row, Runtime

DEFAULT_DIRS = ("/etc/cdi", "/var/run/cdi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Whether CDI is on. `on` is None where that depends on a release that isn't known.

    `starts` is False where the runtime refuses its files; then nothing is on. `fix` is what to do where it isn't on,
    `notes` are what else is worth knowing, `rows` are the rules that decided. `spec_dirs` are the folders where it
    looks for specs, and `reads` the newest cdiVersion that it can read; None where that isn't known.
    """

    runtime: Runtime
    version: str
    on: bool | None
    reason: str
    fix: str = ""
    notes: tuple[str, ...] = ()
    starts: bool = True
    rows: tuple[Row, ...] = ()
    spec_dirs: tuple[str, ...] | None = None
    reads: str | None = None


def hints(faults: Iterable[Problem]) -> str:
    """What to do about all of these, each once."""
    return "; ".join(dict.fromkeys(fault.hint for fault in faults if fault.hint))
