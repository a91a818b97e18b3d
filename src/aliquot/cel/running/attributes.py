"""Attributes as cel-go plans them: a variable (or any value) and the fields and indices that are read from it.

Costs follow the way cel-go observes an attribute: one unit for each field or index that is read, found or not, and one
for the attribute as a whole; a test of presence is free of the latter.
"""

from typing import Final

from aliquot.cel.operators.indexing import MISSING, Held
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.running.qualifiers import Qualifier, Qualify
from aliquot.cel.values.native import through_native
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value

_EMPTY: Final[dict[str, Value]] = {}


class Path:
    """A value and the steps from it; steps are added while the tree is compiled."""

    __slots__ = ("base", "from_device", "native", "steps")

    def __init__(self, base: Run, *, from_device: bool = False, native: bool = False) -> None:
        self.base = base
        self.from_device = from_device
        self.native = native
        """Whether it may be an optional, whose value then goes through Go's own types."""
        self.steps: list[Qualifier] = []

    def add(self, step: Qualifier) -> None:
        """Read one more field or index."""
        self.steps.append(step)

    def resolver(self) -> Run:
        """The function that reads the value, without the unit for the attribute as a whole."""
        steps = self.steps
        if not steps:
            return _renewed(self.base) if self.native else self.base
        if self.from_device and len(steps) <= 3 and all(step.key is not None and not step.optional for step in steps):
            return _device_resolver([str(step.key) for step in steps], test=steps[-1].test)
        qualifiers = [(step.read, step.read_optional, step.optional) for step in steps]
        return _resolver(self.base, qualifiers, native=self.native)

    def runner(self) -> Run:
        """The function that reads the value as an expression of its own."""
        resolve = self.resolver()
        if self.steps and self.steps[-1].test:
            return _tested(resolve)

        def run(frame: Frame) -> Value:
            frame.cost += 1
            return resolve(frame)

        return run


def _tested(resolve: Run) -> Run:
    def run(frame: Frame) -> Value:
        found = resolve(frame)
        return found is not NONE if type(found) is Optional else found

    return run


def _renewed(base: Run) -> Run:
    """An optional is taken apart and put together again, even where nothing is read from it."""

    def resolve(frame: Frame) -> Value:
        value = base(frame)
        return Optional(through_native(value.value)) if type(value) is Optional and value is not NONE else value

    return resolve


def _resolver(base: Run, steps: list[tuple[Qualify, Qualify, bool]], *, native: bool) -> Run:
    last = steps[-1][0]

    def resolve(frame: Frame) -> Value:
        value = base(frame)
        if type(value) is Err:
            return value
        is_optional = type(value) is Optional
        if is_optional:
            if value is NONE:
                return NONE
            value = through_native(value.value) if native else value.value
            if type(value) is Err:
                return value
        for read, read_optional, optional in steps:
            if is_optional or optional:
                is_optional = True
                value = read_optional(frame, value)
                if value is MISSING:
                    return NONE
                if type(value) is Held:
                    return Optional(value.error) if read is last else value.error
            else:
                value = read(frame, value)
            if type(value) is Err:
                return value
        return Optional(value) if is_optional else value

    return resolve


def _device_resolver(keys: list[str], *, test: bool) -> Run:
    """The usual path, `device.attributes["domain"].name`: unknown domains are empty maps."""
    if len(keys) == 1:
        return _device_field(keys[0], test=test)
    field, domain = keys[0], keys[1]
    if len(keys) == 2:
        if test:
            return lambda frame: _charged(frame, 2, found=True)

        def resolve_domain(frame: Frame) -> Value:
            frame.cost += 2
            return frame.device[field].get(domain, _EMPTY)

        return resolve_domain
    name = keys[2]
    if test:
        return lambda frame: _charged(frame, 3, found=name in frame.device[field].get(domain, _EMPTY))
    missing = Err(f"no such key: {name}")

    def resolve_name(frame: Frame) -> Value:
        frame.cost += 3
        return frame.device[field].get(domain, _EMPTY).get(name, missing)

    return resolve_name


def _device_field(field: str, *, test: bool) -> Run:
    if test:
        return lambda frame: _charged(frame, 1, found=True)

    def resolve(frame: Frame) -> Value:
        frame.cost += 1
        return frame.device[field]

    return resolve


def _charged(frame: Frame, cost: int, *, found: bool) -> bool:
    frame.cost += cost
    return found


class Choice:
    """`condition ? a : b` as an attribute: what is read from it is read from the branch that is taken."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, condition: Run, then: "Path | Choice", otherwise: "Path | Choice") -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise

    def add(self, step: Qualifier) -> None:
        """Read one more field or index of either branch."""
        self.then.add(step)
        self.otherwise.add(step)

    def resolver(self) -> Run:
        """The function that takes the branch and reads from it."""
        condition, then, otherwise = self.condition, self.then.resolver(), self.otherwise.resolver()

        def resolve(frame: Frame) -> Value:
            chosen = condition(frame)
            if chosen is True:
                return then(frame)
            if chosen is False:
                return otherwise(frame)
            return chosen if type(chosen) is Err else NO_SUCH_OVERLOAD

        return resolve

    def runner(self) -> Run:
        """As `resolver`: a choice has no cost of its own."""
        return self.resolver()
