"""What `aliquot explain` found out: the asked pods' stories, or why there are none."""

from dataclasses import dataclass

from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.plan_all.value import Plan
from aliquot.cluster.reading import Reading
from aliquot.snapshot.snapshot import Snapshot

PENDING = 3
"""Exit status: a pod doesn't come to run."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why there's no answer, and what to do about it."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The asked pods' stories."""

    reading: Reading
    stories: tuple[Explanation, ...]
    release: str
    source: str
    """Where the release is from."""
    snapshot: Snapshot
    """The cluster as it was judged: with a manifest in it, where one is judged that isn't applied."""
    crowded: bool = False
    """Asked was whether all of them fit beside each other, and they don't, or the API server would refuse some."""
    plan: Plan | None = None
    """For all of them, where one was asked for."""

    @property
    def status(self) -> int:
        """The exit status."""
        return PENDING if self.crowded or any(map(_waits, self.stories)) else 0


def _waits(story: Explanation) -> bool:
    """It doesn't come to run: also one that has room only until those before it in the queue are placed."""
    return story.verdict in ("pending", "blocked", "gated") or (story.verdict == "placeable" and bool(story.forecast))
