"""Bad files: each gives messages that name file, line and path; what is usable in them is used; nothing is raised."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cluster.files import FileCluster
from aliquot.cluster.reading import Reading

BROKEN = Path(__file__).parents[1] / "cases" / "broken"
EXPECTED = json.loads((BROKEN / "expected.json").read_text())
NINES = b"9" * 100_000
GOOD = (
    b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"containers": '
    b'[{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1", "cpu": 1.5}}}]}}'
)


def read(path: Path) -> Reading:
    return FileCluster([path]).read()


def test_every_file_has_an_expectation() -> None:
    names = {path.name for path in BROKEN.iterdir()} - {"expected.json", "README.md"}
    assert names == set(EXPECTED)
    assert len(names) >= 30


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_broken_file(name: str) -> None:
    reading = read(BROKEN / name)
    assert [str(problem).replace(f"{BROKEN}/", "") for problem in reading.warnings] == EXPECTED[name]["contains"]
    assert all(problem.file == str(BROKEN / name) for problem in reading.warnings)
    assert bool(reading.objects) == EXPECTED[name].get("usable", False)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"apiVersion": "v1", "kind": "Pod", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b"a: " + b"[" * 100_000, "maximum nesting depth"),
        (b"- " * 100_000 + b"a", "nested deeper"),
        (b"\x1f\x8b", "truncated gzip"),
        (b"null", "empty"),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 100, "binary data"),
        (b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"priority": ' + NINES + b"}}",
         "expected an integer"),
    ],
)  # fmt: skip
def test_large_and_hostile(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "bad"
    file.write_bytes(data)
    reading = read(file)
    assert reading.objects == ()
    assert len(reading.warnings) == 1
    assert message in reading.warnings[0].message


def test_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aliquot.cluster.text.ALWAYS_UNPACKED_BYTES", 2**16)
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(b" " * 2**22))
    (problem,) = read(file).warnings
    assert problem.message == "gzip data grows more than 200 times"


def test_missing_file_and_folder_without_manifests(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    reading = FileCluster([tmp_path / "none.yaml", tmp_path / "empty"]).read()
    assert reading.objects == ()
    assert [problem.message for problem in reading.warnings] == [
        "can't be opened: No such file or directory",
        "there is no manifest in this folder",
    ]


@pytest.mark.law
@given(st.binary(max_size=400))
def test_any_bytes_give_a_reason(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("bytes") / "junk"
    file.write_bytes(data)
    reading = read(file)
    assert reading.objects == ()
    assert reading.warnings


@pytest.mark.law
@given(st.text(max_size=200))
def test_any_text_gives_a_reason_or_a_skipped_kind(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("text") / "junk"
    file.write_bytes(text.encode(errors="replace"))
    reading = read(file)
    assert reading.warnings or reading.skipped or reading.objects


@pytest.mark.law
@given(st.data())
def test_any_damage_is_told_or_harmless(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    content = bytes(damaged)
    if data.draw(st.booleans()):
        content = gzip.compress(content, mtime=0)[: data.draw(st.integers(2, 400))]
    file = tmp_path_factory.mktemp("damaged") / "pod.json"
    file.write_bytes(content)
    reading = read(file)
    assert reading.warnings or reading.skipped or len(reading.objects) == 1


@pytest.mark.parametrize("template", ["%s", '{"kind": "Pod", "apiVersion": "v1", "spec": {"affinity": %s}}', "a: %s"])
def test_every_depth(tmp_path: Path, template: str) -> None:
    """Around the depths where one reader gives up and the next doesn't, nothing is raised."""
    file = tmp_path / "deep"
    for depth in (*range(390, 410), *range(860, 1010, 3)):
        file.write_text(template % ('{"a":[' * (depth // 2) + "]}" * (depth // 2)))
        assert read(file).objects == ()


def test_text_that_is_not_utf8_where_the_kind_stands(tmp_path: Path) -> None:
    file = tmp_path / "bad"
    file.write_bytes(b'{"kind": "P\xff", "apiVersion": "v1"}')
    (problem,) = read(file).warnings
    assert problem.message == "can't be read: Invalid UTF-8 encoded string"
