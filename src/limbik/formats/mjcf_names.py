"""Unique names for the parts of a compiled MJCF."""

from __future__ import annotations

from typing import Any


class Names:
    """Names by MuJoCo's numbers of bodies, joints and sites.

    A part without a name gets its parent's and a number: body "arm" has joints "arm.joint1", "arm.joint2",
    sites "arm.site1" and bodies "arm.body1". Names of links and frames must differ in limbik, those of bodies
    and sites need not in MuJoCo: the body keeps its name, and the site becomes "<name>.site".
    """

    body: list[str]
    joint: list[str]
    site: list[str]

    def __init__(self, mj: Any) -> None:
        site_names = [mj.site(k).name for k in range(mj.nsite)]
        body_names = [mj.body(k).name for k in range(mj.nbody)]
        self.of_frames = {*body_names, *site_names} - {""}  # names of links and frames, which must differ
        self.numbers: dict[tuple[bool, str], int] = {}  # the next one for each link or joint that needs one
        self.movers = {mj.joint(k).name for k in range(mj.njnt)} - {""}
        self.body = []
        for k, name in enumerate(body_names):
            self.body.append(name or self.new_link(f"{self.body[mj.body_parentid[k]]}.body", numbered=True))
        self.joint = [
            mj.joint(k).name or self._new(self.movers, f"{self.body[mj.jnt_bodyid[k]]}.joint", numbered=True)
            for k in range(mj.njnt)
        ]
        self.bodies = set(self.body)
        self.site = [self._site(name, mj.site_bodyid[k]) for k, name in enumerate(site_names)]

    def _site(self, name: str, body: int) -> str:
        if not name:
            return self.new_link(f"{self.body[body]}.site", numbered=True)
        return self.new_link(f"{name}.site") if name in self.bodies else name

    def new_link(self, name: str, *, numbered: bool = False) -> str:
        """This name for a link or frame, with a number behind it where another has it already, or always."""
        return self._new(self.of_frames, name, numbered=numbered)

    def new_joint(self, name: str) -> str:
        """This name for a joint, with a number behind it where another has it already."""
        return self._new(self.movers, name)

    def _new(self, taken: set[str], name: str, *, numbered: bool = False) -> str:
        key = taken is self.of_frames, name
        number = self.numbers.get(key, 1 if numbered else 2)
        new = f"{name}{number}" if numbered else name
        while new in taken:
            new = f"{name}{number}"
            number += 1
        self.numbers[key] = number
        taken.add(new)
        return new
