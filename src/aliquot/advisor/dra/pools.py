"""Pools that aren't published whole, as they would be: what is there, counted as all there is."""

from collections.abc import Iterator
from dataclasses import replace

from aliquot.allocation.answer import Story
from aliquot.dra.device import Slice
from aliquot.snapshot.snapshot import Snapshot


def completed(snapshot: Snapshot, driver: str, pool: str) -> tuple[Slice, ...]:
    """The pool's newest generation, with its own number of slices."""
    parts = [one for one in snapshot.slices.values() if (one.driver, one.pool) == (driver, pool)]
    newest = max((one.generation for one in parts), default=0)
    current = [one for one in parts if one.generation == newest]
    return tuple(replace(one, slice_count=len(current)) for one in current)


def incomplete(story: Story) -> Iterator[tuple[str, str]]:
    """(Driver, pool) of a node's pools that count as none."""
    for pool in story.pools:
        if pool.state == "incomplete":
            yield pool.driver, pool.pool


def made_whole(snapshot: Snapshot, story: Story) -> Snapshot:
    """The world with a node's pools published whole."""
    for driver, pool in incomplete(story):
        for part in completed(snapshot, driver, pool):
            snapshot = snapshot.with_object(part)
    return snapshot
