"""The story of a refusal: per request and device, every rule in the way, told apart from the search that refused.

The search stops at the first thing that fails; people want them all. So the rules are looked at again here, each
device by itself first, then the constraints between what is left.
"""

from collections.abc import Sequence

from aliquot.allocation.allocator_features import implementation_of
from aliquot.allocation.answer import DeviceStory, PoolStory, RequestStory, Story
from aliquot.allocation.behaviour import V1_36, Behaviour
from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.candidates import Candidate, candidates_of
from aliquot.allocation.rules.pools import PoolError, Pools
from aliquot.allocation.rules.selectors import Selectors
from aliquot.allocation.story.constraints import RequestCandidates, constraint_reasons
from aliquot.allocation.story.device import Asked, DeviceInspector
from aliquot.dra.claim import Claim, Request, SubRequest
from aliquot.kube.node import Node


def tell(
    supply: Supply, node: Node, claims: Sequence[Claim], selectors: Selectors, behaviour: Behaviour = V1_36
) -> Story:
    """Tells why a node can't serve claims. Also of claims that fit: then it says what each device has against it.

    Args:
        supply: what the cluster offers.
        node: the node.
        claims: the claims of one pod that aren't allocated yet.
        selectors: for evaluating CEL.
        behaviour: the scheduler's release: some of its rules differ.
    """
    pools = Pools(supply.slices, supply.features, implementation_of(supply.features), behaviour)
    try:
        candidates = candidates_of(pools.gather(node))
    except PoolError as error:
        return Story(pools=(PoolStory("", "", "invalid", str(error)),))
    inspector = DeviceInspector(supply, node, selectors, behaviour)
    requests = tuple(story for claim in claims for story in _claim_stories(supply, inspector, claim, candidates))
    return Story(requests, pools.troubles(node))


def _claim_stories(
    supply: Supply, inspector: DeviceInspector, claim: Claim, candidates: Sequence[Candidate]
) -> list[RequestStory]:
    told: list[tuple[RequestCandidates, SubRequest, dict[Candidate, DeviceStory]]] = []
    for request in claim.spec.requests:
        for alternative, recipe in _recipes(request):
            admin = not alternative and recipe.admin_access is True
            asked = Asked(recipe, supply.classes.get(recipe.class_name), admin)
            stories = {each: DeviceStory(each.id, inspector.reasons(asked, each)) for each in candidates}
            usable = tuple(candidate for candidate, story in stories.items() if not story.reasons)
            needed = 1 if recipe.mode == "All" else recipe.count
            told.append((RequestCandidates(request.name, alternative, needed, usable), recipe, stories))
    members = [member for member, _, _ in told]
    lists = supply.features.list_attributes
    for member, _, stories in told:
        for candidate in member.usable:
            reasons = constraint_reasons(claim.spec.constraints, member, members, candidate, lists=lists)
            stories[candidate] = DeviceStory(candidate.id, reasons)
    return [
        RequestStory(
            claim.meta.key,
            f"{member.request}/{member.alternative}" if member.alternative else member.request,
            None if recipe.mode == "All" else recipe.count,
            tuple(stories.values()),
        )
        for member, recipe, stories in told
    ]


def _recipes(request: Request) -> list[tuple[str, SubRequest]]:
    if request.first_available:
        return [(recipe.name, recipe) for recipe in request.first_available]
    return [("", request.exactly)] if request.exactly is not None else []
