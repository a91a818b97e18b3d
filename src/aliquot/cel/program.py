"""A compiled expression, evaluated on devices."""

from typing import Final

from aliquot.cel.checking.type_display import declared_name
from aliquot.cel.cost.estimator import Estimator
from aliquot.cel.devices import DeviceLike, PreparedDevice, prepare
from aliquot.cel.environment import Environment
from aliquot.cel.problems import EvaluationError
from aliquot.cel.running.deep_stack import deep_stack
from aliquot.cel.running.fast_path import Fast, translate
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.running.results import verdict
from aliquot.cel.syntax.device_reads import DeviceRead, device_reads
from aliquot.cel.syntax.nodes import Node
from aliquot.cel.values.stops import Panic, TooCostly

_USES_BEFORE_TRANSLATION: Final = 8
"""Evaluations before the fast path is made: it costs as much as a few dozen evaluations."""

_CANCELLED: Final = "operation cancelled: actual cost limit exceeded"


class Program:
    """A compiled expression: immutable, usable from many threads."""

    __slots__ = ("_fast", "_is_deep", "_lists", "_places", "_root", "_run", "_uses", "environment", "expression")

    def __init__(
        self, expression: str, environment: Environment, *, root: Node, run: Run, places: int, is_deep: bool
    ) -> None:
        self.expression = expression
        self.environment = environment
        self._root = root
        self._run = run
        self._places = places
        self._is_deep = is_deep
        self._lists = environment.list_attributes or environment.minor >= 37
        self._fast: Fast | None = None
        self._uses = 0

    @property
    def output_type(self) -> str:
        """The type of its result, as CEL prints it: `bool`, or `google.protobuf.Any` or `dyn` for an attribute."""
        return declared_name(self._root.type)

    @property
    def reads(self) -> frozenset[DeviceRead] | None:
        """The attributes and capacities that it can look at, besides driver and allowMultipleAllocations; None: any."""
        return device_reads(self._root)

    @property
    def max_cost(self) -> int:
        """The static estimate that the API server compares with 1,000,000; the scheduler doesn't look at it."""
        with deep_stack():
            return Estimator(self.environment.minor).cost(self._root).high

    def actual_cost(self, device: PreparedDevice | DeviceLike) -> int | None:
        """The run-time cost of evaluating on the device; None where its attributes can't be converted."""
        return self.trace(device)[1]

    def evaluate(self, device: PreparedDevice | DeviceLike) -> bool | EvaluationError:
        """Whether the device matches. Prepare a device that is asked often."""
        prepared = device if type(device) is PreparedDevice else prepare(device)
        fast = self._fast
        if fast is None:
            fast = self._maybe_translated()
        if fast is not None and (prepared.is_plain or (self._lists and prepared.is_plain_with_lists)):
            try:
                answer = fast(prepared.driver, prepared.attributes, prepared.capacity, prepared.allow_multiple)
            except Exception:  # noqa: BLE001  whatever it is: the closures know the exact answer
                return self.trace(prepared)[0]
            if answer is True or answer is False:
                return answer
        return self.trace(prepared)[0]

    def _maybe_translated(self) -> Fast | None:
        """The fast path, made once the program has proved to be used often. Doing it twice does no harm."""
        self._uses += 1
        if self._uses == _USES_BEFORE_TRANSLATION and not self._is_deep:
            self._fast = translate(self._root, self.environment.cost_limit)
        return self._fast

    def trace(self, device: PreparedDevice | DeviceLike) -> tuple[bool | EvaluationError, int | None]:
        """As `evaluate`, with the run-time cost; None where the device's attributes can't be converted."""
        prepared = device if isinstance(device, PreparedDevice) else prepare(device)
        failure = self._refusal(prepared)
        if failure is not None:
            return EvaluationError(failure), None
        frame = Frame(prepared.root, self._places, self.environment.cost_limit)
        try:
            if self._is_deep:
                with deep_stack():
                    value = self._run(frame)
            else:
                value = self._run(frame)
        except TooCostly as stop:
            return EvaluationError(_CANCELLED), stop.cost or frame.limit + 1
        except Panic as panic:
            return EvaluationError(f"internal error: {panic}"), frame.cost
        if frame.cost > frame.limit:
            return EvaluationError(_CANCELLED), frame.limit + 1
        return verdict(value), frame.cost

    def _refusal(self, device: PreparedDevice) -> str | None:
        """Why the device can't be looked at."""
        return device.failure if self._lists else device.failure or device.list_failure
