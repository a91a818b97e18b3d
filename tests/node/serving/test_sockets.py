"""The names of sockets, which have to fit into an address."""

from pathlib import Path

import pytest

from aliquot.node.serving.sockets import dra_socket, registration_socket

UID = "5a4a6d0c-2f2b-4b3e-9d38-7a1c0a1f5a11"
REGISTRY = Path("/var/lib/kubelet/plugins_registry")


def test_one_at_a_time() -> None:
    assert registration_socket(REGISTRY, "gpu.nvidia.com") == REGISTRY / "gpu.nvidia.com-reg.sock"
    assert dra_socket(Path("/p"), "gpu.nvidia.com") == Path("/p/gpu.nvidia.com/dra.sock")


def test_two_at_a_time_have_the_pods_uid() -> None:
    assert registration_socket(REGISTRY, "gpu.nvidia.com", UID).name == f"gpu.nvidia.com-{UID}-reg.sock"
    assert dra_socket(Path("/p"), "gpu.nvidia.com", UID).name == f"dra-{UID}.sock"


@pytest.mark.parametrize("length", range(20, 72))
def test_a_long_folder_gets_shorter_names(length: int) -> None:
    folder = Path("/" + "f" * (length - 1))
    found = registration_socket(folder, "gpu.nvidia.com", UID)
    assert len(str(found)) <= 107
    assert found.name.endswith("-reg.sock")
    other = registration_socket(folder, "gpu.nvidia.com", UID.replace("5", "6"))
    assert found != other, "two pods, two sockets"


def test_a_folder_without_room_is_said() -> None:
    with pytest.raises(ValueError, match="use a shorter folder"):
        registration_socket(Path("/" + "f" * 106), "gpu.nvidia.com", UID)
