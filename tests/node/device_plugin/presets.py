"""Hosts that ship with the package, as text."""

from importlib import resources


def preset(name: str) -> str:
    folder = resources.files("aliquot.devices.hosts.simulated.presets")
    return folder.joinpath(f"{name}.yaml").read_text(encoding="utf-8")
