"""A pod's claims, and those that are generated for it."""

from dataclasses import replace

import pytest

from aliquot.allocation.claims.pod_claims import (
    NotReady,
    admin_allowed,
    claims_of,
    fully_reserved,
    generate,
    is_reserved_for,
)
from aliquot.dra.claim import Claim, ClaimSpec, ClaimTemplate, Consumer
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod, PodClaim
from aliquot.kube.workload import Namespace
from scenarios.nouns.supplies import claim, request

POD = Pod(Meta("p", "default", uid="u"), claims=(PodClaim("gpu", template_name="t"), PodClaim("nic", claim_name="n")))
OWNER = Owner("Pod", "p", "u", controller=True)
GENERATED = Claim(Meta("p-gpu-x", "default", owners=(OWNER,)), ClaimSpec())
NAMED = claim(name="n")
READY = replace(POD, claim_names={"gpu": "p-gpu-x"})
TEMPLATE = ClaimTemplate(
    Meta("t", "default"), ClaimSpec((request("r"),)), Meta("", labels={"a": "b"}, annotations={"c": "d"})
)
ADMIN = replace(TEMPLATE, spec=ClaimSpec((request("r", admin_access=True),)))


def by_key(*claims: Claim) -> dict[str, Claim]:
    return {one.meta.key: one for one in claims}


def test_in_the_order_of_the_pod() -> None:
    assert claims_of(READY, by_key(NAMED, GENERATED)) == (GENERATED, NAMED)


def test_a_claim_that_need_not_exist_is_left_out() -> None:
    assert claims_of(replace(POD, claim_names={"gpu": None}), by_key(NAMED)) == (NAMED,)


@pytest.mark.parametrize(
    ("pod", "claims", "text"),
    [
        (POD, by_key(NAMED), 'pod "default/p": ResourceClaim not created yet'),
        (READY, by_key(NAMED), 'resourceclaim.resource.k8s.io "p-gpu-x" not found'),
        (READY, by_key(GENERATED), 'resourceclaim.resource.k8s.io "n" not found'),
        (
            READY,
            by_key(NAMED, replace(GENERATED, meta=replace(GENERATED.meta, deleted="now"))),
            'resourceclaim "p-gpu-x" is being deleted',
        ),
        (
            READY,
            by_key(NAMED, replace(GENERATED, meta=replace(GENERATED.meta, owners=()))),
            "ResourceClaim default/p-gpu-x was not created for Pod default/p (Pod is not owner)",
        ),
        (
            replace(POD, claims=(PodClaim("x"),)),
            {},
            'pod "default/p", spec.resourceClaim "x": none of the supported fields are set',
        ),
    ],
)
def test_why_a_pod_does_not_enter_the_queue(pod: Pod, claims: dict[str, Claim], text: str) -> None:
    assert claims_of(pod, claims) == NotReady(text)


def test_claims_are_made_from_templates() -> None:
    made = generate(POD, {"default/t": TEMPLATE}, {}, {})
    assert isinstance(made, tuple)
    (one,) = made
    assert (one.meta.key, one.spec, one.meta.labels) == ("default/p-gpu", TEMPLATE.spec, {"a": "b"})
    assert one.meta.annotations == {"c": "d", "resource.kubernetes.io/pod-claim-name": "gpu"}
    ready = replace(POD, claim_names={"gpu": one.meta.name})
    assert claims_of(ready, by_key(one, NAMED)) == (one, NAMED)
    assert generate(POD, {"default/t": TEMPLATE}, {}, by_key(one)) == (one,)
    assert generate(ready, {}, {}, {}) == ()


def test_a_template_that_is_not_there() -> None:
    missing = generate(POD, {}, {}, {})
    assert missing == NotReady('resourceclaimtemplate.resource.k8s.io "t" not found')


@pytest.mark.parametrize(
    ("namespace", "allowed"),
    [
        (None, True),
        (Namespace(Meta("default")), False),
        (Namespace(Meta("default", labels={"resource.kubernetes.io/admin-access": "true"})), True),
        (Namespace(Meta("default", labels={"resource.kubernetes.io/admin-access": "yes"})), False),
    ],
)
def test_admin_access_needs_a_label(namespace: Namespace | None, *, allowed: bool) -> None:
    assert admin_allowed(namespace) == allowed
    known = {"default": namespace} if namespace else {}
    assert isinstance(generate(POD, {"default/t": ADMIN}, known, {}), NotReady) != allowed


def test_a_claim_has_room_for_256_pods() -> None:
    crowd = tuple(Consumer("pods", f"p{number}", f"u{number}") for number in range(256))
    assert fully_reserved(replace(NAMED, reserved_for=crowd), POD)
    assert not fully_reserved(replace(NAMED, reserved_for=crowd[1:]), POD)
    mine = replace(NAMED, reserved_for=(*crowd[1:], Consumer("pods", "p", "u")))
    assert is_reserved_for(mine, POD)
    assert not fully_reserved(mine, POD)
