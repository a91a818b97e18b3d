"""IP addresses and networks: CEL's `ip()` and `cidr()`, parsed and printed as Go's net/netip does."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, Self

from aliquot.cel.quoting import go_quote

_BITS: Final = re.compile(r"[1-9][0-9]{0,2}|0", re.ASCII)


class NetworkError(ValueError):
    """A text that is no address or network; the message is Kubernetes'."""


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
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


@dataclass(frozen=True, slots=True)
class Ip:
    """An address, never with a zone and never an IPv4 address in IPv6 clothes."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an address.

        Raises:
            NetworkError: it isn't one that Kubernetes accepts.
        """
        try:
            address = _address(text)
        except NetworkError as error:
            raise NetworkError(
                f"IP Address {go_quote(text)} parse error during conversion from string: {error}"
            ) from None
        if isinstance(address, ipaddress.IPv6Address):
            if address.scope_id is not None:
                raise NetworkError(f"IP address {go_quote(text)} with zone value is not allowed")
            if address.ipv4_mapped is not None:
                raise NetworkError(f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
        return cls(address)

    def __str__(self) -> str:
        """The canonical form."""
        return str(self.address)

    @property
    def octets(self) -> int:
        """Its length in bytes: 4 or 16, as the cost of comparing it counts."""
        return self.address.max_prefixlen // 8

    @property
    def is_global_unicast(self) -> bool:
        """Go's meaning: neither unspecified, loopback, multicast nor link-local; private ranges count as global."""
        a = self.address
        broadcast = a == ipaddress.IPv4Address("255.255.255.255")
        return not (a.is_unspecified or a.is_loopback or a.is_multicast or self.is_link_local_unicast or broadcast)

    @property
    def is_link_local_unicast(self) -> bool:
        """169.254.0.0/16 or fe80::/10."""
        return self.address.is_link_local

    @property
    def is_link_local_multicast(self) -> bool:
        """224.0.0.0/24 or ff02::/16, whatever flags the latter has."""
        packed = self.address.packed
        return packed[:3] == b"\xe0\x00\x00" if len(packed) == 4 else packed[0] == 0xFF and packed[1] & 0x0F == 2


@dataclass(frozen=True, slots=True)
class Cidr:
    """A network prefix; bits beyond the prefix are kept, as in `10.1.2.3/8`."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    bits: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a prefix.

        Raises:
            NetworkError: it isn't one that Kubernetes accepts.
        """
        before, slash, length = text.rpartition("/")
        complaint = "network address parse error during conversion from string: " * 2
        if not slash:
            raise NetworkError(f"{complaint}netip.ParsePrefix({go_quote(text)}): no '/'")
        try:
            address = _address(before)
        except NetworkError as error:
            raise NetworkError(f"{complaint}netip.ParsePrefix({go_quote(text)}): {error}") from None
        if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
            raise NetworkError(
                f"{complaint}netip.ParsePrefix({go_quote(text)}): IPv6 zones cannot be present in a prefix"
            )
        if not _BITS.fullmatch(length):
            raise NetworkError(
                f"{complaint}netip.ParsePrefix({go_quote(text)}): bad bits after slash: {go_quote(length)}"
            )
        if int(length) > address.max_prefixlen:
            raise NetworkError(f"{complaint}netip.ParsePrefix({go_quote(text)}): prefix length out of range")
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            raise NetworkError(
                "network address parse error during conversion from string: "
                f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed"
            )
        return cls(address, int(length))

    def __str__(self) -> str:
        """Address, slash, length."""
        return f"{self.address}/{self.bits}"

    def ip(self) -> Ip:
        """The address, with the bits beyond the prefix."""
        return Ip(self.address)

    @property
    def octets(self) -> int:
        """The bytes that the prefix covers, rounded up, as the cost of comparing it counts."""
        return -(-self.bits // 8)

    @property
    def masked(self) -> "Cidr":
        """The same prefix with all bits beyond it zero."""
        keep = self.address.max_prefixlen - self.bits
        return Cidr(type(self.address)(int(self.address) >> keep << keep), self.bits)

    def contains(self, address: Ip) -> bool:
        """Whether an address lies in the network; one of the other family doesn't."""
        if address.address.version != self.address.version:
            return False
        keep = self.address.max_prefixlen - self.bits
        return int(self.address) >> keep == int(address.address) >> keep

    def contains_network(self, other: "Cidr") -> bool:
        """Whether all of another network lies in this one."""
        return self.bits <= other.bits and self.contains(Ip(other.address))
