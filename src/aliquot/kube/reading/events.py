"""Events from their JSON, of both API groups."""

from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import meta
from aliquot.kube.reading.wire.workloads import WireEvent, WireObjectReference
from aliquot.kube.workload import Event


def event(wire: WireEvent, memo: Memo) -> Event:
    """An event; the newest time and the total of a series."""
    made = meta(wire.metadata, memo)
    about = wire.involved_object or wire.regarding or WireObjectReference()
    series = wire.series
    source = wire.source or wire.deprecated_source
    return Event(
        made,
        about.kind or "",
        about.namespace or "",
        about.name or "",
        about.uid or "",
        wire.reason or "",
        wire.message or wire.note or "",
        wire.type or "Normal",
        (series.count if series else None) or wire.count or wire.deprecated_count or 1,
        (series.last_observed_time if series else None)
        or wire.last_timestamp
        or wire.deprecated_last_timestamp
        or wire.event_time
        or made.created,
        wire.first_timestamp or wire.deprecated_first_timestamp or wire.event_time or made.created,
        (source.component if source else None) or wire.reporting_component or wire.reporting_controller or "",
    )
