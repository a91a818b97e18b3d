"""The kinds of resource.k8s.io from their JSON: v1, v1beta2, v1beta1 and v1alpha3, all into the v1 shape."""

from aliquot.dra.claim import Claim, ClaimTemplate, DeviceClass
from aliquot.dra.device import Slice, TaintRule
from aliquot.dra.read_claim import claim, device_class, flat_claim, flat_template, template
from aliquot.dra.read_slice import alpha_slice, basic_slice, resource_slice, taint_rule
from aliquot.dra.wire import WireAlphaSlice, WireClaim, WireClass, WireSlice, WireTaintRule, WireTemplate
from aliquot.kube.reading.kind import Kind

GROUP = "resource.k8s.io"
Noun = Slice | TaintRule | DeviceClass | Claim | ClaimTemplate

_NESTED = ("v1", "v1beta2")
_FLAT = ("v1beta1", "v1alpha3")

KINDS: tuple[Kind[Noun], ...] = (
    Kind(GROUP, _NESTED, "ResourceSlice", WireSlice, resource_slice),
    Kind(GROUP, ("v1beta1",), "ResourceSlice", WireSlice, basic_slice),
    Kind(GROUP, ("v1alpha3",), "ResourceSlice", WireAlphaSlice, alpha_slice),
    Kind(GROUP, _NESTED, "ResourceClaim", WireClaim, claim),
    Kind(GROUP, _FLAT, "ResourceClaim", WireClaim, flat_claim),
    Kind(GROUP, _NESTED, "ResourceClaimTemplate", WireTemplate, template),
    Kind(GROUP, _FLAT, "ResourceClaimTemplate", WireTemplate, flat_template),
    Kind(GROUP, (*_NESTED, *_FLAT), "DeviceClass", WireClass, device_class),
    Kind(GROUP, (*_NESTED, "v1alpha3"), "DeviceTaintRule", WireTaintRule, taint_rule),
)
