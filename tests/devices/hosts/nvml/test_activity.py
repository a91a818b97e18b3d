"""Activity counters that have no value, and drivers that have no counters."""

from pathlib import Path

from tests.devices.hosts.fake import Fake, old


def test_counters_without_a_value_are_left_out(fake: Fake) -> None:
    fake.put({"g1.metric.2": "nan", "g1.metric.3": 12.5, "g1.metric.10": 100})
    host = fake.host()
    (answer,) = host.activity(host.survey().gpus[1].uuid)
    assert (answer.busy, answer.sm, answer.occupancy, answer.tensor, answer.dram) == (0.0, None, 0.125, None, 1.0)


def test_activity_of_an_old_driver(tmp_path: Path) -> None:
    fake = old(tmp_path, "nvmlGpmQueryDeviceSupport")
    fake.put({"g1.utilisation": 25})
    host = fake.host()
    assert [each.busy for each in host.activity(host.survey().gpus[1].uuid)] == [0.25]
    fake.close()
