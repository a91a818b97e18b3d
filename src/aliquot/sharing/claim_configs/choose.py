"""Which of an allocation's configurations counts for a device.

As NVIDIA's driver has it: a class's come before the claim's, and the later wins. One that names the device's request
must be of the device's kind; one for all requests is passed over where it's of the other kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.sharing.claim_configs.values import ClaimConfig


@dataclass(frozen=True, slots=True)
class Offered:
    """A configuration of an allocation that was read."""

    config: ClaimConfig
    from_class: bool = False
    requests: tuple[str, ...] = ()
    """The requests that it's for, `request` or `request/subrequest`; empty: all."""
    path: str = ""
    """Where it stands, for messages."""

    def names(self, request: str) -> bool:
        """Whether it names the request of a result."""
        return request in self.requests or request.partition("/")[0] in self.requests


@dataclass(frozen=True, slots=True)
class WrongKind:
    """A configuration names a request whose device is of another kind."""

    path: str
    message: str


def config_for(request: str, offered: Sequence[Offered], *, on_mig: bool) -> ClaimConfig | WrongKind:
    """The configuration of a device; where none is for it, the one that sets up nothing.

    Args:
        request: of the allocation's result: `request` or `request/subrequest`.
        offered: in the allocation's order.
        on_mig: whether the device is a MIG instance.
    """
    for each in [
        *(one for one in reversed(offered) if not one.from_class),
        *(one for one in reversed(offered) if one.from_class),
    ]:
        fits = each.config.for_mig == on_mig
        if each.names(request) and not fits:
            is_a = "a MIG device" if on_mig else "a whole GPU"
            wanted = ClaimConfig(on_mig).kind
            return WrongKind(each.path, f"{each.config.kind} for {request!r}, which is {is_a}: write a {wanted}")
        if fits and (each.names(request) or not each.requests):
            return each.config
    return ClaimConfig(on_mig)
