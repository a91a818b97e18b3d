"""What is needed twice is evaluated once, and charged twice: the target of optMap."""

from aliquot.cel.running.frame import UNSET, Frame, Run
from aliquot.cel.values.stops import TooCostly
from aliquot.cel.values.value import Value


def remembered(place: int, target: Run, outer: tuple[int, ...]) -> Run:
    """Evaluate the target and keep its value with what it cost.

    Args:
        place: where they are kept.
        target: what is evaluated.
        outer: the places of accumulators from around the target that it may look at. The first look at one computes
            its start, which a second evaluation wouldn't pay for; then nothing is kept.
    """

    def run(frame: Frame) -> Value:
        places, before = frame.locals, frame.cost
        once = any(places[each] is UNSET for each in outer)
        value = target(frame)
        places[place] = UNSET if once else (value, frame.cost - before)
        return value

    return run


def recalled(place: int, target: Run) -> Run:
    """What the target gave before, charged once more; or the target evaluated again where nothing was kept."""

    def run(frame: Frame) -> Value:
        kept = frame.locals[place]
        if kept is UNSET:
            return target(frame)
        value, cost = kept
        frame.cost += cost
        if frame.cost > frame.limit:  # a chain of optMap doubles the cost at each step
            raise TooCostly(frame.limit + 1)
        return value

    return run
