"""Why a pod is where it is, or isn't, and what would help: the whole story as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aliquot.advisor.alike import Alike
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.holders import Holding
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.wayout import Advice, WayOut
from aliquot.allocation.answer import Story
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import NodeGroup, Preemption


@dataclass(frozen=True, slots=True)
class Possible:
    """What a correct allocator would give where kube-scheduler refuses."""

    node: str
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One pod's story."""

    pod: Pod
    owner: OwnerRef
    verdict: str
    """running, placeable, pending or gated."""
    sentence: str
    """The verdict for a person."""
    scheduler_message: str = ""
    """What kube-scheduler of this version says (or would say) about it; empty when it places the pod."""
    reason: str = ""
    """Unschedulable, SchedulingGated, SchedulerError, or empty."""
    groups: tuple[NodeGroup, ...] = ()
    """Nodes that refuse the pod, those with equal reasons together, numbers included."""
    alike: tuple[Alike, ...] = ()
    """The same nodes, those that differ only in numbers together: for people."""
    feasible: tuple[str, ...] = ()
    node: str = ""
    """Where it runs, or would be placed first."""
    devices: tuple[str, ...] = ()
    """Those that its claims would get there now; none of a pod that runs."""
    holdings: tuple[Holding, ...] = ()
    """Who holds the devices that it asks for."""
    ways_out: tuple[WayOut, ...] = ()
    advice: tuple[Advice, ...] = ()
    not_checked: tuple[str, ...] = ()
    stories: Mapping[str, Story] = field(default_factory=dict[str, Story])
    """Node -> what its devices have against the pod's claims, for the nodes looked at most closely."""
    conflict: tuple[str, ...] = ()
    """A smallest set of requirements that the first of these nodes can't meet together."""
    cause: Cause | None = None
    """The root cause; None: it isn't refused."""
    possible: Possible | None = None
    """An allocation that exists although the scheduler finds none."""
    shape: object = None
    """Equal for pods of one owner that differ only in name."""
    siblings: int = 0
    """Pods beside it that wait for the same reason: of the same owner and spec."""
    preemption: Preemption | None = None
    """Whom it preempts to get its place."""
    no_room: str = ""
    """Why there's no place for it without that."""
    forecast: str = ""
    """What the queue will do to a pod that has room now."""
    only_nodes: tuple[str, ...] = ()
    """Of these nodes alone the reasons, holders and ways out are told; none: of all."""
    note: str = ""
    """That the cluster's own message is older than what the snapshot shows, for instance."""

    @property
    def preempts(self) -> Preemption | None:
        """Whom it'll preempt, unless what others do comes first."""
        return self.preemption if self.verdict == "placeable" and not self.forecast else None


def counts(stories: Iterable[Explanation]) -> Mapping[str, int]:
    """Verdict -> how many pods."""
    found: dict[str, int] = {}
    for story in stories:
        found[story.verdict] = found.get(story.verdict, 0) + 1
    return found
