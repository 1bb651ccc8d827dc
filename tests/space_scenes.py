"""Requests and scenes for the tests of the 3-D playground."""

import json

from limbik import solvers
from limbik.app.protocol import parse

ARM = """# one arm with a branch
arm 2 0 0 0
seg 1 3.2 1.5
seg 1 3.2 1.5
goal 0.5 0.5 1
br 0 1
seg 0.8 3.2 1.5
goal -0.5 0.4 1.2
endbr
"""
URDF = """<robot name="crane">
  <link name="base"><visual><geometry><box size="1 1 0.1"/></geometry></visual></link>
  <link name="tower"/> <link name="boom"/> <link name="hook"/>
  <joint name="slew" type="continuous">
    <parent link="base"/><child link="tower"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="luff" type="revolute">
    <parent link="tower"/><child link="boom"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="boom"/><child link="hook"/><origin xyz="0.5 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1"/>
  </joint>
</robot>
"""
MJCF = """<mujoco model="twin">
  <worldbody>
    <body name="left">
      <joint name="l" range="-90 90"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1"/>
    </body>
    <body name="right"><joint name="r" axis="0 1 0"/><geom type="box" size="1 1 1"/></body>
  </worldbody>
</mujoco>
"""
TABLE = """# convention: standard
joint, type, theta, d, a, alpha, lower, upper
a, revolute, 0, 0.5, 0, pi/2, -2, 2
b, revolute, 0, 0, 0.5, 0, -2, 2
c, revolute, 0, 0, 0.5, 0, -2, 2
"""


def request(**message):
    """A message as the page sends it, read."""
    return parse(json.dumps({"id": 1, **message}), solvers.names())


def opening(text=None, *, names=None, token=None, name="scene.txt", **options):
    """An `Open` of a text, of robots, or of an upload."""
    if text is not None:
        source = {"kind": "text", "name": name, "text": text}
    elif token is not None:
        source = {"kind": "token", "token": token}
    else:
        source = {"kind": "robot", "names": names}
    return {"type": "open", "id": 1, "source": source, **options}


def goal(frame, position, kind="position", **others):
    """A goal on the wire."""
    return {"frame": frame, "kind": kind, "position": list(position), **others}


def moving(goals, solvers=("lm",), *, arm=0, entry=None, **others):
    """A `Move` of one arm; `entry` holds what else is said of the arm."""
    asked = {"arm": arm, "solvers": list(solvers), "goals": goals, **(entry or {})}
    return {"type": "move", "id": 2, "arms": [asked], **others}
