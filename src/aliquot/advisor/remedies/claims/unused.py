"""Claims that hold devices in the way; and those among them that no pod uses, which give them back when they go."""

import shlex
from collections.abc import Iterator, Sequence

from aliquot.advisor import undo
from aliquot.advisor.case import Case, Spot
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.dra.claims import unused
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.allocation.answer import CounterShort, Held
from aliquot.dra.claim import Claim

PROBLEM = "DynamicResources"
TRIED = 4


def in_the_way(case: Case, spot: Spot) -> dict[str, bool]:
    """Keys of the claims that hold devices and counters which the story names -> it's a partition that they hold."""
    story = case.stories.get(spot.node.name)
    found: dict[str, bool] = {}
    if story is None:
        return found
    by_device = case.scheduler.supply(case.snapshot).state.holders
    for request in story.requests:
        for device in request.devices:
            for reason in device.reasons:
                if isinstance(reason, Held):
                    found.setdefault(reason.claim, False)
                elif isinstance(reason, CounterShort):
                    for used in reason.held_by:
                        for one in by_device.get(used, ()):
                            found[one.claim] = True
    return found


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Each by itself; and, where it takes several, as many as it takes."""
    if not spot.lacks_devices:
        return
    idle = sorted(unused(case.snapshot).intersection(in_the_way(case, spot)))
    for key in idle[:TRIED]:
        yield _deleted(spot, (key,))
    for count in range(2, len(idle) + 1):
        several = _deleted(spot, idle[:count])
        if case.placed(several.apply(case.trial), spot.node.name):
            yield several
            return


def _deleted(spot: Spot, keys: Sequence[str]) -> Candidate:
    def apply(trial: Trial) -> Trial:
        world = trial.snapshot
        for key in keys:
            world = world.without_object(Claim, key)
        return Trial(world, trial.pod)

    one = len(keys) == 1
    which = f"claim {keys[0]}" if one else f"claims {listed(keys)}"
    return Candidate(
        kind="free-device",
        target="+".join(f"resourceclaim/{key.partition('/')[2]}" for key in keys),
        title=f"Delete {which}: {'it is' if one else 'they are'} allocated, and no pod in the input uses "
        f"{'it' if one else 'them'}",
        changes=tuple(_change(key) for key in keys),
        apply=apply,
        risk=Risk("medium", f"who made {'it' if one else 'them'} may still want {'it' if one else 'them'}"),
        rank=20 + len(keys) / 10,
        node=spot.node.name,
        cures=PROBLEM,
    )


def _change(key: str) -> Change:
    namespace, _, name = key.partition("/")
    kept = undo.Kept("resourceclaim", name, namespace, "create")
    command = f"kubectl delete resourceclaim {shlex.quote(name)} -n {shlex.quote(namespace)}"
    return Change(f"resourceclaim {key}", kept.before(command), undo=kept.undo)
