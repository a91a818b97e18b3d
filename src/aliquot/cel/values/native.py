"""Values on their way through Go's own types, where cel-go before 0.29 sends what an optional holds.

Whenever an optional is read from a variable or a branch of `?:`, it takes the value out as a plain Go value and makes a
CEL value of that again (cel-go 0.26, `interpreter/attributes.go`: `optObj.GetValue().Value()`, then `NativeToValue`).
That isn't the same value for types that only Kubernetes knows, for types as values, for optionals in optionals, and for
the maps of a device.
"""

from typing import Final

from aliquot.cel.values.lists import Joined
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.ip import Ip
from aliquot.cel.values.network.url import Url
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.quantities import ComputedQuantity, quantity_of
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import Err, Value
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

_GO_TYPES: Final[dict[type[object], str]] = {
    Quantity: "*resource.Quantity",
    ComputedQuantity: "*resource.Quantity",
    Semver: "semver.Version",
    Ip: "netip.Addr",
    Cidr: "netip.Prefix",
    Url: "*url.URL",
    Err: "*errors.errorString",
}


def through_native(value: Value) -> Value:
    """The value that comes back; an error for one of a type that cel-go doesn't know."""
    kind: type[object] = value.__class__
    if kind is Optional:
        return None if value is NONE else through_native(value.value)
    if kind is TypeValue:
        return value.name
    if kind is Joined:
        return [through_native(item) for item in value]
    if getattr(kind, "default", None) is not None:
        return dict(value)  # the map that unknown domains are found in is Kubernetes' wrapping
    go_type = _GO_TYPES.get(kind)
    if go_type is None:
        return value
    text = value.message if kind is Err else quantity_of(value) if kind is ComputedQuantity else value
    return Err(f"unsupported conversion to ref.Val: ({go_type}){text}")
