"""A pod's containers: which are a person's own, and the same with other requests."""

from collections.abc import Mapping
from dataclasses import replace

from aliquot.advisor.case import Case
from aliquot.kube.pod import Container, Pod


def own_containers(case: Case) -> frozenset[str]:
    """Names of the containers that a person wrote: others were injected, and stand in no template."""
    workload = case.snapshot.workload_of(case.pod)
    template = workload.template if workload is not None else None
    written = template or case.pod
    return frozenset(one.name for one in (*written.containers, *written.init_containers))


def with_requests(pod: Pod, changed: Mapping[str, Mapping[str, int]]) -> tuple[Container, ...]:
    """Its containers; `changed`: container -> resource -> amount."""
    return tuple(
        replace(one, requests={**one.requests, **changed[one.name]}) if one.name in changed else one
        for one in pod.containers
    )
