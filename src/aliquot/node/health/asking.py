"""A question that may never be answered, asked so that whoever asks goes on."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from aliquot.devices.hosts.protocol import HostFault, Hung

Answer = TypeVar("Answer")


class _Question(Generic[Answer]):
    """One, in a thread of its own."""

    def __init__(self, name: str, ask: Callable[[], Answer], over: Callable[[], None]) -> None:
        self._ask = ask
        self._over = over
        self.answer: list[Answer] = []
        self.error: Exception | None = None
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.answer.append(self._ask())
        except Exception as error:  # noqa: BLE001 - it's raised again where the answer is awaited
            self.error = error
        self._over()


class Asker:
    """Asks one question at a time. One that isn't answered is let be: it ends when the driver lets it go, or never."""

    def __init__(self, name: str, limit_s: float) -> None:
        """`name`: what is asked, for messages."""
        self._name = name
        self._limit_s = limit_s
        self._wake = threading.Event()
        self._closed = False
        self._last: threading.Thread | None = None

    def ask(self, ask: Callable[[], Answer]) -> Answer:
        """The answer, or the exception that came of it.

        Raises:
            Hung: none within the limit, or that to the question before is still out.
            HostFault: nothing is asked any more.
        """
        if self._last is not None and self._last.is_alive():
            self._last.join(0.0 if self._closed else self._limit_s)
            if self._last.is_alive():
                raise Hung(f"{self._name}: the answer to an earlier question is still out")
        self._wake.clear()
        if self._closed:
            raise HostFault(f"{self._name}: nothing is asked any more")
        question = _Question(self._name, ask, self._wake.set)
        self._last = question.thread
        answered = self._wake.wait(self._limit_s)
        if question.error is not None:
            raise question.error
        if question.answer:
            return question.answer[0]
        if self._closed:
            raise HostFault(f"{self._name}: nothing is asked any more")
        assert not answered
        raise Hung(f"{self._name}: no answer within {self._limit_s:g} s", hint="the kernel's log (dmesg) tells more")

    def close(self) -> None:
        """Ask nothing more, and let whoever waits go."""
        self._closed = True
        self._wake.set()
