"""Everything that's looked at, once."""

from pathlib import Path

from aliquot.cdi.host.tree import Tree
from aliquot.node.doctor.found import Found
from aliquot.node.doctor.looking.kubelet import look_at_kubelet
from aliquot.node.doctor.looking.machine import look_at_machine
from aliquot.node.doctor.looking.runtimes import look_at_runtimes
from aliquot.node.doctor.looking.specs import look_at_specs
from aliquot.node.doctor.looking.this_process import look_at_process
from aliquot.node.neighbours.checkpoint import FILE, NvidiaCheckpoint, Unreadable, read_checkpoint
from aliquot.node.neighbours.found import GPU_DRIVER
from aliquot.node.neighbours.look import look as look_for_neighbours


def look(root: Path = Path("/"), kubelet_root: Path | None = None) -> Found:
    """Look at a machine.

    Args:
        root: its file system, as this process sees it: /host where a container has it there.
        kubelet_root: the kubelet's folder, as this process sees it; None: it's found out.
    """
    tree = Tree(root)
    kubelet = look_at_kubelet(tree, kubelet_root)
    runtimes = look_at_runtimes(tree, kubelet.runtime)
    return Found(
        root=str(root),
        machine=look_at_machine(tree),
        process=look_at_process(tree),
        kubelet=kubelet,
        runtimes=runtimes,
        specs=look_at_specs(tree, runtimes),
        neighbours=look_for_neighbours(Path(kubelet.root), root),
        checkpoint=_checkpoint(Path(kubelet.root)),
    )


def _checkpoint(kubelet: Path) -> NvidiaCheckpoint | Unreadable | None:
    try:
        return read_checkpoint((kubelet / "plugins" / GPU_DRIVER / FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Unreadable(error.strerror or str(error))
