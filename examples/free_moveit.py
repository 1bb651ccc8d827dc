"""Free of collision: a planning scene that MoveIt has written."""

import limbik
from limbik.collision import load_world

SCENE = """(desk)
* desk
1
box
1.2 1.2 0.04
0.9 0 0.2
0 0 0 1
0 0 0 0
.
"""
robot = limbik.load("iiwa14")
world = load_world(SCENE)  # or a path: a .scene, YAML or JSON of collision objects, a URDF or MJCF
goal = robot.pose([0.0, 0.9, 0.0, -1.2, 0.0, 1.0, 0.0])
solution = robot.solve(goal, world=world)
print(world.names, solution.explain())
assert solution.success and robot.check(solution.q, world).is_free
