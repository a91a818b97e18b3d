"""What a claim asks of this node, in words where it can't have it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.node.claims.asked import Asked, read_asked
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.sharing.claim_configs.values import Mps, TimeSlicing
from scenarios.deaths.machine import GPU, NIC, NODE, ApiServer, Json, opaque

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


def asked(api: ApiServer, ref: ClaimRef, driver: str = GPU) -> Asked | Refusal:
    return read_asked(api.get(ref.namespace, ref.name), ref, driver=driver, node=NODE)


def message(answer: Asked | Refusal) -> str:
    assert isinstance(answer, Refusal), answer
    return str(answer)


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_its_devices_and_what_counts_for_each(version: str) -> None:
    api = ApiServer()
    configs = [
        opaque("TimeSlicing", source="FromClass"),
        {**opaque("MPS"), "requests": ["r1"]},
        opaque("MPS", mig=True, more={"mpsConfig": {"defaultActiveThreadPercentage": 20}}),
        {"source": "FromClaim", "opaque": {"driver": NIC, "parameters": {"kind": "Whatever"}}},
    ]
    ref = api.allocate("c-aaaa", "gpu-0", "gpu-1", "gpu-2-mig-1g5gb-19-0", config=configs, version=version)
    found = asked(api, ref)
    assert isinstance(found, Asked)
    assert [type(each.config.sharing) for each in found.devices] == [TimeSlicing, Mps, Mps]
    assert found.devices[2].config.sharing == Mps(percent=20)
    assert len({each.group for each in found.devices}) == 3


def test_the_devices_of_other_drivers_are_theirs() -> None:
    api = ApiServer()
    channel = {"driver": "compute-domain.nvidia.com", "device": "channel-0"}
    domain = opaque(None)
    domain["opaque"] = {"driver": "compute-domain.nvidia.com", "parameters": {"kind": "ComputeDomainChannelConfig"}}
    both = asked(api, api.allocate("c-aaaa", channel, "gpu-1", config=domain))
    assert isinstance(both, Asked)
    assert [each.device.device for each in both.devices] == ["gpu-1"]
    assert message(asked(api, api.allocate("c-bbbb", channel))) == (
        "claim ml/c-bbbb (c-bbbb) has no device of gpu.nvidia.com: its devices are of compute-domain.nvidia.com "
        "(compute-domain.nvidia.com prepares its own)"
    )


def test_why_not() -> None:
    api = ApiServer()
    ref = api.allocate("c-aaaa", "gpu-1", pool="n2")
    assert message(asked(api, ref)) == "claim ml/c-aaaa (c-aaaa) has devices of n2, and this is n1"
    ref = api.allocate("c-aaaa", "../../etc/passwd")
    assert message(asked(api, ref)) == "claim ml/c-aaaa (c-aaaa) has '../../etc/passwd': no device can be called so"
    assert message(asked(api, ClaimRef("ml", "x", "../../x"))) == "'../../x' is no UID of a claim"
    ref = api.allocate("c-aaaa", "gpu-1", version="v7")
    assert message(asked(api, ref)).startswith("claim ml/c-aaaa (c-aaaa) is of resource.k8s.io/v7, which isn't known (")
    ref = api.allocate("c-aaaa", "nic-0000-9a-00-0", driver=NIC, config=[{
        "source": "FromClaim", "opaque": {"driver": NIC, "parameters": {}}}])  # fmt: skip
    assert message(asked(api, ref, NIC)) == (
        "claim ml/c-aaaa (c-aaaa): nic.aliquot.dev knows no configuration (leave it out)"
    )
    ref = api.allocate("c-aaaa", "gpu-1", config={**opaque("MPS", mig=True), "requests": ["r0"]})
    assert message(asked(api, ref)) == (
        "claim ml/c-aaaa (c-aaaa): the claim's configuration for r0: MigDeviceConfig for 'r0', which is a whole GPU: "
        "write a GpuConfig (correct the claim or its class)"
    )
    api.claims["ml", "c-aaaa"]["status"]["allocation"]["devices"]["results"][0]["device"] = 7
    assert message(asked(api, ref)) == (
        "claim ml/c-aaaa (c-aaaa) can't be read: status.allocation.devices.results[0].device: "
        "expected a string, found 7"
    )


@pytest.mark.law
@given(st.lists(JSON, max_size=3), JSON)
def test_any_configuration_is_read_or_refused(parameters: list[Any], device: Any) -> None:
    api = ApiServer()
    configs: list[Json] = [
        {"source": "FromClaim", "opaque": {"driver": GPU, "parameters": each}} for each in parameters
    ]
    ref = api.allocate("c-aaaa", {"device": device}, config=configs)
    assert isinstance(asked(api, ref), (Asked, Refusal))
