"""The comparison with real containerd: what it generates, and our judgement (the programs aren't run here)."""

import io
import json
import random
import tarfile
import tomllib
from pathlib import Path

import pytest

from conformance.runtimes import programs, resolving
from conformance.runtimes.compared import Told, judged, laid, told_by_us
from conformance.runtimes.configurations import configuration


def test_configurations_are_the_same_for_a_seed_and_can_be_read() -> None:
    made = [configuration(random.Random(f"1:{number}")) for number in range(60)]
    assert made == [configuration(random.Random(f"1:{number}")) for number in range(60)]
    assert all(tomllib.loads(text) is not None for texts in made for text in texts.values())
    assert any(len(texts) > 1 for texts in made)


def test_our_judgement_in_the_programs_words(tmp_path: Path) -> None:
    laid(tmp_path, {"config.toml": 'disabled_plugins = ["cri"]\n'})
    assert told_by_us(judged(tmp_path / "config.toml", "1.7.29")) == Told(starts=True, cri=False)
    laid(tmp_path, {"config.toml": "version = 5\n"})
    assert told_by_us(judged(tmp_path / "config.toml", "2.4.2")) == Told(starts=False, cri=False)
    laid(tmp_path, {"config.toml": "version = 2\n"})
    found = told_by_us(judged(tmp_path / "config.toml", "2.1.5"))
    assert found == Told(starts=True, cri=True, on=True, dirs=("/etc/cdi", "/var/run/cdi"))


def test_the_image_holds_busybox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "busybox").write_bytes(b"ELF")
    monkeypatch.setattr("shutil.which", lambda _name: str(tmp_path / "busybox"))
    with tarfile.open(fileobj=io.BytesIO(resolving.image())) as tar:
        layer = tar.extractfile("layer.tar")
        manifest = tar.extractfile("manifest.json")
        assert layer is not None
        assert manifest is not None
        assert json.loads(manifest.read())[0]["RepoTags"] == [resolving.IMAGE]
        with tarfile.open(fileobj=io.BytesIO(layer.read())) as inner:
            assert "bin/busybox" in inner.getnames()


def test_programs_are_kept_outside_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = tmp_path / "aliquot-conformance/containerd-9.9.9/containerd"
    kept.parent.mkdir(parents=True)
    kept.write_text("")
    assert programs.built("containerd", "9.9.9") == kept
