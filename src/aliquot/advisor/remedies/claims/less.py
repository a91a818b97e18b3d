"""Whether a device has less than another one, by what their products or MIG profiles are called."""

import re

from aliquot.devices.catalogue import by_product

PROFILE = re.compile(r"(\d+)(?:c\.\d+)?g\.(\d+)gb")


def is_less(given: str, asked: str) -> bool:
    """Less memory, or fewer compute slices. False also where one of the names says nothing."""
    here, there = PROFILE.match(given), PROFILE.match(asked)
    if here is not None and there is not None:
        return any(int(mine) < int(theirs) for mine, theirs in zip(here.groups(), there.groups(), strict=True))
    have, wanted = by_product(given), by_product(asked)
    if have is None or wanted is None or have.memory_mib is None or wanted.memory_mib is None:
        return False
    return have.memory_mib < wanted.memory_mib
