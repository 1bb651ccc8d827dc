"""Pictures in SVG that read on light and on dark pages: lines, dots and words in named inks.

Every picture brings its own ground, and takes the dark one where the reader prefers dark. Numbers are rounded
to a tenth of a pixel, so that a picture is small and comes out the same each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike

# Inks on light and on dark ground. The solvers have the colours that they have in the playground.
INKS = {
    "ground": ("#ffffff", "#161a21"),
    "text": ("#161a21", "#e7eaef"),
    "quiet": ("#545d6b", "#9ba4b2"),
    "faint": ("#c3c9d2", "#424a57"),
    "arm": ("#33507f", "#9fbbe8"),
    "ghost": ("#a9b4c6", "#56617a"),
    "mark": ("#1a5ce0", "#7db2ff"),
    "target": ("#e8710a", "#ff9534"),
    "base": ("#178a50", "#3fc380"),
    "ccd": ("#007ca9", "#269969"),
    "fabrik": ("#7c5804", "#e1da4b"),
    "jt": ("#d60f74", "#ff6dba"),
    "dls": ("#0718b1", "#48b3ff"),
    "pinv": ("#790001", "#ff3c11"),
    "sdls": ("#57226a", "#955bf4"),
    "newton": ("#bf7d1b", "#d5faff"),
    "lm": ("#7c08ef", "#a43199"),
    "transpose-classic": ("#9c73f7", "#9ce0b2"),
}
FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@dataclass
class Picture:
    """A picture of a size [px] whose y axis points down. script: what made it."""

    width: float
    height: float
    title: str
    script: str
    _parts: list[str] = field(default_factory=list)
    _inks: set[str] = field(default_factory=lambda: {"ground"})

    def line(
        self, points: ArrayLike, ink: str, width: float = 2.0, dash: str = "", opacity: float = 1.0
    ) -> None:
        """A line through points [N, 2]."""
        self._inks.add(ink)
        way = " ".join(f"{number(x)},{number(y)}" for x, y in np.asarray(points, dtype=float))
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' opacity="{number(opacity)}"' if opacity < 1.0 else ""
        self._parts.append(f'<polyline class="l {ink}" points="{way}" stroke-width="{number(width)}"{more}/>')

    def dot(self, at: ArrayLike, radius: float, ink: str, is_hollow: bool = False) -> None:
        """A disc, or a ring with the ground inside."""
        self._inks.add(ink)
        x, y = map(number, np.asarray(at, dtype=float))
        kind = "r" if is_hollow else "d"
        self._parts.append(f'<circle class="{kind} {ink}" cx="{x}" cy="{y}" r="{number(radius)}"/>')

    def words(
        self, x: float, y: float, words: str, ink: str = "text", size: float = 13.0, anchor: str = "start"
    ) -> None:
        """Words on one line, above whatever they cross."""
        self._inks.add(ink)
        where = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text class="w {ink}" {where}{at}>{escape(words)}</text>')

    def text(self) -> str:
        """The SVG file."""
        size = f"{number(self.width)} {number(self.height)}"
        used = [name for name in INKS if name in self._inks]
        style = [
            f"text{{font-family:{FONT}}}",
            ".l{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}",
            ".d{fill:currentColor}",
            f".r{{fill:{INKS['ground'][0]};stroke:currentColor;stroke-width:2}}",
            f".w{{fill:currentColor;stroke:{INKS['ground'][0]};stroke-width:3;paint-order:stroke}}",
            *(f".{name}{{color:{INKS[name][0]}}}" for name in used),
            "@media(prefers-color-scheme:dark){",
            f".r{{fill:{INKS['ground'][1]}}}.w{{stroke:{INKS['ground'][1]}}}",
            *(f".{name}{{color:{INKS[name][1]}}}" for name in used),
            "}",
        ]
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(self.width)}" '
            f'height="{number(self.height)}" role="img">',
            f"<!-- made by {self.script} -->",
            f"<title>{escape(self.title)}</title>",
            "<style>",
            *style,
            "</style>",
            f'<rect class="d ground" width="{number(self.width)}" height="{number(self.height)}" rx="8"/>',
            *self._parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """To a tenth, without what is not needed."""
    return f"{round(float(value), 1) + 0.0:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class View:
    """A part of a picture with an arm in it: box (x, y, width, height) [px] shows the world's x from `left`
    and its y from `low`, `scale` [px/m], y up.
    """

    picture: Picture
    box: tuple[float, float, float, float]
    left: float
    low: float
    scale: float

    def at(self, points: ArrayLike) -> np.ndarray:
        """Where points [..., 2] of the world are in the picture."""
        x, y = np.moveaxis(np.asarray(points, dtype=float), -1, 0)
        left, top, _, height = self.box
        return np.stack(
            (left + (x - self.left) * self.scale, top + height - (y - self.low) * self.scale), axis=-1
        )

    def line(
        self, points: ArrayLike, ink: str, width: float = 2.0, dash: str = "", opacity: float = 1.0
    ) -> None:
        self.picture.line(self.at(points), ink, width, dash, opacity)

    def dot(self, point: ArrayLike, radius: float, ink: str, is_hollow: bool = False) -> None:
        self.picture.dot(self.at(point), radius, ink, is_hollow)

    def words(
        self, point: ArrayLike, words: str, ink: str = "text", size: float = 12.0, anchor: str = "start"
    ) -> None:
        x, y = self.at(point)
        self.picture.words(x, y, words, ink, size, anchor)

    def caption(self, words: str, below: str) -> None:
        """Words over the panel, and quieter ones under them."""
        x, y, *_ = self.box
        self.picture.words(x, y - 24, words, size=14)
        self.picture.words(x, y - 7, below, "quiet", 12)

    def target(self, point: ArrayLike) -> None:
        """A ring with a cross."""
        x, y = self.at(point)
        self.picture.dot((x, y), 6.5, "target", is_hollow=True)
        self.picture.line(((x - 11, y), (x + 11, y)), "target", 1.5)
        self.picture.line(((x, y - 11), (x, y + 11)), "target", 1.5)

    def arm(self, points: ArrayLike, ink: str = "arm", width: float = 5.0, has_joints: bool = True) -> None:
        """Links through points [N, 2], the base first, the tip last."""
        self.line(points, ink, width)
        if has_joints:
            *joints, tip = np.asarray(points, dtype=float)
            for joint in joints:
                self.dot(joint, 4.5, ink, is_hollow=True)
            self.dot(tip, 4.0, ink)

    def base(self, point: ArrayLike) -> None:
        """The ground that an arm stands on."""
        x, y = self.at(point)
        self.picture.line(((x - 13, y + 8), (x + 13, y + 8)), "base", 3)

    def arc(
        self, center: ArrayLike, radius: float, first: float, last: float, ink: str, width: float = 1.5
    ) -> None:
        """Between two angles [rad]; radius [px]."""
        steps = max(2, round(abs(last - first) / 0.12))
        angles = np.linspace(first, last, steps + 1)
        x, y = self.at(center)
        self.picture.line(
            np.stack((x + radius * np.cos(angles), y - radius * np.sin(angles)), axis=-1), ink, width
        )


@dataclass(frozen=True)
class Chart:
    """A part of a picture with curves in it: box (x, y, width, height) [px] shows x and y within ranges, y in
    powers of ten where `is_log`.
    """

    picture: Picture
    box: tuple[float, float, float, float]
    across: tuple[float, float]
    up: tuple[float, float]
    is_log: bool = False

    def at(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        left, top, width, height = self.box
        low, high = map(self._scaled, self.up)
        share_x = (np.atleast_1d(np.asarray(x, dtype=float)) - self.across[0]) / (
            self.across[1] - self.across[0]
        )
        share_y = (np.asarray([self._scaled(value) for value in np.atleast_1d(y)]) - low) / (high - low)
        return np.stack((left + share_x * width, top + height * (1.0 - np.clip(share_y, 0.0, 1.0))), axis=-1)

    def axes(
        self, ticks_x: Sequence[float], ticks_y: Iterable[float], named: Callable[[float], str], below: str
    ) -> None:
        """Both axes with ticks; `named` puts the ticks of y into words, `below` says what x is."""
        left, top, width, height = self.box
        for value in ticks_y:
            y = self.at(self.across[0], value)[0, 1]
            self.picture.line(((left, y), (left + width, y)), "faint", 1)
            self.picture.words(left - 7, y + 4, named(value), "quiet", 11.5, "end")
        for value in ticks_x:
            x = self.at(value, self.up[0])[0, 0]
            self.picture.line(((x, top + height), (x, top + height + 4)), "faint", 1)
            self.picture.words(x, top + height + 18, f"{value:g}", "quiet", 11.5, "middle")
        self.picture.words(left + width / 2, top + height + 36, below, "quiet", 12, "middle")

    def curve(self, x: ArrayLike, y: ArrayLike, ink: str, width: float = 2.0, dash: str = "") -> None:
        """A curve, as far as it stays above the lower end."""
        is_below = np.asarray(y) < self.up[0]
        count = int(is_below.argmax()) if is_below.any() and not is_below[0] else None
        self.picture.line(self.at(x, y)[:count], ink, width, dash)

    def caption(self, words: str) -> None:
        self.picture.words(self.box[0], self.box[1] - 12, words, size=14)

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.is_log else value
