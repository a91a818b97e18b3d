"""Whole clusters of 10 to 60 mixed nodes, whose pending pods each wait for one cause that the generator knows.

`cluster(seed)` gives the dump's objects, and of each pending pod what is true of it: the kind that was injected, words
that the sentence with its cause must have, and ways out that an expert would call right. Every kind has nodes of a GPU
model of its own, so that causes don't hide each other; around them are other models, CPU nodes and a control plane.
The same seed gives the same cluster on every machine.

`python -m scenarios.mixed --seeds 20` holds `explain` against it, by kind.
"""

from scenarios.mixed.build import Build
from scenarios.mixed.kinds.table import CUT, KINDS
from scenarios.mixed.site import Site
from scenarios.mixed.surroundings import surroundings
from scenarios.mixed.truth import Injected, Mixed

MOST_CUT = 4
APART = {"all-taken", "incomplete-pool"}
"""A pool that isn't whole stops every pod that asks for all devices, wherever."""


def cluster(seed: int) -> Mixed:
    """The cluster that this seed always gives."""
    site = Site(seed)
    at = Build(site)
    injected: list[Injected] = []
    count = site.dice.randint(3, 14)
    cut = 0
    chosen: set[str] = set()
    for name in site.dice.sample(sorted(KINDS), len(KINDS)):
        if len(injected) >= count:
            break
        if name in APART and APART & chosen:
            continue
        chosen.add(name)
        if name in CUT and (cut := cut + 1) > MOST_CUT:
            continue
        injected += KINDS[name](at)
    surroundings(at)
    objects = list(site.objects)
    site.dice.shuffle(objects)
    return Mixed(seed, tuple(objects), tuple(injected))
