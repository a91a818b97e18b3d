"""What of a device an expression can look at: equal there, one evaluation; different there, another."""

import pytest

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.rules.cel_selectors import evaluator, selectors_of
from aliquot.allocation.rules.selectors import Selectors, SelectorVerdict
from aliquot.cel import CompileError, compile, environment  # noqa: A004  re.compile's name, too
from aliquot.dra.device import Attribute, Capacity, Device
from aliquot.kube.release import Kubernetes
from aliquot.units.quantity import Quantity

DRIVER = "gpu.example.com"
A = f"device.attributes['{DRIVER}']"


Value = int | str | float | tuple[int, ...] | None


def attribute(value: Value) -> Attribute:
    """A float stands for a version."""
    match value:
        case bool():
            return Attribute("bool", value)
        case int():
            return Attribute("int", value)
        case str():
            return Attribute("string", value)
        case float():
            return Attribute("version", str(value))
        case tuple():
            return Attribute("ints", value)
        case None:
            return Attribute("unset", None)


def device(name: str = "d", memory: str = "8Gi", **attributes: Value) -> Device:
    made = {key.replace("__", "/").replace("_", "."): attribute(value) for key, value in attributes.items()}
    return Device(name, made, {"memory": Capacity(Quantity.parse(memory))})


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("true", []),
        ("device.driver == 'x' && device.allowMultipleAllocations", []),
        ("device.attributes['a'].x == 1", ["attributes a x"]),
        ("device.attributes['a']['x'] == 1 || has(device.attributes['a'].y)", ["attributes a x", "attributes a y"]),
        ("device.attributes[?'a'].?x.orValue(1) == 1", ["attributes a x"]),
        ("device.attributes.a.x == 1", ["attributes a x"]),
        ("'x' in device.attributes['a'] && device.attributes['b'].y", ["attributes a x", "attributes b y"]),
        ("device.capacity['a'].memory.compareTo(quantity('1Gi')) > 0", ["capacity a memory"]),
        ("device.attributes['a'].x in [1, 2]", ["attributes a x"]),
        ("[1, 2].exists(i, i == device.attributes['a'].x)", ["attributes a x"]),
        ("size(device.attributes) == 1", None),
        ("'a' in device.attributes", None),
        ("cel.bind(d, device.attributes['a'], d.x == 1)", None),
        ("device.attributes['a'].all(k, k != 'x')", None),
        ("device.attributes[device.driver].x == 1", None),
        ("device.attributes['a'][device.driver] == 1", None),
        ("device.attributes['ä'].x == 1", None),
    ],
)
def test_what_an_expression_reads(expression: str, names: list[str] | None) -> None:
    program = compile(expression, environment("1.36", list_attributes=False))
    assert not isinstance(program, CompileError)
    found = program.reads
    assert (None if found is None else sorted(" ".join(read) for read in found)) == names


EXPRESSIONS = [
    f"{A}.x == 1",
    f"{A}.?x.orValue(3) == 3",
    f"has({A}.x) && {A}.x == true",
    f"'x' in {A}",
    f"device.capacity['{DRIVER}'].memory.compareTo(quantity('8Gi')) == 0",
    f"{A}.all(k, k != 'y')",
    "device.attributes['other.example.com'].x == 1",
    "device.driver == 'gpu.example.com'",
    "nope",
]
DEVICES = [
    device(uuid="1"),
    device(uuid="2"),
    device(uuid="1", x=1),
    device(uuid="2", x=1),
    device(x=True),
    device(x="1"),
    device(x=1, y=2),
    device(memory="8192Mi"),
    device(memory="9Gi"),
    device(gpu_example_com__x=1),
    device(other_example_com__x=1),
    device(x=1, version=9.0),
    device(x=1, list=(1, 2)),
    device(x=1, unknown=None),
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("lists", [False, True])
def test_remembered_verdicts_are_the_evaluated_ones(expression: str, lists: bool) -> None:
    features = Features(list_attributes=lists)
    selectors, plain = selectors_of(Kubernetes(36), features), evaluator(Kubernetes(36), features)
    for one in [*DEVICES, *reversed(DEVICES)]:
        for driver in (DRIVER, "other.example.com"):
            assert selectors.verdict(expression, driver, one) == plain(expression, driver, one)


def test_one_evaluation_for_all_devices_that_agree() -> None:
    asked: list[str] = []
    plain = evaluator(Kubernetes(36), Features())

    def counting(expression: str, driver: str, one: Device) -> SelectorVerdict:
        asked.append(one.name)
        return plain(expression, driver, one)

    selectors = Selectors(counting, selectors_of(Kubernetes(36), Features()).reads)
    for number in range(100):
        assert (
            selectors.verdict(f"{A}.type == 'gpu'", DRIVER, device(f"d{number}", uuid=str(number), type="gpu")) is True
        )
    assert asked == ["d0"]
    everything = Selectors(counting)
    for number in range(3):
        everything.verdict(f"{A}.type == 'gpu'", DRIVER, device(f"e{number}", uuid=str(number % 2), type="gpu"))
    assert asked == ["d0", "e0", "e1"]
