"""Amounts of resources in words: from the scheduler's integers back to quantities."""

from collections.abc import Sequence

BYTES = frozenset({"memory", "ephemeral-storage"})
HUGE = 10**24
"""From here on an amount is printed by its size alone."""
STEPS = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))


def show(resource: str, amount: int) -> str:
    """A quantity in the resource's usual unit: `1500m` of cpu, `8Gi` of memory, plain counts else; exact."""
    if abs(amount) >= HUGE:
        return _huge(amount // 1000 if resource == "cpu" else amount)
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if resource in BYTES or resource.startswith("hugepages-"):
        for suffix, shift in STEPS:
            if amount and amount % (1 << shift) == 0:
                return f"{amount >> shift}{suffix}"
    return str(amount)


def about(resource: str, amount: int) -> str:
    """The same, rounded for reading: `7.6Gi`."""
    if (resource in BYTES or resource.startswith("hugepages-")) and amount and abs(amount) < HUGE:
        for suffix, shift in STEPS:
            if abs(amount) >= 1 << shift:
                return f"{amount / (1 << shift):.1f}".removesuffix(".0") + suffix
    return show(resource, amount)


def in_one_unit(resource: str, amounts: Sequence[int]) -> list[str]:
    """Amounts that are compared or added: in the largest unit that each of them (but 0) has at least one of."""
    sizes = [abs(amount) for amount in amounts if amount]
    if not (resource in BYTES or resource.startswith("hugepages-")) or not sizes or max(sizes) >= HUGE:
        return [show(resource, amount) for amount in amounts]
    suffix, shift = next(((suffix, shift) for suffix, shift in STEPS if min(sizes) >= 1 << shift), ("", 0))
    return [f"{amount / (1 << shift):.1f}".removesuffix(".0") + (suffix if amount else "") for amount in amounts]


def _huge(amount: int) -> str:
    """`1e400`: nobody reads four hundred digits."""
    digits = str(abs(amount))
    first = f"{digits[0]}.{digits[1:4]}".rstrip("0").removesuffix(".")
    return f"{'-' if amount < 0 else ''}{first}e{len(digits) - 1}"
