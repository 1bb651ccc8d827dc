"""Tabs that tests take one after the other: a page opens in a third of the time where one has been before."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from playwright.sync_api import Browser

from browser.playground import Playground

T = TypeVar("T", bound=Playground)

# The tour of a first visit is over; its own tests open pages without this.
NO_TOUR = "try { localStorage.setItem('limbik-tour', 'shown'); } catch { /* a page without storage */ }"

# WebGL draws nothing: software takes most of a test's time for pictures that the test does not look at.
UNDRAWN = """
for (const name of ['clear', 'drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced']) {
  WebGL2RenderingContext.prototype[name] = () => {};
}"""


@dataclass
class Tabs(Generic[T]):
    """Each in a window of its own, with nothing left of the test before."""

    browser: Browser
    address: str
    kind: type[T]
    usual: dict[str, Any]  # arguments of a window
    idle: dict[str, list[T]] = field(default_factory=dict)  # by the arguments of their windows
    taken: list[tuple[str, T]] = field(default_factory=list)

    def take(
        self,
        *,
        is_fresh: bool = False,
        is_first_visit: bool = False,
        is_drawn: bool = False,
        server: str | None = None,
        **window: Any,
    ) -> T:
        """A tab.

        Args:
            is_fresh: for what cannot be taken back: scripts at the start of every page, intercepted requests.
            is_first_visit: whether the tour is to be shown.
            is_drawn: whether WebGL draws, for tests that look at the picture of the 3-D page.
            server: the address of another server.
            window: arguments of its window that differ from the usual ones.
        """
        arguments = self.usual | window
        viewport = arguments.pop("viewport")
        is_fresh = is_fresh or server is not None
        key = "" if is_fresh else repr((is_first_visit, is_drawn, sorted(arguments.items())))
        idle = [] if is_fresh else self.idle.setdefault(key, [])
        if idle:
            tab = idle.pop()
        else:
            scripts = [*([] if is_first_visit else [NO_TOUR]), *([] if is_drawn else [UNDRAWN])]
            tab = self._new(server or self.address, scripts, arguments)
        self.taken.append((key, tab))
        tab.page.set_viewport_size(viewport)
        return tab

    def _new(self, address: str, scripts: list[str], arguments: dict[str, Any]) -> T:
        window = self.browser.new_context(**arguments)
        for script in scripts:  # before those of any page
            window.add_init_script(script)
        return self.kind(window.new_page(), address)

    def give_back(self, *, has_failed: bool) -> list[str]:
        """All that were taken; what their pages complained of. After a failure none is used again."""
        faults = [fault for _, tab in self.taken for fault in tab.faults]
        for key, tab in self.taken:
            if has_failed or not key:
                tab.page.context.close()
            else:
                self._clear(tab)
                self.idle[key].append(tab)
        self.taken.clear()
        return faults

    def _clear(self, tab: T) -> None:
        tab.page.goto(f"{self.address}/health")
        tab.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        tab.page.mouse.move(0, 0)
        tab.faults.clear()
        tab.requests.clear()
        tab.is_offline_expected = False
