"""Bringing a host's GPUs to how they're to be shared. An edge: it changes the host, through `sharing.setup`.

What was set up is written down before it's done. After a restart equal sharing is taken over: a running MPS daemon goes
on with its clients. One with other limits ends when its clients have ended, never under them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import msgspec

from aliquot.devices.hosts.protocol import Host, MpsDaemons
from aliquot.devices.survey import Survey
from aliquot.node.device_plugin.offering.wanted import Wanted, undoing
from aliquot.sharing.setup.carry_out import Failed, carry_out, retry
from aliquot.sharing.setup.in_the_way import MPS_SERVER, named, of_mps, programs
from aliquot.sharing.setup.plan import MPS_ROOT, CannotSetUp, plan
from aliquot.sharing.setup.steps import Target


class Kept(Protocol):
    """Where it's written down what was set up. Both may raise `OSError`."""

    def read(self) -> bytes | None:
        """What was kept last; None: nothing."""
        ...

    def write(self, data: bytes) -> None:
        """Keep it in place of what was kept before, in one step."""
        ...


@dataclass(frozen=True, slots=True)
class Brought:
    """How the GPUs stand."""

    unusable: Mapping[str, str]
    """By GPU: why none of its replicas may be given."""
    problems: tuple[str, ...] = ()


class SharedGpus:
    """The GPUs of one host. Not thread-safe."""

    def __init__(self, host: Host, daemons: MpsDaemons, kept: Kept, *, mps_root: str = MPS_ROOT) -> None:
        self.mps_root = mps_root
        self._host = host
        self._daemons = daemons
        self._kept = kept

    def survey(self) -> Survey:
        """The host as it is now."""
        return self._host.survey()

    def bring(self, wanted: Mapping[str, Wanted], survey: Survey) -> Brought:
        """Do what is still to be done, and try again what failed.

        Args:
            wanted: by GPU; GPUs that were shared before and aren't here go back to their defaults.
            survey: the host as it stands.
        """
        problems: list[str] = []
        before = self._before(problems)
        answering = {gpu.uuid for gpu in survey.gpus}  # the others are tried again when they do
        changed = [gpu for gpu in {**wanted, **before} if gpu in answering and before.get(gpu) != wanted.get(gpu)]
        ends = {gpu: self._end(gpu, before.get(gpu), survey) for gpu in changed}
        unusable = {gpu: reason for gpu, reason in ends.items() if reason is not None}
        ready = {gpu: want for gpu, want in wanted.items() if gpu in answering and gpu not in unusable}
        counted = answering | {each.uuid for each in survey.unreadable}
        ended = ends.keys() - unusable.keys()
        now = {gpu: want for gpu, want in before.items() if gpu in counted and gpu not in ended} | ready
        if now != before:
            self._keep(now, problems)
        stands = self._host.survey() if ended else survey
        for gpu, want in ready.items():
            reason = self._set_up(gpu, want, stands)
            if reason is not None and want.mps:
                unusable[gpu] = reason
            elif reason is not None:
                problems.append(f"{survey.where(gpu)}: {reason}")
        return Brought(MappingProxyType(unusable), tuple(problems))

    def _end(self, gpu: str, before: Wanted | None, survey: Survey) -> str | None:
        """End what was set up before; why it can't be ended."""
        known = survey.gpu(gpu)
        running = programs(known, Target(gpu)) if known is not None else ()
        clients = [each for each in running if of_mps(each) and not (each.name or "").endswith(MPS_SERVER)]
        if clients and (before is None or before.mps):
            limits = "has other limits than are wanted now" if before is not None else "was set up by somebody unknown"
            return f"its MPS daemon {limits}; that ends when its clients have ended: {named(clients)}"
        left = retry(undoing(gpu, before, self.mps_root), self._host, self._daemons)
        return f"still to do: {', then '.join(map(str, left))}" if left else None

    def _set_up(self, gpu: str, want: Wanted, survey: Survey) -> str | None:
        planned = plan(want.request(gpu), survey, mps_root=self.mps_root)
        if isinstance(planned, CannotSetUp):
            return "; ".join(fault.message for fault in planned.faults)
        done = carry_out(planned.steps, self._host, self._daemons)
        return str(done) if isinstance(done, Failed) else None

    def _before(self, problems: list[str]) -> dict[str, Wanted]:
        try:
            data = self._kept.read()
            return {} if data is None else msgspec.json.decode(data, type=dict[str, Wanted])
        except (OSError, msgspec.MsgspecError) as error:
            problems.append(f"how GPUs were shared before can't be read ({error}): MPS daemons begin anew")
            return {}

    def _keep(self, now: Mapping[str, Wanted], problems: list[str]) -> None:
        try:
            self._kept.write(msgspec.json.encode(dict(now)))
        except OSError as error:
            problems.append(f"how GPUs are shared can't be written down: {error.strerror or error}")
