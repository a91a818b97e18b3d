"""The hooks of a spec: whose tool, which of them, and what they link and cache; options that can't be used."""

from dataclasses import replace
from typing import Any

import pytest

from aliquot.cdi.generate.hook_calls import OWN_VERBS, HookCalls, nvidia_tool, own_tool
from aliquot.cdi.generate.inventory import Library
from aliquot.cdi.problems import SpecError
from tests.cdi.generated import host, made, words


def test_links_of_graphics_libraries() -> None:
    inventory = host(1)
    assert inventory.driver is not None
    version, folder = inventory.driver.version, inventory.driver.folders[0]
    added = tuple(
        Library(path=f"{folder}/{name}.{version}")
        for name in ("libnvidia-vulkan-producer.so", "libglxserver_nvidia.so")
    )
    driver = replace(
        inventory.driver,
        graphics=added,
        explicit=(Library(path="/usr/lib/libGL.so.1.7", soname="libGL.so.1", links=("libGL.so.1",)),),
    )
    result = made(replace(inventory, driver=driver), explicit_libraries=True)
    assert words(result)[0][2:] == (
        *("--link", f"{added[0].name}::{folder}/libnvidia-vulkan-producer.so"),
        *("--link", f"{added[1].name}::{folder}/libglxserver_nvidia.so"),
    )
    assert "libGL.so.1.7::/usr/lib/libGL.so.1" in words(result)[1]
    assert words(result)[3][-1] == "/usr/lib"


@pytest.mark.parametrize("name", ["libcuda.dat.1", "lib.so.1", "libx.so1", "x.so"])
def test_what_isnt_a_library_gets_no_folder_in_the_loaders_cache(name: str) -> None:
    inventory = host(1)
    assert inventory.driver is not None
    driver = replace(inventory.driver, libraries=(Library(path=f"/odd/{name}"),))
    assert not any("update-ldcache" in line for line in words(made(replace(inventory, driver=driver))))


def test_our_own_hook_does_what_it_can_and_the_rest_is_told() -> None:
    result = made(host(1), hooks=HookCalls(own_tool("/opt/bin/aliquot")))
    verbs = {line[3] for line in words(result)}
    assert verbs < OWN_VERBS
    assert {hook.path for hook in result.spec.edits.hooks} == {"/opt/bin/aliquot"}
    assert words(result)[0][:3] == ("aliquot", "cdi", "hook")
    assert "enable-cuda-compat" in str(result.warnings[-1])


@pytest.mark.parametrize(
    ("disabled", "enabled", "verbs"),
    [
        ({"all"}, (), set()),
        ({"all"}, {"chmod"}, {"chmod"}),
        (
            {"create-symlinks", "enable-cuda-compat", "update-application-profile"},
            (),
            {"update-ldcache", "disable-device-node-modification"},
        ),
        (
            {"chmod"},
            {"chmod"},
            {
                "chmod",
                "create-symlinks",
                "enable-cuda-compat",
                "update-application-profile",
                "update-ldcache",
                "disable-device-node-modification",
            },
        ),
    ],
)
def test_hooks_switched_off_and_on(disabled: set[str], enabled: set[str], verbs: set[str]) -> None:
    hooks = HookCalls(nvidia_tool(), frozenset(disabled), frozenset(enabled))
    spec = made(host(1), hooks=hooks).spec
    blocks = [spec.edits, *(device.edits for device in spec.devices)]
    assert {hook.args[1] for edits in blocks for hook in edits.hooks} == verbs


def test_another_ldconfig() -> None:
    result = made(host(1), hooks=HookCalls(ldconfig="/opt/ldconfig"))
    line = next(line for line in words(result) if "update-ldcache" in line)
    assert line[2:4] == ("--ldconfig-path", "/opt/ldconfig")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vendor": "nvidia.com-"}, "vendor: "),
        ({"class_": "-"}, "class: "),
        ({"hooks": HookCalls(disabled=frozenset({"symlinks"}))}, "disable-hook: there's no hook 'symlinks'"),
        ({"hooks": HookCalls(enabled=frozenset({"all"}))}, "enable-hook: there's no hook 'all'"),
        ({"strategies": ()}, "device-name-strategy: "),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        made(host(1), **options)


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        made(host(1), vendor="-", class_="-", hooks=HookCalls(disabled=frozenset({"x"})))
    assert len(caught.value.problems) == 3
