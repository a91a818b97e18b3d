"""Kubernetes' functions of IP addresses and networks."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.functions.declarations import Impl
from aliquot.cel.values.network.addresses import NetworkError
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.ip import Ip
from aliquot.cel.values.value import Err, Value


def _parsed(parse: Callable[[str], Value]) -> Impl:
    def convert(text: str) -> Value:
        try:
            return parse(text)
        except NetworkError as error:
            return Err(str(error))

    return convert


ip_of: Final = _parsed(Ip.parse)
cidr_of: Final = _parsed(Cidr.parse)


def is_ip(text: str) -> bool:
    """Whether `ip(text)` works."""
    return not isinstance(ip_of(text), Err)


def is_cidr(text: str) -> bool:
    """Whether `cidr(text)` works."""
    return not isinstance(cidr_of(text), Err)


def is_canonical(text: str) -> Value:
    """Whether an address is written in its canonical form."""
    address = ip_of(text)
    return address if isinstance(address, Err) else str(address) == text


def contains_ip_text(network: Cidr, text: str) -> Value:
    """Whether an address, given as text, lies in the network."""
    address = ip_of(text)
    return Err("no such overload") if isinstance(address, Err) else network.contains(address)


def contains_cidr_text(network: Cidr, text: str) -> Value:
    """Whether a network, given as text, lies in the network."""
    other = cidr_of(text)
    return other if isinstance(other, Err) else network.contains_network(other)
