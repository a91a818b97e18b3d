"""Chromium without a window, driven over the DevTools protocol by two pipes: no socket, no driver, no dependency."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
FLAGS: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE_S: Final = 60.0
FREE_FD: Final = 10
"""Descriptors from here on aren't those that Chromium reads (3) and writes (4)."""


class BrowserError(RuntimeError):
    """It answered with an error, or not at all."""


def binary() -> str | None:
    """Where Chromium is; None: not here."""
    return next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


class Page:
    """A tab."""

    def __init__(self, browser: "Chromium", target: str, session: str) -> None:
        self._browser, self._target, self._session = browser, target, session

    def call(self, method: str, **parameters: object) -> Json:
        """A method of the protocol."""
        return self._browser.call(method, parameters, self._session)

    def open(self, path: Path, *, width: int = 1280, height: int = 900, phone: bool = False) -> None:
        """A file, loaded to its end."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self._browser.forget("Page.loadEventFired")
        self.call("Page.navigate", url=path.as_uri())
        self._browser.await_event("Page.loadEventFired", self._session)

    def evaluate(self, expression: str) -> Any:
        """A JavaScript expression's value, awaited if it's a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def seen(self, query: str, unless: str = "false") -> list[str]:
        """Of the elements that a person sees, unless a condition on `one` holds, the ids."""
        visible = f"(one) => one.checkVisibility() && !({unless})"
        found: list[str] = self.evaluate(
            f"[...document.querySelectorAll({json.dumps(query)})].filter({visible}).map((one) => one.id)"
        )
        return found

    def type(self, text: str) -> None:
        """Keys, one after the other."""
        for key in text:
            self.press(key)

    def scheme(self, wanted: str) -> None:
        """Light or dark, as the system asks for it."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": wanted}])

    def press(self, key: str) -> None:
        """A key, down and up: `/`, `a`, `Tab`, `Enter`."""
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "Space": 32}.get(key, ord(key[0]))
        named = " " if key == "Space" else key
        down = (
            {"key": named, "text": text, "windowsVirtualKeyCode": code}
            if text
            else {"key": named, "windowsVirtualKeyCode": code}
        )
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=named, windowsVirtualKeyCode=code)

    def settle(self) -> None:
        """Until what was begun is drawn."""
        self.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(0)), 50))")

    def point(self, query: str) -> None:
        """The pointer, over the middle of an element."""
        box = self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(query)}).getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def events(self, method: str) -> list[Json]:
        """Those of this name that came since they were last forgotten."""
        self.evaluate("0")
        return self._browser.events(method, self._session)

    def close(self) -> None:
        """The tab goes."""
        self._browser.call("Target.closeTarget", {"targetId": self._target})

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """What is seen, or all of it, as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        """As it's printed."""
        return base64.b64decode(self.call("Page.printToPDF")["data"])


class Chromium:
    """One process, with a profile of its own that goes with it."""

    def __init__(self, program: str, profile: Path) -> None:
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()
        child = [fcntl.fcntl(fd, fcntl.F_DUPFD, FREE_FD) for fd in (to_child, from_child)]
        null = os.open(os.devnull, os.O_RDWR)
        self._pid = os.posix_spawn(
            program,
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            {**os.environ, "HOME": str(profile)},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, child[0], 3),
                (os.POSIX_SPAWN_DUP2, child[1], 4),
                (os.POSIX_SPAWN_DUP2, null, 1),
                (os.POSIX_SPAWN_DUP2, null, 2),
            ],
            setpgroup=0,
        )
        for fd in (to_child, from_child, null, *child):
            os.close(fd)
        self._number, self._buffer, self._events = 0, b"", list[Json]()

    def page(self) -> Page:
        """A new tab."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, target, session)
        for domain in ("Page", "Runtime"):
            page.call(f"{domain}.enable")
        return page

    def call(self, method: str, parameters: Json, session: str = "") -> Json:
        """A method's result."""
        self._number += 1
        message: Json = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                result: Json = answer.get("result", {})
                return result
            self._events.append(answer)

    def forget(self, event: str) -> None:
        """Events of this name that have come so far."""
        self._events = [one for one in self._events if one.get("method") != event]

    def events(self, method: str, session: str) -> list[Json]:
        """Events of this name that have come so far."""
        return [one for one in self._events if one.get("method") == method and one.get("sessionId") == session]

    def await_event(self, event: str, session: str) -> None:
        """Until it comes."""
        while not self.events(event, session):
            self._events.append(self._next())

    def close(self) -> None:
        """It ends, if need be by force."""
        with contextlib.suppress(OSError, BrowserError):
            self.call("Browser.close", {})
        for fd in (self._in, self._out):
            os.close(fd)
        for _ in range(50):
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                break
            time.sleep(0.1)
        else:
            os.killpg(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)  # helpers that outlive it

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._out, data) :]

    def _next(self) -> Json:
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], PATIENCE_S)[0]:
                raise BrowserError(f"no answer for {PATIENCE_S:.0f} s")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise BrowserError("it has ended")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: Json = json.loads(message)
        return answer


@contextlib.contextmanager
def chromium(program: str) -> Iterator[Chromium]:
    """Started, and ended with all that it wrote."""
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        browser = Chromium(program, Path(profile))
        try:
            yield browser
        finally:
            browser.close()
