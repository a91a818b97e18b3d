"""The watcher of a node's GPUs: listens for XIDs, asks everything now and then, tells what has changed."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from aliquot.devices.hosts.protocol import Host, HostFault
from aliquot.devices.survey import Silence, Survey, Xid
from aliquot.node.health.asking import Asker
from aliquot.node.health.hearing import heard
from aliquot.node.health.listening import Listener
from aliquot.node.health.moments import Moment
from aliquot.node.health.picture import NOTHING, Picture
from aliquot.node.health.policy import Policy
from aliquot.node.health.probing import begun, blinded, probed, was_reset
from aliquot.node.health.states import NodeHealth, decode, encode
from aliquot.node.health.telling import News, news, remembered, told
from aliquot.node.health.timing import Timing

KEPT_XIDS: Final = 20


@dataclass(slots=True)
class _Inbox:
    """What the listening thread left for the judging one."""

    xids: list[Xid] = field(default_factory=list[Xid])
    look: bool = True
    """Look at everything soon."""
    reset: list[str] = field(default_factory=list[str])


class Watch:
    """Watches from `start` to `stop`, in a thread beside the one that listens.

    What it tells is level-triggered: the callback gets the whole picture after every change, again after a while if it
    raised, and for the first time when everything was asked once. It's never called by two threads at once.
    """

    def __init__(
        self,
        host: Host,
        changed: Callable[[Picture], None],
        clock: Callable[[], Moment],
        *,
        events: Host | None = None,
        policy: Policy | None = None,
        saved: bytes | None = None,
        save: Callable[[bytes], None] | None = None,
        release: Callable[[], None] | None = None,
        timing: Timing | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            host: who is asked; by nobody else meanwhile, unless it bears several threads.
            changed: is told of changes, in the watcher's thread.
            clock: what time it is, for the state; what the watcher waits for goes by the machine.
            events: who is listened to: another object for the same machine; None: `host`, if it bears two threads.
            policy: what is done about faults.
            saved: the state that was saved last.
            save: keeps the state.
            release: has everybody let go of the driver, when it suits them; None: nobody does.
            timing: how long it waits.
        """
        self._host = host
        self._changed = changed
        self._clock = clock
        self._policy = policy or Policy()
        self._save = save
        self._release = release
        self._timing = timing or Timing()
        self._saved = saved
        self._health = NodeHealth()
        self._begun = False
        self._last = NOTHING.survey
        self._early: list[Xid] = []
        self._heard: tuple[Xid, ...] = ()
        self._trouble: dict[str, str] = {}
        if saved is not None:
            try:
                self._health = decode(saved)
            except ValueError as error:
                self._trouble["saved"] = f"{error}; it's begun anew"
        self._picture = NOTHING
        self._news: list[News] = []
        self._untold = False
        self._inbox = _Inbox()
        self._turn = threading.Condition()
        self._stopping = threading.Event()
        self._listener = Listener(events or host, self._timing, self._take_in, self.look)
        self._asker = Asker("a look at the GPUs", self._timing.answer)
        self._thread = threading.Thread(target=self._judge, name="gpu-health", daemon=True)

    # --- from any thread --------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Begin."""
        self._listener.start()
        self._thread.start()

    def stop(self) -> None:
        """End; a question that's still out is let be."""
        self._stopping.set()
        self._listener.stop()
        self._asker.close()
        with self._turn:
            self._turn.notify_all()
        self._thread.join()

    @property
    def picture(self) -> Picture:
        """How the GPUs are, as far as it's known."""
        return self._picture

    @property
    def trouble(self) -> dict[str, str]:
        """What fails now, by what fails: `saved`, `save`, `changed`, `events`, `survey`."""
        events = {"events": self._listener.trouble} if self._listener.trouble else {}
        return {**self._trouble, **events}

    @property
    def alive(self) -> bool:
        """Whether it watches."""
        return self._thread.is_alive() and self._listener.alive

    def look(self) -> None:
        """Ask everything soon: something may have changed."""
        with self._turn:
            self._inbox.look = True
            self._turn.notify_all()

    def _take_in(self, xids: tuple[Xid, ...]) -> None:
        with self._turn:
            self._inbox.xids += xids
            self._inbox.look = True
            self._turn.notify_all()

    def was_reset(self, gpu: str) -> None:
        """This agent has reset a GPU."""
        with self._turn:
            self._inbox.reset.append(gpu)
            self._inbox.look = True
            self._turn.notify_all()

    # --- the judging thread -----------------------------------------------------------------------------------------
    def _judge(self) -> None:
        pause, looked, released = self._timing.again, float("-inf"), monotonic()
        self._listener.began.wait(self._timing.answer)  # what came before is in the log, which the first look reads
        while not self._stopping.is_set():
            inbox = self._take(looked, pause)
            if self._stopping.is_set():
                return
            self._health = self._reset(inbox)
            self._early += inbox.xids
            if self._begun and self._early:
                self._hear()
                self._settle(self._last)
            since = monotonic() - looked
            if (inbox.look and since >= self._timing.soonest) or since >= self._timing.look:
                released = self._let_go(released)
                survey = self._look()
                looked = monotonic()
                if self._begun:
                    self._hear()
                    self._settle(survey)
            else:
                if inbox.look:
                    self.look()
                if self._untold:
                    self._tell()
            pause = min(pause * 2, self._timing.longest) if self._untold else self._timing.again

    def _reset(self, inbox: _Inbox) -> NodeHealth:
        health = self._health
        for gpu in inbox.reset:
            health = was_reset(health, gpu)
        return health

    def _hear(self) -> None:
        """What was told since the last time; before the first look nobody knows of whom."""
        self._health = heard(self._health, self._early, self._clock(), self._policy)
        self._heard = (*self._heard, *self._early)[-KEPT_XIDS:]
        self._early.clear()

    def _take(self, looked: float, pause: float) -> _Inbox:
        """What there is to do, when there is something."""
        with self._turn:
            until = pause if self._untold else self._timing.look
            self._turn.wait_for(lambda: self._wanted() or self._stopping.is_set(), timeout=until)
            soon = self._timing.soonest - (monotonic() - looked)
            if self._inbox.look and not self._inbox.xids and soon > 0:
                self._turn.wait_for(lambda: bool(self._inbox.xids) or self._stopping.is_set(), timeout=soon)
            taken, self._inbox = self._inbox, _Inbox(look=False)
            return taken

    def _wanted(self) -> bool:
        return self._inbox.look or bool(self._inbox.xids)

    def _look(self) -> Survey:
        try:
            survey = self._asker.ask(self._host.survey)
        except Exception as error:  # noqa: BLE001 - whatever fails there, the watcher goes on
            self._trouble["survey"] = str(error)
            self._health = blinded(self._health, str(error), self._clock())
            return self._last
        self._trouble.pop("survey", None)
        step = probed if self._begun else begun
        self._health = step(self._health, survey, self._clock(), self._policy)
        self._begun, self._last = True, survey
        return survey

    def _let_go(self, released: float) -> float:
        """Let go of the driver where a GPU is silent: only then it's looked up anew."""
        health, now = self._health, monotonic()
        silent = health.blind or any(one.silence in {Silence.LOST, Silence.HUNG} for one in health.gpus.values())
        if self._release is None or not silent or now - released < self._timing.release:
            return released
        with suppress(HostFault):
            self._release()
        return now

    def _settle(self, survey: Survey) -> None:
        """The new picture; told if it's another, and saved."""
        old = self._picture
        self._news += news(old.health, self._health)
        survey = replace(survey, xids=(*survey.xids, *self._heard)[-KEPT_XIDS:])
        published = remembered(survey, self._health)
        found = told(self._health, self._policy)
        self._picture = Picture(self._health, survey, published, found, tuple(self._news))
        self._keep()
        if old is NOTHING or self._news or self._untold or self._picture.lasting != old.lasting:
            self._tell()

    def _tell(self) -> None:
        try:
            self._changed(self._picture)
        except Exception as error:  # noqa: BLE001 - whoever is told may fail in any way, and is told again
            self._trouble["changed"] = str(error)
            self._untold = True
            return
        self._trouble.pop("changed", None)
        self._untold = False
        self._news.clear()

    def _keep(self) -> None:
        data = encode(self._picture.health)
        if self._save is None or data == self._saved:
            return
        try:
            self._save(data)
        except OSError as error:
            self._trouble["save"] = str(error)
            return
        self._trouble.pop("save", None)
        self._saved = data
