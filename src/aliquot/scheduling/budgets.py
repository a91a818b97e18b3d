"""PodDisruptionBudgets, as preemption counts them: which victims would violate one (DefaultPreemption)."""

from collections.abc import Iterable, Sequence

from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.matching import selects, selects_all
from aliquot.kube.pod import Pod


def covers(budget: DisruptionBudget, pod: Pod) -> bool:
    """Whether a budget is about a pod. Of one without labels none is; an empty selector is about nothing here."""
    if budget.meta.namespace != pod.namespace or not pod.meta.labels:
        return False
    selector = budget.selector
    return selector is not None and not selects_all(selector) and selects(selector, pod.meta.labels)


def violating(pods: Iterable[Pod], budgets: Sequence[DisruptionBudget]) -> tuple[tuple[Pod, ...], tuple[Pod, ...]]:
    """Those of the pods that would violate a budget if all went in this order, and the others.

    A pod whose eviction a budget has granted already doesn't count against that one.
    """
    if not budgets:
        return (), tuple(pods)
    allowed = [budget.allowed for budget in budgets]
    against: list[Pod] = []
    others: list[Pod] = []
    for pod in pods:
        violated = False
        for at, budget in enumerate(budgets):
            if covers(budget, pod) and pod.name not in budget.disrupted:
                allowed[at] -= 1
                violated = violated or allowed[at] < 0
        (against if violated else others).append(pod)
    return tuple(against), tuple(others)
