import pytest

from aliquot.cdi.problems import SpecError
from aliquot.cdi.qualified_names import (
    class_fault,
    device_name_fault,
    is_qualified,
    parse_device,
    parse_qualified,
    qualify,
    spec_file_name,
    split_kind,
    vendor_fault,
)


@pytest.mark.parametrize("name", ["a", "A", "vendor.com", "a..b", "a_-.b", "v" * 300])
def test_good_vendors_and_classes(name: str) -> None:
    assert vendor_fault(name) is None
    assert class_fault(name) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "is empty"),
        ("1a", "should start with a letter"),
        ("-a", "should start with a letter"),
        ("é", "should start with a letter"),
        ("a b", "has the character ' '"),
        ("a/b", "has the character '/'"),
        ("a:b", "has the character ':'"),
        ("ab-", "should end with a letter or digit"),
        ("a.", "should end with a letter or digit"),
    ],
)
def test_faulty_vendors_and_classes(name: str, fault: str) -> None:
    for found in (vendor_fault(name), class_fault(name)):
        assert found is not None
        assert found.endswith(fault)


@pytest.mark.parametrize("name", ["0", "a", "0:1", "GPU-1f2e", "a..b", "1_2.3-4:5"])
def test_good_device_names(name: str) -> None:
    assert device_name_fault(name) is None


@pytest.mark.parametrize("name", ["", ":a", "a:", "a,b", "*", "a=b", "a é"])
def test_faulty_device_names(name: str) -> None:
    assert device_name_fault(name)


def test_a_kind_is_cut_at_the_first_slash() -> None:
    assert split_kind("a/b/c") == ("a", "b/c")
    assert split_kind("a/") == split_kind("/a") == split_kind("a") == split_kind("") == ("", "")


def test_a_qualified_name_goes_both_ways() -> None:
    name = parse_qualified("vendor.com/gpu=0:1")
    assert (name.vendor, name.class_, name.name, name.kind) == ("vendor.com", "gpu", "0:1", "vendor.com/gpu")
    assert str(name) == "vendor.com/gpu=0:1" == qualify(name.kind, name.name)


@pytest.mark.parametrize("text", ["", "/dev/null", "gpu0", "a=b/c=d", "v/c=", "v/=x", "v/c"])
def test_what_isnt_qualified_is_a_bare_name(text: str) -> None:
    assert str(parse_device(text)) == parse_device(text).name == text
    assert not is_qualified(text)


def test_the_error_names_the_part_and_the_form() -> None:
    with pytest.raises(SpecError) as error:
        parse_qualified("vendor.com/gpu=0,1")
    assert error.value.category == "name"
    assert "has the character ','" in str(error.value)
    assert "vendor/class=name is expected" in str(error.value)


def test_files_are_named_after_kind_and_claim() -> None:
    assert spec_file_name("vendor.com/gpu") == "vendor.com-gpu"
    assert spec_file_name("vendor.com/gpu", "claim/../1") == "vendor.com-gpu_claim_.._1"
