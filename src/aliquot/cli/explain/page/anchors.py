"""Ids that links lead to: made from names, so that they stay the same from one page to the next."""

import re

OTHERS = re.compile(r"[^a-z0-9]+")


class Anchors:
    """Gives each thing an id that no other thing has."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, kind: str, name: str) -> str:
        """`node-a100-1`; a number follows where another name reads the same."""
        key = f"{kind} {name}"
        if key not in self._given:
            base = f"{kind}-{OTHERS.sub('-', name.lower()).strip('-')}"
            made, number = base, 1
            while made in self._used:
                number += 1
                made = f"{base}-{number}"
            self._used.add(made)
            self._given[key] = made
        return self._given[key]

    def known(self, kind: str, name: str) -> str:
        """The id if the thing is on the page; else empty."""
        return self._given.get(f"{kind} {name}", "")
