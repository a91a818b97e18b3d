"""`aliquot node`: what a GPU node has."""

from cyclopts import App

EXAMPLES = """Examples:
  aliquot node inspect                          this machine
  aliquot node inspect --host preset:dgx-a100   a simulated one
  aliquot node presets hgx-h100 > host.yaml     to start from; then --host sim:host.yaml
"""
INSPECT_EXAMPLES = """Examples:
  aliquot node inspect
  aliquot node inspect --host sim:host.yaml -o json
  aliquot node inspect --host sysfs:/           network cards and other vendors' GPUs, without any driver

Exit status:
  0  nothing is wrong
  1  something is, and the answer says what; whatever else could be found out is there
  2  there is no such host, or its file can't be used
"""

app = App(
    name="node",
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)
app.command("aliquot.cli.node_inspect:inspect", name="inspect", help_epilogue=INSPECT_EXAMPLES)
app.command("aliquot.cli.node_inspect:presets", name="presets")
