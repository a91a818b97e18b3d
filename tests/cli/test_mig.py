"""`aliquot mig fits` and `aliquot mig layouts`: their lines, their JSON, their exit statuses."""

import json

import pytest
import yaml

from aliquot.cli.entry import run


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["mig", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ([], 14),
        (["--placed"], 19),
        (["--all"], 298),
        (["--double-memory"], 38),
        (["--double-memory", "--placed"], 78),
        (["--double-memory", "--all"], 723),
    ],
)
def test_layouts_of_an_a100_one_a_line(capsys: pytest.CaptureFixture[str], options: list[str], lines: int) -> None:
    status, out, _ = call(capsys, "layouts", "A100 40GB", *options)
    assert status == 0
    assert len(out.splitlines()) == len(set(out.splitlines())) == lines
    status, out, _ = call(capsys, "layouts", "A100-40GB", *options, "-o", "json")
    assert len(json.loads(out)["layouts"]) == lines


def test_layouts_of_an_a30(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "layouts", "A30", "--placed")[1].splitlines() == [
        "1g.6gb@0,1g.6gb@1,1g.6gb@2,1g.6gb@3",
        "1g.6gb@0,1g.6gb@1,2g.12gb@2",
        "2g.12gb@0,1g.6gb@2,1g.6gb@3",
        "2g.12gb@0,2g.12gb@2",
        "4g.24gb@0",
    ]
    assert len(call(capsys, "layouts", "A30", "--all")[1].splitlines()) == 26
    assert "2 x 2g.12gb" in call(capsys, "layouts", "A30")[1].splitlines()


def test_every_layout_printed_is_one_that_on_takes(capsys: pytest.CaptureFixture[str]) -> None:
    for layout in call(capsys, "layouts", "H100-80GB", "--placed")[1].splitlines():
        status, out, _ = call(capsys, "fits", "H100-80GB", "1g.10gb", "--on", layout, "-o", "json")
        assert (status, json.loads(out)["stillFit"]["2g.20gb"]) == (3, [])


# facts of the planner, worked case 1, and the end of T7
def test_seven_of_1_gib_on_one_a100(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fits", "A100-40GB", *["1Gi"] * 7)
    assert status == 0
    assert "1Gi needs 1g.5gb (4.75 GiB)" in out
    assert "A100-40GB: 7 x 1g.5gb can be created" in out
    status, out, _ = call(capsys, "fits", "A100-40GB", *["1g.5gb"] * 8)
    assert status == 3
    assert "1g.5gb needs 1 compute slice, 0 compute slices free" in out


# worked case 2
def test_what_a_label_promises_is_not_what_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fits", "H200", "17Gi")
    assert status == 0
    assert "17Gi needs 1g.35gb (32.25 to 32.50 GiB) or 2g.35gb (32.25 to 32.50 GiB)" in out  # the label says 1g.18gb
    answer = json.loads(call(capsys, "fits", "H200", "16Gi", "17Gi", "-o", "json")[1])
    assert answer["holding"] == {"16Gi": ["1g.18gb"], "17Gi": ["1g.35gb", "2g.35gb"]}
    assert answer["wanted"] == ["1g.18gb", "1g.35gb"]
    status, _, err = call(capsys, "fits", "H200", "200Gi", "lots")
    assert status == 2
    assert "no MIG profile of H200-141GB holds 200Gi" in err
    assert "the largest holds 139.75 GiB" in err
    assert "no MIG profile lots" in err


def test_what_differs_between_drivers_is_counted_as_the_least(capsys: pytest.CaptureFixture[str]) -> None:
    assert "20Gi needs 1g.23gb (20.50 to 22.00 GiB)" in call(capsys, "fits", "B200", "20Gi")[1]
    assert "21Gi needs 1g.45gb" in call(capsys, "fits", "B200", "21Gi")[1]


# facts of DRA, T7
def test_the_arithmetic_of_places(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fits", "A100-40GB", "4g.20gb", "--on", "3g.20gb@0")
    assert status == 3
    assert "4g.20gb has no start left: memory slices 0-3 held by 3g.20gb at 0 (start 0)" in out
    assert "4 compute slices free" in out
    assert "move 3g.20gb from 0 to 4" in out
    status, out, _ = call(capsys, "fits", "A100-40GB", "3g.20gb", "--on", "3g.20gb@0")
    assert status == 0
    assert "where     3g.20gb@4\n" in out
    status, out, _ = call(capsys, "fits", "A100-40GB", "1g.5gb", "--on", "3g.20gb@0,3g.20gb@4")
    assert status == 3
    assert "no memory slice free, 1 compute slice free" in out
    for start in (4, 5, 6):  # the small one first keeps the large one out, wherever it goes
        status, out, _ = call(capsys, "fits", "A100-40GB", "3g.20gb", "--on", f"3g.20gb@0,1g.5gb@{start}")
        assert status == 3
        assert f"held by 1g.5gb at {start} (start 4)" in out


# worked case 3
def test_what_blocks_and_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fits", "H100-80GB", *["1g.10gb"] * 4, "--on", "3g.40gb@0")
    assert status == 3
    assert "memory slices 0-3 held by 3g.40gb at 0 (starts 0, 1, 2, 3)" in out
    assert "move 3g.40gb from 0 to 4 (idle by then)" in out
    status, out, _ = call(capsys, "fits", "H100-80GB", *["1g.10gb"] * 4, "--on", "3g.40gb@4")
    assert status == 0
    assert "where     1g.10gb@0,1g.10gb@1,1g.10gb@2,1g.10gb@3\n" in out


# worked case 4
def test_two_halves_are_short_of_memory_slices_not_of_compute(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fits", "H100-80GB", "1g.10gb", "--on", "3g.40gb@0,3g.40gb@4", "-o", "yaml")
    answer = yaml.safe_load(out)
    assert status == 3
    assert (answer["shortOf"], answer["computeSlicesFree"], answer["memorySlicesFree"]) == ("memory slices", 1, [])
    assert answer["moves"] == []
    assert answer["blocked"][0] == {
        "start": 0,
        "by": [{"profile": "3g.40gb", "start": 0, "memorySlices": [0, 3]}],
    }
    assert (
        "way out   no moves make room" in call(capsys, "fits", "H100-80GB", "1g.10gb", "--on", "3g.40gb@0,3g.40gb@4")[1]
    )


def test_the_answer_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    out = call(capsys, "fits", "A100-40GB", "1g.5gb", "--on", "4g.20gb@0,2g.10gb@4")[1]
    assert out.splitlines()[3:5] == [
        "slice     0       1       2       3       4       5       6       7",
        "memory    [4g.20gb-----------------------][2g.10gb-------][1g.5gb].",
    ]


@pytest.mark.parametrize("layout", ["7g.80gb", "7g.80gb@0"])
def test_a_start_may_be_left_out_where_there_is_one(capsys: pytest.CaptureFixture[str], layout: str) -> None:
    status, out, _ = call(capsys, "fits", "H100-80GB", "1g.10gb", "--on", layout)
    assert status == 3
    assert "1g.10gb needs 1 compute slice, 0 compute slices free" in out


def test_assumed_places_are_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert "note      the places are assumed" in call(capsys, "fits", "GB300", "1g.35gb")[1]


def test_everything_wrong_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(
        capsys, "fits", "A100-40GB", "8g.80gb", "9g.1gb", "--on", "3g.20gb,4g.20gb@9,x,1g.5gb@1,1g.5gb@1,5g.1gb@0"
    )
    assert (status, out) == (2, "")
    for part in (
        "no MIG profile 8g.80gb",
        "no MIG profile 9g.1gb",
        "where does 3g.20gb start?",
        "4g.20gb may start at 0 only",
        "no MIG profile x",
        "1g.5gb at 1 and 1g.5gb at 1 overlap",
        "no MIG profile 5g.1gb",
    ):
        assert part in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["H100"], "H100 is more than one GPU"),
        (["T4"], "T4 has no MIG: it can be shared by time-slicing or MPS"),
        (["MI300X"], "MI300X has no MIG"),
        (["A100-40GBB"], "did you mean A100-40GB?"),
        (["zzzzzzzzzz"], "known with MIG: A100-40GB, "),
        (["RTX-PRO-5000"], "isn't published"),
    ],
)
@pytest.mark.parametrize("command", ["fits", "layouts"])
def test_gpus_that_have_no_answer(
    capsys: pytest.CaptureFixture[str], command: str, words: list[str], message: str
) -> None:
    profile = ["1g.24gb"] if command == "fits" else []
    status, _, err = call(capsys, command, *words, *profile)
    assert status == 2
    assert message in err


def test_no_profile(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "fits", "A30")
    assert status == 2
    assert "it has" in err or "A30 has 1g.6gb" in err


@pytest.mark.parametrize("name", ["GB200", "10de:20b0", "NVIDIA-A100-SXM4-40GB", "a100 40gb"])
def test_a_gpu_by_any_of_its_names(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert call(capsys, "layouts", name)[0] == 0


@pytest.mark.parametrize(
    ("gpu", "profile", "words", "memory"),
    [
        (
            "B200",
            "1g.23gb",
            "1g.23gb (20.50 to 22.00 GiB), as this program's table has it (drivers differ, and which gave which",
            {"memoryMiB": 20992, "source": "table", "observedMiB": [20992, 22528]},
        ),
        (
            "H100-80GB",
            "3g.40gb",
            "3g.40gb (39.50 GiB), as this program's table has it (with which driver isn't published): what the node",
            {"memoryMiB": 40448, "source": "table", "observedMiB": [40448]},
        ),
        (
            "B300",
            "1g.34gb",
            "1g.34gb (about 30 GiB, guessed by its label), for nobody has published it: what the node reports counts",
            {"memoryMiB": 30638, "source": "label", "observedMiB": []},
        ),
    ],
)
def test_who_says_how_much_an_instance_holds(
    capsys: pytest.CaptureFixture[str], gpu: str, profile: str, words: str, memory: dict[str, object]
) -> None:
    assert f"holds     {words}" in call(capsys, "fits", gpu, profile)[1]
    answer = json.loads(call(capsys, "fits", gpu, profile, "-o", "json")[1])
    assert answer["memory"] == {profile: memory}
