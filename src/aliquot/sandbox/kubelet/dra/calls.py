"""Prepare and unprepare in either version of the interface."""

from collections.abc import Mapping, Sequence

import grpc

from aliquot.node.protos.generated import dra_v1_pb2 as v1
from aliquot.node.protos.generated import dra_v1beta1_pb2 as v1beta1
from aliquot.node.protos.services import DRA_V1, PREPARE_V1, PREPARE_V1BETA1, UNPREPARE_V1, UNPREPARE_V1BETA1
from aliquot.sandbox.kubelet.dra.prepared import Answered, ClaimRef, PreparedDevice


def prepare(channel: grpc.Channel, service: str, claims: Sequence[ClaimRef], limit_s: float) -> Mapping[str, Answered]:
    """NodePrepareResources; the answers by the claims' UIDs.

    Raises:
        grpc.RpcError: the call failed as a whole.
    """
    if service == DRA_V1:
        asked = v1.NodePrepareResourcesRequest(
            claims=[v1.Claim(namespace=claim.namespace, uid=claim.uid, name=claim.name) for claim in claims]
        )
        answer = PREPARE_V1.on(channel)(asked, timeout=limit_s)
        return {uid: Answered(tuple(map(_device, one.devices)), one.error) for uid, one in answer.claims.items()}
    older = v1beta1.NodePrepareResourcesRequest(
        claims=[v1beta1.Claim(namespace=claim.namespace, uid=claim.uid, name=claim.name) for claim in claims]
    )
    old = PREPARE_V1BETA1.on(channel)(older, timeout=limit_s)
    return {uid: Answered(tuple(map(_device, one.devices)), one.error) for uid, one in old.claims.items()}


def unprepare(channel: grpc.Channel, service: str, claims: Sequence[ClaimRef], limit_s: float) -> Mapping[str, str]:
    """NodeUnprepareResources; the errors by the claims' UIDs, empty where there's none.

    Raises:
        grpc.RpcError: the call failed as a whole.
    """
    if service == DRA_V1:
        asked = v1.NodeUnprepareResourcesRequest(
            claims=[v1.Claim(namespace=claim.namespace, uid=claim.uid, name=claim.name) for claim in claims]
        )
        answer = UNPREPARE_V1.on(channel)(asked, timeout=limit_s)
        return {uid: one.error for uid, one in answer.claims.items()}
    older = v1beta1.NodeUnprepareResourcesRequest(
        claims=[v1beta1.Claim(namespace=claim.namespace, uid=claim.uid, name=claim.name) for claim in claims]
    )
    old = UNPREPARE_V1BETA1.on(channel)(older, timeout=limit_s)
    return {uid: one.error for uid, one in old.claims.items()}


def _device(device: v1.Device | v1beta1.Device) -> PreparedDevice:
    return PreparedDevice(
        tuple(name.partition("/")[0] for name in device.request_names),
        device.pool_name,
        device.device_name,
        tuple(device.cdi_device_ids),
        device.share_id if isinstance(device, v1.Device) and device.HasField("share_id") else None,
    )
