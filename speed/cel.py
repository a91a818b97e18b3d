"""Our CEL beside Kubernetes' own, in one run: ``python -m speed cel``.

Five selectors over 1,000 different devices. Evaluation is a program's time per prepared device (a device is prepared
once for all programs); Go's `DeviceMatches` builds its maps at each call, as kube-scheduler does. Compiling is that of
an expression that isn't remembered (each has a space more than the last), without the static cost estimate. The two
sides take turns; the median of the ratios counts.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from aliquot.cel import CompileError, PreparedDevice, Program, environment, prepare
from aliquot.cel import compile as compiled
from conformance import cel, reference
from conformance.reference import MissingReferenceError
from speed.limits import ROUNDS, Ratio, missed, ratio

Json = dict[str, Any]
REPEAT: Final = 7
DEVICES: Final = 1000
A: Final = "device.attributes['gpu.nvidia.com']"

DRIVER: Final = "device.driver == 'gpu.nvidia.com'"
MEMORY: Final = "device.capacity['gpu.nvidia.com'].memory"

SHAPES: Final = {
    "E1 regular expression": (f"{DRIVER} && {A}.productName.lowerAscii().matches('^.*a100.*$')", 1.0),
    "E2 quantity": (f"{DRIVER} && {MEMORY}.compareTo(quantity('40Gi')) >= 0", 0.5),
    "E3 four terms, semver": (
        f"{DRIVER} && {A}.type == 'gpu' && {A}.driverVersion.isGreaterThan(semver('550.0.0')) && {A}.index > 3",
        0.5,
    ),
    "E4 driver": (DRIVER, 0.5),
    "E5 macro and list": (f"['a100', 'h100'].exists(m, {A}.model == m) && {A}.index in [0, 1, 2, 3, 4, 5, 6, 7]", 0.5),
}
"""Name -> the selector, and how much of Go's time its evaluation may take."""

COMPILE_TARGET: Final = 2.0
SPACES: Final = itertools.count(1)


def devices() -> list[Json]:
    """1,000 devices, no two alike."""
    models = ("NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA L4", "Tesla T4")
    return [
        {
            "driver": "gpu.nvidia.com",
            "attributes": {
                "type": {"string": "gpu" if n % 5 else "mig"},
                "uuid": {"string": f"GPU-{n:08}"},
                "productName": {"string": models[n % len(models)]},
                "model": {"string": ("a100", "h100", "l4", "t4")[n % len(models)]},
                "driverVersion": {"version": f"{540 + n % 20}.{n % 100}.1"},
                "index": {"int": n % 16},
                "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{n % 64:02x}"},
            },
            "capacity": {"memory": {"value": f"{(16, 24, 40, 80)[n % 4]}Gi"}},
        }
        for n in range(DEVICES)
    ]


def median_ns(once: Callable[[], object], repeat: int) -> float:
    """The middle time of ``repeat`` warm calls."""
    times: list[int] = []
    once()
    for _ in range(repeat):
        start = time.perf_counter_ns()
        once()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def program(expression: str) -> Program:
    """The compiled expression, in 1.36's environment with its default gates."""
    made = compiled(expression, environment("1.36", consumable_capacity=True))
    if isinstance(made, CompileError):
        raise TypeError(made.message)
    return made


def ours(expression: str, prepared: list[PreparedDevice]) -> tuple[float, float, int]:
    """Nanoseconds of an evaluation and of a compilation, and how many devices match."""
    evaluate = program(expression).evaluate
    found = sum(evaluate(each) is True for each in prepared)

    def all_devices() -> None:
        for each in prepared:
            evaluate(each)

    compiling = median_ns(lambda: program(expression + " " * next(SPACES)), REPEAT)
    return median_ns(all_devices, REPEAT) / len(prepared), compiling, found


def theirs(expression: str, given: list[Json]) -> tuple[float, float, int]:
    """Go's, likewise."""
    case = {"expr": expression, "devices": given, "consumableCapacity": True}
    (told,) = reference.ask("1.36", "measure-cel", [case], "--repeat", str(REPEAT))
    return told["evaluate_ns"], told["compile_ns"], told["matches"]


def row(name: str, kind: str, rounds: list[tuple[float, float]], target: float, *, same: bool) -> Ratio:
    """A line of the table."""
    mine, go = (min(side) / 1e3 for side in zip(*rounds, strict=True))
    found = ratio(f"cel: {kind} {name}", rounds, target, "" if same else "DIFFERENT ANSWERS")
    print(f"  {name:24} {kind:9} {go:9.2f} {mine:9.2f}   {found}")
    return found


def main() -> list[Ratio]:
    try:
        reference.build("1.36")
    except MissingReferenceError as error:
        print(f"  no comparison: {error}")
        return []
    given = devices()
    prepared = [prepare(cel.device_of(each)) for each in given]
    print(f"  {'selector':24} {'':9} {'Go, us':>9} {'ours, us':>9} ")
    ratios: list[Ratio] = []
    for name, (expression, target) in SHAPES.items():
        evaluating: list[tuple[float, float]] = []
        compiling: list[tuple[float, float]] = []
        same = True
        for _ in range(ROUNDS):
            mine, go = ours(expression, prepared), theirs(expression, given)
            evaluating.append((mine[0], go[0]))
            compiling.append((mine[1], go[1]))
            same = same and mine[2] == go[2]
        ratios.append(row(name, "evaluate", evaluating, target, same=same))
        ratios.append(row(name, "compile", compiling, COMPILE_TARGET, same=same))
    return ratios


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
