"""`aliquot node`: what a GPU node has."""

from cyclopts import App

EXAMPLES = """Examples:
  aliquot node inspect                          this machine
  aliquot node inspect --host preset:dgx-a100   a simulated one
  aliquot node presets hgx-h100 > host.yaml     to start from; then --host sim:host.yaml
  aliquot node check config.yaml                the device plugin's file, or configurations in claims
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
CHECK_EXAMPLES = """Examples:
  aliquot node check plugin-config.yaml
  aliquot node check claims.yaml -o json
  aliquot node check plugin-config.yaml --host preset:mixed   what it would offer there, and what's wrong with it

Exit status:
  0  nothing is wrong
  1  something is: each fault with its path, all at once
  2  a file can't be read, or holds no such configuration
"""
SETUP_EXAMPLES = """Examples:
  aliquot node setup gpu-0 gpu-1 --config claim.yaml
  aliquot node setup gpu-0:3g.20gb@4 --host preset:mixed
  aliquot node setup gpu-2 --config claim.yaml --request mps-gpu --host preset:mixed -o json

Nothing is changed: printed are the steps with their undo, and what a container would get for its sharing.

Exit status:
  0  it can be set up, and the answer says how
  3  it can't, and the answer says why
  2  a file, a device or the host can't be used
"""

app = App(
    name="node",
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)
app.command("aliquot.cli.node_inspect:inspect", name="inspect", help_epilogue=INSPECT_EXAMPLES)
app.command("aliquot.cli.node_inspect:presets", name="presets")
app.command("aliquot.cli.sharing.setup:setup", name="setup", help_epilogue=SETUP_EXAMPLES)
app.command("aliquot.cli.sharing.check:check", name="check", help_epilogue=CHECK_EXAMPLES)
