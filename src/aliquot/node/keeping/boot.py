"""Which boot of the machine this is."""

from pathlib import Path


def boot_id(root: Path = Path("/")) -> str:
    """The kernel's id of this boot: another one after each start, and the same in every container.

    Raises:
        OSError: the kernel doesn't tell; nothing that was prepared could be trusted then.
    """
    return (root / "proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
