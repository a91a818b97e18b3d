"""`aliquot node`: what a GPU node has."""

from cyclopts import App

from aliquot.cli.help import epilogue

app = App(
    name="node",
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
    help_epilogue=epilogue(
        "aliquot node inspect                          # this machine",
        "aliquot node inspect --host preset:dgx-a100   # a simulated one",
        "aliquot node presets hgx-h100 > host.yaml     # then --host sim:host.yaml",
    ),
    help_format="plaintext",
)
app.command(
    "aliquot.cli.node_inspect:inspect",
    name="inspect",
    help="What this node has: driver, GPUs, links, MIG layout, what runs on them, and what is wrong.",
    help_epilogue=epilogue(
        "aliquot node inspect",
        "aliquot node inspect --host sim:host.yaml -o json",
        "aliquot node inspect --host sysfs:/   # other vendors' GPUs, network cards",
        status="0  nothing is wrong\n"
        "1  something is, and the answer says what; whatever else could be found\n"
        "   out is there\n"
        "2  there is no such host, or its file can't be used",
    ),
)
app.command(
    "aliquot.cli.node_inspect:presets",
    name="presets",
    help="The hosts that can be simulated, or one of them as a file to start from.",
    help_epilogue=epilogue("aliquot node presets", "aliquot node presets hgx-h100 > host.yaml"),
)
