"""The cause where a DeviceClass serves what a pod counts (extendedResourceName): as of a claim, in the pod's words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aliquot.advisor.case import device_requests
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.causes.devices import of_devices
from aliquot.allocation.answer import Story
from aliquot.allocation.claims.extended import classes_by_resource
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.snapshot import Snapshot


def of_served(
    snapshot: Snapshot,
    pod: Pod,
    stories: Mapping[str, Story],
    reasons: Mapping[str, Sequence[Reason]],
    whole: Mapping[str, Story],
) -> Cause | None:
    """None: no class serves it, or the stories don't tell."""
    served = classes_by_resource(snapshot.classes.values())
    names = [name for name in device_requests(pod) if name in served]
    found = of_devices(snapshot, pod, stories, reasons, whole) if names else None
    if found is None:
        return None
    sentence = found.sentence
    for resource, requests in _requests(pod, names).items():
        for request in requests:
            sentence = sentence.replace(f"request {request}", resource).replace(
                f"Request {request}", f"Of {resource} it"
            )
    maps = "; ".join(f"{name} is served by DeviceClass {served[name].meta.name}" for name in names)
    own = {one for several in _requests(pod, names).values() for one in several}
    return replace(found, sentence=f"{sentence} {maps}.", objects=(*(o for o in found.objects if o not in own), *names))


def _requests(pod: Pod, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Resource -> the requests that kube-scheduler makes of it in the pod's claim."""
    every = enumerate((*pod.init_containers, *pod.containers))
    containers = [(index, sorted(one.requests)) for index, one in every]
    return {
        name: [f"container-{index}-request-{has.index(name)}" for index, has in containers if name in has]
        for name in names
    }
