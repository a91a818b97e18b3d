"""What a pod leaves behind of its claims."""

from dataclasses import replace

from aliquot.allocation.claims.leaving import claim_keys, without_pod
from aliquot.dra.claim import Claim, ClaimAllocation, ClaimSpec, Consumer
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import ExtendedResourceClaim, Pod, PodClaim

POD = Pod(
    Meta("p", "default", uid="u"),
    claims=(PodClaim("x", claim_name="named"), PodClaim("y", template_name="t"), PodClaim("z", template_name="t")),
    claim_names={"y": "made", "z": None},
    extended_claim=ExtendedResourceClaim("extended"),
)
ME = Consumer("pods", "p", "u")
OTHER = Consumer("pods", "q", "v")
SHARED = Claim(Meta("named", "default"), ClaimSpec(), ClaimAllocation(), (ME, OTHER))


def test_which_claims_it_has() -> None:
    assert list(claim_keys(POD)) == ["default/named", "default/made", "default/extended"]
    assert not list(claim_keys(Pod(Meta("p", "default"))))


def test_its_own_claim_goes() -> None:
    mine = replace(SHARED, meta=replace(SHARED.meta, owners=(Owner("Pod", "p", "u", controller=True),)))
    assert without_pod(mine, POD) is None
    theirs = replace(mine, meta=replace(mine.meta, owners=(Owner("Pod", "p", "older", controller=True),)))
    assert without_pod(theirs, POD) is not None


def test_a_shared_one_stays_until_the_last() -> None:
    after = without_pod(SHARED, POD)
    assert after == replace(SHARED, reserved_for=(OTHER,))
    last = without_pod(replace(SHARED, reserved_for=(ME,)), POD)
    assert last == replace(SHARED, reserved_for=(), allocation=None)
    unused = replace(SHARED, reserved_for=(OTHER,))
    assert without_pod(unused, POD) is unused
