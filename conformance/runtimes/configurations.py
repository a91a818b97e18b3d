"""Random configurations of containerd: a main file and what it imports, with what people get wrong."""

import json
import random
from collections.abc import Mapping
from typing import Final

from aliquot.cdi.runtime_config.containerd_files import NEW, OLD, SHORT

_VERSIONS: Final = (None, None, 1, 2, 2, 2, 3, 3, 4, 5)
_DISABLED: Final = (
    SHORT,
    OLD,
    NEW,
    "io.containerd.cri.v1.images",
    "restart",
    "io.containerd.internal.v1.restart",
    "a.b",
)
_REQUIRED: Final = (SHORT, OLD, NEW)
_DIRS: Final = ('["/etc/cdi", "/opt"]', '["/b"]', "[]", '[""]', '"x"')
_SWITCH: Final = ("true", "false", "true", "false", '"true"', "1")


def configuration(rng: random.Random) -> Mapping[str, str]:
    """Texts by path below a folder; the main file is config.toml."""
    count = rng.choice((0, 0, 0, 1, 1, 2))
    names = [f"conf.d/{number}.toml" for number in range(count)]
    imports = rng.choice((["conf.d/*.toml"], names, ["conf.d/*"])) if count else []
    if count and rng.random() < 0.05:
        imports = [*imports, "missing.toml"]
    return {"config.toml": _file(rng, imports), **{name: _file(rng, []) for name in names}}


def _file(rng: random.Random, imports: list[str]) -> str:
    lines: list[str] = []
    version = rng.choice(_VERSIONS) if rng.random() < 0.97 else '"2"'
    if version is not None:
        lines.append(f"version = {version}")
    if imports:
        lines.append(f"imports = {json.dumps(imports)}")
    if rng.random() < 0.2:
        lines.append(f"disabled_plugins = {json.dumps(rng.sample(_DISABLED, rng.choice((1, 1, 2))))}")
    if rng.random() < 0.05:
        lines.append(f"required_plugins = {json.dumps([rng.choice(_REQUIRED)])}")
    # A file of version 1 with the short and the long name is left out: Go's random order of maps decides which counts.
    sections = (OLD, NEW) if rng.random() < 0.7 else (SHORT,)
    for name in sections:
        if rng.random() < 0.5:
            lines += _section(rng, name)
    return "\n".join(lines) + "\n"


def _section(rng: random.Random, name: str) -> list[str]:
    lines = [f'[plugins."{name}"]']
    rare = rng.random() < 0.15
    if rng.random() < 0.6:
        lines.append(f"enable_cdi = {rng.choice(_SWITCH if rare else _SWITCH[:2])}")
    if rng.random() < 0.4:
        lines.append(f"cdi_spec_dirs = {rng.choice(_DIRS if rare else _DIRS[:2])}")
    if rng.random() < 0.1:
        lines += [f'[plugins."{name}".containerd]', "enable_cdi = true"]
    return lines
