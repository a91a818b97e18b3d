"""Container statuses from their JSON, where there's something to tell."""

import msgspec

from aliquot.kube.pod_status import ContainerStatus
from aliquot.kube.reading.wire.pods import WireContainerStatus, WireState

_statuses = msgspec.json.Decoder(list[WireContainerStatus])
_SIGNS = (b'"waiting"', b'"terminated"', b'"ready":false', b'"ready": false')
_NO_STATE = WireState()


def statuses(init: msgspec.Raw, containers: msgspec.Raw) -> tuple[ContainerStatus, ...]:
    """Of all containers, if one of them waits, has ended, was started again or isn't ready; else none.

    Forty thousand pods that run well needn't be decoded for that: the words that tell of trouble aren't there.
    """
    found: list[ContainerStatus] = []
    for raw, of_init in ((init, True), (containers, False)):
        data = bytes(raw)
        if any(sign in data for sign in _SIGNS):
            try:
                found += [_status(wire, init=of_init) for wire in _statuses.decode(data)]
            except msgspec.MsgspecError:
                continue  # no decision reads it
    return tuple(found)


def _status(wire: WireContainerStatus, *, init: bool) -> ContainerStatus:
    state, last = wire.state or _NO_STATE, wire.last_state or _NO_STATE
    now = state.waiting or state.terminated
    return ContainerStatus(
        name=wire.name or "",
        ready=bool(wire.ready),
        restarts=wire.restart_count or 0,
        waiting=(state.waiting.reason if state.waiting else None) or "",
        message=(now.message if now else None) or "",
        terminated=(state.terminated.reason if state.terminated else None) or "",
        last_terminated=(last.terminated.reason if last.terminated else None) or "",
        last_message=(last.terminated.message if last.terminated else None) or "",
        last_exit_code=last.terminated.exit_code if last.terminated else None,
        image=wire.image or "",
        init=init,
    )
