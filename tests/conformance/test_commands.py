"""What remedies print: a shell takes it, verbs are kubectl's, patches are the changes' (kubectl isn't run here)."""

import json
from typing import Any

import pytest

from conformance.commands import clusters
from conformance.commands.__main__ import holds, target_of
from conformance.commands.printed import Printed, mistakes, printed
from conformance.commands.shell import ShellError, commands
from scenarios.drivers import Json

GENERATED = 12


def command(line: str, patch: Any = None) -> Printed:
    (words,) = commands(line)
    return Printed(words, line, patch)


def wrong(objects: list[Json]) -> list[str]:
    found: list[str] = []
    for _, one in printed(clusters.explained(objects)):
        found += [one] if isinstance(one, str) else [f"{each}: {one.line}" for each in mistakes(one)]
    return found


@pytest.mark.parametrize(
    ("name", "objects"), [pytest.param(*one, id=one[0]) for one in clusters.generated(GENERATED, 7)]
)
def test_every_command_for_generated_clusters(name: str, objects: list[Json]) -> None:
    assert wrong(objects) == [], name


@pytest.mark.parametrize("name", [name for name, _ in clusters.given() if name.startswith("tests/")])
def test_every_command_for_the_cases(name: str) -> None:
    assert wrong(clusters.dump(clusters.ROOT / name)) == []


def test_the_cases_print_commands_and_patches() -> None:
    said = clusters.explained(clusters.dump(clusters.ROOT / "tests/cases/reports/all-devices"))
    verbs = {one.words[1] for _, one in printed(said) if isinstance(one, Printed) and one.words[0] == "kubectl"}
    assert verbs >= {"patch", "replace"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("kubectl delete pod a -n b  # it's lost", [["kubectl", "delete", "pod", "a", "-n", "b"]]),
        ("a b \\\n  'c'\nd", [["a", "b", "c"], ["d"]]),
        ("# a Job's template can't be changed", []),
        ("a 'b c' | d && e; f", [["a", "b c"], ["d"], ["e"], ["f"]]),
        ('printf \'{"a":%s}\' "$(kubectl get x)"', [["kubectl", "get", "x"], ["printf", '{"a":%s}', "$(...)"]]),
        ("a b#c it\\'s 'it'\"'\"'s'", [["a", "b#c", "it's", "it's"]]),
    ],
)
def test_a_line_as_a_shell_takes_it(line: str, words: list[list[str]]) -> None:
    assert commands(line) == words


@pytest.mark.parametrize(
    "line", ["a 'b", 'a "b', "a $(b", "a $HOME", "a <b", "a >b", "a > /etc/b", "> b", "| a", "a |", "a && "]
)
def test_a_line_that_a_shell_reads_otherwise(line: str) -> None:
    with pytest.raises(ShellError):
        commands(line)


@pytest.mark.parametrize(
    ("line", "patch", "says"),
    [
        ("kubectl remove pod a -n b", None, "no such verb"),
        ("kubectl delete pod a", None, "names no namespace"),
        ("kubectl patch node a -n b -p '{}'", {}, "has no namespace"),
        ("kubectl patch node a", {}, "no patch"),
        ("kubectl patch node a -p '{'", {}, "no JSON"),
        ("kubectl patch node a -p '{}'", {"spec": {}}, "isn't the change's"),
    ],
)
def test_a_mistake_is_found(line: str, patch: Any, says: str) -> None:
    (found,) = mistakes(command(line, patch))
    assert says in found


def test_right_ones_are_none() -> None:
    operations = [{"op": "remove", "path": "/spec/taints"}]
    line = f"kubectl patch node a --type=json -p '{json.dumps(operations)}'"
    assert not list(mistakes(command(line, {"jsonPatch": operations})))
    assert not list(mistakes(command("kubectl scale deployment/a -n b --replicas=1")))


def test_the_object_and_what_the_patch_made_of_it() -> None:
    node: Json = {"kind": "Node", "metadata": {"name": "a"}}
    pod: Json = {"kind": "Pod", "metadata": {"name": "a", "namespace": "b"}}
    assert target_of(command("kubectl taint nodes a x-"), [pod, node]) == [node]
    assert target_of(command("kubectl delete pod a -n b"), [node, pod]) == [pod]
    assert target_of(command("kubectl delete pod a -n c"), [node, pod]) == []
    assert holds({"a": [{"n": 1, "m": 2}], "b": 3}, {"a": [{"n": 1}], "c": None})
    assert not holds({"a": 1}, {"a": None})
