"""Random configurations, judged by us and read by the programs: does it start, are CRI and CDI on, where does it look?

`containerd config dump` tells what the program has made of the files; what it doesn't judge (missing imports, required
plugins) is asked by starting it.
"""

import random
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aliquot.cdi.machine.runtimes import LocalConfigFiles
from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config.assess import assess
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.configure import configured
from aliquot.cdi.runtime_config.containerd_files import NEW, OLD
from conformance.runtimes.configurations import configuration
from conformance.runtimes.running import running


@dataclass(frozen=True, slots=True)
class Told:
    """What a program makes of its files. `on` and `dirs` are None where they don't count: no start, or CRI off."""

    starts: bool
    cri: bool
    on: bool | None = None
    dirs: tuple[str, ...] | None = None


def differences(programs: Mapping[str, Path], count: int, seed: int) -> Iterator[str]:
    """Where we and the programs differ, with the files; nothing where all agree."""
    for number in range(count):
        texts = configuration(random.Random(f"{seed}:{number}"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            laid(folder, texts)
            main = folder / "config.toml"
            for release, program in programs.items():
                ours, theirs = told_by_us(judged(main, release)), told_by(program, release, main, folder)
                if release.startswith("1.6"):  # it knows no CDI: whether it starts is all there is
                    ours, theirs = Told(ours.starts, cri=False), Told(theirs.starts, cri=False)
                if ours != theirs:
                    yield f"containerd {release}: {theirs}, we say {ours}\n{_shown(texts)}"
                    continue
                broken = _configured(program, release, main, folder, theirs)
                laid(folder, texts)
                if broken:
                    yield f"containerd {release} after configuring: {broken}\n{_shown(texts)}"


def laid(folder: Path, texts: Mapping[str, str]) -> None:
    """The files on disk."""
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def judged(main: Path, release: str) -> Assessment:
    """Our judgement."""
    return assess("containerd", str(main), LocalConfigFiles(), release)


def told_by_us(found: Assessment) -> Told:
    """Our judgement in the same words."""
    if not found.starts or "CRI service is off" in found.reason:
        return Told(found.starts, cri=False)
    return Told(starts=True, cri=True, on=found.on, dirs=found.spec_dirs if found.on else None)


def told_by(program: Path, release: str, main: Path, room: Path) -> Told:
    """What the program says."""
    texts = [path.read_text() for path in main.parent.rglob("*.toml")]
    if any("required_plugins" in text or "missing.toml" in text for text in texts):
        with running(program, main, room / f"run-{release}") as run:
            if not run.started:
                return Told(starts=False, cri=False)
    done = subprocess.run([program, "-c", main, "config", "dump"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return Told(starts=False, cri=False)
    data = tomllib.loads(done.stdout)
    old = release.startswith("1.")
    section = data.get("plugins", {}).get(OLD if old else NEW)
    disabled = set(data.get("disabled_plugins", ()))
    off = not old and disabled & {OLD, NEW, "io.containerd.cri.v1.images"}
    if off or section is None:  # 1.x dumps the sections of plugins that are on
        return Told(starts=True, cri=False)
    dirs = tuple(folder for folder in section.get("cdi_spec_dirs") or () if folder)
    on = section.get("enable_cdi", True) and bool(dirs)  # 2.4 has no switch
    return Told(starts=True, cri=True, on=on, dirs=dirs if on else None)


def _configured(program: Path, release: str, main: Path, room: Path, before: Told) -> str:
    """What is wrong after our change: a program that started must start, with CRI and CDI on."""
    if release.startswith("1.6"):
        return ""
    try:
        texts = configured("containerd", str(main), LocalConfigFiles(), release).texts
    except SpecError as error:
        return f"we refused: {error}" if before.starts else ""
    laid(Path("/"), texts)
    after = told_by(program, release, main, room / "after")
    return "" if after.starts and after.on else f"{after}\n{_shown(texts)}"


def _shown(texts: Mapping[str, str]) -> str:
    return "".join(f"--- {path}\n{text}" for path, text in texts.items())
