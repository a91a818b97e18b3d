"""A machine for each test."""

from collections.abc import Iterator

import pytest

from tests.node.machine import Machine


@pytest.fixture
def machine() -> Iterator[Machine]:
    with Machine() as made:
        yield made
