"""Words that name nobody: they stay, since decisions read them or since a reader finds the way by them."""

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PUBLIC_DOMAINS = (
    "kubernetes.io",
    "k8s.io",
    "x-k8s.io",
    "nvidia.com",
    "amd.com",
    "intel.com",
    "habana.ai",
    "xilinx.com",
    "google.com",
    "amazonaws.com",
    "amazon.com",
    "azure.com",
    "oraclecloud.com",
    "openshift.io",
    "k8s.aws",
    "eksctl.io",
    "gke.io",
    "karpenter.sh",
    "keda.sh",
    "volcano.sh",
    "run.ai",
    "hami.io",
    "ray.io",
    "kubeflow.org",
    "argoproj.io",
    "knative.dev",
    "cert-manager.io",
    "nebuly.com",
    "aliquot.dev",
)
"""Whose label keys, annotations, gates, drivers and classes are published names."""

HARDWARE_DOMAINS = ("nvidia.com", "amd.com", "intel.com", "habana.ai", "xilinx.com", "feature.node.kubernetes.io")
"""Whose labels' values say what a node has."""

PUBLIC_VALUES = frozenset(
    {
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "karpenter.sh/capacity-type",
        "karpenter.k8s.aws/instance-family",
        "karpenter.k8s.aws/instance-gpu-name",
        "eks.amazonaws.com/capacityType",
        "cloud.google.com/gke-accelerator",
        "cloud.google.com/gke-accelerator-count",
        "cloud.google.com/gke-gpu-partition-size",
        "cloud.google.com/gke-provisioning",
        "cloud.google.com/gke-spot",
        "cloud.google.com/machine-family",
        "kubernetes.azure.com/accelerator",
        "kubernetes.azure.com/scalesetpriority",
        "kubernetes.azure.com/mode",
    }
)
"""Labels whose values are published names."""

PLACES = frozenset(
    f"{domain}/{what}"
    for domain in ("topology.kubernetes.io", "failure-domain.beta.kubernetes.io")
    for what in ("zone", "region")
)
PUBLIC_PLACE = re.compile(
    r"(?:af|ap|ca|cn|eu|il|me|mx|sa|us|us-gov)-(?:[a-z]+-){1,2}\d[a-z]?"  # AWS
    r"|(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d(?:-[a-z])?"  # Google
)
"""Values of those that are a public cloud's; Azure's have no pattern that a word of somebody's own wouldn't fit."""
AZURE = words(
    """
    eastus eastus2 westus westus2 westus3 centralus northcentralus southcentralus westcentralus canadacentral
    canadaeast brazilsouth northeurope westeurope uksouth ukwest francecentral germanywestcentral
    switzerlandnorth swedencentral norwayeast polandcentral italynorth spaincentral eastasia southeastasia
    japaneast japanwest koreacentral centralindia southindia australiaeast australiasoutheast uaenorth
    qatarcentral southafricanorth israelcentral
    """
)

PUBLIC_KEYS = words(
    """
    accelerator app component controller-revision-hash dedicated environment gpu hardware-type instance-type
    job-name metadata.name name node-pool node-role node-type nodepool part-of pod-template-generation
    pod-template-hash pool release sku team tier version workload zone
    """
)
"""Label keys without a domain that name nobody; their values do."""

ROLES = words(
    """
    compute control-plane cpu edge etcd gpu gpu-node infra ingress load-balancer master node storage worker
    """
)
"""After node-role.kubernetes.io/."""

VENDOR_NAME = re.compile(r"(?:[a-z0-9-]+\.){1,3}(?:nvidia|amd|intel)\.com")
"""Drivers and device classes of hardware vendors: gpu.nvidia.com."""

PUBLIC_IMAGES = ("nvcr.io/nvidia/", "registry.k8s.io/", "k8s.gcr.io/")
"""Images that everybody can have; their names say which driver or component runs."""

PUBLIC_WORDS = words(
    """
    accelerator agent aks all amd any api apiserver attribute autoscaler back batch build cache calico cert channel
    claim class client cluster compute computer config container containerd control controller coredns counter
    counters cpu cri critical csi cuda daemon daemonset dcgm default deployment device devices discovery dns
    docker domain dra driver eks end etcd example exporter extended false feature free front gb gib gke gpu gpus
    group hami high host inference ingress intel internal ip job kai karpenter kata keda kserve kube kubelet
    kubernetes kueue label large lease local low machine main manager master medium mem memory metrics mi mib
    micro mig monitoring mps multi nano network nfd nic no node nodepool nodes notebook nvidia off on operator
    partition pcie pending plane plugin pod pods pool preempt present priority prod production proxy public
    queue rdma ready replica request resource root run runtime scheduler scheduling server service set shard
    share shared sharing shm slice slices small spot stateful statefulset storage system task template test
    tflop time timeslice toolkit tpu training true unset validator vfio vgpu vllm volcano volume web webhook
    worker workload xlarge yes yunikorn
    """
)
"""Words within names that tell a reader what a thing is, and nobody whose it is."""

MESSAGE_WORDS = PUBLIC_WORDS | words(
    """
    a able about above access according accounted activated active add adding additional address admin admission
    affinity after again against age allocate allocated allocating allocation allocations allowed already also
    although always an and another anti api are arithmetic as assign assigned assume assumed at attach attached
    attempt attribute auth availability available back backoff bad be because been before being below beyond
    bind binding bindings blocked bool bound budgets but by caches can cannot capacity cdi cel cgroup change
    changed check claims classes come compile completed condition conditions conflict conflicts constraint
    constraints containers containing cordon could couldn count counted counterstate crash create created
    creating creation current currently data deadline deallocate deallocated deallocation declared deleted
    deleting deletion denied deployment dereference desired detected deviceclass did didn different dir
    directory disabled disk disruption do does doesn doing don down draconsumablecapacity
    drapartitionabledevices draprioritizedlist due duplicate during dynamic dynamicresources each effect either
    eligible empty enabled encountered enforced enough ephemeral error errors evaluate evaluation event evicted
    exact exactly exceed exceeded exceeds exclusive exec exist existing exists exit exited expected expression
    fail failed failing fails failure feature features few field fields filter filtering find first fit fits
    followed for forbidden found from full fully further gang gate gated gates generate generated get given gone
    groups had has hasn have healthy held help helpful hit hold host hostname hostport hugepages id if ignored
    asked image images immediate in incoming incomplete increase index info information init initialized insufficient
    int into invalid is isn it its keep key kind kinds know known labels large last less lifetime limit limited
    limits list local long longer lookup made makes many match matched matches matching max maximum may means
    member members met milli min mincount minimum missing mode more most mount mounted must name named namespace
    namespaces need needed needs negative never new next nil nodeaffinity nodeselector nominated nominator non
    none not nothing now number object objects observed occurred of old one ones only open operation optional or
    orvalue other out over owner parse part path pending per permission permitted persistent persistentvolume
    persistentvolumeclaim persistentvolumeclaims pid place placed plugin plugins podgroup pointer pool pools
    port ports possible post posting prebind predicate preemption preemptionpolicy preemptor prefilter pressure
    prevented previous previously priority probe process progressed progressing provisioned provisioner
    provisioning publish published pull pulled pulling quantity quota range rate reached readiness ready reason
    recheck rechecking reconcile refused refusing registered registry rejected related remain remaining removed
    replicas replicaset requested requests required requirement requirements reservation reserve reserved
    reservedfor resolve resourceclaim resourceclaims resourceclaimtemplate resources resourceslice
    resourceslices rest restart restarted restarting retrieve retry rule rules run running runtime same
    satisfied satisfy saved say scale scaled schedulable schedule scheduled score secret selected selector
    selectors several shared should since size skew skipped smaller some space spec specified spread start
    started starting state status step still stopped storage storageclass store strategy subrequest subrequests
    subset succeeded successfully such sufficient supply supported suspended sync taint tainted taints tasks
    term terminated terminating terms testing than that the their them then there these they this those three
    time timed timeout to tolerate tolerated toleration tolerations too took topology total tracker trigger
    triggered try trying two type unable unallocated unavailable unbound undecided under unexpected unhealthy
    unknown unmet unreachable unready unresolvable unschedulable unsupported until untolerated up update updated
    upper used user uses using valid validate value values version victim victims violate violated volumes wait
    waitforfirstconsumer waiting warning was wasn we were when where whether which while will with within
    without won would wrong yet you zero zone
    """
)
"""Words of kube-scheduler's, the kubelet's and the controllers' messages."""

REASON_WORDS = MESSAGE_WORDS | words(
    """
    account admitted allocatable anyway attachment best box budget candidate cilium consumer cron delete drain effort
    enqueueable err eviction execute exits external flannel flavor gc hook inadmissible initializing initially inspect
    inter kill killed killing live loop lost lower map ofcpu ofmemory ofpods once oom operand outcome pre preempting
    prepare progress read rebooted replication restrictions resumed rolling route sand scaling shutdown signature
    successful support target termination unconsolidatable validation write
    """
)
"""Of reasons in CamelCase: of events, conditions and container states, Kubernetes' own and those of schedulers."""
