"""A way out for a pod that asks for its GPU twice: by a claim and by number."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from aliquot.advisor import changes
from aliquot.advisor.case import Case, device_requests, on_pod
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.dra.claims import wanted_drivers
from aliquot.advisor.wayout import Candidate, Patch, Risk
from aliquot.kube.pod import Container, Pod


def cures(case: Case) -> Iterator[Candidate]:
    """Drop the counted resource: the claim asks for the device already."""
    pod = case.pod
    if not pod.claims:
        return
    drivers = wanted_drivers(case.snapshot, pod)
    claims = listed([one.template_name or one.claim_name or one.name for one in pod.claims])
    for name in device_requests(pod):
        same = any(driver.endswith(name.partition("/")[0]) for driver in drivers)
        users = {
            key: [one.name for one in containers if one.requests.get(name)]
            for key, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
        }
        gone = {"limits": {name: None}, "requests": {name: None}}
        patch: Patch = {
            key: [{"name": one, "resources": gone} for one in names] for key, names in users.items() if names
        }
        who = listed([one for names in users.values() for one in names])
        yield Candidate(
            kind="change-request",
            target="pod",
            title=f"Drop {name} from container {who}: claim {claims} asks for "
            + ("the device already" if same else "devices, too"),
            changes=changes.pod_spec(case.owner, pod.name, patch),
            apply=on_pod(partial(_without, name)),
            risk=Risk("low", "its claim gives it the same kind of device")
            if same
            else Risk("medium", "the pod then has what its claims give it, and nothing by number"),
            rank=4 if same else 34,
            cures=name,
            anywhere=True,
        )


def _without(name: str, pod: Pod) -> Pod:
    def left(amounts: Mapping[str, int]) -> dict[str, int]:
        return {key: amount for key, amount in amounts.items() if key != name}

    def lighter(one: Container) -> Container:
        return replace(one, requests=left(one.requests), limits=left(one.limits))

    return replace(
        pod,
        containers=tuple(map(lighter, pod.containers)),
        init_containers=tuple(map(lighter, pod.init_containers)),
    )
