"""What the generated lambdas leave to the closures: the answer stays the same, however often it's asked."""

from aliquot import cel
from tests.cel.answered import Attribute, Device


def test_a_version_beside_an_attribute_of_any_type() -> None:
    made = cel.compile("semver('1.0.0').isGreaterThan(device.attributes['d.io'].v)", cel.environment("1.36"))
    assert isinstance(made, cel.Program)
    older = Device("d.io", {"v": Attribute("version", "0.9.0")}, {})
    newer = Device("d.io", {"v": Attribute("version", "1.1.0")}, {})
    assert [made.evaluate(older) for _ in range(20)] == [True] * 20
    assert [made.evaluate(newer) for _ in range(20)] == [False] * 20
