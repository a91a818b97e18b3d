"""Good specs of all versions, and OCI specs to edit, for the laws."""

from typing import Any

from hypothesis import strategies as st

from aliquot.cdi.host_nodes import GivenNodes, HostNode
from aliquot.cdi.spec import (
    HOOK_NAMES,
    ContainerEdits,
    Device,
    DeviceNode,
    Hook,
    IntelRdt,
    Mount,
    NetDevice,
    Spec,
)
from aliquot.cdi.versions import NEWEST

words = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
tricky = st.sampled_from(
    ("on", "0600", "1e3", "12:30", "~", "null", "- a", "a: b", "a #b", " a", "a ", "'", '"', "\n", "\t", "é", "\u2028",
     "\x85", "\x7f", "\ufeff", "{}", "[", "&a", "*a", "!a", "%a", "@a", "0o17", "1_0", "2001-01-01", ".inf", "y", "=",
     "<<")
)  # fmt: skip
texts = words | tricky
env = st.builds(lambda key, value: f"{key.replace('=', '_')}={value}", texts, texts | st.just(""))
uint32 = st.integers(0, 2**32 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
PATHS = ("/dev/a", "/dev/b", "/dev/c", "/dev/p", "/dev/none", "/dev/file")

nodes = st.builds(
    DeviceNode,
    path=st.sampled_from(PATHS) | texts,
    host_path=st.just("") | st.sampled_from(PATHS),
    type=st.sampled_from(("", "b", "c", "u", "p")),
    major=st.just(0) | int64,
    minor=st.just(0) | int64,
    file_mode=st.none() | uint32,
    permissions=st.sampled_from(("", "r", "rw", "rwm", "mrw", "rr")),
    uid=st.none() | uint32,
    gid=st.none() | uint32,
)
hooks = st.builds(
    Hook,
    hook_name=st.sampled_from(HOOK_NAMES),
    path=texts,
    args=st.lists(texts, max_size=2).map(tuple),
    env=st.lists(env, max_size=2).map(tuple),
    timeout=st.none() | int64,
)
mounts = st.builds(
    Mount,
    host_path=texts,
    container_path=st.sampled_from(("/", "/a", "/a/b", "/a/b/c", "a//b", "//x")) | texts,
    options=st.lists(st.sampled_from(("ro", "bind", "rbind", "idmap")) | texts, max_size=3).map(tuple),
    type=st.sampled_from(("", "bind", "tmpfs", "none")),
)
rdts = st.builds(
    IntelRdt,
    clos_id=st.sampled_from(("", "/", "gold")),
    l3_cache_schema=st.just("") | texts,
    mem_bw_schema=st.just("") | texts,
    schemata=st.none() | st.lists(texts, max_size=2).map(tuple),
    enable_monitoring=st.booleans(),
)
net_devices = st.lists(
    st.builds(NetDevice, host_interface_name=texts, name=texts),
    max_size=2,
    unique_by=(lambda net: net.host_interface_name, lambda net: net.name),
).map(tuple)


def few(entries: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(entries, max_size=2).map(tuple)


blocks = st.builds(
    ContainerEdits,
    env=few(env),
    device_nodes=few(nodes),
    net_devices=st.just(()) | net_devices,
    hooks=few(hooks),
    mounts=few(mounts),
    intel_rdt=st.none() | rdts,
    additional_gids=few(uint32),
)
device_names = st.sampled_from(("0", "1", "0:1", "all", "GPU-1f2e", "a.b_c-d:e"))
annotations: st.SearchStrategy[dict[str, str]] = st.just({}) | st.dictionaries(
    st.sampled_from(("a", "b.c/d", "E")), texts, max_size=2
)
devices = st.builds(Device, name=device_names, edits=blocks.filter(bool), annotations=annotations)
specs = st.builds(
    Spec,
    version=st.just(NEWEST),
    kind=st.sampled_from(("acme.test/gpu", "acme.test/gpu.mig", "beta.example.com/nic")),
    devices=st.lists(devices, min_size=1, max_size=3, unique_by=lambda device: device.name).map(tuple),
    edits=blocks,
    annotations=annotations,
)

HOST = GivenNodes(
    {
        "/dev/a": HostNode("c", 195, 0, 0o660),
        "/dev/b": HostNode("b", 7, 3, 0o600),
        "/dev/c": HostNode("c", 10, 200, 0o4666),
        "/dev/p": HostNode("p", mode=0o644),
    },
    frozenset({"/dev/file"}),
)

oci_specs = st.fixed_dictionaries(
    {"ociVersion": st.just("1.1.0")},
    optional={
        "process": st.fixed_dictionaries(
            {"cwd": st.just("/")},
            optional={
                "user": st.fixed_dictionaries(
                    {}, optional={"uid": uint32, "gid": uint32, "additionalGids": st.just([44])}
                ),
                "env": st.lists(st.sampled_from(("PATH=/bin", "A=1", "A=2", "A", "B")), max_size=4),
                "args": st.just(["sh"]),
            },
        ),
        "mounts": st.lists(
            st.fixed_dictionaries({"destination": st.sampled_from(("/", "/proc", "/a/b", "/a/b/c", "//x"))}), max_size=4
        ),
        "hooks": st.just({"prestart": [{"path": "/old"}]}),
        "linux": st.fixed_dictionaries(
            {},
            optional={
                "devices": st.lists(st.fixed_dictionaries({"path": st.sampled_from(PATHS)}), max_size=3),
                "namespaces": st.lists(st.sampled_from(({"type": "user"}, {"type": "pid"})), max_size=2),
                "resources": st.just({"devices": [{"allow": False, "access": "rwm"}]}),
                "netDevices": st.just({"eth0": {"name": "old"}}),
                "intelRdt": st.just({"closID": "old"}),
            },
        ),
    },
)
