"""The pod asks for a resource under a name that its nodes don't have."""

from scenarios.mixed.build import Build
from scenarios.mixed.claimed import gpus
from scenarios.mixed.kinds.held import shared_labels
from scenarios.mixed.site import COUNTED
from scenarios.mixed.truth import Injected, right

ASK_OTHERWISE = right("change-request")


def misspelt(at: Build) -> list[Injected]:
    """A slip in the resource's name."""
    model = at.site.any_model()
    at.pool(model, at.dice.randint(1, 2), 4)
    slip = at.dice.choice(("nvidia.com/gpus", "nvida.com/gpu", "nvidia.com/GPU", "nvidia/gpu", "nvidia.com/gpu-count"))
    pod = at.waits(model, 1, resource=slip)
    return [Injected(pod, "misspelt", ("not-offered",), ((slip,), (COUNTED,)), ASK_OTHERWISE)]


def shared_forgotten(at: Build) -> list[Injected]:
    """The GPUs of the model are time slices, under another name."""
    model = at.site.any_model()
    resource = f"{COUNTED}.shared"
    nodes = at.pool(model, at.dice.randint(1, 2), 8, resource=resource, labels=shared_labels())
    pod = at.waits(model, 1)
    return [Injected(pod, "shared-forgotten", ("not-offered",), ((resource,), tuple(nodes)), ASK_OTHERWISE)]


def whole_on_sliced(at: Build) -> list[Injected]:
    """The GPUs of the model are cut into MIG slices, each with a name of its own."""
    model = at.site.cut_model()
    profile = f"nvidia.com/mig-{at.dice.choice(model.parts)}"
    labels = {"nvidia.com/mig.strategy": "mixed"}
    nodes = [at.site.gpu_node(model, 0, offers={profile: 4}, labels=labels) for _ in range(at.dice.randint(1, 2))]
    pod = at.waits(model, 1)
    remedies = right("change-request", "partition")
    return [Injected(pod, "whole-on-sliced", ("not-offered",), ((profile,), tuple(nodes)), remedies)]


def other_profile(at: Build) -> list[Injected]:
    """The MIG profile that is asked for isn't cut anywhere, another one is."""
    model = at.site.cut_model()
    asked, cut = (f"nvidia.com/mig-{part}" for part in at.dice.sample(model.parts, 2))
    nodes = [at.site.gpu_node(model, 0, offers={cut: 4}, labels={"nvidia.com/mig.strategy": "mixed"})]
    pod = at.waits(model, 1, resource=asked)
    remedies = right("change-request", "partition")
    return [Injected(pod, "other-profile", ("not-offered",), ((asked,), (cut, *nodes)), remedies)]


def counted_on_dra(at: Build) -> list[Injected]:
    """The nodes of the model publish their GPUs by DRA only."""
    model = at.site.any_model()
    nodes = []
    for _ in range(at.dice.randint(1, 2)):
        node = at.site.gpu_node(model, 4, offers={COUNTED: 0})
        at.site.slices(node, gpus(model, 4))
        nodes.append(node)
    pod = at.waits(model, 1)
    names = (tuple(nodes), ("ResourceSlice", "DRA", "extendedResourceName"))
    remedies = right("map-extended-resource", "use-claim", "change-request")
    return [Injected(pod, "counted-on-dra", ("not-offered",), names, remedies)]
