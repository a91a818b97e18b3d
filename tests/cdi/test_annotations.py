import pytest

from aliquot.cdi.annotations import annotate, annotation_faults, annotation_key, annotation_value, requested_devices
from aliquot.cdi.problems import SpecError


def test_a_request_goes_both_ways() -> None:
    asked = annotate({"other": "x"}, "vendor.class", "dev/0", ["v/c=b", "v/c=a"])
    assert asked == {"other": "x", "cdi.k8s.io/vendor.class_dev_0": "v/c=b,v/c=a"}
    assert requested_devices(asked) == ("v/c=b", "v/c=a")


def test_the_order_is_that_of_the_keys() -> None:
    assert requested_devices({"cdi.k8s.io/z": "v/c=1", "cdi.k8s.io/a": "v/c=2"}) == ("v/c=2", "v/c=1")


@pytest.mark.parametrize(
    ("plugin", "device_id", "said"),
    [
        ("", "x", "the plugin's name is empty"),
        ("x", "", "the device id is empty"),
        ("p" * 60, "123", "longer than 63"),
        ("_p", "x", "start and end with"),
        ("p", "x_", "start and end with"),
        ("p", "x y", "has the character ' '"),
        ("p", "xé" + "x" * 3, "has the character 'é'"),
    ],
)
def test_faulty_keys(plugin: str, device_id: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        annotation_key(plugin, device_id)


def test_a_taken_key_is_refused() -> None:
    with pytest.raises(SpecError, match="in use already"):
        annotate({"cdi.k8s.io/p_x": ""}, "p", "x", ["v/c=1"])


def test_every_bad_piece_is_named() -> None:
    with pytest.raises(SpecError) as error:
        requested_devices({"cdi.k8s.io/a": "v/c=1, v/c=2", "cdi.k8s.io/b": "", "cdi.k8s.io/c": "/dev/null"})
    assert [problem.path for problem in error.value.problems] == [
        "annotations.cdi.k8s.io/a",
        "annotations.cdi.k8s.io/b",
        "annotations.cdi.k8s.io/c",
    ]
    with pytest.raises(SpecError):
        annotation_value(["v/c=1", "c=1"])


@pytest.mark.parametrize("key", ["a", "A.b_c-D", "example.com/a", "Example.COM/a", "x" * 63, f"{'a.' * 126}a/x"])
def test_good_annotations(key: str) -> None:
    assert not list(annotation_faults({key: "v"}))


@pytest.mark.parametrize("key", ["", "a b", "-a", "a-", "/a", "a/", "a/b/c", "x" * 64, "a_b/c", f"{'a.' * 127}/x"])
def test_faulty_annotations(key: str) -> None:
    assert [found for found, _ in annotation_faults({key: "v"})] == [key]


def test_annotations_have_a_size() -> None:
    assert not list(annotation_faults({"a": "x" * (256 * 1024 - 1)}))
    assert [key for key, _ in annotation_faults({"a": "x" * (256 * 1024)})] == [""]
