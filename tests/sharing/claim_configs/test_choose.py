"""Which configuration counts: the class's before the claim's, the later wins, and its kind must be the device's."""

import pytest

from aliquot.devices.gpu import TimeSlice
from aliquot.sharing.claim_configs.choose import Offered, WrongKind, config_for
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing

SHORT = ClaimConfig(for_mig=False, sharing=TimeSlicing(TimeSlice.SHORT))
LONG = ClaimConfig(for_mig=False, sharing=TimeSlicing(TimeSlice.LONG))
PLAIN = ClaimConfig(for_mig=False)
ON_MIG = ClaimConfig(for_mig=True, sharing=Mps())


@pytest.mark.parametrize(
    ("offered", "request_name", "chosen"),
    [
        ([], "gpu", PLAIN),
        ([Offered(SHORT)], "gpu", SHORT),
        ([Offered(SHORT), Offered(LONG)], "gpu", LONG),
        ([Offered(LONG), Offered(SHORT, from_class=True)], "gpu", LONG),  # the claim's counts more, wherever it stands
        ([Offered(SHORT, requests=("gpu",)), Offered(LONG, requests=("other",))], "gpu", SHORT),
        ([Offered(SHORT, requests=("gpu",))], "gpu/small", SHORT),
        ([Offered(SHORT, requests=("gpu/small",))], "gpu/small", SHORT),
        ([Offered(SHORT, requests=("gpu/large",))], "gpu/small", PLAIN),
        ([Offered(SHORT), Offered(ON_MIG)], "gpu", SHORT),  # for all requests, and this one is no MIG device
    ],
)
def test_the_one_that_counts(offered: list[Offered], request_name: str, chosen: ClaimConfig) -> None:
    assert config_for(request_name, offered, on_mig=False) == chosen


def test_one_that_names_a_device_of_the_other_kind() -> None:
    answer = config_for("gpu", [Offered(ON_MIG, requests=("gpu",), path="config[0]")], on_mig=False)
    assert answer == WrongKind("config[0]", "MigDeviceConfig for 'gpu', which is a whole GPU: write a GpuConfig")
    answer = config_for("mig", [Offered(SHORT, requests=("mig",), path="config[1]")], on_mig=True)
    assert answer == WrongKind("config[1]", "GpuConfig for 'mig', which is a MIG device: write a MigDeviceConfig")
    assert config_for("mig", [Offered(SHORT)], on_mig=True) == ClaimConfig(for_mig=True)
