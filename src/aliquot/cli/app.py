"""The command tree. Every command lives in a module of its own and is imported when it's called.

Commands are grouped by the question that they answer. What a help text says before its options stands here, so that
`aliquot --help` imports none of them.
"""

import os
import sys

from cyclopts import App, Group

from aliquot import __version__
from aliquot.cli.help import Reflowing, epilogue

NAME = "kubectl aliquot" if os.path.basename(sys.argv[0]).startswith("kubectl-") else "aliquot"  # noqa: PTH119 - argv[0] is no path to open

START = Group("Why doesn't it start?", sort_key=1)
NEED = Group("What does it need?", sort_key=2)
NODE = Group("On this node", sort_key=3)
CLUSTER = Group("In this cluster", sort_key=4)
STANDARDS = Group("The standards", sort_key=5)
PROGRAM = Group("This program", sort_key=6)

app = App(
    name=NAME,
    version=f"aliquot {__version__}",
    version_flags=["--version", "-V"],
    help="The share of a GPU that every pod needs: why a pod is pending, and the ways out.",
    help_epilogue=epilogue(
        "aliquot explain pod/llm-2 -n serving",
        "aliquot explain --would deployment.yaml",
        "aliquot dump --to dump.json.gz",
        "aliquot explain pod/llm-2 -n serving -f dump.json.gz",
        "kubectl get nodes,pods -A -o json | aliquot explain --all-pending -f -",
        more="Every command has its own: aliquot COMMAND --help",
    ),
    help_format="plaintext",
    help_formatter=Reflowing(),
)
app["--help"].group = PROGRAM
app["--version"].group = PROGRAM

app.command(
    "aliquot.cli.explain.command:explain",
    name="explain",
    group=START,
    help="""Why a pod is pending, and what would place it.

    Replays kube-scheduler's decision on the cluster or on a dump of it, gives every reason on every node (the scheduler
    stops at a node's first), and offers ways out that were tried on a copy, best first: risk weighs most, then cost,
    then how much they change (README has the weights; --prefer risk or cost orders strictly).
    """,
    help_epilogue=epilogue(
        "aliquot explain deployment/llm -n serving",
        "aliquot explain --all-pending --context prod --watch",
        "aliquot explain pod/llm-2 -n serving -f dump.yaml",
        "aliquot explain --all-pending -f dump.yaml -o html > why.html",
        "aliquot explain node/gpu-node-1 -f dump.yaml",
        "aliquot explain claim/training -n ml -f dump.yaml",
        "aliquot explain --all-pending -f dump.yaml --node gpu-3 --cause held",
        "aliquot explain --plan-all -f dump.yaml --avoid evict --max-risk medium",
        "aliquot explain --would deployment.yaml -n serving",
        "kubectl get nodes,pods -A -o json | aliquot explain -A -f - -o json",
        status="0  every asked pod runs or would be placed, all beside each other\n"
        "3  a pod stays pending, has room only until those before it in the queue\n"
        "   are placed, or the asked claim has no devices\n"
        "2  nothing usable in the input, no nodes, no cluster, or what is asked\n"
        "   isn't in it\n"
        "130  --watch was ended by Ctrl-C",
        more="Objects that can't be read are warnings on stderr.",
    ),
)
app.command(
    "aliquot.cli.dump:dump",
    name="dump",
    group=CLUSTER,
    help="""Write what explains a cluster's pods into one file, that `aliquot explain -f` and kubectl read.

    Nodes, pods, their owners, devices and claims, volumes, quotas, events, and other schedulers' objects: every kind
    that the API server has and lets you list. Secrets' and ConfigMaps' contents, values of environment variables,
    commands and arguments are never in it.
    """,
    help_epilogue=epilogue(
        "aliquot dump --to dump.json.gz",
        "aliquot dump --to public.json.gz --anonymise --context prod",
        "aliquot dump --to public.json.gz --anonymise -f dump.yaml",
        status="0  the dump is written; what may not be listed is a warning on stderr\n"
        "2  there's nothing to write, or no cluster to be reached",
    ),
)
app.command(
    "aliquot.cli.node.app:app",
    name="node",
    group=NODE,
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
)
app.command(
    "aliquot.cli.mig:app",
    name="mig",
    group=NEED,
    help="MIG: the instances that a GPU holds or could hold.",
)
app.command(
    "aliquot.cli.cel.commands:app",
    name="cel",
    group=STANDARDS,
    help="CEL expressions that select devices: checked and evaluated as Kubernetes does.",
)
app.command(
    "aliquot.cli.cdi.app:app",
    name="cdi",
    group=STANDARDS,
    help="The Container Device Interface: what devices there are, whether their files are good, and who gets what.",
)
app.command(
    "aliquot.cli.completion:completion",
    name="completion",
    group=PROGRAM,
    help="""Print what a shell needs to complete commands and options.

    In bash: add the first line below to ~/.bashrc. For `kubectl aliquot`, kubectl itself looks for a program named
    kubectl_complete-aliquot on the PATH: the last two lines make it.
    """,
    help_epilogue=epilogue(
        "source <(aliquot completion bash)",
        "aliquot completion zsh > ~/.zfunc/_aliquot   # a folder of $fpath",
        "aliquot completion fish > ~/.config/fish/completions/aliquot.fish",
        "aliquot completion kubectl > ~/.local/bin/kubectl_complete-aliquot",
        "chmod +x ~/.local/bin/kubectl_complete-aliquot",
    ),
)
