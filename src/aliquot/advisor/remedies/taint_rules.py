"""Ways past a DeviceTaintRule: take the rule away, or narrow it to the devices that are meant."""

import shlex
from collections.abc import Iterator

from aliquot.advisor import undo
from aliquot.advisor.case import Case, Spot
from aliquot.advisor.causes.device_clauses import rules_with
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.allocation.answer import Tainted
from aliquot.dra.device import TaintRule


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """For each rule that taints a device that this node could give."""
    story = case.stories.get(spot.node.name)
    rules: dict[str, None] = {}
    for request in story.requests if story is not None else ():
        for device in request.devices:
            for why in device.reasons:
                if isinstance(why, Tainted):
                    rules |= dict.fromkeys(rules_with(case.snapshot, why.taint))
    for name in rules:
        rule = case.snapshot.taint_rules[name]
        every = every_device(rule)
        said = (
            "its deviceSelector names no driver, pool or device, so it taints every device"
            if every
            else "it taints these devices"
        )
        quoted = shlex.quote(name)
        kept = undo.Kept("devicetaintrule", name, verb="create")
        yield Candidate(
            kind="fix-taint-rule",
            target=f"devicetaintrule/{name}",
            title=f"Delete DeviceTaintRule {name}, or narrow it to the devices that are meant: {said}",
            changes=(
                Change(
                    f"devicetaintrule {name}",
                    kept.before(
                        f"kubectl delete devicetaintrule {quoted}"
                        "  # or narrow spec.deviceSelector (driver, pool, device): "
                        f"kubectl edit devicetaintrule {quoted}"
                    ),
                    undo=kept.undo,
                ),
            ),
            apply=lambda trial, name=name: Trial(trial.snapshot.without_object(TaintRule, name), trial.pod),  # type: ignore[misc]
            risk=Risk("medium", "somebody made the rule for some device: ask which, before it goes"),
            rank=4 if every else 28,
            node=spot.node.name,
            cures="DynamicResources",
            anywhere=True,
        )


def every_device(rule: TaintRule) -> bool:
    """Whether its selector names nothing."""
    return rule.driver is None and rule.pool is None and rule.device is None
