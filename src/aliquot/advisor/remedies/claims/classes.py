"""Ways out by the DeviceClass or by what devices publish, rather than by every claim that uses them."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.counted import published_by_node
from aliquot.advisor.causes.errors import CEL, MISSING_KEY, NO_CLASS
from aliquot.advisor.causes.scope import scope
from aliquot.advisor.dra.claims import changed, places, sources
from aliquot.advisor.gpus import MIG_PREFIX
from aliquot.advisor.nearest import is_near, nearest
from aliquot.advisor.remedies.claims.change import claim_candidate
from aliquot.advisor.wayout import Candidate, Change, Patch, Risk, Trial
from aliquot.allocation.story.conjuncts import conjuncts
from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass, Request, SubRequest
from aliquot.dra.device import Attribute
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Container, Pod, PodClaim

PROBLEM = "DynamicResources"


def cures(case: Case) -> Iterator[Candidate]:
    """Of the scheduler's error first; then of counted resources on nodes that publish devices."""
    message = case.message
    found = CEL.search(message)
    if found is not None and found["owner"] == "class" and found["name"] in case.snapshot.classes:
        yield from _class_fixed(case, case.snapshot.classes[found["name"]], int(found["index"]), found["text"])
    missing = NO_CLASS.search(message)
    if missing is not None:
        yield from _other_class(case, missing["name"])
    wanted = device_requests(case.pod)
    meant = scope(case.snapshot, case.pod, wanted) if wanted else None
    for name in wanted:
        if meant and not name.startswith(MIG_PREFIX) and not any(node.allocatable.get(name) for node in meant.nodes):
            yield from _mapped(case, name)


# --- a class whose selector fails -------------------------------------------------------------------------------------


def _class_fixed(case: Case, wrong: DeviceClass, index: int, text: str) -> Iterator[Candidate]:
    expression = wrong.selectors[index] if index < len(wrong.selectors) else None
    key = MISSING_KEY.search(text)
    if expression is None or key is None:
        return
    path = re.search(rf"""device\.(attributes|capacity)\[\s*(["'])([^"']+)\2\s*\]\.{key[1]}\b""", expression)
    if path is None:
        return
    every = conjuncts(expression)
    kept = [term for term in every if path[0] not in term]
    whole = f"({expression})" if "||" in expression or "?" in expression else expression
    variants = [(f"has({path[0]}) && {whole}", f"guard it with has(): devices without {key[1]} then don't match")]
    if kept and len(kept) < len(every):
        variants.append((" && ".join(kept), f"leave {key[1]} out: read only attributes that all its devices carry"))
    for new, words in variants:
        mended = replace(wrong, selectors=tuple(new if i == index else one for i, one in enumerate(wrong.selectors)))
        operations: list[Patch] = [{"op": "replace", "path": f"/spec/selectors/{index}/cel/expression", "value": new}]
        name = wrong.meta.name
        yield Candidate(
            kind="fix-class",
            target=f"deviceclass/{name}",
            title=f"Mend selector #{index} of DeviceClass {name}: {words}",
            changes=(
                Change(
                    f"deviceclass {name}",
                    f"kubectl patch deviceclass {shlex.quote(name)} --type=json"
                    f" -p {shlex.quote(json.dumps(operations))}",
                    {"jsonPatch": operations},
                    f"kubectl patch deviceclass {shlex.quote(name)} --type=json"
                    f" -p {shlex.quote(json.dumps([{**operations[0], 'value': expression}]))}",
                ),
            ),
            apply=lambda trial, mended=mended: Trial(trial.snapshot.with_object(mended), trial.pod),  # type: ignore[misc]
            risk=Risk("low", "every claim of this class is judged by it from then on; allocated ones stay"),
            rank=6,
            cures=PROBLEM,
            anywhere=True,
        )
    yield from _published(case, path[0], path[1], path[3], key[1], expression)


def _published(case: Case, path: str, table: str, domain: str, key: str, expression: str) -> Iterator[Candidate]:
    """The driver publishes the attribute that is read, with the value that is compared."""
    value = re.search(rf"""{re.escape(path)}\s*==\s*(["'])([^"']*)\1""", expression)
    if table != "attributes" or value is None:
        return
    nodes = sorted(
        {
            one.node_name or one.pool
            for one in case.snapshot.slices.values()
            if one.driver == domain and any(key not in _names(device.attributes) for device in one.devices)
        }
    )
    if not nodes:
        return
    wanted = Attribute("string", value[2])

    def apply(trial: Trial) -> Trial:
        world = trial.snapshot
        for one in list(world.slices.values()):
            if one.driver == domain:
                devices = tuple(
                    device
                    if key in _names(device.attributes)
                    else replace(device, attributes={**device.attributes, key: wanted})
                    for device in one.devices
                )
                world = world.with_object(replace(one, devices=devices))
        return Trial(world, trial.pod)

    yield Candidate(
        kind="republish",
        target=f"ResourceSlice of {', '.join(nodes)}",
        title=f"Have {domain} publish {key} = {value[2]} on {', '.join(nodes[:3])}, as the class reads it",
        changes=(
            Change(
                f"driver {domain} on {', '.join(nodes[:3])}",
                f"# mend or upgrade the driver {domain} on {', '.join(nodes)}, so that its ResourceSlices carry {key}",
            ),
        ),
        apply=apply,
        risk=Risk("low", "a driver's restart touches no running pod"),
        rank=9,
        cures=PROBLEM,
        anywhere=True,
    )


def _names(attributes: Mapping[str, object]) -> set[str]:
    return {name.rpartition("/")[2] for name in attributes}


# --- a class that isn't there -----------------------------------------------------------------------------------------


def _other_class(case: Case, missing: str) -> Iterator[Candidate]:
    """The nearest existing class in the claim; or the missing one made like it."""
    for name in nearest(missing, case.snapshot.classes)[:2]:
        slip = is_near(missing, name)
        for source in sources(case.snapshot, case.pod).values():
            for place, recipe in places(source.claim.spec).values():
                if recipe.class_name != missing:
                    continue
                spec = changed(source.claim.spec, place, lambda one, name=name: replace(one, class_name=name))  # type: ignore[misc]
                yield claim_candidate(
                    case,
                    "",
                    source,
                    spec,
                    [{"op": "replace", "path": f"{source.base}{place.pointer}/deviceClassName", "value": name}],
                    kind="fix-claim",
                    title=f"Ask for DeviceClass {name} ({missing} doesn't exist)",
                    risk=Risk("low", "the original looks like a slip")
                    if slip
                    else Risk("medium", "the pod gets another kind of device than was asked for"),
                    rank=5 if slip else 25,
                )
        made = replace(case.snapshot.classes[name], meta=Meta(missing))
        manifest = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": missing},
            "spec": {"selectors": [{"cel": {"expression": one}} for one in made.selectors]},
        }
        yield Candidate(
            kind="fix-class",
            target=f"deviceclass/{missing}",
            title=f"Create DeviceClass {missing}, with what {name} selects",
            changes=(
                Change(
                    f"deviceclass {missing}",
                    f"printf %s {shlex.quote(json.dumps(manifest))} | kubectl apply -f -",
                    manifest,
                    f"kubectl delete deviceclass {shlex.quote(missing)}",
                ),
            ),
            apply=lambda trial, made=made: Trial(trial.snapshot.with_object(made), trial.pod),  # type: ignore[misc]
            risk=Risk("low", "a new class changes nothing for others"),
            rank=16,
            cures=PROBLEM,
            anywhere=True,
        )


# --- counted resources where devices are published --------------------------------------------------------------------


def _mapped(case: Case, name: str) -> Iterator[Candidate]:
    """A class that serves the counted resource; or a claim in place of it."""
    published = published_by_node(case.snapshot, name)
    drivers = {one.driver for one in case.snapshot.slices.values() if one.node_name in published}
    for key, one in sorted(case.snapshot.classes.items()):
        if not any(driver in (text or "") for text in one.selectors for driver in drivers):
            continue
        if case.scheduler.kubernetes.on("DRAExtendedResource") and one.extended_resource is None:
            yield _mapping(one, name)
        yield _claim(case, key, name)


def _mapping(one: DeviceClass, name: str) -> Candidate:
    patch: Patch = {"spec": {"extendedResourceName": name}}
    mapped = replace(one, extended_resource=name)
    key = one.meta.name
    return Candidate(
        kind="map-extended-resource",
        target=f"deviceclass/{key}",
        title=f"Let DeviceClass {key} serve {name} (extendedResourceName): pods that count GPUs then get its devices",
        changes=(
            Change(
                f"deviceclass {key}",
                f"kubectl patch deviceclass {shlex.quote(key)} --type=merge -p {shlex.quote(json.dumps(patch))}",
                patch,
                f"kubectl patch deviceclass {shlex.quote(key)} --type=merge"
                f" -p {shlex.quote(json.dumps({'spec': {'extendedResourceName': None}}))}",
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.with_object(mapped), trial.pod),
        risk=Risk("low", "every pod that asks for this resource may then get devices of this class"),
        rank=7,
        cures=name,
        anywhere=True,
    )


def _claim(case: Case, class_name: str, resource: str) -> Candidate:
    """The same devices asked through a claim."""
    count = device_requests(case.pod)[resource]
    holders = [one.name for one in (*case.pod.containers, *case.pod.init_containers) if one.requests.get(resource)]
    template = f"{case.owner.name}-gpu"[:63]
    spec = ClaimSpec((Request("gpu", SubRequest("gpu", class_name, count=count)),))
    claim = Claim(Meta(f"{case.pod.name}-gpu"[:63], case.pod.namespace), spec)
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": template, "namespace": case.pod.namespace},
        "spec": {
            "spec": {
                "devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": class_name, "count": count}}]}
            }
        },
    }
    patch: Patch = {
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": template}],
        "containers": [
            {
                "name": name,
                "resources": {"limits": {resource: None}, "requests": {resource: None}, "claims": [{"name": "gpu"}]},
            }
            for name in holders
        ],
    }

    def apply(trial: Trial) -> Trial:
        return Trial(trial.snapshot.with_object(claim), _claiming(trial.pod, resource, claim))

    return Candidate(
        kind="use-claim",
        target="pod",
        title=f"Ask for {count} of DeviceClass {class_name} through a ResourceClaimTemplate instead of {resource}",
        changes=(
            Change(
                f"resourceclaimtemplate {case.pod.namespace}/{template}",
                f"printf %s {shlex.quote(json.dumps(manifest))} | kubectl apply -f -",
                manifest,
                f"kubectl delete resourceclaimtemplate {shlex.quote(template)} -n {shlex.quote(case.pod.namespace)}",
            ),
            *changes.pod_spec(case.owner, case.pod.name, patch),
        ),
        apply=apply,
        risk=Risk("low", "the pod gets the same kind of device, by name instead of by number"),
        rank=11,
        cures=resource,
        anywhere=True,
        own=True,
    )


def _claiming(pod: Pod, resource: str, claim: Claim) -> Pod:
    def without(one: Container) -> Container:
        return replace(
            one,
            requests={key: value for key, value in one.requests.items() if key != resource},
            limits={key: value for key, value in one.limits.items() if key != resource},
        )

    return replace(
        pod,
        containers=tuple(map(without, pod.containers)),
        init_containers=tuple(map(without, pod.init_containers)),
        claims=(*pod.claims, PodClaim("gpu", claim_name=claim.meta.name)),
    )
