"""`aliquot node`: what a GPU node has."""

from cyclopts import App

from aliquot.cli.help import epilogue

app = App(
    name="node",
    help="GPU nodes: what this machine has, how it's divided, what runs on it and what is wrong.",
    help_epilogue=epilogue(
        "aliquot node inspect                          # this machine, by its driver",
        "aliquot node inspect --host preset:dgx-a100   # a simulated one",
        "aliquot node slices --host preset:dgx-a100    # what the scheduler sees of it",
        "aliquot node presets hgx-h100 > host.yaml     # then --host sim:host.yaml",
        "aliquot node check config.yaml                # how GPUs are to be shared",
        "aliquot node doctor                           # is it fit for the agent?",
    ),
    help_format="plaintext",
)
app.command(
    "aliquot.cli.node.inspect:inspect",
    name="inspect",
    help="What this node has: driver, GPUs, links, MIG layout, what runs on them, and what is wrong.",
    help_epilogue=epilogue(
        "aliquot node inspect                       # this machine, by its driver",
        "aliquot node inspect --host preset:mixed   # simulated, without a GPU",
        "aliquot node inspect --host sim:host.yaml -o json",
        "aliquot node inspect --host sysfs:/   # other vendors' GPUs, network cards",
        status="0  nothing is wrong\n"
        "1  something is, and the answer says what; whatever else could be found\n"
        "   out is there\n"
        "2  there is no such host, or its file can't be used",
    ),
)
app.command(
    "aliquot.cli.agent.run:run",
    name="run",
    help="The agent of this node: publishes its devices and prepares claims for its kubelet, until SIGTERM.",
    help_epilogue=epilogue(
        "aliquot node run                                    # in its DaemonSet",
        "aliquot node run --config examples/node/agent.yaml --log-format json",
        "aliquot node run --host preset:t4-node --kubelet-root /tmp/k --cdi-folder /tmp",
        status="0  it was told to end, and did\n"
        "1  a socket or a folder can't be used, or NVIDIA's driver or device plugin\n"
        "   serves this node's GPUs\n"
        "2  there is no such host or cluster, or the configuration can't be used",
    ),
)
app.command(
    "aliquot.cli.node.slices:slices",
    name="slices",
    help="The ResourceSlices of this node, as they'd be published.",
    help_epilogue=epilogue(
        "aliquot node slices -o text                             # of this machine",
        "aliquot node slices --host preset:hgx-h100 --mig static # simulated",
        "aliquot node slices --kubernetes 1.36 > slices.yaml",
        "aliquot node slices --feature-gates DRADeviceTaints=false",
        status="0  all of it is published\n"
        "1  something that the node has isn't, or couldn't be asked; stderr says what\n"
        "   and why. Without a driver that answers, no GPUs are published\n"
        "2  there is no such host, or an option can't be used",
        more="GPUs are published as NVIDIA's driver does, for the driver name\n"
        "gpu.nvidia.com, so that claims written for it run unchanged. It needs a\n"
        "feature gate of its own for some of it: DynamicMIG for --mig dynamic,\n"
        "ConsumableShares for --consumable-shares, NVMLDeviceHealthCheck for\n"
        "taints. Those differ: an XID keeps claims off only where NVIDIA's catalogue\n"
        "wants a reset or a reboot, and until the driver wants none; otherwise it's\n"
        "shown (effect None). A lost GPU isn't published. gpu.nvidia.com/recovery,\n"
        "gpu.nvidia.com/memory and nic.aliquot.dev/link-down are Aliquot's own.\n"
        "MIG places are on offer from Hopper on; before, only while MIG is\n"
        "on (`nvidia-smi -mig 1`), as switching it takes a reset.\n"
        "Of network cards, those with an RDMA device and virtual functions are\n"
        "published, for nic.aliquot.dev.",
    ),
)
app.command(
    "aliquot.cli.node.inspect:presets",
    name="presets",
    help="The hosts that can be simulated, or one of them as a file to start from.",
    help_epilogue=epilogue("aliquot node presets", "aliquot node presets hgx-h100 > host.yaml"),
)
app.command(
    "aliquot.cli.sharing.check:check",
    name="check",
    help="What's wrong with configurations of GPU sharing, and what they'd do on a host.",
    help_epilogue=epilogue(
        "aliquot node check plugin-config.yaml",
        "aliquot node check claims.yaml -o json",
        "aliquot node check plugin-config.yaml --host preset:mixed",
        status="0  nothing is wrong\n"
        "1  something is: each fault with its path, all at once\n"
        "2  a file can't be read, or holds no such configuration",
        more="Configurations of claims that are right here need a feature gate of\n"
        "NVIDIA's own driver where that is used: TimeSlicingSettings for\n"
        "TimeSlicing, MPSSupport for MPS. Aliquot needs none.",
    ),
)
app.command(
    "aliquot.cli.sharing.setup:setup",
    name="setup",
    help="What setting devices up for a claim would do: the steps with their undo; nothing is done.",
    help_epilogue=epilogue(
        "aliquot node setup gpu-1:1g.5gb@5 --host preset:mixed   # without a GPU",
        "aliquot node setup gpu-2 --config claim.yaml --host sim:host.yaml",
        "aliquot node setup gpu-0 gpu-1 --config claim.yaml      # this machine's",
        "aliquot node setup gpu-2 --config claim.yaml --request mps-gpu -o json",
        status="0  it can be set up, and the answer says how\n"
        "3  it can't, and the answer says why\n"
        "2  a file, a device or the host can't be used",
    ),
)
app.command(
    "aliquot.cli.agent.doctor:doctor",
    name="doctor",
    help="""Is this machine fit for aliquot's agent, and if not, what is to be done?

    Looks at the driver, CDI in the container runtime, the kubelet's folders and sockets, permissions, and whoever else
    serves GPUs here. Changes nothing. Run it where the agent runs, as root: what it may not see is unknown.
    """,
    help_epilogue=epilogue(
        "aliquot node doctor",
        "aliquot node doctor --root /host   # in a container with the machine's /",
        "aliquot node doctor --kubelet-root /var/lib/k0s/kubelet",
        "aliquot node doctor --host preset:mixed -o json",
        status="0  nothing is wrong, as far as could be seen; what couldn't is `unknown`\n"
        "1  something is (`fail`), or may become so (`warn`), with what to do\n"
        "2  there is no such host or folder, or its file can't be used",
    ),
)
