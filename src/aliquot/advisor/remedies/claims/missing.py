"""Ways past a claim, or a template of claims, that the pod names and that isn't there, or is of the other kind."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case
from aliquot.advisor.nearest import meant, nearest
from aliquot.advisor.wayout import Candidate, Change, Patch, Risk, Trial
from aliquot.dra.claim import Claim, ClaimSpec
from aliquot.kube.meta import Meta
from aliquot.kube.pod import PodClaim

PROBLEM = "DynamicResources"
TRIED = 2
"""Existing names that are tried, nearest first."""


def cures(case: Case) -> Iterator[Candidate]:
    """The nearest existing name in place of the missing one; or the missing one made like it."""
    snapshot, pod = case.snapshot, case.pod
    for wanted in pod.claims:
        made = wanted.claim_name or pod.claim_names.get(wanted.name)
        if made and f"{pod.namespace}/{made}" in snapshot.claims:
            continue
        if wanted.template_name is not None:
            if f"{pod.namespace}/{wanted.template_name}" in snapshot.templates:
                continue
            here = {
                one.meta.name: one.spec for one in snapshot.templates.values() if one.meta.namespace == pod.namespace
            }
            if f"{pod.namespace}/{wanted.template_name}" in snapshot.claims:
                yield _other_kind(case, wanted, wanted.template_name, None)
            for name in _likely(wanted.template_name, here):
                yield _renamed(case, wanted, name, here[name])
            for one in snapshot.templates.values():
                if one.meta.name == wanted.template_name:
                    yield _created(case, wanted, one.meta.namespace, one.meta.name, one.spec)
            for name in _likely(wanted.template_name, here)[:1]:
                yield _created(case, wanted, pod.namespace, name, here[name])
        elif wanted.claim_name is not None:
            template = snapshot.templates.get(f"{pod.namespace}/{wanted.claim_name}")
            if template is not None:
                yield _other_kind(case, wanted, wanted.claim_name, template.spec)
            claims = {
                one.meta.name: one
                for one in snapshot.claims.values()
                if one.meta.namespace == pod.namespace and one.meta.controller is None
            }
            for name in _likely(wanted.claim_name, claims):
                yield _renamed(case, wanted, name, None)
            for claim in snapshot.claims.values():
                if claim.meta.name == wanted.claim_name:
                    yield _created(case, wanted, claim.meta.namespace, claim.meta.name, claim.spec)


def _likely(name: str, existing: dict[str, ClaimSpec] | dict[str, Claim]) -> list[str]:
    likely = meant(name, existing)
    first = [likely] if likely is not None else list[str]()
    return list(dict.fromkeys(first + nearest(name, existing)))[:TRIED]


def _with_claim(case: Case, wanted: PodClaim, spec: ClaimSpec | None, name: str, trial: Trial) -> Trial:
    """The pod with a claim of its own of that spec; without a spec with an existing one."""
    world = trial.snapshot
    if spec is not None:
        name = f"{case.pod.name}-{wanted.name}"[:63]
        world = world.with_object(Claim(Meta(name, case.pod.namespace), spec))
    claims = tuple(PodClaim(one.name, claim_name=name) if one.name == wanted.name else one for one in trial.pod.claims)
    return Trial(world, replace(trial.pod, claims=claims))


def _renamed(case: Case, wanted: PodClaim, name: str, spec: ClaimSpec | None) -> Candidate:
    missing = wanted.template_name or wanted.claim_name or ""
    kind = "ResourceClaimTemplate" if spec is not None else "ResourceClaim"
    field = "resourceClaimTemplateName" if spec is not None else "resourceClaimName"
    patch: Patch = {"resourceClaims": [{"name": wanted.name, field: name}]}
    slip = meant(missing, [name]) is not None
    return Candidate(
        kind="fix-claim",
        target="pod",
        title=f"Name {kind} {name} ({missing} doesn't exist)",
        changes=changes.pod_spec(case.owner, case.pod.name, patch),
        apply=lambda trial: _with_claim(case, wanted, spec, name, trial),
        risk=Risk("low", "the original looks like a slip")
        if slip
        else Risk("medium", "the pod may get another kind of device than was meant"),
        rank=5 if slip else 25,
        cures=PROBLEM,
        anywhere=True,
    )


def _other_kind(case: Case, wanted: PodClaim, name: str, spec: ClaimSpec | None) -> Candidate:
    """The same name in the other field: that of a template where one has a spec to give, else a claim's."""
    kind, field, wrong = "ResourceClaimTemplate", "resourceClaimTemplateName", "resourceClaimName"
    if spec is None:
        kind, field, wrong = "ResourceClaim", wrong, field
    patch: Patch = {"resourceClaims": [{"name": wanted.name, field: name, wrong: None}]}
    return Candidate(
        kind="fix-claim",
        target="pod",
        title=f"Name {name} as {field} (not {wrong}): it is a {kind}",
        changes=changes.pod_spec(case.owner, case.pod.name, patch),
        apply=lambda trial: _with_claim(case, wanted, spec, name, trial),
        risk=Risk("low", "the original looks like a slip")
        if spec is not None
        else Risk("medium", f"the pod then shares {name} with whoever else uses it"),
        rank=5,
        cures=PROBLEM,
        anywhere=True,
    )


def _created(case: Case, wanted: PodClaim, namespace: str, name: str, spec: ClaimSpec) -> Candidate:
    kind = "ResourceClaimTemplate" if wanted.template_name is not None else "ResourceClaim"
    missing = wanted.template_name or wanted.claim_name or ""
    there = f"{namespace}/{name}" if namespace != case.pod.namespace else name
    read = f"kubectl get {kind.lower()} {shlex.quote(name)} -n {shlex.quote(namespace)} -o jsonpath='{{.spec}}'"
    head = f'"apiVersion":"resource.k8s.io/v1","kind":"{kind}"'
    body = f'{{{head},"metadata":{{"name":"{missing}"}},"spec":%s}}'
    same = name == missing
    return Candidate(
        kind="fix-claim",
        target=f"{kind.lower()}/{missing}",
        title=f"Create {kind} {missing} in {case.pod.namespace}, with what {there} asks for",
        changes=(
            Change(
                f"{kind.lower()} {case.pod.namespace}/{missing}",
                f"printf '{body}' \"$({read})\" | kubectl apply -n {shlex.quote(case.pod.namespace)} -f -",
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": kind,
                    "metadata": {"name": missing, "namespace": case.pod.namespace},
                },
            ),
        ),
        apply=lambda trial: _with_claim(case, wanted, spec, name, trial),
        risk=Risk("low", f"a new {kind} changes nothing for others"),
        rank=8 if same else 16,
        cures=PROBLEM,
        anywhere=True,
    )
