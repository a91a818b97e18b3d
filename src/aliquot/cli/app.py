"""The command tree. Every command lives in a module of its own and is imported when it's called."""

import os
import sys

from cyclopts import App

from aliquot import __version__

NAME = "kubectl aliquot" if os.path.basename(sys.argv[0]).startswith("kubectl-") else "aliquot"  # noqa: PTH119 - argv[0] is no path to open

app = App(
    name=NAME,
    version=f"aliquot {__version__}",
    version_flags=["--version", "-V"],
    help="""The share of a GPU that every pod needs: why a pod is pending, and the ways out.

    Examples:

        kubectl get nodes,pods,deployments,replicasets,priorityclasses,namespaces,events -A -o yaml > dump.yaml

        aliquot explain pod/llm-2 -n serving -f dump.yaml

        kubectl get nodes,pods -A -o json | aliquot explain --all-pending -f -

    Exit status of explain: 0 every pod runs or would be placed; 3 a pod stays pending; 2 nothing usable in the input.
    """,
    help_format="plaintext",
)
app.command("aliquot.cli.explain:explain", name="explain")
app.command("aliquot.cli.cdi:app", name="cdi")
