"""The command tree. Every command lives in a module of its own and is imported when it's called."""

import os
import sys

from cyclopts import App

from aliquot import __version__

NAME = "kubectl aliquot" if os.path.basename(sys.argv[0]).startswith("kubectl-") else "aliquot"  # noqa: PTH119 - argv[0] is no path to open

EXAMPLES = """Examples:
  aliquot explain pod/llm-2 -n serving
  aliquot dump --to dump.json.gz
  aliquot explain pod/llm-2 -n serving -f dump.json.gz
  kubectl get nodes,pods -A -o json | aliquot explain --all-pending -f -

Every command has its own: aliquot COMMAND --help
"""
EXPLAIN_EXAMPLES = """Examples:
  aliquot explain deployment/llm -n serving
  aliquot explain --all-pending --context prod --watch
  aliquot explain pod/llm-2 -n serving -f dump.yaml
  aliquot explain node/gpu-node-1 -f dump.yaml
  aliquot explain claim/training -n ml -f dump.yaml
  aliquot explain --all-pending -f dump.yaml -o html > why.html
  kubectl get nodes,pods -A -o json | aliquot explain --all-pending -f - -o json

Exit status:
  0  every asked pod runs or would be placed
  3  a pod stays pending
  2  nothing usable in the input, no nodes, no cluster, or the pod isn't in it
  130  --watch was ended by Ctrl-C
Objects that can't be read are warnings on stderr.
"""

DUMP_EXAMPLES = """Examples:
  aliquot dump --to dump.json.gz
  aliquot dump --to public.json.gz --anonymise --context prod
  aliquot dump --to public.json.gz --anonymise -f dump.yaml

Exit status:
  0  the dump is written; what may not be listed is a warning on stderr
  2  there's nothing to write, or no cluster to be reached
"""

app = App(
    name=NAME,
    version=f"aliquot {__version__}",
    version_flags=["--version", "-V"],
    help="The share of a GPU that every pod needs: why a pod is pending, and the ways out.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)
app.command("aliquot.cli.explain.command:explain", name="explain", help_epilogue=EXPLAIN_EXAMPLES)
app.command("aliquot.cli.dump:dump", name="dump", help_epilogue=DUMP_EXAMPLES)
app.command("aliquot.cli.node:app", name="node")
app.command("aliquot.cli.mig:app", name="mig")
app.command("aliquot.cli.cel.commands:app", name="cel")
app.command("aliquot.cli.cdi.app:app", name="cdi")
