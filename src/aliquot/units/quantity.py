"""Kubernetes quantities (`500m`, `8Gi`, `1e3`): read, compared, added and printed as Go's `resource.Quantity` does.

The value is exact: a whole number of nano-units. The rules are those of k8s.io/apimachinery/pkg/api/resource. Go holds
a quantity either as a 64-bit mantissa with a decimal scale or as a big decimal, and a few of its answers (`AsInt64`,
`Value` beyond 64 bits) depend on which; so `Form` is kept beside the value.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from aliquot.units.quantity_text import Form, Format, QuantityError, power_of_ten, read

__all__ = ["NANO", "Format", "Quantity", "QuantityError", "parse_milli", "parse_quantity", "parse_value"]

NANO: Final = 10**9
"""Nano-units in one unit."""

_INT64_MAX: Final = 2**63 - 1
_INT64_MIN: Final = -(2**63)
_BINARY_SUFFIXES: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_SUFFIXES: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}


PLAIN: Final = Form()


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An exact amount, equal and ordered by value whatever its format: `1Gi` equals `1073741824`."""

    nanos: int
    """The value in nano-units (1e-9)."""
    form: Form = PLAIN
    """How it was written: that decides how it's printed, and a few of Go's answers."""
    text: str | None = None
    """The text it was read from, where Go prints that back unchanged."""

    @staticmethod
    def parse(text: str | float) -> "Quantity":
        """Read a quantity as `resource.ParseQuantity` does: no spaces around it.

        Args:
            text: the quantity; an int or a float stands for the JSON number of that text.

        Raises:
            QuantityError: it isn't a quantity, or has more than 1000 digits or an exponent above 1000 (where Go
                would still read it).
        """
        if isinstance(text, str):
            return parse_quantity(text)
        if isinstance(text, bool):
            raise QuantityError(f"{text} is not a quantity: write a number, as in 2, 500m or 8Gi")
        return parse_quantity(repr(text))

    @staticmethod
    def of(value: int, fmt: Format = Format.DECIMAL_SI) -> "Quantity":
        """A whole number of units, as `resource.NewQuantity` makes it."""
        return Quantity(value * NANO, Form(fmt, 0, not _INT64_MIN <= value <= _INT64_MAX))

    @staticmethod
    def of_milli(value: int, fmt: Format = Format.DECIMAL_SI) -> "Quantity":
        """A whole number of thousandths, as `resource.NewMilliQuantity` makes it."""
        return Quantity(value * 10**6, Form(fmt, -3, not _INT64_MIN <= value <= _INT64_MAX))

    # --- order, by value -------------------------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        return self.nanos == other.nanos if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos

    def __le__(self, other: "Quantity") -> bool:
        return self.nanos <= other.nanos

    def __gt__(self, other: "Quantity") -> bool:
        return self.nanos > other.nanos

    def __ge__(self, other: "Quantity") -> bool:
        return self.nanos >= other.nanos

    def compare(self, other: "Quantity") -> int:
        """-1, 0 or 1, as Go's `Cmp`."""
        return (self.nanos > other.nanos) - (self.nanos < other.nanos)

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.nanos > 0) - (self.nanos < 0)

    # --- how it's held ---------------------------------------------------------------------------------------------
    @property
    def format(self) -> Format:
        """How it was written, and so how it's printed."""
        return self.form.format

    @property
    def scale(self) -> int:
        """The power of ten at which Go holds the mantissa."""
        return self.form.scale

    @property
    def big(self) -> bool:
        """Whether Go holds it as a big decimal, which has no int64 form."""
        return self.form.big

    # --- as a number -----------------------------------------------------------------------------------------------
    @property
    def unscaled(self) -> int:
        """Go's mantissa: the value divided by 10**scale."""
        power = self.scale + 9
        return self.nanos // power_of_ten(power) if power >= 0 else self.nanos * power_of_ten(-power)

    def value(self) -> int:
        """Whole units, rounded up, as Go's `Value()`; see `scaled_value` for what happens beyond 64 bits."""
        return self.scaled_value(0)

    def milli_value(self) -> int:
        """Thousandths, rounded up, as Go's `MilliValue()`; see `scaled_value` for what happens beyond 64 bits."""
        return self.scaled_value(-3)

    def scaled_value(self, scale: int) -> int:
        """The value in units of 10**scale, rounded as Go's `ScaledValue` does, whose result is an int64.

        Positive values round up. Negative ones round away from zero in the 64-bit form, and towards zero plus one
        in the big form. Beyond 64 bits the big form wraps around, and the 64-bit form wraps or gives 0.
        """
        if not self.big:
            whole = _divide_away_from_zero(self.nanos, power_of_ten(scale + 9))
            if _INT64_MIN <= whole <= _INT64_MAX:
                return whole
            # Go multiplies by these powers in one step, and by the others digit by digit, stopping at an overflow.
            return _wrap(whole) if self.scale - scale in {1, 2, 3, 6, 9} else 0
        unscaled, places = self.unscaled, scale - self.scale
        if places <= 0:
            # Go multiplies int64s; its power of ten is a float converted to int64, which saturates from 10**19 on.
            return _wrap(_wrap(unscaled) * (power_of_ten(-places) if places > -19 else _INT64_MIN))
        divisor = power_of_ten(places)
        if unscaled < _INT64_MAX and places < 19:
            wrapped = _wrap(unscaled)
            whole = abs(wrapped) // divisor * (1 if wrapped >= 0 else -1)
            return whole + 1 if wrapped % divisor else whole
        return _wrap(-(-unscaled // divisor))

    def as_int64(self) -> int | None:
        """The value as Go's `AsInt64` gives it, or None.

        None when it was written with a fraction or a suffix below one (`1.0` and `1000m` too), when it's held as
        a big decimal, and beyond 64 bits.
        """
        if self.big or self.scale < 0:
            return None
        whole = self.nanos // NANO
        return whole if _INT64_MIN <= whole <= _INT64_MAX else None

    @property
    def is_integer(self) -> bool:
        """Whether `as_int64` gives a number: the meaning of CEL's `isInteger()`."""
        return self.as_int64() is not None

    def as_float(self) -> float:
        """The nearest floats multiplied, as Go's `AsApproximateFloat64`; infinite beyond a float's range."""
        try:
            base = float(self.unscaled)
        except OverflowError:
            return float("inf") if self.nanos > 0 else float("-inf")
        return base * _go_pow10(self.scale) if self.scale else base

    # --- arithmetic ------------------------------------------------------------------------------------------------
    def add(self, other: "Quantity") -> "Quantity":
        """The sum, in this one's format, or in the other's when this one is zero."""
        return self._plus(other, other.nanos)

    def sub(self, other: "Quantity") -> "Quantity":
        """The difference, in this one's format, or in the other's when this one is zero."""
        return self._plus(other, -other.nanos)

    def neg(self) -> "Quantity":
        """The same amount with the other sign."""
        return Quantity(-self.nanos, self.form)

    def __add__(self, other: "Quantity") -> "Quantity":
        return self.add(other)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return self.sub(other)

    def __neg__(self) -> "Quantity":
        return self.neg()

    def _plus(self, other: "Quantity", nanos: int) -> "Quantity":
        fmt = self.format if self.nanos else other.format
        if not (self.big or other.big):
            if nanos == 0:
                return Quantity(self.nanos, Form(fmt, self.scale))
            if self.nanos == 0:
                return Quantity(nanos, other.form)
        total, scale, big = self.nanos + nanos, min(self.scale, other.scale), self.big or other.big
        if not big:
            unit = power_of_ten(scale + 9)
            big = any(not _INT64_MIN <= n // unit <= _INT64_MAX for n in (self.nanos, nanos, total))
        return Quantity(total, Form(fmt, scale, big))

    # --- printing --------------------------------------------------------------------------------------------------
    def __str__(self) -> str:
        """As Go's `String()`: the text it was read from where Go keeps it (`1.500`), else the canonical form."""
        return self.text if self.text is not None else self.canonical()

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def canonical(self) -> str:
        """As Go's `CanonicalizeBytes`: no fraction, the largest suffix that loses nothing.

        Binary amounts below 1024 or with a fraction are printed as decimal ones. Like Go's, the text has no suffix
        from 1000E (or 1024Ei) on, and so no longer means the same amount.
        """
        whole, fraction = divmod(self.nanos, NANO)
        if fraction == 0 and -1000 < whole < 1000:  # most amounts: no suffix, whatever the format
            return str(whole)
        if self.format is Format.BINARY_SI and fraction == 0 and not -1024 < whole < 1024:
            number, power = _without_factors(whole, 1024)
            return f"{number}{_BINARY_SUFFIXES[power] if power < len(_BINARY_SUFFIXES) else ''}"
        number, power = _without_factors(self.nanos, 10)
        exponent = power - 9
        number *= power_of_ten(exponent % 3)
        exponent -= exponent % 3
        if self.format is Format.DECIMAL_EXPONENT:
            return f"{number}e{exponent}" if exponent else str(number)
        return f"{number}{_DECIMAL_SUFFIXES.get(exponent, '')}"


def _divide_away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number >= 0 else number // divisor


def _wrap(number: int) -> int:
    """The low 64 bits, as a signed number."""
    return (number + 2**63) % 2**64 - 2**63


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    power = 0
    while number % factor == 0:
        number //= factor
        power += 1
    return number, power


def _go_pow10(exponent: int) -> float:
    """Go's `math.Pow10`: a product (or quotient) of two correctly rounded powers."""
    if exponent > 308:
        return float("inf")
    high, low = divmod(abs(exponent), 32)
    return float(10 ** (32 * high)) * float(10**low) if exponent >= 0 else float(f"1e-{32 * high}") / float(10**low)


@lru_cache(maxsize=16384)
def parse_quantity(text: str) -> Quantity:
    """`Quantity.parse` for a text, remembered."""
    return Quantity(*read(text))


@lru_cache(maxsize=16384)
def parse_value(text: str) -> int:
    """Whole units, rounded up: `Quantity.parse(text).value()`, remembered.

    Raises:
        QuantityError: it isn't a quantity.
    """
    return parse_quantity(text).value()


@lru_cache(maxsize=16384)
def parse_milli(text: str) -> int:
    """Thousandths, rounded up: `Quantity.parse(text).milli_value()`, remembered.

    Raises:
        QuantityError: it isn't a quantity.
    """
    return parse_quantity(text).milli_value()
