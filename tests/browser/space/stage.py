"""The 3-D page as a person handles it: what its tests share."""

import base64
import json
import zlib
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import numpy as np

from browser.playground import Playground, Point

QUICK = "&cv=0&sh=0"  # without plots and shadows a picture takes software less time


class Space(Playground):
    """One tab with the 3-D page."""

    def show(self, query: str) -> "Space":
        """Open the page in space with a query string (without `?view=3d`) and wait until its arms rest."""
        self.open(f"?view=3d&{query}{QUICK}", live=False)
        return self.wait_scene()

    def wait_scene(self) -> "Space":
        self.wait_live()
        self.wait_resting()
        return self

    def wait_resting(self) -> None:
        """Wait until nothing moves and nothing is asked."""
        self.wait_readout()
        self.until(lambda: self.state.get("resting") is True, "the arms rest")

    def ask(self, expression: str, argument: Any = None) -> Any:
        """A JavaScript expression of the page's `stage` and of `argument`."""
        return self.page.evaluate(
            f"""async (argument) => {{
              const main = document.querySelector('script[type=module]').src;
              const {{ stage }} = await import(new URL('space/main.js', main));
              return {expression};
            }}""",
            argument,
        )

    # What the page shows

    def q_of(self, arm: int, solver: str = "lm") -> np.ndarray:
        return np.array(self.state["arms"][arm][solver]["q"])

    def status_of(self, arm: int, solver: str = "lm") -> str:
        return self.state["arms"][arm][solver]["status"]

    def error_of(self, arm: int, solver: str = "lm") -> float:
        """[mm]"""
        found = self.state["arms"][arm][solver]["error"]
        return float("inf") if found is None else found

    @property
    def goals(self) -> list[dict[str, Any]]:
        return self.state["goals"]

    def goal_point(self, goal: int) -> Point:
        found = self.ask("stage.goalPoint(argument)", str(goal))
        return found["x"], found["y"]

    def grip(self, part: str) -> Point:
        """Where a hand takes hold of the gizmo."""
        found = self.ask("stage.gizmoPoint(argument)", part)
        return found["x"], found["y"]

    @property
    def view(self) -> str:
        return self.ask("stage.getView()")

    # What a person does

    def select(self, goal: int) -> None:
        self.find(f"#goals li[data-goal='{goal}'] .goal").click()
        self.until(lambda: self.state["selected"] == goal, f"goal {goal} is selected")

    def drag_goal(self, part: str, dx: float, dy: float) -> None:
        """Drag the selected goal by a part of its gizmo, and wait until the arms rest again."""
        before = self.goals
        x, y = self.grip(part)
        self.drag((x, y), (x + dx, y + dy), steps=4)
        self.until(lambda: self.goals != before, "the goal has moved")
        self.wait_resting()

    def copied_link(self) -> str:
        self.find("#copy-link").click()
        self.until(lambda: "Link copied" in self.notices, "the link is copied")
        return self.page.evaluate("navigator.clipboard.readText()")

    def open_link(self, link: str) -> "Space":
        self.page.goto(link)
        return self.wait_scene()

    def drop(self, *files: tuple[str, str | bytes]) -> None:
        """Drop files (name, content) on the page."""
        packed = [
            [name, base64.b64encode(text.encode() if isinstance(text, str) else text).decode()]
            for name, text in files
        ]
        self.page.evaluate(
            """(files) => {
              const transfer = new DataTransfer();
              for (const [name, text] of files) {
                const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                transfer.items.add(new File([bytes], name));
              }
              const event = { dataTransfer: transfer, bubbles: true, cancelable: true };
              for (const kind of ['dragenter', 'dragover', 'drop']) {
                document.body.dispatchEvent(new DragEvent(kind, event));
              }
            }""",
            packed,
        )


def packed(text: str) -> str:
    """A text as the page's links carry it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(deflate.compress(text.encode()) + deflate.flush()).decode().rstrip("=")


def arm_query(text: str, name: str = "test.arm") -> str:
    return f"arm={packed(text)}&name={quote(name)}"


def settings_in(link: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(link).query, keep_blank_values=True))


def assert_alike(first: Space, second: Space) -> None:
    """Two tabs show the same, to the last bit of every configuration."""
    a, b = first.state, second.state
    assert json.dumps(b["goals"]) == json.dumps(a["goals"])
    assert b["selected"] == a["selected"]
    assert [sorted(arm) for arm in b["arms"]] == [sorted(arm) for arm in a["arms"]]
    for arm, other in zip(a["arms"], b["arms"], strict=True):
        for solver, shown in arm.items():
            assert other[solver]["q"] == shown["q"], solver
            assert other[solver]["status"] == shown["status"]
    assert second.view == first.view
