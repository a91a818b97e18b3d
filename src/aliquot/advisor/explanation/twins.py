"""Pods of one owner that the scheduler can't tell apart: they are judged once."""

from dataclasses import replace

from aliquot.advisor.explanation.notes import notes
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import owner_of
from aliquot.advisor.queue.shapes import shape_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


def renamed(snapshot: Snapshot, twin: Explanation, pod: Pod) -> Explanation:
    """The twin's story, told of another pod."""
    return replace(
        twin,
        pod=pod,
        sentence=twin.sentence.replace(twin.pod.key, pod.key),
        note=notes(snapshot, pod, twin.scheduler_message, twin.not_checked),
        owner=owner_of(snapshot, pod),
    )


def with_siblings(snapshot: Snapshot, found: list[Explanation]) -> list[Explanation]:
    """Count those that wait alike, asked for or not."""
    if not any(one.verdict in ("pending", "gated") for one in found):
        return found
    alike: dict[object, int] = {}
    for pod in snapshot.pending():
        key = shape_of(snapshot, pod)
        alike[key] = alike.get(key, 0) + 1
    return [replace(one, siblings=max(0, alike.get(shape_of(snapshot, one.pod), 1) - 1)) for one in found]
