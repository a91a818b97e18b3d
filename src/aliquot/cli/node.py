"""`aliquot node`: what a GPU node has."""

from cyclopts import App

EXAMPLES = """Examples:
  aliquot node inspect                          this machine
  aliquot node inspect --host preset:dgx-a100   a simulated one
  aliquot node slices --host preset:dgx-a100    what the scheduler would see of it
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

SLICES_EXAMPLES = """Examples:
  aliquot node slices                            this machine, for the newest Kubernetes that is known
  aliquot node slices --host preset:hgx-h100 --kubernetes 1.36 | kubectl create -f -
  aliquot node slices --kubernetes 1.34 --feature-gates DRAPartitionableDevices=true

GPUs are published as NVIDIA's driver does, for the driver name gpu.nvidia.com. Of network cards, those with an RDMA
device and virtual functions are, for nic.aliquot.dev.

Exit status:
  0  all of it is published
  1  something that the node has isn't, and stderr says what and why
  2  there is no such host, or an option can't be used
"""

app = App(
    name="node",
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)
app.command("aliquot.cli.node_inspect:inspect", name="inspect", help_epilogue=INSPECT_EXAMPLES)
app.command("aliquot.cli.node_slices:slices", name="slices", help_epilogue=SLICES_EXAMPLES)
app.command("aliquot.cli.node_inspect:presets", name="presets")
