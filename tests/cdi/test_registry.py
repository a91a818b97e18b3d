"""Who wins among several files, and what is said when nobody does."""

import pytest

from aliquot.cdi.documents.read import inspect
from aliquot.cdi.problems import Problem
from aliquot.cdi.registry import Registry, SpecFile, registry_of

GPU = '{{"cdiVersion": "0.5.0", "kind": "{kind}", "devices": [{devices}]}}'


def file(path: str, *devices: str, kind: str = "acme.test/gpu", priority: int | None = None) -> SpecFile:
    entries = ", ".join(f'{{"name": "{name}", "containerEdits": {{"env": ["FROM={path}"]}}}}' for name in devices)
    reading = inspect(GPU.format(kind=kind, devices=entries), file=path)
    return SpecFile(path, path.startswith("run/") if priority is None else priority, reading.spec, reading.problems)


def winners(registry: Registry) -> dict[str, str]:
    return {name.rpartition("=")[2]: found.file.path for name, found in registry.devices.items()}


def test_the_higher_folder_wins() -> None:
    registry = registry_of([file("run/a", "0"), file("etc/a", "0", "1")])
    assert winners(registry) == {"0": "run/a", "1": "etc/a"}
    assert not registry.errors
    assert [found.file.path for found in registry.definitions["acme.test/gpu=0"]] == ["etc/a", "run/a"]
    assert registry.devices["acme.test/gpu=0"].name == "acme.test/gpu=0"


def test_two_files_of_one_folder_cancel_each_other() -> None:
    registry = registry_of([file("etc/a", "0", "1"), file("etc/b", "0", "2"), file("etc/c", "0")])
    assert winners(registry) == {"1": "etc/a", "2": "etc/b"}
    assert list(registry.errors) == ["etc/a", "etc/b", "etc/c"]
    (problem,) = registry.errors["etc/b"]
    assert problem.category == "conflict"
    assert problem.message == "the device 'acme.test/gpu=0' is also defined by etc/a, etc/c"


def test_a_conflict_below_does_not_hurt_the_winner_above() -> None:
    """Defect 4 of the Go library: it drops run/c's device too."""
    registry = registry_of([file("etc/a", "0"), file("etc/b", "0"), file("run/c", "0")])
    assert winners(registry) == {"0": "run/c"}
    assert list(registry.errors) == ["etc/a", "etc/b"]


def test_a_conflict_above_hides_the_definition_below() -> None:
    registry = registry_of([file("etc/a", "0"), file("run/b", "0"), file("run/c", "0")])
    assert winners(registry) == {}
    assert list(registry.errors) == ["run/b", "run/c"]


def test_a_broken_file_hurts_no_other() -> None:
    broken = file("etc/b", "-", kind="other.test/nic")
    registry = registry_of([file("etc/a", "0"), broken], {"opt": Problem("io", "closed", file="opt")})
    assert winners(registry) == {"0": "etc/a"}
    assert list(registry.errors) == ["etc/b", "opt"]
    assert registry.vendors == ("acme.test",)
    assert registry.classes == ("gpu",)


def test_vendors_of_shadowed_files_count() -> None:
    registry = registry_of([file("etc/a", "0"), file("run/a", "0"), file("etc/n", "0", kind="b.test/nic")])
    assert registry.vendors == ("acme.test", "b.test")
    assert registry.classes == ("gpu", "nic")


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("/dev/null", "it has no vendor and class", "ask for vendor/class=name"),
        ("acme.test/gpu=1 ", "should end with a letter or digit", "ask for"),
        ("acme.test/gpu=twice", "etc/a and etc/b both define it", "remove it from all but one of them"),
        # defect 9 of the Go library: a file that failed to load is told apart from a name that nobody knows
        (
            "acme.test/nic=0",
            "etc/c defines acme.test/nic but failed to load: etc/c:1: devices[0].name",
            "mend that file",
        ),
        ("acme.test/gpu=one", "no file defines it, though acme.test/gpu is known", "there is only"),
        ("acme.test/gpu=zzz", "no file defines it, though acme.test/gpu is known", "there is only, other"),
        ("acme.test/tpu=0", "no file defines acme.test/tpu", "etc/d can't be read at all"),
    ],
)
def test_why_a_device_cant_be_resolved(name: str, said: str, hint: str) -> None:
    registry = registry_of(
        [
            file("etc/a", "twice", "only", "other"),
            file("etc/b", "twice"),
            file("etc/c", "-", kind="acme.test/nic"),
            SpecFile("etc/d", 0, None, (Problem("syntax", "garbage"),)),
        ]
    )
    problem = registry.why_not(name)
    assert problem.category == "unresolvable"
    assert said in problem.message
    assert problem.hint.startswith(hint)


def test_nothing_is_known_at_all() -> None:
    problem = Registry().why_not("acme.test/gpu=0")
    assert (problem.message, problem.hint) == (
        "the device 'acme.test/gpu=0' can't be resolved: no file defines acme.test/gpu",
        "see `aliquot cdi list`",
    )
