"""The best few of several devices: exact where that's a small search, else grown from every device.

Better is: by the price of each device first; then the closer together; then the closer together what is left, so that
the next one finds close ones too; then the earlier.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final

MOST: Final = 20_000
"""So many subsets are looked at: all of 16 GPUs."""


def best(
    candidates: Sequence[int], size: int, chosen: Sequence[int], prices: Sequence[int], close: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """So many of the candidates, or all where there are fewer.

    Args:
        candidates: devices by number, in order.
        size: how many.
        chosen: devices that are taken already, and count for closeness.
        prices: by device, what counts first: the sum is to be small.
        close: by two devices.
    """
    if size >= len(candidates):
        return tuple(candidates)
    rating = _Rating(candidates, chosen, prices, close)
    if comb(len(candidates), size) <= MOST:
        return max(combinations(candidates, size), key=rating.of)  # the first of equals
    return max((rating.grown(first, size) for first in candidates), key=rating.of)


class _Rating:
    def __init__(
        self, candidates: Sequence[int], chosen: Sequence[int], prices: Sequence[int], close: Sequence[Sequence[int]]
    ) -> None:
        self.candidates = candidates
        self.prices = prices
        self.close = close
        self.to_chosen = {one: sum(close[one][other] for other in chosen) for one in candidates}
        self.to_all = {one: sum(close[one][other] for other in candidates) for one in candidates}

    def of(self, subset: Sequence[int]) -> tuple[int, int, int]:
        """The larger the better."""
        within = sum(self.close[one][other] for one, other in combinations(subset, 2))
        # of all pairs but for those that touch the subset; of these, inner ones were counted from both ends
        left = within - sum(self.to_all[one] for one in subset)
        together = within + sum(self.to_chosen[one] for one in subset)
        return -sum(self.prices[one] for one in subset), together, left

    def grown(self, first: int, size: int) -> tuple[int, ...]:
        """A subset that begins with one, and takes the best next one each time."""
        subset = [first]
        gain = dict(self.to_chosen)
        while len(subset) < size:
            for one in self.candidates:
                gain[one] += self.close[one][subset[-1]]
            rest = [one for one in self.candidates if one not in subset]
            subset.append(max(rest, key=lambda one: (-self.prices[one], gain[one], -self.to_all[one])))
        return tuple(sorted(subset, key=self.candidates.index))
