"""A softer constraint: a topology spread as a preference, an affinity between pods dropped."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, on_pod
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.owners import pods_of
from aliquot.advisor.wayout import Candidate, Risk, Trial
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import Affinity, TopologySpread


def softened(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Of those that refuse the pod on a node."""
    filters = {reason.filter for reason in spot.reasons}
    hard = [one for one in case.pod.topology_spread if one.when_unsatisfiable == "DoNotSchedule"]
    if "PodTopologySpread" in filters and hard:
        # The list's merge key is topologyKey, which several constraints may share: the whole list is replaced.
        patch: list[Mapping[str, object]] = [{"$patch": "replace"}]
        patch += [_spread(one) for one in case.pod.topology_spread]
        yield _softer(
            case,
            spot,
            "PodTopologySpread",
            "Make the topology spread a preference (whenUnsatisfiable: ScheduleAnyway)",
            {"topologySpreadConstraints": patch},
            on_pod(
                lambda pod: replace(
                    pod, topology_spread=tuple(one for one in case.pod.topology_spread if one not in hard)
                )
            ),
        )
    affinity = case.pod.affinity
    if "InterPodAffinity" in filters and affinity is not None:
        for field, name in (("pod", "podAffinity"), ("pod_anti", "podAntiAffinity")):
            terms = affinity.pod if field == "pod" else affinity.pod_anti
            if not terms:
                continue
            softer = replace(affinity, pod=()) if field == "pod" else replace(affinity, pod_anti=())
            yield _softer(
                case,
                spot,
                "InterPodAffinity",
                f"Drop the required {name}",
                {"affinity": {name: {"requiredDuringSchedulingIgnoredDuringExecution": None}}},
                on_pod(partial(_with_affinity, softer)),
            )
            if field == "pod_anti":
                yield from _all_without(case, spot, softer)


def _all_without(case: Case, spot: Spot, softer: Affinity) -> Iterator[Candidate]:
    """The same of the owner's other pods too: their rule keeps this one away, and a rollout would wait for it."""
    owner, pod = case.owner, case.pod
    running = [one for one in pods_of(case.snapshot, owner) if one.node_name and one.affinity is not None]
    if owner.kind not in ("Deployment", "StatefulSet", "ReplicaSet") or not running:
        return
    workload = case.snapshot.workload_of(pod)
    replicas = workload.replicas if workload is not None else None
    spec = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": None}}}
    names = listed([one.key for one in running])
    stops = f"{names} stop{'s' if len(running) == 1 else ' together'}"

    def apply(trial: Trial) -> Trial:
        world = trial.snapshot.without_pods([one.key for one in running])
        for one in running:
            anti = replace(one.affinity, pod_anti=()) if one.affinity is not None else None
            world = world.with_pod(replace(one, affinity=anti))
        return Trial(world, replace(trial.pod, affinity=softer))

    yield Candidate(
        kind="change-request",
        target="pod",
        title=f"Drop the required podAntiAffinity of {owner.short}: all its pods stop, and start anew",
        changes=(
            changes.stop(owner, tuple(one.name for one in running), replicas),
            *changes.pod_spec(owner, pod.name, spec)[:1],
            changes.start(owner, replicas),
        ),
        apply=apply,
        risk=Risk(
            "high",
            f"{stops}, and {owner.short} serves nothing until they are ready again; pods may then be beside each other",
        ),
        rank=26,
        node=spot.node.name,
        cures="InterPodAffinity",
    )


def _spread(one: TopologySpread) -> Mapping[str, object]:
    """A constraint as a preference, everything else as it is."""
    found: dict[str, object] = {
        "topologyKey": one.topology_key,
        "maxSkew": one.max_skew,
        "whenUnsatisfiable": "ScheduleAnyway",
    }
    if one.selector is not None:
        selector: dict[str, object] = {}
        if one.selector.match_labels:
            selector["matchLabels"] = dict(one.selector.match_labels)
        if one.selector.match_expressions:
            selector["matchExpressions"] = [
                {"key": each.key, "operator": each.operator, "values": list(each.values)}
                for each in one.selector.match_expressions
            ]
        found["labelSelector"] = selector
    if one.match_label_keys:
        found["matchLabelKeys"] = list(one.match_label_keys)
    return found


def _with_affinity(affinity: Affinity, pod: Pod) -> Pod:
    return replace(pod, affinity=affinity)


def _softer(
    case: Case, spot: Spot, problem: str, title: str, patch: Mapping[str, object], apply: Callable[[Trial], Trial]
) -> Candidate:
    return Candidate(
        kind="change-request",
        target="pod",
        title=title,
        changes=changes.pod_spec(case.owner, case.pod.name, patch),
        apply=apply,
        risk=Risk("medium", "pods may end up beside each other (or apart) where they were meant not to"),
        rank=24,
        node=spot.node.name,
        cures=problem,
    )
