"""IP networks: what CEL's `cidr()` gives."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, Self

from aliquot.cel.values.go_text import go_quote
from aliquot.cel.values.network.addresses import NetworkError, parse_address
from aliquot.cel.values.network.ip import Ip

_BITS: Final = re.compile(r"[1-9][0-9]{0,2}|0", re.ASCII)


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
            address = parse_address(before)
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
