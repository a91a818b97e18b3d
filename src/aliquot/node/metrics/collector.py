"""Collects the series of devices when Prometheus asks."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

import grpc
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from aliquot.devices.activity import Activity
from aliquot.devices.hosts.protocol import HostFault
from aliquot.devices.survey import Survey
from aliquot.dra.device import DeviceId
from aliquot.node.metrics.holders import exporter_runs, holders_of, published_uuids
from aliquot.node.metrics.own import PREFIX
from aliquot.node.metrics.samples import HostnameLabel, Scene, families
from aliquot.node.protos.generated import pod_resources_v1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import LIST_PODS

LIMIT_S = 5.0
FRESH_S = 1.0
MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How devices are told."""

    node: str
    dcgm: Literal["auto", "on", "off"] = "auto"
    """Whether DCGM's names are used; `auto`: unless dcgm-exporter runs on the node."""
    hostname_label: HostnameLabel = "Hostname"
    claims: bool = True
    """Whether series of a claim's devices have its name."""


class PodResources:
    """The kubelet's list of who has what."""

    def __init__(self, socket: str | Path, limit_s: float = LIMIT_S) -> None:
        """`socket`: pod-resources/kubelet.sock below the kubelet's folder."""
        self._socket = str(socket)
        self._limit_s = limit_s

    def __call__(self) -> pb.ListPodResourcesResponse:
        """The list.

        Raises:
            grpc.RpcError: the kubelet doesn't answer.
        """
        with dial(self._socket, ("grpc.max_receive_message_length", MOST_BYTES)) as channel:
            return LIST_PODS.on(channel)(pb.ListPodResourcesRequest(), timeout=self._limit_s)


class DeviceCollector(Collector):
    """Series of devices. What fails is absent, and told in a series of its own."""

    def __init__(
        self,
        options: Options,
        survey: Callable[[], Survey],
        activity: Callable[[str], tuple[Activity, ...]],
        pods: Callable[[], pb.ListPodResourcesResponse],
        *,
        uuids: Callable[[], Mapping[DeviceId, str]] = dict,
        healthy: Callable[[], Mapping[str, bool]] = dict,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Nothing is asked yet; all are asked from the thread of whoever scrapes, one at a time.

        Args:
            options: how devices are told.
            survey: the host, as it stands.
            activity: how busy a GPU is, by its UUID; a `HostFault` leaves it out.
            pods: who has what; an `RpcError` leaves pods out.
            uuids: of devices that were made for claims.
            healthy: by UUID, of GPUs of which it's known.
            clock: seconds that never jump.
        """
        self._options = options
        self._survey, self._activity, self._pods = survey, activity, pods
        self._uuids, self._healthy = uuids, healthy
        self._clock = clock
        self._turn = threading.Lock()
        self._exporter = False
        """Whether dcgm-exporter was there when the kubelet was last heard."""
        self._last: tuple[float, tuple[Metric, ...]] | None = None

    def collect(self) -> Iterator[Metric]:
        """The series; those of a moment ago where somebody else asked then."""
        with self._turn:
            now = self._clock()
            if self._last is None or now - self._last[0] >= FRESH_S:
                self._last = now, tuple(self._collected())
            yield from self._last[1]

    def describe(self) -> Iterator[Metric]:
        """Nothing: registering asks nobody."""
        return iter(())

    def _collected(self) -> Iterator[Metric]:
        survey, failed = self._survey(), {"pod-resources": 0, "activity": 0}
        try:
            pods = self._pods()
            self._exporter = exporter_runs(pods)
        except grpc.RpcError:
            pods, failed["pod-resources"] = pb.ListPodResourcesResponse(), 1
        told = self._options.dcgm == "on" or (self._options.dcgm == "auto" and not self._exporter)
        if told:
            activities: dict[str, tuple[Activity, ...]] = {}
            for gpu in survey.gpus:
                try:
                    activities[gpu.uuid] = self._activity(gpu.uuid)
                except HostFault:
                    failed["activity"] = 1
            known = {**published_uuids(survey, self._options.node), **self._uuids()}
            scene = Scene(
                node=self._options.node,
                survey=survey,
                activities=activities,
                holders=holders_of(pods, known),
                hostname_label=self._options.hostname_label,
                claims=self._options.claims,
            )
            for family in families(scene):
                yield _metric(family.name, family.help, family.samples)
        yield from self._about(survey, failed, told=told)

    def _about(self, survey: Survey, failed: dict[str, int], *, told: bool) -> Iterator[Metric]:
        words = "Whether devices are told under DCGM's names; 0: dcgm-exporter does it, or it's switched off."
        yield _metric(f"{PREFIX}_dcgm_series", words, [({}, float(told))])
        parts = [({"part": part}, float(value)) for part, value in failed.items()]
        yield _metric(f"{PREFIX}_metrics_failed", "Whether a part of these series couldn't be collected.", parts)
        unread = float(len(survey.unreadable))
        yield _metric(f"{PREFIX}_unreadable_gpus", "GPUs that are there and can't be asked.", [({}, unread)])
        healthy = [({"UUID": uuid}, float(good)) for uuid, good in sorted(self._healthy().items())]
        if healthy:
            yield _metric(f"{PREFIX}_gpu_healthy", "Whether the GPU is given out, for its health.", healthy)


def _metric(name: str, words: str, samples: Sequence[tuple[dict[str, str], float]]) -> Metric:
    metric = GaugeMetricFamily(name, words)
    for labels, value in samples:
        metric.add_sample(name, labels, value)
    return metric
