"""kube-scheduler of one Kubernetes: what becomes of a pod on a snapshot, and the whole story."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from aliquot.allocation.answer import Allocation, Story
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.claims.pod_check import Fault, PodCheck, supply_of
from aliquot.allocation.engines import Engines
from aliquot.allocation.inputs import Supply
from aliquot.allocation.story.conflict import smallest_conflict
from aliquot.allocation.story.tell import tell
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.assuming import assumed
from aliquot.scheduling.attempt import judged
from aliquot.scheduling.cycle import Cycle, Halt, begin
from aliquot.scheduling.equal_pods import verdict_key
from aliquot.scheduling.filters.dynamic_resources import ClaimFilter
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.gangs import FIRST_COUNTING, gang_of, judged_together, nobody_lower
from aliquot.scheduling.message import GATED
from aliquot.scheduling.node_reasons import Reckoned
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.unchecked import BUDGETS, GROUP_PREEMPTION, TOPOLOGY, not_checked
from aliquot.scheduling.volumes import Rejection
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Scheduler:
    """kube-scheduler with its allocator, and the correct allocator beside it. It changes nothing."""

    kubernetes: Kubernetes
    engines: Engines | None = None
    """The allocators; None: claims are named as not checked."""
    claims: ClaimFilter | None = None
    """Who answers for claims in place of the engines: a what-if loop, whose claims change from pod to pod."""

    @classmethod
    def of(cls, kubernetes: Kubernetes, *, exact_decides: bool = False) -> "Scheduler":
        """With the allocator of this Kubernetes, or with the correct one."""
        return cls(kubernetes, Engines(kubernetes, exact_decides=exact_decides))

    @property
    def answers(self) -> ClaimFilter | None:
        """Who answers for a pod's claims."""
        return self.claims or self.engines

    # --- pods ----------------------------------------------------------------------------------------------------

    def judge(self, snapshot: Snapshot, pod: Pod) -> Verdict:
        """What becomes of a pod: a Placement (it runs, or could now, or after a preemption) or a Refusal.

        The pod needn't be in the snapshot; a namesake there that waits doesn't count against it.
        """
        if pod.node_name or pod.terminal:
            return Placement(pod.key, "running", (pod.node_name,) if pod.node_name else ())
        if pod.scheduling_gates:
            return Refusal(pod.key, "gated", "SchedulingGated", GATED)
        if pod.terminating:
            return Refusal(pod.key, "pending", "", "", total=len(snapshot.nodes))
        together = self._with_gang(snapshot, pod)
        return together if together is not None else self.judge_alone(snapshot, pod)

    def judge_alone(self, snapshot: Snapshot, pod: Pod, *, without_group: bool = True) -> Verdict:
        """The same of a pod that waits, without a look at the group that it belongs to."""
        kind = verdict_key(pod)

        def make(there: Snapshot) -> Verdict:
            return judged(there, self._cycle(there, pod), pod, self.kubernetes, (kind, self))

        verdict = snapshot.recall(("verdict", kind, self), make)
        unchecked = not_checked(
            snapshot, pod, self.kubernetes, claims=self.answers is not None, without_group=without_group
        )
        if isinstance(verdict, Placement) and verdict.preemption and "PodDisruptionBudget" not in snapshot.kinds:
            unchecked = (*unchecked, BUDGETS)
        return replace(verdict, pod=pod.key, not_checked=unchecked)

    def _with_gang(self, snapshot: Snapshot, pod: Pod) -> Verdict | None:
        """As a pod of its gang; None: it's of none, or of a group that needn't be placed together."""
        if not pod.scheduling_group:
            return None
        there = snapshot if snapshot.pods.get(pod.key) is pod else snapshot.with_pod(pod)
        gang = gang_of(there, pod, self.kubernetes)
        if gang is None or (gang.least is None and not gang.absent):
            return None

        def make(world: Snapshot) -> dict[str, Verdict]:
            return judged_together(world, gang, self.kubernetes, self._member, self._assumed)

        verdict = there.recall(("gang", gang.key, self), make).get(pod.key)
        if verdict is None:
            return None
        left = [TOPOLOGY] if gang.topology else []
        if isinstance(verdict, Refusal) and self.kubernetes.minor >= FIRST_COUNTING and not nobody_lower(there, pod):
            left.append(GROUP_PREEMPTION)
        return replace(verdict, not_checked=(*verdict.not_checked, *left)) if left else verdict

    def _member(self, snapshot: Snapshot, pod: Pod) -> Verdict:
        return self.judge_alone(snapshot, pod, without_group=False)

    def _assumed(self, snapshot: Snapshot, pod: Pod, node: str) -> Snapshot | None:
        return assumed(snapshot, pod, node, self.answers)

    def decide(self, snapshot: Snapshot, pod: Pod) -> str | None:
        """The node that takes a waiting pod now, the first of several; None: it waits, or others would have to go."""
        verdict = self.judge(snapshot, pod)
        return verdict.nodes[0] if isinstance(verdict, Placement) and verdict.nodes else None

    def reasons(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[Reason, ...]:
        """Every reason why one node doesn't take the pod now; empty if it does. Looks at this node only.

        A reason of the filter `DynamicResources` may be a fault of the whole attempt: its text says so.

        Raises:
            KeyError: if there's no such node.
        """
        cycle = self._cycle(snapshot, pod)
        if isinstance(cycle, Halt):
            if isinstance(cycle.verdict, Rejection):
                return (Reason(cycle.verdict.filter, cycle.verdict.text, subject=cycle.verdict.claim),)
            text = cycle.verdict.message if isinstance(cycle.verdict, Fault) else cycle.verdict.text
            return (Reason("DynamicResources", text),)
        kind = verdict_key(pod)
        return Reckoned(snapshot, cycle, kind, (kind, self)).reasons(node)

    def fits(self, snapshot: Snapshot, pod: Pod, node: str) -> bool:
        """Whether this node would take the pod now."""
        return not self.reasons(snapshot, pod, node)

    def _cycle(self, snapshot: Snapshot, pod: Pod) -> Cycle | Halt:
        def make(there: Snapshot) -> Cycle | Halt:
            return begin(there, pod, self.kubernetes, self.answers)

        return snapshot.recall(("cycle", verdict_key(pod), self), make)

    # --- their claims --------------------------------------------------------------------------------------------

    def supply(self, snapshot: Snapshot) -> Supply:
        """What the cluster offers to claims, and what of it is taken."""
        return supply_of(snapshot, self.kubernetes)

    def unallocated(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[Claim, ...]:
        """The claims that are to be allocated for a pod on a node; empty if it has none, or they aren't there."""
        check = self.engines.prepare(snapshot, pod) if self.engines is not None else None
        return check.to_allocate(snapshot.load(node)) if isinstance(check, PodCheck) else ()

    def story(self, snapshot: Snapshot, pod: Pod, node: str) -> Story | None:
        """Every rule against every device of a node; None where the pod has no claims to allocate there."""
        claims = self.unallocated(snapshot, pod, node)
        if not claims or self.engines is None:
            return None
        supply = self.supply(snapshot)
        selectors = self.engines.selectors(supply.features)
        return tell(supply, snapshot.nodes[node], claims, selectors, behaviour_of(self.kubernetes))

    def conflict(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[str, ...]:
        """A smallest set of requirements that the node can't meet together, in words."""
        claims = self.unallocated(snapshot, pod, node)
        if self.engines is None:
            return ()
        return smallest_conflict(self.supply(snapshot), snapshot.nodes[node], claims, self.engines.exact)

    def possible(self, snapshot: Snapshot, pod: Pod, nodes: Iterable[str]) -> tuple[str, Allocation] | None:
        """The first of these nodes where a correct allocator finds devices for the claims, and which."""
        if self.engines is None:
            return None
        engine = self.engines.exact(self.supply(snapshot))
        for node in nodes:
            claims = self.unallocated(snapshot, pod, node)
            answer = engine.allocate(snapshot.nodes[node], claims) if claims else None
            if isinstance(answer, Allocation):
                return node, answer
        return None
