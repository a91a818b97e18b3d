"""NVIDIA's CDI files, told by their names. Pure.

A file of a claim has to stay until the claim's pods have ended: a container that starts anew is given the same names.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from aliquot.node.neighbours.found import DOMAIN_DRIVER, GPU_DRIVER

_CLAIM: Final = f"k8s.{GPU_DRIVER}-claim_"
_BASE: Final = f"k8s.{GPU_DRIVER}-device_"
_DOMAINS: Final = f"k8s.{DOMAIN_DRIVER}-"
_DEVICE_PLUGINS: Final = "k8s.device-plugin.nvidia.com-"
_SUFFIX: Final = ".yaml"
"""NVIDIA's; ours of the same claims end in .json."""


@dataclass(frozen=True, slots=True)
class NvidiaSpecs:
    """Files in a CDI folder, by what they're for."""

    claims: tuple[tuple[str, str], ...] = ()
    """(The claim's UID, the file's name)."""
    base: tuple[str, ...] = ()
    """Devices that claims' own files build upon, in older releases of the driver."""
    domains: tuple[str, ...] = ()
    device_plugin: tuple[str, ...] = ()

    def of(self, uid: str) -> str | None:
        """The file of a claim."""
        return next((name for one, name in self.claims if one == uid), None)


def nvidia_specs(names: Iterable[str]) -> NvidiaSpecs:
    """Which of these files are NVIDIA's."""
    ordered = sorted(names)
    yaml = [name for name in ordered if name.endswith(_SUFFIX)]
    return NvidiaSpecs(
        claims=tuple((PurePath(name).stem.removeprefix(_CLAIM), name) for name in yaml if name.startswith(_CLAIM)),
        base=tuple(name for name in yaml if name.startswith(_BASE)),
        domains=tuple(name for name in ordered if name.startswith(_DOMAINS)),
        device_plugin=tuple(name for name in ordered if name.startswith(_DEVICE_PLUGINS)),
    )
