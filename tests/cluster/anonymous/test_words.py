"""Words for words: equal for equal, near for near, far for all others."""

import string
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.advisor.nearest import distance, is_near
from aliquot.cluster.anonymous.words import Words

WORD = st.text(string.ascii_lowercase, min_size=2, max_size=16)


@pytest.mark.law
@given(st.lists(WORD, min_size=1, max_size=40), st.integers())
def test_different_words_stay_different_and_equal_ones_equal(found: list[str], seed: int) -> None:
    words = Words(Random(seed))
    made = [words.word(word) for word in found]
    assert [words.word(word) for word in found] == made
    assert len(set(made)) == len(set(found))


@pytest.mark.law
@given(st.data(), st.text(string.ascii_lowercase, min_size=4, max_size=14), st.integers())
def test_a_slip_stays_a_slip(data: st.DataObject, word: str, seed: int) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from(string.ascii_lowercase))
    slip = data.draw(
        st.sampled_from(
            [word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :]]
        )
    )
    words = Words(Random(seed))
    right, wrong = words.word(word), words.word(slip)
    assert is_near(right, wrong)
    assert (right == wrong) == (word == slip)


@pytest.mark.law
@given(st.lists(st.text(string.ascii_lowercase, min_size=6, max_size=9), min_size=2, max_size=30), st.integers())
def test_what_was_far_is_far(found: list[str], seed: int) -> None:
    words = Words(Random(seed))
    for one in found:
        words.word(one)
    for one in found:
        for other in found:
            if distance(one, other) > 6:
                assert words.word(one) == words.word(one)
                assert not is_near(words.word(one), words.word(other)) or distance(one, other) <= 8


def test_many_words() -> None:
    """Short ones run out; then they are longer."""
    words = Words(Random(1))
    letters = string.ascii_lowercase
    made = {words.word(a + b + c + "zzqq") for a in letters for b in letters for c in letters[:10]}
    assert len(made) == 6760
