"""What a machine has on disk, for its device nodes and its CDI spec."""

from aliquot.cdi.generate.inventory import Driver, FoundNode, Inventory, Library

CONTROL = ("/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidiactl")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def machine(
    *more: str, lacking: tuple[str, ...] = (), dev_root: str = "/", caps: dict[str, int] | None = None
) -> Inventory:
    """With the driver's control nodes, two GPUs' and other nodes."""
    caps = caps or {}
    paths = [*CONTROL, "/dev/nvidia0", "/dev/nvidia1", *(f"/dev/nvidia-caps/nvidia-cap{cap}" for cap in caps.values())]
    return Inventory(
        dev_root=dev_root,
        driver=Driver(
            version="580.65.06",
            folders=(LIBRARIES,),
            libraries=(Library(path=f"{LIBRARIES}/libcuda.so.580.65.06", soname="libcuda.so.1"),),
        ),
        nodes=tuple(
            FoundNode(path=path, major=195, minor=number)
            for number, path in enumerate([*paths, *more])
            if path not in lacking
        ),
        capabilities=caps,
    )
