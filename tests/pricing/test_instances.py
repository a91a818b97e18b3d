"""Prices of instances, by name and by GPU."""

import pytest

from aliquot.devices.catalogue import find
from aliquot.pricing.instances import Instance, default_prices

PRICES = default_prices()


def test_the_table_says_when_and_in_what() -> None:
    assert (PRICES.as_of, PRICES.currency) == ("2026-08-03", "USD")
    assert len(PRICES.instances) == 150
    assert all(each.as_of and each.source in PRICES.sources for each in PRICES.instances)


# facts/planner.md, section 2
@pytest.mark.parametrize(
    ("instance_type", "model", "count", "per_gpu_hour"),
    [
        ("p4d.24xlarge", "A100-40GB", 8, 2.745),
        ("g4dn.xlarge", "T4", 1, 0.526),
        ("p5.48xlarge", "H100-SXM-80GB", 8, 6.88),
        ("a2-highgpu-1g", "A100-40GB", 1, 3.67),
    ],
)
def test_by_name(instance_type: str, model: str, count: int, per_gpu_hour: float) -> None:
    instance = PRICES.named(instance_type)
    assert instance is not None
    assert (instance.gpu_model, instance.gpu_count) == (model, count)
    assert instance.usd_per_gpu_hour == pytest.approx(per_gpu_hour, abs=0.005)
    assert PRICES.named(instance_type, "nowhere") == instance


def test_a_region_counts_where_it_is_listed() -> None:
    by_type: dict[str, set[str]] = {}
    for each in PRICES.instances:
        by_type.setdefault(each.instance_type, set()).add(each.region)
    for each in PRICES.instances:
        found = PRICES.named(each.instance_type, each.region)
        assert found is not None
        assert found.region == each.region
    assert PRICES.named("no-such-type") is None


@pytest.mark.parametrize(
    ("model", "count", "provider", "instance_type"),
    [
        ("A100-40GB", 1, None, "a2-highgpu-1g"),
        ("A100-40GB", 8, "aws", "p4d.24xlarge"),
        ("T4", 1, "aws", "g4dn.xlarge"),
        ("L4", 0.125, "aws", "g6f.large"),
        ("L4", 1, "aws", "g6.xlarge"),
        ("A100-40GB", 17, None, None),
        ("A100-40GB", 1, "nobody", None),
        ("GTX-1", 1, None, None),
    ],
)
def test_cheapest(model: str, count: float, provider: str | None, instance_type: str | None) -> None:
    found = PRICES.cheapest(model, count, provider)
    assert (found.instance_type if found else None) == instance_type


@pytest.mark.parametrize("model", sorted({each.gpu_model for each in PRICES.instances}))
def test_carrying_is_in_order_of_price_and_complete(model: str) -> None:
    found = PRICES.carrying(model, 1)
    prices = [each.usd_per_hour for each in found if each.usd_per_hour is not None]
    assert len(prices) == len(found)
    assert prices == sorted(prices)
    assert {(each.instance_type, each.region) for each in found} == {
        (each.instance_type, each.region)
        for each in PRICES.instances
        if each.gpu_model == model and each.usd_per_hour is not None and (each.gpu_count or 0) >= 1
    }


def test_models_are_keys_of_the_catalogue() -> None:
    models = {each.gpu_model for each in PRICES.instances}
    foreign = {model for model in models if find(model) is None}
    assert foreign == {"T4G", "Radeon Pro V520", "Gaudi1"}


def test_no_price_per_gpu_without_both_figures() -> None:
    unpriced = [each for each in PRICES.instances if each.usd_per_gpu_hour is None]
    assert {each.certainty for each in unpriced} == {"no-list-price", "gpu-count-unknown"}


def test_a_users_own_prices_come_first() -> None:
    own = Instance(
        provider="aws", region="us-east-1", instance_type="p4d.24xlarge", gpu_model="A100-40GB", gpu_count=8,
        usd_per_hour=9.0, as_of="2026-11-01",
    )  # fmt: skip
    prices = PRICES.overridden([own])
    assert prices.named("p4d.24xlarge") == own
    assert prices.cheapest("A100-40GB", 8) == own
    assert prices.as_of == "2026-11-01"
    assert len(prices.instances) == len(PRICES.instances)
