"""A host's inventory where its driver or its files tell little."""

from aliquot.cdi.generate.inventory import Inventory
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.sharing.inventory import inventory_of


def test_drm_nodes_by_their_links_where_proc_is_not_visible() -> None:
    links = {
        "/dev/dri/by-path/pci-0000:07:00.0-card": "../card3",
        "/dev/dri/by-path/pci-0000:07:00.0-render": "../renderD130",
    }
    known = Gpu(index=0, uuid="GPU-1", name="x", pci="0000:07:00.0", minor=2)
    nameless = Gpu(index=1, uuid="GPU-2", name="x", pci="0000:0f:00.0")
    found = inventory_of(Inventory(dev_links=links), Survey(host="nvml", gpus=(known, nameless)))
    (gpu,) = found.gpus
    assert (gpu.minor, gpu.drm_nodes, gpu.mig) == (2, ("card3", "renderD130"), None)
    assert found.notes == ("gpu 1 (0000:0f:00.0) is left out: the driver doesn't tell its minor number",)
