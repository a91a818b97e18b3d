"""One life of the kubelet: from its start to its end, on what an earlier life left on disk."""

from collections.abc import Callable

from aliquot.kube.pod import Pod
from aliquot.node.protos.services import DEVICE_PLUGIN, DRA_PLUGIN
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.kubelet.device_plugins.allocations import Allocations
from aliquot.sandbox.kubelet.device_plugins.register import RegistrationServer
from aliquot.sandbox.kubelet.device_plugins.resources import Resources
from aliquot.sandbox.kubelet.dra.claims import Claims
from aliquot.sandbox.kubelet.dra.health import HealthBook
from aliquot.sandbox.kubelet.dra.plugins import DraPlugins
from aliquot.sandbox.kubelet.folders import KubeletFolders
from aliquot.sandbox.kubelet.housekeeping import Housekeeping
from aliquot.sandbox.kubelet.pod_resources import PodResourcesServer
from aliquot.sandbox.kubelet.registration.watcher import Watcher
from aliquot.sandbox.kubelet.speaks import Speaks
from aliquot.sandbox.kubelet.timing import Timing


class Life:
    """Runs from the moment it's made."""

    def __init__(
        self,
        folders: KubeletFolders,
        node: str,
        api: Api,
        speaks: Speaks,
        timing: Timing,
        pods: Callable[[], list[Pod]],
    ) -> None:
        """In the real kubelet's order: state, then sockets, then plugins. `pods`: those that are on the node now.

        Raises:
            DamagedCheckpointError: the claims' checkpoint; the real kubelet doesn't start either.
            ValueError: the root is too long for sockets.
        """
        folders.make()
        self.claims = Claims(folders.claim_checkpoint)
        self.allocations = Allocations(folders.device_checkpoint)
        folders.clear_device_plugins()
        self.resources = Resources(timing, self.allocations.resources)
        self.health = HealthBook(timing.health_stale_s)
        self.plugins = DraPlugins(speaks, self.health, timing)
        self._registration = RegistrationServer(folders.kubelet_socket, self.resources)
        self._pod_resources = PodResourcesServer(
            folders.pod_resources_socket, speaks, pods, self.claims, self.resources, self.allocations
        )
        self.watcher = Watcher(folders.registry, {DRA_PLUGIN: self.plugins, DEVICE_PLUGIN: self.resources}, timing)
        self._housekeeping = Housekeeping(node, api, self.claims, self.plugins, pods, timing)
        self.watcher.start()
        self._housekeeping.start()

    def stop(self) -> None:
        """End it. What is on disk stays as it is, and the plugins' sockets, too."""
        self.watcher.stop()
        self._housekeeping.stop()
        self._registration.stop()
        self._pod_resources.stop()
        self.plugins.stop()
        self.resources.stop()
