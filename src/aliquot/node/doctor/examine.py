"""All checks, in the order in which somebody who repairs a node would go. Pure."""

from aliquot.devices.survey import Survey
from aliquot.node.doctor.checks.cdi import cdi_checks
from aliquot.node.doctor.checks.driver import driver_checks
from aliquot.node.doctor.checks.kubelet import kubelet_checks
from aliquot.node.doctor.checks.machine import machine_checks
from aliquot.node.doctor.checks.others import other_checks
from aliquot.node.doctor.checks.permissions import permission_checks
from aliquot.node.doctor.found import Found
from aliquot.node.doctor.value import Check
from aliquot.node.neighbours.found import InCluster
from aliquot.node.neighbours.judge import judge


def examine(found: Found, survey: Survey, cluster: InCluster | None = None) -> tuple[Check, ...]:
    """Judge a machine.

    Args:
        found: what was seen of it.
        survey: its devices.
        cluster: what the API server says of its neighbours; None: it wasn't asked.
    """
    verdict = judge(found.neighbours, cluster)
    return (
        *machine_checks(found, verdict),
        *driver_checks(survey, found, verdict),
        *permission_checks(found),
        *cdi_checks(found),
        *kubelet_checks(found),
        *other_checks(found, verdict, asked=cluster is not None),
    )
