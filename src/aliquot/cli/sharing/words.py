"""Configurations of GPU sharing in words and as plain data."""

from collections.abc import Iterator, Mapping
from typing import Any

from aliquot.cli.sharing.configs import Written
from aliquot.cli.sharing.notes import notes
from aliquot.devices.findings import findings
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing, Unjudged
from aliquot.sharing.legal import strategy_of
from aliquot.sharing.plugin_config.values import PluginConfig
from aliquot.sharing.publish.health import RECOVERY, SHOWN, taints_of
from aliquot.sharing.strategies import ISOLATION, Strategy


# --- for people ------------------------------------------------------------------------------------------------------
def lines(name: str, each: Written, host: Mapping[str, Any] | None) -> Iterator[str]:
    """A configuration for a person, with what a host says of it."""
    where = f"{name}: {each.path}" if each.path else name
    if isinstance(each.config, Unjudged):
        yield f"{where}: {each.config.kind}: its fields are right, what it does isn't judged here: {each.config.why}"
        return
    yield f"{where}: {_title(each.config)}"
    way = _way(each.config)
    for words in ISOLATION[way].shared if way is not None else ():
        yield f"  shares {words}"
    for words in notes(each.config, host=host is not None):
        yield f"  note {words}"
    if host is None:
        return
    for offer in host.get("offers", ()):
        yield f"  offers {_offer_words(offer)}"
    for gpu in host.get("gpus", ()):
        clients = f", by {gpu['mpsClients']} clients at most" if "mpsClients" in gpu else ""
        first = f", but first: {'; '.join(gpu['first'])}" if "first" in gpu else ""
        yield f"  {gpu['gpu']}: {'; '.join(gpu['problems']) or f'can be shared so{clients}{first}'}"
        for words in gpu.get("notes", ()):
            yield f"    note {words}"
    for words in host.get("notes", ()):
        yield f"  note {words}"
    for wrong in host["problems"]:
        yield f"  wrong on {host['name']}: {wrong}"


def _title(config: ClaimConfig | PluginConfig) -> str:
    if isinstance(config, PluginConfig):
        mig = f", migStrategy {config.mig_strategy.value}" if config.mig_strategy is not None else ""
        return f"device plugin: {_replicas(config)}{mig}"
    return f"{config.kind}: {_asked(config)}"


def _replicas(config: PluginConfig) -> str:
    if config.sharing is None:
        return "nothing is shared"
    each = [f"{one.name} {one.replicas} times each{f' as {one.rename}' if one.rename else ''}"
            for one in config.sharing.resources]  # fmt: skip
    fails = "; a request for more than one replica is refused" if config.sharing.fail_requests_greater_than_one else ""
    return f"{config.sharing.strategy.value}, {', '.join(each)}{fails}"


def _asked(config: ClaimConfig) -> str:
    match config.sharing:
        case TimeSlicing(interval):
            return "time-slicing" if config.for_mig else f"time-slicing, interval {interval.value}"
        case Mps() as mps:
            percent = f", {mps.percent} % of the multiprocessors" if mps.percent is not None else ""
            memory = f", {mps.memory_mib} MiB" if mps.memory_mib is not None else ""
            single = "".join(f", {mib} MiB on device {key}" for key, mib in mps.memory_mib_of.items())
            users = ", several users at a time" if mps.multi_user else ""
            limits = f"{percent}{memory}{single}"
            return f"MPS{limits}{' at most for each client' if limits else ''}{users}"
        case None:
            return "nothing is set up"


def _way(config: ClaimConfig | PluginConfig) -> Strategy | None:
    if isinstance(config, PluginConfig):
        return config.sharing.strategy if config.sharing is not None else None
    if config.for_mig and isinstance(config.sharing, TimeSlicing):
        return Strategy.TIME_SLICING  # among the programs on the instance
    return strategy_of(config.sharing, on_mig=config.for_mig)


def _offer_words(offer: dict[str, Any]) -> str:
    units, devices = offer["units"], offer["devices"]
    count = f"{units} {offer['resource']}"
    if offer["replicas"] > 1:
        count += f" ({devices} {'device' if devices == 1 else 'devices'}, {offer['replicas']} times each)"
    memory = "" if offer["memoryMiB"] is None else f", at least {offer['memoryMiB']} MiB"
    if memory:
        memory += ", shared by all replicas of a device" if offer["memoryShared"] else " each"
    percent = offer.get("threadPercent")
    return f"{count}{memory}{f', {percent} % of the multiprocessors' if percent is not None else ''}"


def of_the_host(survey: Survey) -> tuple[str, ...]:
    """What's wrong with a host as a whole, and the GPUs that don't answer, each with what to do."""
    lost = {each.trouble for each in survey.unreadable}
    told = [each for each in findings(survey) if each.gpu is None or each in lost]
    return tuple(f"{each}{f' ({each.hint})' if each.hint else ''}" for each in told)


def kept_off(gpu: Gpu, survey: Survey) -> Iterator[str]:
    """The taints that keep claims off a GPU, in words."""
    for taint in taints_of(gpu, survey):
        if taint.effect != SHOWN:
            wants = f", as the driver wants: {gpu.recovery.value}" if taint.key == RECOVERY and gpu.recovery else ""
            yield f"its taint {taint.key}={taint.value}:{taint.effect} keeps claims without a toleration off{wants}"


# --- for programs ----------------------------------------------------------------------------------------------------
def config_json(config: ClaimConfig | PluginConfig | Unjudged) -> dict[str, Any]:
    """A configuration as plain data, with what its strategy isolates."""
    if isinstance(config, Unjudged):
        return {"kind": config.kind, "strategy": None, "notJudged": config.why}
    way = _way(config)
    isolation = ISOLATION[way] if way is not None else None
    value: dict[str, Any] = {"kind": "DevicePluginConfig" if isinstance(config, PluginConfig) else config.kind}
    value["strategy"] = None if way is None else way.value
    if isolation is not None:
        value["isolation"] = {"memory": isolation.memory.value, "fault": isolation.fault.value,
                              "bandwidth": isolation.bandwidth.value}  # fmt: skip
    return {**value, **(_plugin_json(config) if isinstance(config, PluginConfig) else _claim_json(config))}


def _plugin_json(config: PluginConfig) -> dict[str, Any]:
    value: dict[str, Any] = {"flags": dict(config.flags)}
    if config.sharing is not None:
        value["failRequestsGreaterThanOne"] = config.sharing.fail_requests_greater_than_one
        value["resources"] = [
            {"name": each.name, "replicas": each.replicas, "offeredAs": each.rename or each.name}
            for each in config.sharing.resources
        ]
    return value


def _claim_json(config: ClaimConfig) -> dict[str, Any]:
    match config.sharing:
        case TimeSlicing(interval) if not config.for_mig:
            return {"interval": interval.value}
        case Mps() as mps:
            return {
                "activeThreadPercentage": mps.percent,
                "memoryMiB": mps.memory_mib,
                "memoryMiBOf": dict(mps.memory_mib_of),
                "multiUser": mps.multi_user,
            }
        case _:
            return {}
