"""Brute force: every choice of devices, request after request."""

from collections.abc import Iterator, Sequence
from itertools import combinations, count

from scenarios.oracle.rules import MOST_RESULTS, alone, broken, every
from scenarios.oracle.world import Given, World

PATIENCE = 2_000
"""Choices that are looked at."""


class TooManyError(Exception):
    """There are more choices than that."""


def possible(world: World) -> bool | None:
    """Whether any choice of devices would do; None: there are too many.

    A choice that breaks a rule isn't continued: more devices never break fewer rules. The claims
    must be well-formed (see `faults`).
    """
    requests = [(claim, index) for claim, each in enumerate(world.claims) for index in range(len(each.spec.requests))]
    try:
        return _continues(world, requests, [], count())
    except TooManyError:
        return None


def _continues(world: World, requests: Sequence[tuple[int, int]], given: list[Given], looked_at: Iterator[int]) -> bool:
    if not requests:
        return True
    for option in _options(world, *requests[0]):
        if next(looked_at) >= PATIENCE:
            raise TooManyError
        chosen = given + option
        if (
            sum(each.claim == requests[0][0] for each in chosen) <= MOST_RESULTS
            and not any(broken(world, chosen))
            and _continues(world, requests[1:], chosen, looked_at)
        ):
            return True
    return False


def _options(world: World, claim: int, index: int) -> Iterator[list[Given]]:
    """The choices for one request: for each alternative, sets of devices that would do if they were alone."""
    request = world.claims[claim].spec.requests[index]
    only = None if request.first_available else request.exactly
    for place, recipe in [(None, only)] if only is not None else enumerate(request.first_available):
        wanted = every(world, recipe) if recipe.mode == "All" else list(world.devices)
        given = [Given(claim=claim, request=index, alternative=place, recipe=recipe, device=id_) for id_ in wanted]
        if recipe.mode != "All":
            yield from map(list, combinations([each for each in given if not any(alone(world, each))], recipe.count))
        elif given:
            yield given
