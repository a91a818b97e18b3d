"""Looking into the kubelet's folders and at the processes. An edge; the folders are arguments."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aliquot.node.neighbours.ask import knock, registered, whose
from aliquot.node.neighbours.found import DOMAIN_DRIVER, GPU_DRIVER, OnMachine, Registered

_DEVICE_PLUGINS: Final = "nvidia-*.sock"
"""NVIDIA's plugin has a socket for each resource."""
_HASHED: Final = "dra-"
"""How a registration socket begins whose own name would be too long: only asking tells whose it is."""
_NAMES: Final = (GPU_DRIVER, DOMAIN_DRIVER)


def look(kubelet: Path, root: Path = Path("/")) -> OnMachine:
    """What is there of NVIDIA's.

    Args:
        kubelet: the kubelet's root, as this process sees it.
        root: of the machine's file system, as this process sees it; its `proc` tells processes' names.
    """
    troubles: list[str] = []
    plugins = tuple(knock(path) for path in _sockets(kubelet / "device-plugins", _DEVICE_PLUGINS, troubles))
    return OnMachine(
        device_plugins=plugins,
        registered=tuple(_registered(kubelet / "plugins_registry", troubles)),
        drivers={
            name: tuple(whose(path) for path in _sockets(kubelet / "plugins" / name, "dra*.sock", troubles))
            for name in _NAMES
        },
        processes=frozenset(_processes(root)),
        troubles=tuple(troubles),
    )


def _registered(folder: Path, troubles: list[str]) -> Iterator[Registered]:
    for path in _sockets(folder, "*-reg.sock", troubles):
        named = next((name for name in _NAMES if path.name.startswith(f"{name}-")), "")
        if named or path.name.startswith(_HASHED):
            found = registered(path, named)
            if found.driver in _NAMES:
                yield found


def _sockets(folder: Path, pattern: str, troubles: list[str]) -> list[Path]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        troubles.append(f"{folder} can't be looked into: {error.strerror}")
        return []
    return [folder / name for name in names if Path(name).match(pattern)]


def _processes(root: Path) -> Iterator[str]:
    for path in (root / "proc").glob("[0-9]*/comm"):
        try:
            yield path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue  # it has ended
