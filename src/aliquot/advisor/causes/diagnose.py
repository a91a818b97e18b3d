"""From a refusal to its cause."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aliquot.advisor.causes.blocked import autoscaler_words, of_blocker, of_gang
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.causes.counted import of_counted
from aliquot.advisor.causes.devices import of_devices
from aliquot.advisor.causes.errors import before_nodes, elsewhere
from aliquot.advisor.causes.plugins import plugin_down
from aliquot.advisor.causes.served import of_served
from aliquot.advisor.slips import slips
from aliquot.allocation.answer import Story
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.outcome import Refusal
from aliquot.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from aliquot.scheduling.filters.reason import Reason

UNSUPPLIED = ("no-slices", "not-offered", "no-matching-device")
BEFORE = ("queue", "scheduling")
AMOUNTS = ("larger-than-any", "short-of-cpu-or-memory")
"""Where an amount that can't be meant may be the whole reason."""


def diagnose(
    snapshot: Snapshot,
    pod: Pod,
    refusal: Refusal,
    stories: Mapping[str, Story],
    blockers: Sequence[Blocker] = (),
    whole: Mapping[str, Story] | None = None,
) -> Cause:
    """The root cause of a pod's being refused."""
    first = next((one for one in blockers if one.decisive and one.stage in BEFORE), None)
    if first is not None:
        found = of_blocker(snapshot, first, pod)
        gates = f" Its scheduling gates: {', '.join(pod.scheduling_gates)}." if pod.scheduling_gates else ""
        return replace(found, sentence=found.sentence + gates)
    found = _by_the_scheduler(snapshot, pod, refusal, stories, whole or {})
    driver = next((one for one in blockers if one.kind == "driver-down"), None)
    if driver is not None and found.kind in UNSUPPLIED:
        found = of_blocker(snapshot, driver, pod)
    if found.kind == "unhealthy":
        found = plugin_down(snapshot, blockers) or found
    other = next((one for one in blockers if one.kind == "other-scheduler"), None)
    more = autoscaler_words(blockers)
    if other is not None:
        more += f" {of_blocker(snapshot, other, pod).sentence}"
    if found.kind in AMOUNTS:
        more += "".join(f" {one.sentence}" for one in slips(snapshot, pod) if one.too_large)
    return replace(found, sentence=found.sentence + more) if more else found


def _by_the_scheduler(
    snapshot: Snapshot, pod: Pod, refusal: Refusal, stories: Mapping[str, Story], whole: Mapping[str, Story]
) -> Cause:
    if refusal.verdict == "gated":
        gates = ", ".join(pod.scheduling_gates)
        return Cause("gated", f"It waits for its scheduling gates: {gates}.", pod.scheduling_gates)
    if not snapshot.nodes:
        return Cause("other", "The input has no nodes.", ())
    if refusal.gang is not None:
        return of_gang(refusal.gang)
    early = before_nodes(snapshot, pod, refusal)
    if early is not None:
        return early
    reasons: Mapping[str, Sequence[Reason]] = {node: group.reasons for group in refusal.groups for node in group.nodes}
    found = elsewhere(snapshot, pod, refusal)
    if found is None:
        found = of_counted(snapshot, pod, reasons) if not pod.claims else None
    if found is not None and found.kind == "not-offered" and stories:
        found = of_served(snapshot, pod, stories, reasons, whole) or found
    if found is None and stories:
        found = of_devices(snapshot, pod, stories, reasons, whole)
    if found is None:
        found = of_counted(snapshot, pod, reasons)
    said = refusal.message.rstrip(".") or "it says nothing"
    return found or Cause("other", f"The scheduler refuses it: {said}.", ())
