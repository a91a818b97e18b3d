"""The wanted outcome (`right`) of the cases rewritten from public issues: reading, injecting and lowering."""

import json
from typing import Any

import pytest

from conformance.cdi import answer
from tests.cdi.cases import COPIES, rows

CASES = {row["name"]: row for row in rows(COPIES / "issue_cases.json")}


def said(name: str) -> dict[str, Any]:
    return answer({"file": "issue_cases.json", "name": name, "input": CASES[name]["input"]})


def device(name: str) -> dict[str, Any]:
    answered = said(name)
    assert answered["ok"]
    (found,) = answered["result"]["oci"]["linux"]["devices"]
    assert isinstance(found, dict)
    return found


def test_each_case_is_looked_at() -> None:
    assert set(CASES) == {
        "non-root-user-needs-group",
        "version-declared-too-low",
        "device-without-own-edits",
        "hostpath-differs-in-user-namespace",
        "spec-newer-than-consumer",
        "host-file-mode-is-kept",
        "dynamic-major-moved",
        "stale-library-after-driver-upgrade",
    }


def test_a_user_other_than_root_gets_the_group() -> None:
    found = device("non-root-user-needs-group")
    assert (found["gid"], found["uid"], found["fileMode"]) == (109, 1000, 0o660)
    assert said("non-root-user-needs-group")["result"]["oci"]["process"]["user"]["additionalGids"] == [109]


def test_a_version_that_is_too_low_is_explained() -> None:
    answered = said("version-declared-too-low")
    assert (answered["ok"], answered["error_category"]) == (False, "version")
    assert "devices[0].containerEdits.deviceNodes[0].hostPath" in answered["result"]["error"]
    assert "needs version 0.5.0" in answered["result"]["error"]


def test_a_broken_file_is_named_where_its_device_is_asked_for() -> None:
    answered = said("device-without-own-edits")
    assert (answered["ok"], answered["error_category"]) == (False, "unresolvable")
    for part in ("run/t.yaml defines acme.test/net but failed to load", "the device 'demo1' has no edits of its own"):
        assert part in answered["result"]["error"]
    assert answered["result"]["unresolved"] == ["acme.test/net=demo1"]
    assert "'demo1' has no edits" in answered["result"]["errors"]["run/t.yaml"][0]


def test_a_node_elsewhere_in_a_user_namespace_is_warned_of() -> None:
    answered = said("hostpath-differs-in-user-namespace")
    assert answered["ok"]
    (warning,) = answered["result"]["warnings"]
    assert "runtimes bind the host's '/dev/acme0'" in warning
    assert "--userns-bind" in warning


def test_a_spec_is_lowered_for_an_older_consumer() -> None:
    answered = said("spec-newer-than-consumer")
    assert answered["result"]["minimumVersion"] == "0.7.0"
    lowered = answered["result"]["lower --to 0.5.0"]
    assert lowered["spec"]["cdiVersion"] == "0.5.0"
    assert "additionalGids" not in json.dumps(lowered["spec"])
    (loss,) = lowered["losses"]
    assert "device '0'" in loss
    assert "additionalGids" in loss


def test_the_hosts_file_mode_is_kept() -> None:
    assert device("host-file-mode-is-kept")["fileMode"] == 0o640


@pytest.mark.parametrize("name", ["dynamic-major-moved"])
def test_numbers_are_injected_as_written(name: str) -> None:
    found = device(name)
    assert (found["major"], found["minor"]) == (497, 0)


def test_a_missing_mount_source_is_left_to_the_start_of_the_container() -> None:
    answered = said("stale-library-after-driver-upgrade")
    assert answered["ok"]
    (mount,) = answered["result"]["oci"]["mounts"]
    assert mount["source"] == "/opt/cdihost/lib/libacme.so.1.0"
