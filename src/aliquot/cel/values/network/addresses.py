"""Reading IP addresses as Go's net/netip does, and why it refuses a text."""

import ipaddress
import re
from typing import Final

from aliquot.cel.values.go_text import go_quote


class NetworkError(ValueError):
    """A text that is no address or network; the message is Kubernetes'."""


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Read an address.

    Raises:
        NetworkError: it isn't one; the message is that of Go's netip.ParseAddr.
    """
    bare, _, zone = text.partition("%")
    try:
        # Go's zones may hold anything, Python's no percent sign
        return ipaddress.ip_address(f"{bare}%{zone.replace('%', '_')}" if zone else text)
    except ValueError:
        raise NetworkError(f"ParseAddr({go_quote(text)}): {_complaint(text)}") from None


def _complaint(text: str) -> str:
    """Why Go's netip.ParseAddr refuses a text, in its words."""
    first = next((char for char in text if char in ".:%"), "")
    if first == ".":
        return _complaint_v4(text)
    if first == ":":
        return _complaint_v6(text)
    return "missing IPv6 address" if first else "unable to parse IP"


def _at(why: str, rest: str) -> str:
    return f"{why} (at {go_quote(rest)})" if rest else why


def _complaint_v4(text: str) -> str:
    """Octet by octet, as it stands or at the end of an IPv6 address."""
    value = digits = octets = 0
    for index, char in enumerate(text):
        if "0" <= char <= "9":
            if digits == 1 and value == 0:
                return "IPv4 field has octet with leading zero"
            value, digits = value * 10 + int(char), digits + 1
            if value > 255:
                return "IPv4 field has value >255"
        elif char != ".":
            return _at("unexpected character", text[index:])
        elif index in {0, len(text) - 1} or text[index - 1] == ".":
            return _at("IPv4 field must have at least one digit", text[index:])
        elif octets == 3:
            return "IPv4 address too long"
        else:
            value, digits, octets = 0, 0, octets + 1
    return "IPv4 address too short"


_GROUP: Final = re.compile(r"[0-9a-fA-F]*", re.ASCII)


def _complaint_v6(text: str) -> str:
    """Group by group; `rest` is what Go shows as the place of the fault."""
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        return "zone must be a non-empty string"
    ellipsis = rest.startswith("::")
    rest = rest[2:] if ellipsis else rest
    groups = 0
    while groups < 8:
        match = _GROUP.match(rest)
        digits = match.group() if match else ""
        if len(digits) > 4:
            return _at("each group must have 4 or less digits", rest)
        if not digits:
            return _at("each colon-separated field must have at least one digit", rest)
        after = rest[len(digits) :]
        if after.startswith("."):
            if not ellipsis and groups != 6:
                return _at("embedded IPv4 address must replace the final 2 fields of the address", rest)
            if groups > 6:
                return _at("too many hex fields to fit an embedded IPv4 at the end of the address", rest)
            return _complaint_v4(rest)
        groups += 1
        rest = after
        if not rest:
            break
        if rest[0] != ":":
            return _at("unexpected character, want colon", rest)
        if len(rest) == 1:
            return _at("colon must be followed by more characters", rest)
        rest = rest[1:]
        if rest[0] == ":":
            if ellipsis:
                return _at("multiple :: in address", rest)
            ellipsis = True
            rest = rest[1:]
            if not rest:
                break
    if rest:
        return _at("trailing garbage after address", rest)
    if groups < 8:
        return "address string too short"
    return "the :: must expand to at least one field of zeros"
