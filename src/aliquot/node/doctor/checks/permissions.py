"""What this process may do, and on what it runs."""

from collections.abc import Iterator
from typing import Final

from aliquot.node.doctor.found import Found
from aliquot.node.doctor.value import Check, Status

_SYS_ADMIN: Final = 1 << 21
_DAC_OVERRIDE: Final = 1 << 1


def permission_checks(found: Found) -> Iterator[Check]:
    """Of this process: the agent would have the same."""
    yield _user(found)
    yield _sys_admin(found)
    yield _read_only(found)


def _user(found: Found) -> Check:
    name, uid = "user", found.process.uid
    if uid is None:
        return Check(name, Status.UNKNOWN, "/proc doesn't tell", "the kubelet's folders are root's")
    if uid == 0:
        return Check(name, Status.OK, "root")
    why = (
        "the kubelet's folders and sockets and most of NVML's settings are root's: what follows may be unknown for that"
    )
    return Check(
        name, Status.WARN, f"user {uid}", why, ("run the agent as root (runAsUser: 0); run this as root, too",)
    )


def _sys_admin(found: Found) -> Check:
    name, bits = "CAP_SYS_ADMIN", found.process.capabilities
    why = "without it the driver refuses to make and destroy MIG instances, and to set compute modes and time slices"
    if bits is None:
        return Check(name, Status.UNKNOWN, "/proc doesn't tell", why)
    if bits & _SYS_ADMIN:
        return Check(name, Status.OK, "this process has it")
    fix = ("securityContext: {capabilities: {add: [SYS_ADMIN]}}, or privileged: true", "else offer whole GPUs only")
    return Check(name, Status.WARN, "this process doesn't have it", why, fix)


def _read_only(found: Found) -> Check:
    """The agent needs no writable root; but what it writes has to be mounted then."""
    name, read_only = "root file system", found.process.read_only_root
    if read_only is None:
        return Check(name, Status.UNKNOWN, "/proc doesn't tell how it's mounted")
    if not read_only:
        return Check(name, Status.OK, "writable; the agent doesn't need that (readOnlyRootFilesystem: true)")
    return Check(name, Status.OK, "read-only: the agent writes only to the kubelet's folders and the CDI folder")
