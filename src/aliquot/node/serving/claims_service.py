"""NodePrepareResources and NodeUnprepareResources, in both versions that kubelets speak."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import grpc

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared
from aliquot.node.protos.generated import dra_v1_pb2 as dra
from aliquot.node.protos.rpc import Implementation
from aliquot.node.protos.services import PREPARE_V1, PREPARE_V1BETA1, UNPREPARE_V1, UNPREPARE_V1BETA1
from aliquot.node.serving.door import Drives

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)
CLAIMS_AT_A_TIME: Final = 16


class ClaimsService:
    """Answers for each claim that is asked for: with devices, or with the reason why not.

    Args:
        door: who prepares them.
    """

    def __init__(self, door: Drives) -> None:
        self._door = door
        self._claims = ThreadPoolExecutor(CLAIMS_AT_A_TIME, thread_name_prefix="claim")

    def implementations(self) -> tuple[Implementation, ...]:
        """The methods. On the wire v1beta1's messages are v1's, without the id of a share."""
        return (
            PREPARE_V1.by(partial(self._prepare, shares=True)),
            UNPREPARE_V1.by(self._unprepare),
            replace(PREPARE_V1, path=PREPARE_V1BETA1.path).by(partial(self._prepare, shares=False)),
            replace(UNPREPARE_V1, path=UNPREPARE_V1BETA1.path).by(self._unprepare),
        )

    def end(self) -> None:
        """Claims that are being worked on come to their end; no other is begun."""
        self._claims.shutdown(wait=True)

    def _prepare(
        self, request: dra.NodePrepareResourcesRequest, _: grpc.ServicerContext, *, shares: bool
    ) -> dra.NodePrepareResourcesResponse:
        given = self._each(request.claims, self._door.prepare)
        return dra.NodePrepareResourcesResponse(
            claims={uid: _answer(found, shares=shares) for uid, found in given.items()}
        )

    def _unprepare(
        self, request: dra.NodeUnprepareResourcesRequest, _: grpc.ServicerContext
    ) -> dra.NodeUnprepareResourcesResponse:
        done = self._each(request.claims, self._door.unprepare)
        return dra.NodeUnprepareResourcesResponse(
            claims={
                uid: dra.NodeUnprepareResourceResponse(error="" if found is None else str(found))
                for uid, found in done.items()
            }
        )

    def _each(self, claims: Iterable[dra.Claim], act: Callable[[ClaimRef], T]) -> Mapping[str, T | Refusal]:
        """What came of each claim, by UID; one that is named twice is worked on once."""
        wanted = {one.uid: ClaimRef(one.namespace, one.name, one.uid) for one in claims}
        begun = {uid: self._claims.submit(_guarded, act, claim) for uid, claim in wanted.items()}
        return {uid: one.result() for uid, one in begun.items()}


def _guarded(act: Callable[[ClaimRef], T], claim: ClaimRef) -> T | Refusal:
    """A defect of ours is one claim's trouble, and is told."""
    try:
        return act(claim)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other claims of this call have answers
        _LOG.exception("claim %s", claim)
        return Refusal(
            f"a defect of the agent, which its log tells more of: {type(error).__name__}: {error}", retry=True
        )


def _answer(found: Prepared | Refusal, *, shares: bool) -> dra.NodePrepareResourceResponse:
    if isinstance(found, Refusal):
        return dra.NodePrepareResourceResponse(error=str(found))
    return dra.NodePrepareResourceResponse(
        devices=[
            dra.Device(
                request_names=one.requests,
                pool_name=one.pool,
                device_name=one.device,
                cdi_device_ids=one.cdi_ids,
                share_id=one.share_id if shares else None,
            )
            for one in found.devices
        ]
    )
