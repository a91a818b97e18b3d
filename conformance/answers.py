"""Answers of allocation as JSON, in the format of `cases/allocator`: what the Go harness prints, too."""

from collections.abc import Iterable
from typing import Any

from aliquot.allocation.answer import Allocation, Answer
from aliquot.dra.claim import AllocatedConfig, AllocatedDevice, ClaimAllocation, DeviceToleration
from aliquot.kube.selectors import NodeSelector, Requirement

Json = dict[str, Any]


def answer_json(node: str, answer: Answer) -> Json:
    """One node's answer."""
    if isinstance(answer, Allocation):
        results = [allocation_json(one) for one in answer.claims]
        return {"node": node, "outcome": "allocated", "results": results, "allocateOneCalls": answer.steps}
    if answer.category == "does not fit":
        return {"node": node, "outcome": "none", "allocateOneCalls": answer.steps}
    made: Json = {"node": node, "outcome": "error", "error": answer.error}
    if answer.category == "this node only":
        made["nodeOnlyError"] = True
    if answer.category == "gave up":
        made["timedOut"] = True
    return {**made, "allocateOneCalls": answer.steps}


def allocation_json(allocation: ClaimAllocation) -> Json:
    """status.allocation of a claim, as Go prints it: empty fields are left out."""
    devices: Json = {}
    if allocation.results:
        devices["results"] = [_device(one) for one in allocation.results]
    if allocation.config:
        devices["config"] = [_config(one) for one in allocation.config]
    made: Json = {"devices": devices}
    if allocation.node_selector is not None:
        made["nodeSelector"] = _node_selector(allocation.node_selector)
    return made


def _device(one: AllocatedDevice) -> Json:
    made: Json = {
        "request": one.request,
        "driver": one.device.driver,
        "pool": one.device.pool,
        "device": one.device.device,
    }
    if one.admin_access:
        made["adminAccess"] = True
    if one.tolerations:
        made["tolerations"] = [_toleration(toleration) for toleration in one.tolerations]
    if one.binding_conditions:
        made["bindingConditions"] = list(one.binding_conditions)
    if one.binding_failure_conditions:
        made["bindingFailureConditions"] = list(one.binding_failure_conditions)
    if one.share_id is not None:
        made["shareID"] = one.share_id
    if one.consumed:
        made["consumedCapacity"] = {name: str(amount) for name, amount in sorted(one.consumed.items())}
    return made


def _toleration(one: DeviceToleration) -> Json:
    fields = (("key", one.key), ("operator", one.operator), ("value", one.value), ("effect", one.effect))
    made: Json = {name: value for name, value in fields if value}
    if one.seconds is not None:
        made["tolerationSeconds"] = one.seconds
    return made


def _config(one: AllocatedConfig) -> Json:
    made: Json = {"source": one.source}
    if one.config.requests:
        made["requests"] = list(one.config.requests)
    made["opaque"] = {"driver": one.config.driver, "parameters": one.config.parameters}
    return made


def _node_selector(selector: NodeSelector) -> Json:
    terms: list[Json] = []
    for term in selector.terms:
        made: Json = {}
        if term.expressions:
            made["matchExpressions"] = list(_requirements(term.expressions))
        if term.fields:
            made["matchFields"] = list(_requirements(term.fields))
        terms.append(made)
    return {"nodeSelectorTerms": terms}


def _requirements(requirements: Iterable[Requirement]) -> Iterable[Json]:
    for one in requirements:
        made: Json = {"key": one.key, "operator": one.operator}
        yield {**made, "values": list(one.values)} if one.values else made
