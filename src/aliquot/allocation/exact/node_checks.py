"""What validation says of compiled claims on one node, and the words for a device without a verdict."""

from aliquot.allocation.exact.compiled_claims import ALL, Alternative, CompiledClaims, asked_as, too_many
from aliquot.allocation.exact.eligible import DeviceError, Eligible, EligibleFinder
from aliquot.allocation.exact.node_devices import NodeDevices
from aliquot.allocation.exact.node_state import NodeState
from aliquot.allocation.exact.question_of import every_device
from aliquot.allocation.inputs import RESULTS_LIMIT


def fatal_on_node(claims: CompiledClaims, finder: EligibleFinder, state: NodeState) -> str:
    """The first problem of validation on this node, in upstream's words; "": none."""
    for check in claims.checks:
        if check.alternative >= 0:
            problem = _all_problem(claims, finder, check.step, check.alternative)
        else:
            least = sum(
                min(_count(finder, state, alternative) for alternative in step.alternatives)
                for step in claims.steps
                if step.claim == check.claim
            )
            problem = too_many(claims.claims[check.claim], least) if least > RESULTS_LIMIT else ""
        if problem:
            return problem
    return claims.fatal


def _count(finder: EligibleFinder, state: NodeState, alternative: Alternative) -> int:
    if alternative.count != ALL:
        return alternative.count
    return every_device(finder.devices, state, alternative, finder.eligible(alternative)).bit_count()


def _all_problem(claims: CompiledClaims, finder: EligibleFinder, place: int, number: int) -> str:
    step = claims.steps[place]
    alternative = step.alternatives[number]
    found: Eligible | None = None
    if not finder.devices.unusable and not finder.eligible(alternative).error_bits:
        return ""
    claim = claims.claims[step.claim]
    where = f"claim {claim.meta.key}, request {asked_as(claim, step, number)[1]}"
    for pool in finder.devices.pools:
        if pool.state != "usable":
            state = "being updated" if pool.state == "incomplete" else "invalid"
            return f"{where}: asks for all devices, but resource pool {pool.label} is currently {state}"
        found = found or finder.eligible(alternative)
        for device in finder.devices.numbers[pool.key].values():
            if device in found.errors:
                return device_error(claims, finder.devices, (place, number, device), found.errors[device])
    return ""


def device_error(claims: CompiledClaims, devices: NodeDevices, where: tuple[int, int, int], error: DeviceError) -> str:
    """The text of a device's error, in upstream's words. `where`: step, alternative, device."""
    place, number, device = where
    step = claims.steps[place]
    claim = claims.claims[step.claim]
    class_name, name = asked_as(claim, step, number)
    match error.owner:
        case "class":
            return f"class {class_name}: selector #{error.index}: {error.text}"
        case "request":
            return f"claim {claim.meta.key}: selector #{error.index}: {error.text}"
        case "capacity":
            told = devices.ids[device].device if step.alternatives[number].count == ALL else devices.ids[device]
            return f"claim {claim.meta.key}, request {name}: checking capacity for device {told}: {error.text}"
        case _:
            return error.text
