"""IP addresses: what CEL's `ip()` gives."""

import ipaddress
from dataclasses import dataclass
from typing import Self

from aliquot.cel.values.go_text import go_quote
from aliquot.cel.values.network.addresses import NetworkError, parse_address


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
            address = parse_address(text)
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
