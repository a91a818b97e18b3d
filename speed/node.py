"""The node agent beside a DRA driver in Go that does what any must: ``python -m speed node``.

The driver (conformance/go/nodedriver) is made of Kubernetes' own library for drivers. Per claim it asks the API server,
has the checkpoint on disk before and after, and writes a CDI spec. Both get the same calls in the same run, 16 in
flight over 8 whole GPUs, and ask the same API server; they take turns, and the median of the rounds counts.
``python -m speed.node --idle 5`` waits less to see what they use when nobody calls (60 s else); with TMPDIR on a tmpfs
it's seen what is left without a disk.
"""

import argparse
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from conformance.node.driver import Places, build, in_go
from conformance.reference import MissingReferenceError
from speed.drivers.calls import Calls, percentile
from speed.drivers.cluster import IN_FLIGHT, Streams, cluster
from speed.drivers.side import DriverEndedError, Side, side
from speed.limits import ROUNDS, Ratio, missed, ratio

PAIRS: Final = 20
"""Prepare and unprepare by each of those in flight, in a round."""
REPEAT: Final = 21
IDLE_S: Final = 60.0
LIMITS: Final[Mapping[float, float]] = {50: 1.5, 99: 2.0}
"""Percentile -> how many times the reference's time ours may be."""
LIMIT_MEMORY: Final = 3.0
LIMIT_IDLE: Final = 0.5
"""Per cent of a core."""
GO, OURS = "go", "aliquot"


def agent(places: Places) -> list[str]:
    """The command of our agent: on a simulated machine with 8 H100."""
    program = [sys.executable, "-m", "aliquot", "node", "run"]
    return [*program, "--host=preset:hgx-h100", *places.options, f"--state-folder={places.folder / 'm'}"]


def cut(streams: Streams, first: int, count: int) -> Streams:
    """So many claims of each stream."""
    return [claims[first : first + count] for claims in streams]


def compared(
    commands: Mapping[str, Callable[[Places], list[str]]], *, pairs: int = PAIRS, idle_s: float = IDLE_S
) -> list[Ratio]:
    """Measure drivers side by side, print, and return the second one's ratios to the first.

    Raises:
        DriverEndedError: one doesn't run.
    """
    with ExitStack() as stack:
        room = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="n")))
        kubeconfig = room / "config"
        claims = stack.enter_context(cluster(kubeconfig, list(commands), (ROUNDS + 2) * pairs))
        sides = {
            name: stack.enter_context(side(Places(room / name, name, kubeconfig), command))
            for name, command in commands.items()
        }
        for name, one in sides.items():
            one.called(cut(claims[name], 0, pairs))  # what is made at the first call isn't measured
        before = {name: one.cpu_seconds() for name, one in sides.items()}
        rounds = [
            {name: one.called(cut(claims[name], number * pairs, pairs)) for name, one in sides.items()}
            for number in range(1, ROUNDS + 1)
        ]
        used = [one.cpu_seconds() - before[name] for name, one in sides.items()]
        counted = {name: cut(claims[name], (ROUNDS + 1) * pairs, pairs) for name in sides}
        disk = f"a durable write {_durable(room) * 1e3:.1f} ms"
        print(f"  {pairs * IN_FLIGHT} prepares and unprepares a round, {IN_FLIGHT} in flight; {disk}")
        print(f"  {'':24} {' '.join(f'{name:>10}' for name in sides)}")
        ratios = [*_times(rounds)]
        _row("processor, ms a pair", [f"{each * 1e3 / (ROUNDS * pairs * IN_FLIGHT):.1f}" for each in used])
        ratios += [_memory(sides), _idle(sides, idle_s)]
        _row("fsyncs a pair", [_syncs(one, counted[name], room) for name, one in sides.items()])
        return ratios


def _times(rounds: Sequence[Mapping[str, Calls]]) -> Iterator[Ratio]:
    """Of each kind of call, and each percentile."""
    wrong = next((fault for calls in rounds for one in calls.values() for fault in one.wrong), "")
    for kind in ("prepare", "unprepare"):
        for percent, limit in LIMITS.items():
            found = [
                [percentile(getattr(one, kind), percent) if getattr(one, kind) else math.inf for one in calls.values()]
                for calls in rounds
            ]
            name = f"{kind} p{percent:g}"
            one = ratio(f"node: {name}", [(ours, theirs) for theirs, ours in found], limit, wrong)
            _row(f"{name}, ms", [f"{statistics.median(side) * 1e3:.1f}" for side in zip(*found, strict=True)], one)
            yield one


def _memory(sides: Mapping[str, Side]) -> Ratio:
    found = [one.resident_mib() for one in sides.values()]
    one = ratio("node: resident memory", [(found[1][0], found[0][0])], LIMIT_MEMORY)
    _row("resident, MiB", [f"{now:.0f}" for now, _ in found], one)
    _row("at most, MiB", [f"{most:.0f}" for _, most in found])
    return one


def _idle(sides: Mapping[str, Side], seconds: float) -> Ratio:
    before = {name: one.cpu_seconds() for name, one in sides.items()}
    time.sleep(seconds)
    used = [100 * (one.cpu_seconds() - before[name]) / seconds for name, one in sides.items()]
    one = Ratio("node: processor use without calls, in % of a core", used[1], LIMIT_IDLE)
    _row(f"% of a core, {seconds:g} s idle", [f"{each:.2f}" for each in used], one)
    return one


def _durable(room: Path) -> float:
    """The median time until a small file and its name are on the disk."""
    times: list[float] = []
    for _ in range(REPEAT):
        begun = time.perf_counter()
        (room / "new").write_bytes(bytes(1024))
        _sync(room / "new")
        (room / "new").replace(room / "file")
        _sync(room)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _syncs(one: Side, streams: Streams, room: Path) -> str:
    found = one.syncs(streams, room)
    return found if isinstance(found, str) else f"{found / sum(map(len, streams)):.1f}"


def _row(name: str, figures: Sequence[str], found: Ratio | None = None) -> None:
    print(f"  {name:24} {' '.join(f'{each:>10}' for each in figures)}   {found or ''}".rstrip(), flush=True)


def main(idle_s: float = IDLE_S) -> list[Ratio]:
    try:
        build()
        return compared({GO: in_go, OURS: agent}, idle_s=idle_s)
    except MissingReferenceError as error:
        print(f"  no comparison: {error}")
    except DriverEndedError as error:
        print(f"  no comparison: {error}")
        return [Ratio("node", 0, 0, "a driver doesn't run")]
    return []


if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m speed.node")
    options.add_argument("--idle", type=float, default=IDLE_S, help="seconds without calls")
    sys.exit(bool(missed(main(options.parse_args().idle))))
