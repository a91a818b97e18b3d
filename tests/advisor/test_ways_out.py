"""Ways out, one situation each: what is offered, where the pod runs then, and that useless things aren't offered."""

import re
import shlex

from scenarios.api.cluster import node, pod
from scenarios.explained import commands, spec_patch, story, ways

GPU_TAINT = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_cpu_is_lowered_to_what_is_left() -> None:
    found = ways(node("n1", cpu=4), pod("p", requests={"cpu": "6", "memory": "1Gi"}, owner="Deployment/web"))
    way = found["change-request", "pod"]
    assert way.title == "Ask for 4 of cpu instead of 6 (what n1 has left)"
    assert spec_patch(way)["containers"] == [{"name": "main", "resources": {"requests": {"cpu": "4"}}}]
    assert way.after.node == "n1"
    assert way.risk.level == "low"


def test_memory_too_and_it_says_what_happens_when_it_runs_out() -> None:
    found = ways(node("n1", memory="6Gi"), pod("p", requests={"memory": "8Gi"}))
    way = found["change-request", "pod"]
    assert spec_patch(way)["containers"][0]["resources"]["requests"] == {"memory": "6Gi"}
    assert "killed" in way.risk.text
    assert commands(way)[0].endswith("| kubectl replace --force -f -")  # a bare pod is made anew


def test_a_request_isnt_lowered_to_almost_nothing() -> None:
    assert ("change-request", "pod") not in ways(node("n1", cpu=1), pod("p", requests={"cpu": "6"}))


def test_fewer_gpus_where_some_are_free() -> None:
    way = ways(node("n1", gpu=2), pod("p", gpu=4))["fewer-devices", "pod"]
    assert way.title == "Ask for 2 nvidia.com/gpu instead of 4 (2 free on n1)"
    assert way.risk.level == "high"


def test_a_mig_name_is_a_slip_only_for_as_many_slices_and_sizes_are_compared_by_name() -> None:
    cut = node("n1", more={"nvidia.com/mig-1g.10gb": 2, "nvidia.com/mig-2g.20gb": 2})
    cut["metadata"]["labels"]["nvidia.com/mig-1g.10gb.memory"] = "9728"
    titles = {way.title: way.risk.level for way in story(cut, pod("p", requests={"nvidia.com/mig-1g.5gb": 1})).ways_out}
    assert titles["Ask for nvidia.com/mig-1g.10gb (not nvidia.com/mig-1g.5gb)"] == "low"
    assert "Ask for nvidia.com/mig-2g.20gb (not nvidia.com/mig-1g.5gb)" not in titles
    way = story(cut, pod("p", requests={"nvidia.com/mig-1g.10gb.shared": 1})).ways_out[0]
    assert way.title.startswith("Ask for nvidia.com/mig-1g.10gb: 1 instead of nvidia.com/mig-1g.10gb.shared")
    assert way.risk.level == "medium"  # not "less memory": 9728 is what is left of a slice named 10gb


def test_a_misspelt_resource() -> None:
    way = ways(node("n1", gpu=2), pod("p", requests={"nvidia.com/gpus": 1}))["change-request", "pod"]
    assert way.title == "Ask for nvidia.com/gpu (not nvidia.com/gpus)"
    assert spec_patch(way)["containers"][0]["resources"]["limits"] == {"nvidia.com/gpus": None, "nvidia.com/gpu": "1"}


def test_shares_instead_of_a_whole_gpu_say_that_they_dont_isolate() -> None:
    shared = node("n1", more={"nvidia.com/gpu.shared": 4}, labels={"nvidia.com/gpu.replicas": "4"})
    way = ways(shared, pod("p", gpu=1))["change-request", "pod"]
    assert way.isolates is not None
    assert (way.isolates.strategy, way.isolates.memory) == ("time-slicing", "none")


def test_a_smaller_mig_instance_says_that_the_model_may_not_fit() -> None:
    cut = node("n1", gpu=0, more={"nvidia.com/mig-1g.5gb": 3})
    way = ways(cut, pod("p", requests={"nvidia.com/mig-3g.20gb": 1}))["change-request", "pod"]
    assert "less memory than was asked for (4864 against" in way.risk.text
    assert way.isolates is not None
    assert way.isolates.memory == "hardware"


def test_replicas_grow_where_a_gpu_is_shared_already() -> None:
    labels = {"nvidia.com/gpu.replicas": "2", "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-SHARED"}
    found = ways(node("n1", gpu=2, labels=labels), pod("a", on="n1", gpu=1), pod("b", on="n1", gpu=1), pod("p", gpu=1))
    assert "3-fold" in found["share", "node/n1"].title


def test_several_gpus_arent_had_by_sharing() -> None:
    found = ways(node("n1", gpu=2), pod("a", on="n1", gpu=1), pod("p", gpu=2))
    assert ("share", "node/n1") not in found


def test_sharing_renames_the_product_so_a_selector_by_product_no_longer_matches() -> None:
    picky = pod("p", gpu=1, nodeSelector={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"})
    assert ("share", "node/n1") not in ways(node("n1", gpu=1), pod("a", on="n1", gpu=1), picky)


def test_idle_gpus_can_be_cut_but_held_ones_only_later() -> None:
    wants = pod("p", requests={"nvidia.com/mig-1g.5gb": 1})
    assert ("partition", "node/n1") in ways(node("n1", gpu=2), wants)
    busy = story(node("n1", gpu=2), pod("a", on="n1", gpu=1), wants)
    assert "partition" not in {way.kind for way in busy.ways_out}
    assert any("1 of its 2 GPUs is held by nobody" in advice.text for advice in busy.advice)


def test_a_profile_that_the_gpu_doesnt_have_isnt_cut() -> None:
    assert ("partition", "node/n1") not in ways(node("n1", gpu=2), pod("p", requests={"nvidia.com/mig-1g.18gb": 1}))


def test_moving_one_pod_makes_room_for_two_gpus() -> None:
    found = ways(
        node("n1", gpu=2),
        node("n2", gpu=2),
        pod("a", on="n1", gpu=1, owner="Deployment/a"),
        pod("b", on="n2", gpu=1, owner="Deployment/b"),
        pod("p", gpu=2),
    )
    way = found["move", "deployment/a"]
    assert way.after.node == "n1"
    assert "Move ml/a to n2" in way.title
    assert commands(way)[0].startswith("kubectl cordon n1 && kubectl delete pod a -n ml")


def test_a_pod_without_a_controller_isnt_moved() -> None:
    found = ways(
        node("n1", gpu=2), node("n2", gpu=2), pod("a", on="n1", gpu=1), pod("b", on="n2", gpu=1), pod("p", gpu=2)
    )
    assert not [kind for kind, _ in found if kind == "move"]


def test_owners_of_every_kind_are_stopped_by_their_own_means() -> None:
    expected = {
        "StatefulSet/db": "kubectl scale statefulset db -n ml --replicas=0",
        "Job/train": """kubectl patch job train -n ml -p '{"spec": {"suspend": true}}'""",
        "DaemonSet/agent": "kubectl delete daemonset agent -n ml",
        "RayCluster/ray": "# stop raycluster ml/ray: scale it to zero by its own means",
        "": "kubectl delete pod a -n ml",
    }
    for owner, command in expected.items():
        found = ways(node("n1", gpu=1), pod("a", on="n1", gpu=1, owner=owner), pod("p", gpu=1))
        target = f"{owner.lower()}" if owner else "pod/a"
        assert [one.splitlines()[-1] for one in commands(found["free-device", target])] == [command]
        assert found["free-device", target].after.stopped == ("ml/a",)


def test_lower_priority_goes_first() -> None:
    found = story(
        node("n1", gpu=1),
        node("n2", gpu=1),
        pod("low", on="n1", gpu=1, owner="Deployment/low", priority=-10, priorityClassName="batch"),
        pod("high", on="n2", gpu=1, owner="Deployment/high", priority=100),
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "batch"}, "value": -10},
        pod("p", gpu=1, preemptionPolicy="Never"),
    )
    freed = [way.target for way in found.ways_out if way.kind == "free-device"]
    assert freed == ["deployment/low", "deployment/high"]


def test_a_terminating_holder_isnt_stopped_but_waited_for() -> None:
    leaving = pod("a", on="n1", gpu=1)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-30T18:00:00Z"
    found = story(node("n1", gpu=1), leaving, pod("p", gpu=1))
    way = found.ways_out[0]
    assert (way.kind, way.title, way.risk.level) == ("free-device", "Wait for ml/a to go: it is being deleted", "low")
    assert way.changes[0].command == "kubectl wait --for=delete pod/a -n ml --timeout=10m"
    assert "raise-priority" not in {way.kind for way in found.ways_out}
    assert "ml/a (being deleted since 2026-11-30 18:00" in found.sentence
    assert [held.pod.terminating for held in found.holdings] == [True]


def test_an_existing_priority_class_is_used_before_a_new_one() -> None:
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("online", 1000), ("urgent", 5000))
    ]
    found = ways(node("n1", gpu=1), pod("a", on="n1", gpu=1, priority=500), pod("p", gpu=1), *classes)
    way = found["raise-priority", "pod"]
    assert way.title == "Give it PriorityClass online (1000): it preempts ml/a"
    assert way.after.victims == ("ml/a",)


def test_priority_moves_no_taint() -> None:
    found = ways(node("n1", gpu=1, taints=GPU_TAINT), pod("p", gpu=1))
    assert ("raise-priority", "pod") not in found
    assert ("add-toleration", "pod") in found


def test_a_sick_node_isnt_to_be_tolerated_but_mended() -> None:
    sick = [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]
    found = story(node("n1", gpu=1, taints=sick), pod("p", gpu=1))
    assert found.ways_out[0].kind == "repair"
    assert {way.kind for way in found.ways_out} <= {"add-node", "repair"}


def test_a_new_node_comes_without_the_old_ones_troubles_and_with_its_daemons() -> None:
    sick = [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
    agent = pod("agent", on="n1", requests={"cpu": "3"}, owner="DaemonSet/agent")
    assert ("add-node", "node") in ways(node("n1", gpu=1, cpu=4, taints=sick), agent, pod("p", gpu=1))
    greedy = pod("p", gpu=1, requests={"cpu": "2"})
    assert ("add-node", "node") not in ways(
        node("n1", gpu=1, cpu=4, taints=sick), agent, greedy
    )  # nothing shows a cloud
    aws = {"eks.amazonaws.com/nodegroup": "a100"}
    other = ways(node("n1", gpu=1, cpu=4, taints=sick, labels=aws), agent, greedy)["add-node", "node"]
    assert other.title == "Add a g6e.xlarge node (aws, L40S, 46068 MiB): 1 nvidia.com/gpu"  # a copy of n1 has no room


def test_a_node_group_is_grown_by_its_clouds_command_with_its_price() -> None:
    labels = {"eks.amazonaws.com/nodegroup": "a100", "node.kubernetes.io/instance-type": "p4d.24xlarge"}
    found = ways(node("n1", gpu=1, labels=labels), pod("a", on="n1", gpu=1), pod("p", gpu=1))
    way = found["add-node", "node"]
    find = "eksctl get clusters  # CLUSTER\n"
    assert commands(way) == [f"{find}eksctl scale nodegroup --cluster CLUSTER --name a100 --nodes 2"]
    assert way.changes[0].undo == "eksctl scale nodegroup --cluster CLUSTER --name a100 --nodes 1"
    assert way.cost.usd_per_hour is not None
    assert way.cost.usd_per_hour > 20


def test_spread_and_affinity_are_softened() -> None:
    zones = [node(name, cpu=8, labels={"zone": name}) for name in ("z1", "z2")]
    zones[1]["spec"]["unschedulable"] = True
    spread = {
        "topologyKey": "zone",
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "w"}},
    }
    held = [pod(f"w{i}", on="z1", labels={"app": "w"}) for i in range(2)]
    found = ways(*zones, *held, pod("p", labels={"app": "w"}, topologySpreadConstraints=[spread], owner="Deployment/w"))
    assert spec_patch(found["change-request", "pod"]) == {
        "topologySpreadConstraints": [{"$patch": "replace"}, {**spread, "whenUnsatisfiable": "ScheduleAnyway"}]
    }
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "w"}}}
    ]}  # fmt: skip
    lonely = pod("p", labels={"app": "w"}, affinity={"podAntiAffinity": apart})
    assert ways(zones[0], held[0], lonely)["change-request", "pod"].title == "Drop the required podAntiAffinity"
    social = pod("p", labels={"app": "x"}, affinity={"podAffinity": apart})
    assert ways(zones[0], social)["change-request", "pod"].title == "Drop the required podAffinity"


def test_three_changes_at_most_and_only_together() -> None:
    spoilt = node("n1", gpu=1, taints=GPU_TAINT, labels={"tier": "a"})
    spoilt["spec"]["unschedulable"] = True
    found = ways(spoilt, pod("p", gpu=1, nodeSelector={"tier": "b"}))
    way = found["combined", "node/n1+pod"]
    assert len(way.steps) == 3
    assert len(way.changes) == 2  # those of the pod are one patch
    assert way.after.node == "n1"
    assert {kind for kind, _ in found} == {"combined"}


def test_a_gated_pod_waits_for_whoever_gated_it() -> None:
    found = story(node("n1", gpu=1), pod("p", gpu=1, schedulingGates=[{"name": "kueue.x-k8s.io/admission"}]))
    assert (found.verdict, found.ways_out) == ("gated", ())
    assert found.scheduler_message == "Scheduling is blocked due to non-empty scheduling gates"
    assert "kueue.x-k8s.io/admission" in found.advice[0].text


def test_other_peoples_tolerations_are_kept_and_the_api_servers_left_out() -> None:
    tolerations = [
        {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoExecute", "tolerationSeconds": 60},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    ]
    waiting = pod("p", gpu=1, tolerations=tolerations, owner="Deployment/llm")
    way = ways(node("n1", gpu=1, taints=GPU_TAINT), waiting)["add-toleration", "pod"]
    assert spec_patch(way)["tolerations"] == [
        tolerations[0],
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    ]


def test_pods_of_custom_kinds_and_cron_jobs_get_their_patch() -> None:
    for owner, start in (
        ("RayCluster/r", "# change the pod template of raycluster ml/r"),
        ("CronJob/c", 'kubectl patch cronjob c -n ml --type=strategic -p \'{"spec": {"jobTemplate"'),
        ("Job/j", "# a Job's template can't be changed: delete job j and create it again"),
    ):
        found = ways(node("n1", gpu=1, taints=GPU_TAINT), pod("p", gpu=1, owner=owner))
        assert commands(found["add-toleration", "pod"])[0].splitlines()[-1].startswith(start)


def test_where_one_holder_isnt_enough_several_go_together() -> None:
    held = [pod(name, on="n1", gpu=1, owner=f"Deployment/{name}") for name in ("a", "b")]
    found = ways(node("n1", gpu=2), *held, pod("p", gpu=2))
    way = found["combined", "deployment/a+deployment/b"]
    assert way.after.stopped == ("ml/a", "ml/b")
    assert ("free-device", "deployment/a") not in found


def test_each_container_keeps_its_own_amount() -> None:
    both = pod("p")
    both["spec"]["containers"] = [
        {"name": name, "resources": {"limits": {"nvidia.com/gpus": "1"}}} for name in ("one", "two")
    ]
    way = ways(node("n1", gpu=2), both)["change-request", "pod"]
    amounts = [one["resources"]["limits"]["nvidia.com/gpu"] for one in spec_patch(way)["containers"]]
    assert amounts == ["1", "1"]
    first = pod("p", requests={"cpu": "1"})
    first["spec"]["initContainers"] = [{"name": "prep", "resources": {"limits": {"nvidia.com/gpus": "1"}}}]
    way = ways(node("n1", gpu=2), first)["change-request", "pod"]
    assert spec_patch(way)["initContainers"][0]["name"] == "prep"


def test_priority_that_would_only_evict_a_sibling_isnt_offered() -> None:
    sibling = pod("llm-1", on="n1", gpu=1, owner="Deployment/llm")
    found = ways(node("n1", gpu=1), sibling, pod("llm-2", gpu=1, owner="Deployment/llm"))
    assert ("raise-priority", "pod") not in found


def test_replicas_that_arent_replaced_by_themselves_are_deleted() -> None:
    for owner in ("StatefulSet/db", "ReplicaSet/rs"):
        way = ways(node("n1", gpu=1, taints=GPU_TAINT), pod("p", gpu=1, owner=owner))["add-toleration", "pod"]
        assert commands(way)[1] == "kubectl delete pod p -n ml"


def test_parts_of_the_system_arent_stopped() -> None:
    vital = pod("a", on="n1", gpu=1, owner="DaemonSet/dcgm", priority=2_000_001_000)
    assert not [kind for kind, _ in ways(node("n1", gpu=1), vital, pod("p", gpu=1)) if kind == "free-device"]
    static = pod("a", on="n1", gpu=1, owner="Node/n1")
    assert not [kind for kind, _ in ways(node("n1", gpu=1), static, pod("p", gpu=1)) if kind == "free-device"]


def test_a_complete_jobs_pod_goes_first() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "ml"},
        "status": {"conditions": [{"type": "Complete", "status": "True"}]},
    }
    held = pod("a", on="n1", gpu=1, owner="Job/train")
    found = story(node("n1", gpu=1), held, job, pod("p", gpu=1))
    assert found.ways_out[0].target == "job/train"
    assert found.ways_out[0].risk.level == "low"


def test_sharing_isnt_offered_where_a_holder_of_two_would_be_refused_later() -> None:
    assert ("share", "node/n1") not in ways(node("n1", gpu=2), pod("tp2", on="n1", gpu=2), pod("p", gpu=1))


def test_an_injected_container_isnt_lowered() -> None:
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ml", "uid": "d"},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "main"}]}}},
    }
    replica_set = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "web-5d",
            "namespace": "ml",
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
            ],
        },
        "spec": {"replicas": 1},
    }
    waiting = pod("p", requests={"cpu": "2"}, owner="Deployment/web")
    waiting["spec"]["containers"].append({"name": "istio-proxy", "resources": {"requests": {"cpu": "3"}}})
    way = ways(node("n1", cpu=4), deployment, replica_set, waiting)["change-request", "pod"]
    assert [one["name"] for one in spec_patch(way)["containers"]] == ["main"]


def test_the_whole_node_group_grows_by_one_whatever_its_zones() -> None:
    group = {"eks.amazonaws.com/nodegroup": "a100"}
    nodes = [node(f"n{i}", gpu=1, labels={**group, "topology.kubernetes.io/zone": f"z{i}"}) for i in range(3)]
    held = [pod(f"h{i}", on=f"n{i}", gpu=1) for i in range(3)]
    found = [way for way in story(*nodes, *held, pod("p", gpu=1)).ways_out if way.kind == "add-node"]
    (command,) = [command for way in found for command in commands(way)]
    assert command.splitlines()[-1] == "eksctl scale nodegroup --cluster CLUSTER --name a100 --nodes 4"


def test_a_pod_that_needs_no_gpu_is_offered_no_gpu_node() -> None:
    full = pod("a", on="c1", requests={"cpu": "32"})
    found = ways(node("c1"), node("g1", gpu=1, taints=GPU_TAINT), full, pod("p", requests={"cpu": "20"}))
    assert found["add-node", "node"].title.startswith("Add a node like c1")


def test_hostile_names_cant_leave_the_command() -> None:
    labels = {"eks.amazonaws.com/nodegroup": "g; rm -rf x"}
    found = story(
        node("n; touch a", gpu=1, labels=labels, taints=[{"key": "k$(x)", "effect": "NoSchedule"}]),
        pod("h`x`", on="n; touch a", gpu=1, owner="Deployment/d`x`"),
        node("n2", gpu=1),
        pod("other", on="n2", gpu=1, owner="StatefulSet/s'x"),
        pod("p", gpu=1, owner="Deployment/q$(x)"),
    )
    told = [command for way in found.ways_out for command in commands(way) if not command.startswith("#")]
    assert told
    for command in told:
        words = shlex.split(command, comments=True)
        assert not {"touch", "rm", "x"} & set(words)
        assert "$(x)" not in re.sub(r"'[^']*'", "", command)
        assert "`" not in re.sub(r"'[^']*'", "", command)
