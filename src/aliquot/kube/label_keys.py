"""matchLabelKeys and mismatchLabelKeys of pod affinity, as the API server turns them into selectors.

On creation it adds to the term's selector, for each key that the pod has, `key In (value)` or `key NotIn (value)`; the
scheduler only looks at the selector. Manifests haven't been through it; objects have, and adding again changes nothing.
"""

from collections.abc import Mapping
from dataclasses import replace

from aliquot.kube.selectors import Affinity, PodAffinityTerm, Requirement


def with_label_keys(affinity: Affinity | None, labels: Mapping[str, str]) -> Affinity | None:
    """The affinity of a pod with these labels."""
    if affinity is None or not any(
        term.match_label_keys or term.mismatch_label_keys for term in (*affinity.pod, *affinity.pod_anti)
    ):
        return affinity
    return replace(
        affinity,
        pod=tuple(_merged(term, labels) for term in affinity.pod),
        pod_anti=tuple(_merged(term, labels) for term in affinity.pod_anti),
    )


def _merged(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    if term.selector is None:
        return term
    wanted = [
        *(Requirement(key, "In", (labels[key],)) for key in term.match_label_keys if key in labels),
        *(Requirement(key, "NotIn", (labels[key],)) for key in term.mismatch_label_keys if key in labels),
    ]
    new = tuple(requirement for requirement in wanted if requirement not in term.selector.match_expressions)
    selector = replace(term.selector, match_expressions=(*term.selector.match_expressions, *new))
    return replace(term, selector=selector)
