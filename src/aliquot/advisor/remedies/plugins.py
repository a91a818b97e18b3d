"""A way past nodes that have GPUs by their labels and offer none: have their device plugin run."""

import shlex
from collections.abc import Iterator

from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.cause import nodes_named
from aliquot.advisor.causes.plugins import is_plugin, labelled, plugin_words
from aliquot.advisor.wayout import After, Candidate, Change, Risk


def cures(case: Case) -> Iterator[Candidate]:
    """What it then offers isn't known: nothing is tried."""
    for name in device_requests(case.pod):
        if case.offered(name):
            continue
        silent = labelled(case.snapshot, name)
        if not silent:
            continue
        first = silent[0].name
        pods = [pod for pod in case.snapshot.pods_on(first) if is_plugin(pod)]
        command = (
            f"kubectl logs {shlex.quote(pods[0].name)} -n {shlex.quote(pods[0].namespace)}"
            if pods
            else f"kubectl get pods -A -o wide --field-selector spec.nodeName={shlex.quote(first)}"
            "  # which pod is the device plugin's? Where there's none: install the GPU operator or the plugin"
        )
        yield Candidate(
            kind="fix-driver",
            target=f"pod/{pods[0].name}" if pods else f"node/{first}",
            title=f"Have the device plugin offer {name} on {nodes_named([node.name for node in silent])}: "
            + plugin_words(case.snapshot, silent),
            changes=(Change(f"node {first}", command),),
            apply=lambda trial: trial,
            risk=Risk("low", "nothing that runs is touched"),
            rank=3,
            tried=After(""),
            simulated=False,
        )
