"""MPS daemons as processes of this machine."""

import shutil
from contextlib import suppress
from pathlib import Path

from aliquot.devices.hosts.mps import MpsDaemon
from aliquot.devices.hosts.protocol import HostFault, MpsSettings, Refused


class MpsProcesses:
    """`MpsDaemons` by `nvidia-cuda-mps-control` on this machine."""

    def __init__(self, *, program: str | None = None, limit_s: float = 10.0, prove_uid: int | None = None) -> None:
        """Nothing is started yet.

        Args:
            program: the control program; None: found on PATH.
            limit_s: how long it may take for an answer.
            prove_uid: the user for whom a server is started at once, to prove that one can; None: none is, and a server
                that can't start is seen by its first client.
        """
        self._program = program
        self._limit = limit_s
        self._prove_uid = prove_uid

    def start_mps(self, settings: MpsSettings) -> Refused | None:
        """See `MpsDaemons`."""
        daemon = self._daemon(settings.pipe, settings.log, settings.devices)
        refused = daemon.start(multi_user=settings.multi_user)
        if refused is not None:
            return refused
        try:
            refused = self._finish(daemon, settings)
        except HostFault:
            self.stop_mps(settings.pipe, settings.log)
            raise
        if refused is not None:
            self.stop_mps(settings.pipe, settings.log)
        return refused

    def _finish(self, daemon: MpsDaemon, settings: MpsSettings) -> Refused | None:
        """Limits are by the device's number: older drivers pass over those by UUID."""
        memory = {str(number): limit for number, limit in enumerate(settings.memory) if limit}
        refused = daemon.set_limits(percent=settings.percent, memory=memory)
        if refused is None and self._prove_uid is not None:
            refused = daemon.prove(self._prove_uid)
        return refused

    def stop_mps(self, pipe: str, log: str) -> Refused | None:
        """See `MpsDaemons`. Its folders go too, and the one that held both, if it's empty then."""
        self._daemon(pipe, log, ()).stop()
        for folder in (pipe, log):
            shutil.rmtree(folder, ignore_errors=True)
        if Path(pipe).parent == Path(log).parent:
            with suppress(OSError):
                Path(pipe).parent.rmdir()
        return None

    def daemons_below(self, root: str) -> tuple[str, ...]:
        """See `MpsDaemons`."""
        return tuple(sorted(str(path) for path in Path(root).glob("*/pipe")))

    def _daemon(self, pipe: str, log: str, devices: tuple[str, ...]) -> MpsDaemon:
        return MpsDaemon(Path(pipe), Path(log), devices=devices, program=self._program, limit_s=self._limit)
