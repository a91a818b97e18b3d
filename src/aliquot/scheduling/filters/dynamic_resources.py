"""The slot for dynamic resource allocation: who answers for a pod's claims.

`scheduling` asks; the allocation of devices lives elsewhere and is passed in. Without one, a pod with claims is judged
by all other filters, and `dynamic resources` is named as not checked.
"""

from dataclasses import dataclass
from typing import Protocol

from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Fault, Reason
from aliquot.scheduling.versions import Release
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

DYNAMIC_RESOURCES = "DynamicResources"


@dataclass(frozen=True, slots=True)
class Rejected:
    """PreFilter's no: no node is looked at, no preemption helps. The text stands in the message as it is."""

    text: str
    post_filter: str = "no new claims to deallocate"
    """What the plugin says afterwards, if this release says it at all."""


@dataclass(frozen=True, slots=True)
class NotGenerated:
    """A claim isn't there (yet): the pod doesn't enter the queue and has no condition at all."""

    text: str


class ClaimCheck(Protocol):
    """The claims of one pod on one snapshot, ready to be tried on nodes."""

    @property
    def post_filter(self) -> str:
        """What the plugin says after no node was found; up to 1.36 mostly `still not schedulable`."""
        ...

    def check(self, load: NodeLoad) -> tuple[Reason, ...] | Fault:
        """Why the claims can't be allocated for this node; empty: they can. Asked only where all else fits.

        The same load is asked again with pods removed or added (preemption, nominated pods): claims are not freed by
        that, since the scheduler doesn't free them either.
        """
        ...


class DynamicResources(Protocol):
    """An allocator as the scheduler sees it. Stateless towards us: it keeps what it learns in `snapshot.recall`."""

    def prepare(
        self, snapshot: Snapshot, pod: Pod, release: Release
    ) -> ClaimCheck | Rejected | NotGenerated | Fault | None:
        """Look at the pod's claims once. None: it has none, and none come from extended resources either."""
        ...
