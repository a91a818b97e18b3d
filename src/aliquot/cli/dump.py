"""`aliquot dump`: the cluster in a file, to look at elsewhere."""

import contextlib
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from aliquot.advisor.causes.cause import number
from aliquot.cli.cluster_input import EXPECTED, Live, connection, tell
from aliquot.cli.output import fail, progress, warn
from aliquot.cluster import header
from aliquot.cluster.anonymous.objects import anonymised
from aliquot.cluster.anonymous.pseudonyms import Pseudonyms
from aliquot.cluster.api.kinds import is_known
from aliquot.cluster.dump.from_files import FileSource
from aliquot.cluster.dump.writing import in_place_of, write_list
from aliquot.cluster.unavailable import UnavailableError

if TYPE_CHECKING:
    from aliquot.cluster.dump.sources import Source

NOTHING_USABLE = 2
CURRENT = Live()
KINDS_NAMED = 6
STDOUT = "-"


def dump(
    *,
    to: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    anonymise: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    file: Annotated[
        tuple[Path, ...], Parameter(name=["--file", "-f"], negative=(), allow_leading_hyphen=True, show_default=False)
    ] = (),
    live: Live = CURRENT,
) -> int:
    """Write what explains a cluster's pods into one file, that `aliquot explain -f` and kubectl read.

    Nodes, pods, their owners, devices and claims, volumes, quotas, events, and other schedulers' objects: every kind
    that the API server has and lets you list. Secrets' and ConfigMaps' contents, values of environment variables,
    commands and arguments are never in it.

    Args:
        to: The file to write, gzip if its name ends in .gz; - for standard output. It's there whole or not at all.
        anonymise: Put other words for names, labels, annotations, images and messages, the same everywhere. What the
            hardware is, resources', drivers' and attributes' names, and Kubernetes' own words stay: the answers are the
            same. Each dump has words of its own.
        file: Take the objects from files instead of the cluster: to anonymise a dump that was taken before.
        live: Which cluster is asked, without -f.
    """
    if to.suffix in {".yaml", ".yml"}:
        fail(f"{to}: dumps are JSON", f"--to {to.with_suffix('.json.gz')}")
        return NOTHING_USABLE
    counts: Counter[str] = Counter()
    try:
        with _source(file, live) as source:
            lines = _lines(source, counts, anonymise=anonymise)
            if str(to) == STDOUT:
                write_list(sys.stdout.buffer, lines)
            elif not _written(to, lines):
                return NOTHING_USABLE
    except UnavailableError as error:
        progress("")
        fail(error.message, error.hint)
        return NOTHING_USABLE
    tell(source.warnings)
    print(f"{to}: {_words(counts)}{', anonymised' if anonymise else ''}", file=sys.stderr)
    return 0


def _written(to: Path, lines: Iterator[bytes]) -> bool:
    """Whether the file could be written; told if not."""
    try:
        with in_place_of(to) as out:
            write_list(out, lines)
    except OSError as error:
        progress("")
        fail(f"{to} can't be written: {error.strerror or error}")
        return False
    return True


@contextlib.contextmanager
def _source(file: tuple[Path, ...], live: Live) -> "Generator[Source, None, None]":
    if file:
        yield FileSource(file)
        return
    from aliquot.cluster.dump.from_server import ServerSource

    with connection(live) as opened:
        yield ServerSource(opened, told=progress)


def _lines(source: "Source", counts: Counter[str], *, anonymise: bool) -> Iterator[bytes]:
    """The dump's objects, its own header last. Counts them by kind.

    Raises:
        UnavailableError: there are none.
    """
    names = Pseudonyms(SystemRandom())

    unknown: Counter[str] = Counter()

    def change(thing: dict[str, Any]) -> dict[str, Any] | None:
        if not anonymise:
            return thing
        if not is_known(thing["apiVersion"], thing["kind"]):
            unknown[thing["kind"]] += 1
            return None
        return anonymised(thing, names)

    for line in source.lines(change):
        counts[_kind(line)] += 1
        yield line
    if unknown:
        warn(f"left out, since nobody knows what in them is a name: {_words(unknown)}")
    if not counts:
        tell(source.warnings)
        raise UnavailableError("nothing usable in the input", EXPECTED)
    told = source.header()
    yield msgspec.json.encode(header.written(replace(told, anonymised=anonymise or told.anonymised)))


class _Kind(msgspec.Struct):
    kind: str = "?"


_kind_of = msgspec.json.Decoder(_Kind)


def _kind(line: bytes) -> str:
    return _kind_of.decode(line).kind


def _words(counts: Counter[str]) -> str:
    """`40 Node, 312 Pod, 12 Deployment and 9 more kinds`."""
    first = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common(KINDS_NAMED))
    more = len(counts) - KINDS_NAMED
    return first + (f" and {number(more, 'more kind')}" if more > 0 else "")
