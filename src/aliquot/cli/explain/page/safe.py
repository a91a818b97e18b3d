"""What names from a cluster must not do to a page: steer its text's direction, or be no text at all."""

import re

STEERING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters, marks that turn the direction of text, and halves of characters."""


def plain(value: object) -> object:
    """A value as the page shows it; HTML in it is escaped afterwards. Our own markup stays."""
    return value if hasattr(value, "__html__") else STEERING.sub("\ufffd", str(value))
