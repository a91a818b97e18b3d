"""PodDisruptionBudgets, as preemption counts them: which victims would violate one (DefaultPreemption)."""

from collections.abc import Iterable, Iterator, Sequence

from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.matching import selects, selects_all
from aliquot.kube.pod import Pod


def covers(budget: DisruptionBudget, pod: Pod) -> bool:
    """Whether a budget is about a pod. Of one without labels none is; an empty selector is about nothing here."""
    if budget.meta.namespace != pod.namespace or not pod.meta.labels:
        return False
    selector = budget.selector
    return selector is not None and not selects_all(selector) and selects(selector, pod.meta.labels)


def violated(pods: Iterable[Pod], budgets: Sequence[DisruptionBudget]) -> Iterator[tuple[Pod, tuple[str, ...]]]:
    """Each of the pods, if all went in this order, with the budgets (`namespace/name`) that it would violate.

    A pod whose eviction a budget has granted already doesn't count against that one.
    """
    allowed = [budget.allowed for budget in budgets]
    for pod in pods:
        against: list[str] = []
        for at, budget in enumerate(budgets):
            if covers(budget, pod) and pod.name not in budget.disrupted:
                allowed[at] -= 1
                if allowed[at] < 0:
                    against.append(budget.meta.key)
        yield pod, tuple(against)
