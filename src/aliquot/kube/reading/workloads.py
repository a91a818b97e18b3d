"""Workloads from their JSON: what makes pods, and how far it has come."""

import msgspec

from aliquot.kube.meta import EMPTY
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import conditions, label_selector_of, labels, meta, number_or_percentage
from aliquot.kube.reading.pods import template_pod
from aliquot.kube.reading.storage import WirePersistentVolumeClaim, claim
from aliquot.kube.reading.wire.workloads import (
    WireCronJob,
    WireStrategy,
    WireWorkload,
    WireWorkloadSpec,
    WireWorkloadStatus,
)
from aliquot.kube.selectors import LabelSelector
from aliquot.kube.storage import PersistentVolumeClaim
from aliquot.kube.workload import DEFAULT_STRATEGY, NO_COUNTS, Counts, Strategy, Workload

_ONE_REPLICA = {"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}
"""Kinds whose spec.replicas is 1 where it isn't given."""

_NO_SPEC = WireWorkloadSpec()
_claims = msgspec.json.Decoder(list[WirePersistentVolumeClaim])


class WorkloadReader:
    """Builds the workloads of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def workload(self, wire: WireWorkload, memo: Memo) -> Workload:
        """Any kind but a CronJob."""
        made = meta(wire.metadata, memo)
        spec = wire.spec or _NO_SPEC
        replicas = spec.replicas if spec.replicas is not None else (1 if self.kind in _ONE_REPLICA else None)
        said = conditions(wire.status.conditions) if wire.status else ()
        complete = self.kind == "Job" and any(
            condition.type in {"Complete", "Failed"} and condition.status == "True" for condition in said
        )
        return Workload(
            self.kind,
            made,
            replicas,
            complete,
            template_pod(spec.template, made, memo),
            _counts(wire.status, replicas) if wire.status else NO_COUNTS,
            _strategy(spec.strategy or spec.update_strategy),
            self._selector(spec.selector, memo),
            said,
            bool(spec.suspend),
            bool(spec.paused),
            spec.parallelism,
            spec.completions,
            _volume_claims(spec.volume_claim_templates, memo),
        )

    def cron_job(self, wire: WireCronJob, memo: Memo) -> Workload:
        """A CronJob: the pod is its jobs'."""
        made = meta(wire.metadata, memo)
        job = wire.spec.job_template.spec if wire.spec and wire.spec.job_template else None
        return Workload(
            self.kind,
            made,
            template=template_pod(job.template if job else None, made, memo),
            suspended=bool(wire.spec and wire.spec.suspend),
            parallelism=job.parallelism if job else None,
            completions=job.completions if job else None,
        )

    def _selector(self, raw: msgspec.Raw, memo: Memo) -> LabelSelector | None:
        try:
            if self.kind == "ReplicationController":
                plain = memo.of(labels, raw, EMPTY)
                return LabelSelector(plain) if plain else None
            return memo.of(label_selector_of, raw, None)
        except msgspec.MsgspecError:
            return None  # no decision reads it


def _volume_claims(raw: msgspec.Raw, memo: Memo) -> tuple[PersistentVolumeClaim, ...]:
    data = bytes(raw)
    if data in {b"", b"null"}:
        return ()
    try:
        return tuple(claim(wire, memo) for wire in _claims.decode(data))
    except msgspec.MsgspecError:
        return ()  # only what isn't applied yet is judged by it


def _counts(status: WireWorkloadStatus, replicas: int | None) -> Counts:
    return Counts(
        desired=status.desired_number_scheduled if status.desired_number_scheduled is not None else replicas,
        current=_first(status.current_number_scheduled, status.replicas),
        ready=_first(status.number_ready, status.ready_replicas, status.ready),
        available=_first(status.number_available, status.available_replicas),
        updated=_first(status.updated_number_scheduled, status.updated_replicas),
        unavailable=_first(status.number_unavailable, status.unavailable_replicas),
        misscheduled=status.number_misscheduled,
        active=_number(status.active),
        succeeded=status.succeeded,
        failed=status.failed,
        observed_generation=status.observed_generation,
    )


def _first(*amounts: int | None) -> int | None:
    return next((amount for amount in amounts if amount is not None), None)


def _number(raw: msgspec.Raw) -> int | None:
    data = bytes(raw)
    return int(data) if data.isdigit() else None


def _strategy(wire: WireStrategy | None) -> Strategy:
    if wire is None:
        return DEFAULT_STRATEGY
    rolling = wire.rolling_update
    if rolling is None:
        return Strategy(wire.type or "")
    return Strategy(
        wire.type or "", number_or_percentage(rolling.max_surge), number_or_percentage(rolling.max_unavailable)
    )
