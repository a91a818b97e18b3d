"""Hosts to start from, one YAML file each: their first line says what they are."""

from importlib import resources

_SUFFIX = ".yaml"


def preset_names() -> tuple[str, ...]:
    """The names, in order."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX)))


def preset_text(name: str) -> str | None:
    """The file of a preset; None if there is none of the name."""
    if name not in preset_names():
        return None
    return resources.files(__name__).joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")


def preset_summary(name: str) -> str:
    """What a preset is, in a line."""
    return (preset_text(name) or "").partition("\n")[0].removeprefix("# ")
