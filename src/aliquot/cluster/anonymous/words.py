"""A made-up word for every word: equal for equal, near for near, and far for all others."""

from random import Random

from aliquot.advisor.nearest import distance

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"
SYLLABLES = 3
NEAR_FROM = 2
"""Letters from which a word can be a slip for another."""


class Words:
    """Grows as words come; the first of two near words decides both.

    How near two words are is what `advisor.nearest` counts, so that a misspelt label is found as misspelt afterwards.
    """

    def __init__(self, random: Random) -> None:
        """None yet; `random` chooses the words, and nobody who doesn't know its state can undo that."""
        self._random = random
        self._made: dict[str, str] = {}
        self._taken: set[str] = set()
        self._shapes: dict[str, list[str]] = {}
        """What is left of a word without one or two letters -> the words: near ones share such a rest."""
        self._made_shapes: set[str] = set()

    def word(self, word: str) -> str:
        """The word for a lower-case one, always the same."""
        found = self._made.get(word)
        if found is None:
            found = self._made[word] = self._near(word) or self._new(_letters_for(word))
            self._taken.add(found)
            self._made_shapes |= rests(found, 1)
            for rest in rests(word, _slips(word)):
                self._shapes.setdefault(rest, []).append(word)
        return found

    def _new(self, letters: int) -> str:
        """One that no other is near to."""
        while True:
            syllables = (
                self._random.choice(CONSONANTS) + self._random.choice(VOWELS) for _ in range((letters + 1) // 2)
            )
            made = "".join(syllables)
            if made not in self._taken and not rests(made, 1) & self._made_shapes:
                return made
            if self._random.random() < 0.05:
                letters += 2  # the short ones are running out

    def _near(self, word: str) -> str | None:
        """The word for one that is near to a known one: as near to that one's."""
        if len(word) < NEAR_FROM:
            return None
        slips = _slips(word)
        others = {other for rest in rests(word, slips) for other in self._shapes.get(rest, ())}
        ranked = sorted((distance(word, other) // 2, other) for other in others)
        for edits, other in ranked:
            if edits > min(slips, _slips(other)):
                return None
            for _ in range(20):
                made = self._edited(self._made[other], edits)
                if made not in self._taken and distance(made, self._made[other]) == 2 * edits:
                    return made
        return None

    def _edited(self, word: str, edits: int) -> str:
        letters = list(word)
        for at in self._random.sample(range(1, len(letters)), edits):
            letters[at] = self._random.choice(VOWELS if letters[at] in VOWELS else CONSONANTS)
        return "".join(letters)


def _letters_for(word: str) -> int:
    """As long a word as lets the same number of slips count as near."""
    return max(2 * SYLLABLES, 5 * (len(word) // 5) + 1 if len(word) >= 10 else 0)


def _slips(word: str) -> int:
    """How many slips of the pen still make it near: one, in long words a fifth of the letters, here at most two."""
    return min(2, max(1, len(word) // 5))


def rests(word: str, letters: int) -> set[str]:
    """The word, and what is left of it without up to so many of its letters."""
    found = {word}
    latest = found
    for _ in range(letters):
        latest = {rest[:at] + rest[at + 1 :] for rest in latest for at in range(len(rest))}
        found = found | latest
    return found
