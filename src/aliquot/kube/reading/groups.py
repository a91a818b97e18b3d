"""Pod groups, gangs and queues of several schedulers from their JSON."""

from typing import Annotated

from aliquot.kube.groups import GangWorkload, PodGroup, Queue
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import cluster_meta, conditions, meta
from aliquot.kube.reading.shape import Int32, Minor
from aliquot.kube.reading.wire.parts import MinorInt, MinorText, Wire, WireCondition, WireMeta


class WireGang(Wire):
    """gang of a scheduling policy."""

    min_count: Int32 | None = None


class WirePolicy(Wire):
    """spec.schedulingPolicy (1.36), policy (1.35) of a group."""

    gang: WireGang | None = None


class WireTopology(Wire):
    """spec.schedulingConstraints.topology[] of a group."""

    key: str | None = None


class WireConstraints(Wire):
    """spec.schedulingConstraints of a group."""

    topology: list[WireTopology] | None = None


class WirePodGroupSpec(Wire):
    """spec of a PodGroup of any of these API groups."""

    scheduling_policy: WirePolicy | None = None
    scheduling_constraints: WireConstraints | None = None
    min_member: Int32 | None = None
    queue: str | None = None
    priority_class_name: str | None = None


class WireSchedulingCondition(Wire):
    """status.schedulingConditions[] of KAI's."""

    type: str | None = None
    reason: str | None = None
    message: str | None = None


class WirePodGroupStatus(Wire):
    """status of a PodGroup."""

    phase: str | None = None
    running: MinorInt = None
    conditions: list[WireCondition] | None = None
    scheduling_conditions: Annotated[list[WireSchedulingCondition] | None, Minor()] = None


class WirePodGroup(Wire):
    """PodGroup."""

    metadata: WireMeta
    spec: WirePodGroupSpec | None = None
    status: WirePodGroupStatus | None = None


class PodGroupReader:
    """Builds the PodGroups of one API group."""

    def __init__(self, api: str) -> None:
        self.api = api

    def group(self, wire: WirePodGroup, memo: Memo) -> PodGroup:
        """A group; the least number of pods under whichever name its API has it."""
        spec = wire.spec or WirePodGroupSpec()
        status = wire.status or WirePodGroupStatus()
        gang = spec.scheduling_policy.gang if spec.scheduling_policy else None
        return PodGroup(
            api=self.api,
            meta=meta(wire.metadata, memo),
            least=gang.min_count if gang else spec.min_member,
            topology=bool(spec.scheduling_constraints and spec.scheduling_constraints.topology),
            queue=spec.queue or "",
            priority_class=spec.priority_class_name or "",
            phase=status.phase or "",
            running=status.running,
            conditions=conditions(status.conditions),
            reasons=tuple(
                (one.reason or one.type or "", one.message or "") for one in status.scheduling_conditions or ()
            ),
        )


class WireGroupTemplate(Wire):
    """spec.podGroups[] (1.35) and spec.podGroupTemplates[] (from 1.36)."""

    name: str
    policy: WirePolicy | None = None
    scheduling_policy: WirePolicy | None = None


class WireGangWorkloadSpec(Wire):
    """spec of a Workload."""

    pod_groups: list[WireGroupTemplate] | None = None
    pod_group_templates: list[WireGroupTemplate] | None = None


class WireGangWorkload(Wire):
    """scheduling.k8s.io Workload."""

    metadata: WireMeta
    spec: WireGangWorkloadSpec | None = None


def gang_workload(wire: WireGangWorkload, memo: Memo) -> GangWorkload:
    """The groups or templates of a workload."""
    spec = wire.spec or WireGangWorkloadSpec()
    groups: list[tuple[str, int | None]] = []
    for group in spec.pod_groups or spec.pod_group_templates or ():
        policy = group.scheduling_policy or group.policy
        groups.append((group.name, policy.gang.min_count if policy and policy.gang else None))
    return GangWorkload(meta(wire.metadata, memo), tuple(groups), spec.pod_groups is None)


class WireQueueSpec(Wire):
    """spec of a Queue."""

    parent_queue: MinorText = None
    parent: MinorText = None


class WireQueueStatus(Wire):
    """status of a Queue."""

    state: MinorText = None
    conditions: Annotated[list[WireCondition] | None, Minor()] = None


class WireQueue(Wire):
    """Queue of Volcano or KAI."""

    metadata: WireMeta
    spec: WireQueueSpec | None = None
    status: WireQueueStatus | None = None


class QueueReader:
    """Builds the Queues of one API group."""

    def __init__(self, api: str) -> None:
        self.api = api

    def queue(self, wire: WireQueue, memo: Memo) -> Queue:
        """A queue."""
        spec = wire.spec or WireQueueSpec()
        status = wire.status or WireQueueStatus()
        return Queue(
            self.api,
            cluster_meta(wire.metadata, memo),
            status.state or "",
            spec.parent_queue or spec.parent or "",
            conditions(status.conditions),
        )
