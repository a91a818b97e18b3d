"""What a call looks like on the wire: many servers refuse another authority than localhost."""

import socket
import tempfile
import threading
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

from aliquot.node.protos.generated import registration_v1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import GET_INFO


def headers_of_first_request(listener: socket.socket) -> dict[str, str]:
    connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
    peer, _ = listener.accept()
    with peer:
        connection.initiate_connection()
        while True:
            peer.sendall(connection.data_to_send())
            for event in connection.receive_data(peer.recv(65536)):
                if isinstance(event, RequestReceived):
                    return {str(name): str(value) for name, value in event.headers}


def test_the_authority_is_localhost() -> None:
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="k", dir="/tmp") as folder:
        path = Path(folder) / "a b.sock"
        with socket.socket(socket.AF_UNIX) as listener, dial(str(path)) as channel:
            listener.bind(str(path))
            listener.listen()
            server = threading.Thread(target=lambda: found.update(headers_of_first_request(listener)))
            server.start()
            call = GET_INFO.on(channel).future(pb.InfoRequest(), timeout=20)
            server.join(timeout=20)
            call.cancel()
    assert found[":authority"] == "localhost"
    assert found[":path"] == "/pluginregistration.Registration/GetInfo"
