"""What holds for every spec."""

import copy
import os
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given

from aliquot.cdi.check import Strength, check
from aliquot.cdi.diff import diff
from aliquot.cdi.documents.read import read
from aliquot.cdi.documents.write import to_data, to_json, to_yaml
from aliquot.cdi.injection.inject import Injector, inject
from aliquot.cdi.lower import lower
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Registry, SpecFile, registry_of
from aliquot.cdi.spec import Spec
from aliquot.cdi.versions import OLDEST, VERSIONS, minimum_version, rank
from tests.cdi.mutations import mutated
from tests.cdi.strategies import HOST, oci_specs, specs

pytestmark = pytest.mark.law

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
STRENGTHS: tuple[Strength, ...] = ("faithful", "strict")
MUTATIONS = 100_000 if DEEP else 3_000


@given(specs)
def test_what_is_written_is_read_back(spec: Spec) -> None:
    assert read(to_json(spec)) == spec
    assert read(to_yaml(spec)) == spec


@given(specs)
def test_other_yaml_readers_see_the_same(spec: Spec) -> None:
    assert yaml.safe_load(to_yaml(spec)) == to_data(spec)


@given(specs)
def test_writing_is_canonical(spec: Spec) -> None:
    assert to_yaml(read(to_yaml(spec))) == to_yaml(spec)


@given(specs)
def test_the_minimum_version_is_accepted_and_the_one_before_it_isnt(spec: Spec) -> None:
    least = minimum_version(spec)
    for version in VERSIONS:
        good = not check(replace(spec, version=version))
        assert good == (rank(version) >= max(rank(least), rank(OLDEST)))


@given(specs)
def test_a_lowered_spec_is_good_and_old_enough(spec: Spec) -> None:
    for version in VERSIONS[2:]:
        lowered = lower(spec, version)
        if lowered.spec is None:
            assert lowered.losses
            continue
        assert lowered.spec.version == version
        assert check(lowered.spec) == ()
        assert rank(minimum_version(lowered.spec)) <= rank(version)
        if rank(version) >= rank(minimum_version(spec)):
            assert not lowered.losses
            assert diff(spec, lowered.spec)[1:] == ()


@given(specs, specs)
def test_only_equal_specs_dont_differ(one: Spec, other: Spec) -> None:
    assert diff(one, one) == ()
    if to_data(one)["devices"][0] != to_data(other)["devices"][0] and len(one.devices) == len(other.devices) == 1:
        assert diff(one, other)


@given(specs, oci_specs)
def test_injection_is_all_or_nothing_and_leaves_the_specs_alone(spec: Spec, oci: dict[str, Any]) -> None:
    registry = registry_of([SpecFile("a.json", 0, spec)])
    names = list(registry.devices)
    oci_before, registry_before = copy.deepcopy(oci), copy.deepcopy(registry)
    injected = injected_or_category(oci, names, registry)
    if isinstance(injected, str):
        assert injected == "host"
    else:
        assert injected["ociVersion"] == oci["ociVersion"]
        assert set(oci) <= set(injected)
    assert oci == oci_before
    assert registry == registry_before


@given(specs, oci_specs)
def test_what_becomes_of_an_injected_spec_doesnt_change_the_next_one(spec: Spec, oci: dict[str, Any]) -> None:
    injector = Injector(registry_of([SpecFile("a.json", 0, spec)]))
    names = list(injector.registry.devices)
    first = injected_or_category(copy.deepcopy(oci), names, injector.registry)
    if not isinstance(first, str):
        wreck(injector.inject(copy.deepcopy(oci), names, HOST).oci)
        assert injector.inject(oci, names, HOST).oci == first


def wreck(data: Any) -> None:
    """Empty every object and list in the data."""
    for part in (*data.values(),) if isinstance(data, dict) else (*data,) if isinstance(data, list) else ():
        wreck(part)
    if isinstance(data, dict | list):
        data.clear()


def injected_or_category(oci: dict[str, Any], names: list[str], registry: Registry) -> dict[str, Any] | str:
    try:
        return inject(oci, names, registry, HOST).oci
    except SpecError as error:
        return error.category


def spec_or_problems(text: str, strength: Strength) -> Spec | tuple[Problem, ...]:
    try:
        return read(text, file="a.yaml", strength=strength)
    except SpecError as error:
        return error.problems


@pytest.mark.timeout(3600)
def test_a_spoilt_spec_never_raises_anything_but_the_documented_error() -> None:
    good = 0
    for text in mutated(seed=3, count=MUTATIONS):
        for strength in STRENGTHS:
            spec = spec_or_problems(text, strength)
            if isinstance(spec, tuple):
                assert spec
                assert all(problem.file == "a.yaml" and problem.message for problem in spec)
            else:
                good += 1
                assert read(to_yaml(spec), strength=strength) == spec
    assert good > MUTATIONS // 20
