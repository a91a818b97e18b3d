"""What the nouns say of themselves."""

from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod
from aliquot.kube.reading.shape import Fault, FaultsError
from aliquot.kube.taints import Taint


def test_meta() -> None:
    assert Meta("a").key == "a"
    assert Meta("a", "n").key == "n/a"
    mine = Owner("ReplicaSet", "r", controller=True)
    assert Meta("a", owners=(Owner("Node", "n"), mine)).controller is mine
    assert Meta("a", owners=(Owner("Node", "n"),)).controller is None


def test_pod() -> None:
    pod = Pod(Meta("a", "n"))
    assert (pod.name, pod.namespace, pod.key, pod.terminal, pod.terminating) == ("a", "n", "n/a", False, False)
    assert Pod(Meta("a", "n", deleted="2026-11-30T00:00:00Z"), phase="Failed").terminal
    assert Pod(Meta("a", "n", deleted="2026-11-30T00:00:00Z")).terminating


def test_taint() -> None:
    assert str(Taint("a", "NoSchedule")) == "a:NoSchedule"
    assert str(Taint("a", "NoSchedule", "b")) == "a=b:NoSchedule"


def test_faults() -> None:
    fault = Fault("[0].name", "missing", "give one")
    assert fault.under("items[3]") == Fault("items[3][0].name", "missing", "give one")
    assert Fault("", "bad").under("items[3]").path == "items[3]"
    assert str(FaultsError(fault, Fault("b", "bad"))) == "[0].name: missing; b: bad"
