"""From a refusal to its cause."""

from collections.abc import Mapping, Sequence

from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.causes.counted import of_counted
from aliquot.advisor.causes.devices import of_devices
from aliquot.advisor.causes.errors import before_nodes, elsewhere
from aliquot.allocation.answer import Story
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import Refusal
from aliquot.snapshot.snapshot import Snapshot


def diagnose(snapshot: Snapshot, pod: Pod, refusal: Refusal, stories: Mapping[str, Story]) -> Cause:
    """The root cause of a pod's being refused."""
    if refusal.verdict == "gated":
        gates = ", ".join(pod.scheduling_gates)
        return Cause("gated", f"It waits for its scheduling gates: {gates}.", pod.scheduling_gates)
    if not snapshot.nodes:
        return Cause("other", "The input has no nodes.", ())
    early = before_nodes(snapshot, pod, refusal)
    if early is not None:
        return early
    reasons: Mapping[str, Sequence[Reason]] = {
        node: why for group in refusal.groups for node, why in _each(group.nodes, group.reasons)
    }
    found = elsewhere(snapshot, pod, refusal)
    if found is None:
        found = of_counted(snapshot, pod, reasons) if not pod.claims else None
    if found is None and stories:
        found = of_devices(snapshot, pod, stories, reasons)
    if found is None:
        found = of_counted(snapshot, pod, reasons)
    return found or Cause("other", f"The scheduler refuses it: {refusal.message or 'it says nothing'}.", ())


def _each(nodes: Sequence[str], reasons: Sequence[Reason]) -> list[tuple[str, Sequence[Reason]]]:
    return [(node, reasons) for node in nodes]
