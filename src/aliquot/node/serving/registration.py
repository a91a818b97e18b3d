"""How the kubelet gets to know a driver: it finds the socket, asks who is there, and says what it thinks of that."""

import threading
from collections.abc import Sequence
from pathlib import Path

import grpc

from aliquot import __version__
from aliquot.node.protos.generated import agent_v1_pb2 as agent
from aliquot.node.protos.generated import registration_v1_pb2 as messages
from aliquot.node.protos.rpc import Implementation
from aliquot.node.protos.services import DRA_PLUGIN, GET_INFO, NOTIFY, WHO


class Registration:
    """What's told to a kubelet, and what it answered.

    Args:
        driver: its name.
        endpoint: its DRA socket.
        versions: the services that it has there, the best first: the kubelet takes the first that it knows.
    """

    def __init__(self, driver: str, endpoint: Path, versions: Sequence[str]) -> None:
        self._info = messages.PluginInfo(
            type=DRA_PLUGIN, name=driver, endpoint=str(endpoint), supported_versions=versions
        )
        self._answered = threading.Event()
        self.registered = False
        """Whether the kubelet took it, the last time that it asked."""
        self.error = ""
        """Why it didn't."""

    def implementations(self) -> tuple[Implementation, ...]:
        """The methods."""
        return (GET_INFO.by(self._get_info), NOTIFY.by(self._notify), self.who())

    def who(self) -> Implementation:
        """Tells whoever asks that this socket is an agent's of ours."""
        return WHO.by(self._who)

    def wait(self, seconds: float) -> bool:
        """Wait for the kubelet's answer; whether it came."""
        return self._answered.wait(seconds)

    def _get_info(self, _: messages.InfoRequest, __: grpc.ServicerContext) -> messages.PluginInfo:
        return self._info

    def _who(self, _: agent.WhoRequest, __: grpc.ServicerContext) -> agent.WhoResponse:
        return agent.WhoResponse(driver=self._info.name, version=__version__)

    def _notify(
        self, status: messages.RegistrationStatus, _: grpc.ServicerContext
    ) -> messages.RegistrationStatusResponse:
        self.registered, self.error = status.plugin_registered, status.error
        self._answered.set()
        return messages.RegistrationStatusResponse()
