"""Which Kubernetes: versions as they're printed, and what a release's gates are."""

import pytest

from aliquot.kube.release import NEWEST, OLDEST, Kubernetes, kubernetes_of


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.36.2", Kubernetes(36, 2)),
        ("1.36", Kubernetes(36)),
        ("1.33+", Kubernetes(33)),
        ("1.37.0-alpha.1", Kubernetes(37, 0, pre_release="alpha.1")),
        ("v1.34.1-gke.1200", Kubernetes(34, 1)),
        ("v1.34.1-rc.0+abc", Kubernetes(34, 1, pre_release="rc.0")),
        ("v1.33.5+k3s1", Kubernetes(33, 5)),
        ("1.20", Kubernetes(OLDEST)),
        ("v1.99.0", Kubernetes(NEWEST)),
    ],
)
def test_the_nearest_known_release(text: str, release: Kubernetes) -> None:
    assert kubernetes_of(text) == release
    assert str(release) == f"1.{release.minor}"


@pytest.mark.parametrize("text", ["", "2.0", "latest", "v1", "1.x"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="not a Kubernetes version"):
        kubernetes_of(text)


@pytest.mark.parametrize(
    ("minor", "gate", "default"),
    [
        (31, "DRAAdminAccess", True),  # as 1.34: the first with resource.k8s.io/v1
        (34, "DRADeviceTaints", False),
        (36, "DRADeviceTaints", True),
        (34, "DRADeviceTaintRules", None),
        (36, "DRADeviceTaintRules", False),
        (37, "DRADeviceTaintRules", True),
        (35, "DRAListTypeAttributes", None),
        (36, "NoSuchGate", None),
    ],
)
def test_the_default_of_a_gate(minor: int, gate: str, *, default: bool | None) -> None:
    assert Kubernetes(minor).default(gate) is default
    assert Kubernetes(minor).on(gate) is bool(default)
    assert (gate in Kubernetes(minor).known_gates()) is (default is not None)


def test_a_changed_gate_counts_the_latest_change_wins() -> None:
    changed = Kubernetes(36).changed([("DRADeviceTaintRules", True)])
    assert changed.on("DRADeviceTaintRules")
    assert changed.changed([("DRADeviceTaintRules", False)]) == Kubernetes(36, gates=(("DRADeviceTaintRules", False),))
