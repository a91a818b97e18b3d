"""An independent judge of allocations: by rules, and by brute force that there is none.

It shares no code with the engines: what Kubernetes 1.36 demands of an allocation is written down here again, as plainly
as can be and for one set of devices at a time, without a search to be fast in. Only selectors are evaluated by the
project's own CEL, and the objects are read by its readers.

    world = World.of(supply, node, claims, selectors)
    judgement = judge(world, engine.allocate(node, claims))
    judgement.complaints      # empty: the answer holds
"""

from scenarios.oracle.judge import Judgement, judge
from scenarios.oracle.possible import possible
from scenarios.oracle.rules import problems
from scenarios.oracle.world import World

__all__ = ["Judgement", "World", "judge", "possible", "problems"]
