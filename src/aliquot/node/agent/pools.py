"""What the agent publishes just now."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from aliquot.devices.hosts.protocol import Host, HostFault
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Survey
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes
from aliquot.node.config.values import NodeConfig
from aliquot.node.device_plugin.offering.division import Undecided, decide
from aliquot.node.health.picture import Picture  # noqa: TC001 - an attribute's type, which stands in no signature
from aliquot.node.health.telling import taints_of
from aliquot.sharing.publish.options import NIC_DRIVER, Options
from aliquot.sharing.publish.pools import Published, published


class Offering:
    """Looks at the host and says what there is to offer by DRA.

    Args:
        node: the node's name.
        host: its devices.
        config: what is offered.
        own: by the GPU's UUID, the MIG instances that were made for claims.
    """

    def __init__(
        self, node: str, host: Host, config: NodeConfig, own: Callable[[Survey], Mapping[str, Sequence[Placement]]]
    ) -> None:
        self._node, self._host, self._own = node, host, own
        self.config = config
        self.picture: Picture | None = None
        """How the GPUs are, from who watches them."""
        self._geometries: dict[str, Geometry] = {}
        self._looking = threading.Lock()

    def survey(self) -> Survey:
        """The host as it is, with the GPUs that go by DRA."""
        picture = self.picture
        with self._looking:
            survey = picture.published if picture is not None else self._host.survey()
        decided = decide(self.config.offer, survey)
        if isinstance(decided, Undecided):  # said by the device plugin; what is in doubt is offered by nobody
            return replace(survey, gpus=())
        return decided.dras(survey)

    def published(self, kubernetes: Kubernetes) -> Published:
        """What there is, for an API server of this release."""
        survey = self.survey()
        options = Options(
            node=self._node,
            kubernetes=kubernetes,
            mig=self.config.mig,
            nic_driver=self.config.nic_driver or NIC_DRIVER,
            own=self._own(survey),
            taints=None if self.picture is None else taints_of(self.picture.told),
        )
        return published(survey, self._known(survey), options)

    def pools(self, kubernetes: Kubernetes) -> Sequence[Pool]:
        """The pools of both drivers; one that has nothing is empty, so that nothing is told from nobody."""
        found = self.published(kubernetes)
        return (found.gpus, found.nics) if self.config.nic_driver else (found.gpus,)

    def _known(self, survey: Survey) -> Mapping[str, Geometry]:
        """How MIG may cut each GPU: asked once, since it stays."""
        for gpu in survey.gpus:
            if gpu.uuid in self._geometries or gpu.mig is None:
                continue
            try:
                answer = self._host.geometry(gpu.uuid)
            except HostFault:
                continue  # asked again; the survey tells of it
            if isinstance(answer, Geometry):
                self._geometries[gpu.uuid] = answer
        return self._geometries
