"""JSON numbers with a fraction or an exponent: a whole number keeps every digit; on request, every number does.

A float represents any number of up to 15 significant digits. Only longer numbers, and those at the ends of the range,
are compared with the text that was sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from decimal import Decimal

NumberReader: TypeAlias = "Callable[[str], float | int | Decimal]"
_EXACT_CHARS = 16  # a number this long has at most 15 digits, since one character is its point or exponent
_SMALLEST, _LARGEST = 1e-300, 1e15
_LARGEST_WHOLE = 2.0**53
_LONGEST, _LEAST_EXPONENT = 400, -400


class PreciseNumberError(ValueError):
    """A number that cannot be represented exactly.

    Attributes:
        number: the number as it was sent.
    """

    def __init__(self, number: str) -> None:
        super().__init__("a number has too many digits")
        self.number = number


def read_whole(number: str) -> float | int:
    """A number as a float, or as an int if it is whole and no float equals it.

    Args:
        number: a JSON number with a fraction or an exponent.

    Raises:
        PreciseNumberError: the number is not whole but its nearest float is, or it is out of range.
    """
    read = _read_number(number)
    if isinstance(read, (float, int)):
        return read
    rounded = float(number)
    if rounded.is_integer():
        raise PreciseNumberError(number)
    return rounded


def read_exact(number: str) -> float | int | Decimal:
    """A number as a float if that has the same digits, otherwise as an int if it is whole, otherwise as a Decimal.

    Args:
        number: a JSON number with a fraction or an exponent.

    Raises:
        PreciseNumberError: the number is out of range, or has hundreds of digits.
    """
    read = _read_number(number)
    if not isinstance(read, (float, int)) and (len(number) > _LONGEST or read.adjusted() < _LEAST_EXPONENT):
        raise PreciseNumberError(number)
    return read


def _read_number(number: str) -> float | int | Decimal:
    read = float(number)
    if len(number) <= _EXACT_CHARS and _SMALLEST < abs(read) < _LARGEST:
        return read
    if not math.isfinite(read):
        raise PreciseNumberError(number)
    from decimal import Decimal, InvalidOperation

    try:
        sent = Decimal(number)
    except InvalidOperation:
        raise PreciseNumberError(number) from None
    if sent == Decimal(repr(read)):
        return read
    return int(sent) if sent == sent.to_integral_value() else sent


def float_to_int(number: float) -> int:
    """The whole number that a float displays: `1e23` becomes 10 to the power of 23.

    Args:
        number: a float without a fraction.
    """
    if abs(number) <= _LARGEST_WHOLE:
        return int(number)
    from decimal import Decimal

    return int(Decimal(repr(number)))
