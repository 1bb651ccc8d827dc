"""The page as a person handles it: what the browser tests share."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from playwright.sync_api import CDPSession, ConsoleMessage, Locator, Page

T = TypeVar("T")
Point = tuple[float, float]

SOLVERS = ("ccd", "fabrik", "jt", "dls", "pinv", "sdls", "newton", "lm", "transpose-classic")
PATIENCE = 60.0  # [s] until a wait is given up
PAUSES = (
    20.0,
    100.0,
)  # [ms] between two looks at the page, at first and at most: a look is work for the page too
PATIENCE_FIRST = 400.0  # [s] the same for a first frame: kernels may be compiled before it
# The page writes its numbers in the first turn that begins 100 ms after the one in which it wrote them last.
READOUT = """() => new Promise((done) => {
  const start = performance.now();
  const turn = (now) => requestAnimationFrame(now > start + 100 ? done : turn);
  requestAnimationFrame(turn);
})"""


class Playground:
    """One tab with the playground."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        self.is_offline_expected = False
        self.requests: list[dict[str, Any]] = []  # the solves that the page has asked for
        page.on("websocket", lambda socket: socket.on("framesent", self._sent))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        text = message.text
        is_expected = self.is_offline_expected and ("WebSocket" in text or "CONNECTION_REFUSED" in text)
        is_icon = message.location["url"].endswith("/favicon.ico")  # asked for where a page names no icon
        if message.type == "error" and not (is_expected or is_icon):
            self.faults.append(text)

    def _sent(self, message: str | bytes) -> None:
        if str(message).startswith('{"type":"solve","id"'):
            self.requests.append(json.loads(message))

    # Opening and waiting

    def open(self, query: str = "", *, live: bool = True) -> "Playground":
        """Open the page with a query string and wait until it is live."""
        self.page.goto(f"{self.address}/{query}")
        if live:
            self.wait_live()
        return self

    def wait_live(self) -> None:
        is_ready = "window.limbikReady === true"
        self.until(lambda: self.page.evaluate(is_ready), "the page is live", PATIENCE_FIRST)
        self.until(self.has_state, "the page shows its state")

    def has_state(self) -> bool:
        return self.page.locator("#view").get_attribute("data-state") is not None

    def until(self, check: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
        """Wait until `check` is true; `what` says what was waited for."""
        end = time.monotonic() + patience
        pause, longest = PAUSES
        while True:
            found = check()
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(
                    f"waited in vain until {what}; the page shows {self.state}, {self.faults}"
                )
            self.page.wait_for_timeout(pause)
            pause = min(1.3 * pause, longest)

    def wait_readout(self) -> None:
        """Wait until the page has drawn and written its numbers: they may be older than the last action."""
        self.page.evaluate(READOUT)

    # What the page shows

    @property
    def state(self) -> dict[str, Any]:
        """Configurations and errors of the arms, target and base, as the canvas' data attribute has them."""
        text = self.page.locator("#view").get_attribute("data-state")
        return json.loads(text or "{}")

    def q(self, solver: str) -> np.ndarray:
        return np.array(self.state["arms"][solver]["q"])

    def error(self, solver: str) -> float:
        found = self.state["arms"].get(solver, {}).get("error")
        return float("inf") if found is None else found

    @property
    def target(self) -> Point:
        """Where the target is on the screen [px]."""
        return self.on_screen(self.state["target"])

    @property
    def base(self) -> Point:
        """Where the base is on the screen [px]."""
        return self.on_screen(self.state["base"])

    def on_screen(self, point: Sequence[float]) -> Point:
        """A point of the world on the screen [px]."""
        scale, x, y = self.state["camera"]
        return x + scale * point[0], y + scale * point[1]

    @property
    def problem(self) -> dict[str, tuple[float, float]]:
        """Base and target in the world."""
        return {name: (self.state[name][0], self.state[name][1]) for name in ("base", "target")}

    @property
    def query(self) -> dict[str, str]:
        """The settings in the address bar."""
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    def find(self, selector: str, has_text: str | None = None) -> Locator:
        return self.page.locator(selector, has_text=has_text)

    def pressed(self, selector: str) -> bool:
        return self.find(selector).get_attribute("aria-pressed") == "true"

    def value(self, name: str) -> float:
        """The number in the field of a setting."""
        return float(self.find(f"#{name}").input_value())

    @property
    def notices(self) -> str:
        return " | ".join(self.find(".notice").all_inner_texts())

    # What a person does

    def drag(self, start: Point, end: Point, *, steps: int = 6) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def drag_target(self, end: Point) -> None:
        self.drag(self.target, end)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def type_number(self, name: str, value: float | str) -> None:
        self.find(f"#{name}").fill(str(value))
        self.find(f"#{name}").press("Enter")

    def wait_query(self, **wanted: str) -> None:
        """Wait until the address bar has these settings."""
        self.until(
            lambda: self.query.items() >= wanted.items(), f"the address bar has {wanted}, not {self.query}"
        )

    def wait_reached(self, solver: str, within: float = 1.0) -> None:
        """Wait until the page's error is small, and the tip that the tests compute is at the target."""
        self.until(lambda: self.has_reached(solver, within), f"{solver} is within {within} px")

    def has_reached(self, solver: str, within: float = 1.0) -> bool:
        state = self.state
        arm = state["arms"].get(solver, {})
        if arm.get("error") is None or arm["error"] > within:
            return False
        end = tip(np.array(arm["q"]), self.value("L"), state["base"])
        return near(end, state["target"], within + 0.1)

    def wait_at(self, point: Point) -> None:
        """Wait until the target is at a point."""
        self.until(lambda: near(self.target, point), f"the target is at {point}")


class Touch:
    """One finger, through the browser's own input pipeline."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)

    def drag(self, start: Point, end: Point, *, steps: int = 5) -> None:
        self._send("touchStart", start)
        for i in range(1, steps + 1):
            self._send(
                "touchMove",
                (start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps),
            )
        self._send("touchEnd", None)

    def _send(self, kind: str, point: Point | None) -> None:
        points = [] if point is None else [{"x": point[0], "y": point[1]}]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def near(a: Point, b: Point, within: float = 1.0) -> bool:
    return bool(np.hypot(a[0] - b[0], a[1] - b[1]) <= within)


def tip(q: np.ndarray, length: float, base: Point) -> Point:
    """Where the end effector is on the screen: an arm's forward kinematics, written again for the tests."""
    heading = np.cumsum(q)
    return base[0] + length * float(np.cos(heading).sum()), base[1] - length * float(np.sin(heading).sum())


def write_query(settings: Mapping[str, object]) -> str:
    return "?" + "&".join(f"{name}={value}" for name, value in settings.items())
