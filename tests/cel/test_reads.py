"""Which attributes and capacities an expression can look at."""

import pytest

from aliquot import cel

ATTRIBUTE = ("attributes", "d.io", "s")


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("true", []),
        ("device.driver == 'd.io'", []),
        ("has(device.driver)", []),
        ("device.attributes['d.io'].s == 'x'", [ATTRIBUTE]),
        ("device.attributes['d.io']['s'] == 'x'", [ATTRIBUTE]),
        ("has(device.attributes['d.io'].s)", [ATTRIBUTE]),
        ("device.attributes['d.io'].?s.hasValue()", [ATTRIBUTE]),
        ("device.attributes[?'d.io'].?s.hasValue()", [ATTRIBUTE]),
        ("device.?attributes[?'d.io'][?'s'].hasValue()", [ATTRIBUTE]),
        ("'s' in device.attributes['d.io']", [ATTRIBUTE]),
        (
            "device.attributes['d.io'].s == 'x' || device.capacity['e.io'].m == quantity('1')",
            [ATTRIBUTE, ("capacity", "e.io", "m")],
        ),
        ("['x'].exists(x, device.attributes['d.io'].s == x)", [ATTRIBUTE]),
        ("{'x': device.attributes['d.io'].s}['x'] == 'x'", [ATTRIBUTE]),
        ("device.driver in ['d.io', 'e.io']", []),
        ("'d.io' in device.attributes", None),
        ("device.driver in device.attributes['d.io']", None),
        ("device.attributes['d.io'].exists(n, n == 's')", None),
        ("device.attributes[device.driver].s == 'x'", None),
        ("device.attributes['d.io'][device.driver] == 'x'", None),
        ("dyn(device) == dyn(1)", None),
        ("device.attributes['d.io'].size() == 1", None),
        ("device.attributes['d.io']['é'] == 'x'", None),
        ("dyn(1) in device.attributes['d.io']", None),
    ],
)
def test_reads(expression: str, names: list[tuple[str, str, str]] | None) -> None:
    program = cel.compile(expression, cel.environment("1.36"))
    assert isinstance(program, cel.Program)
    assert program.reads == (None if names is None else frozenset(names))
