"""What isn't known to be harmless is hidden, wherever it stands."""

import json
import re
import string
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cluster.anonymous.objects import _KEPT, anonymised
from aliquot.cluster.anonymous.pseudonyms import Pseudonyms
from aliquot.cluster.anonymous.vocabulary import MESSAGE_WORDS, words
from aliquot.cluster.dump.from_files import FileSource
from tests.cluster.anonymous.dumps import DUMPS

SECRET = "qwxjacme"
FIELDS = st.sampled_from(
    sorted(
        words(
            """
    metadata spec status name namespace labels annotations message note reason image host hostname nodeName
    key value matchLabels nodeSelector items conditions volumes claimName secretName path url email team
    description title podIP addresses clusterIP parameters configuration content data apiGroups users subjects
    contact values topologyKey finalizers uid generateName providerID externalID expression
            """
        )
        - {*_KEPT, "expression"}  # Kubernetes' own words, and CEL, of which only literals can name somebody
    )
)
TEXT = st.sampled_from(
    [
        SECRET,
        f"{SECRET}-1",
        f"team-{SECRET}",
        f"{SECRET}.example.com/gpu",
        f"https://{SECRET}.example.com:8443/path?x=1",
        f"jane@{SECRET}.com",
        f"error: node {SECRET} isn't ready, see /var/lib/{SECRET}/log",
        f"{SECRET.upper()}_TOKEN",
        f"{SECRET.capitalize()}Controller",
        f"registry.{SECRET}.io/llm@sha256:0123",
        f"aws:///zone/{SECRET}",
        f'{{"owner": "{SECRET}"}}',
        f"// {SECRET} made this\ntrue",
    ]
)
KEYS = FIELDS | TEXT.filter(lambda text: text != SECRET)  # no field of a kind's own has somebody's name
VALUES = st.recursive(
    TEXT | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.law
@given(st.dictionaries(FIELDS, VALUES, max_size=6), st.integers())
def test_a_word_that_nobody_knows_is_nowhere(thing: dict[str, Any], seed: int) -> None:
    made = anonymised({"apiVersion": "v1", "kind": "Pod", **thing}, Pseudonyms(Random(seed)))
    assert SECRET not in json.dumps(made).lower()


def test_a_reason_keeps_kubernetes_words_alone() -> None:
    """A controller of somebody's own may write its name into the reason of a condition."""
    names = Pseudonyms(Random(0))
    made = anonymised({"kind": "Pod", "status": {"a": {"reason": "QwxjacmeController"}}}, names)["status"]["a"]
    assert made["reason"].endswith("Controller")
    assert SECRET not in made["reason"].lower()
    for reason in ("CrashLoopBackOff", "OOMKilled", "UnexpectedAdmissionError", "FailedPrepareDynamicResources"):
        assert anonymised({"kind": "Pod", "status": {"reason": reason}}, names)["status"]["reason"] == reason


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_no_name_is_left(dump: Any) -> None:
    """No word of an object's name or namespace, but for those that name nobody."""
    before: list[dict[str, Any]] = []

    def change(thing: dict[str, Any]) -> dict[str, Any]:
        before.append(thing)
        return anonymised(thing, names)

    names = Pseudonyms(Random(1))
    lines = list(FileSource([dump]).lines(change))
    given_names = {
        word
        for thing in before
        for part in ("name", "namespace")
        for word in re.findall(r"[a-z]{4,}", str(thing["metadata"].get(part, "")).lower())
    }
    left = set(re.findall(r"[a-z]{4,}", " ".join(_names(json.loads(line)) for line in lines).lower()))
    assert (given_names & left) - MESSAGE_WORDS == set()


def _names(thing: dict[str, Any]) -> str:
    meta = thing["metadata"]
    owners = " ".join(owner["name"] for owner in meta.get("ownerReferences", ()))
    return f"{meta['name']} {meta.get('namespace', '')} {owners} {thing.get('spec', {}).get('nodeName', '')}"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("kube-system", True),
        ("nvidia-device-plugin-daemonset", True),
        ("gpu.nvidia.com", True),
        ("kueue.x-k8s.io/admission", True),
        ("default", True),
        ("acme-gpu-node", False),
        ("gpu.acme.com", False),
        ("10.20.30.40", False),
        ("ip-10-20-30-40", False),
        ("123456789012", False),
        ("0ecb5bf6-75e2-4f44-84da-1f3ec1e23c1d", False),
    ],
)
def test_names(text: str, kept: bool) -> None:
    assert (Pseudonyms(Random(1)).name(text) == text) == kept


@pytest.mark.parametrize(
    ("key", "value", "made"),
    [
        ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB"),
        ("node.kubernetes.io/instance-type", "p4d.24xlarge", "p4d.24xlarge"),
        ("topology.kubernetes.io/zone", "eu-west-1a", "eu-west-1a"),
        ("topology.kubernetes.io/zone", "westeurope-1", "westeurope-1"),
        ("topology.kubernetes.io/zone", "acme-dc", None),
        ("kubernetes.io/hostname", "acme", None),
        ("team", "acme", None),
        ("app.kubernetes.io/name", "acme", None),
        ("gpu", "true", "true"),
    ],
)
def test_label_values(key: str, value: str, made: str | None) -> None:
    found = Pseudonyms(Random(1)).label_value(key, value)
    assert found == made if made is not None else "acme" not in found


def test_parts_of_names_stay_together() -> None:
    """A pod's name begins with its ReplicaSet's, that with its Deployment's; a message names the same objects."""
    names = Pseudonyms(Random(1))
    deployment, replica_set, pod = "acme-chat", "acme-chat-7b77d88df5", "acme-chat-7b77d88df5-kwqbh"
    assert names.name(replica_set) == f"{names.name(deployment)}-{names.name('7b77d88df5')}"
    assert names.name(pod).startswith(names.name(replica_set) + "-")
    told = f'0/2 nodes are available: 1 node(s) had untolerated taint {{acme/team: chat}}, pod "{pod}" waits'
    assert names.message(told) == (
        f"0/2 nodes are available: 1 node(s) had untolerated taint {{{names.name('acme/team')}: {names.name('chat')}}}"
        f', pod "{names.name(pod)}" {names.message("waits")}'
    )
    assert set(names.name(deployment)) <= {*string.ascii_lowercase, "-"}


def test_expressions() -> None:
    names = Pseudonyms(Random(1))
    names.nodes.add("acme-7")
    text = 'device.attributes["gpu.nvidia.com"].productName == "Acme \\"A100\\"" && x != \'acme-7\' // for "acme"'
    assert names.expression(text) == (
        f'device.attributes["gpu.nvidia.com"].productName == "Acme \\"A100\\"" && x != \'{names.name("acme-7")}\' '
    )
