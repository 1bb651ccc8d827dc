"""Free of collision: an arm reaches into a shelf, and says what is in its way."""

import numpy as np

import limbik
from limbik.collision import Box, World
from limbik.spatial import pose_from

gripper, place = Box((0.1, 0.1, 0.12)), pose_from(None, (0, 0, 0.06))
robot = limbik.load("iiwa14").attach("gripper", gripper, pose=place, touch=["link6"])
world = World()
for name, height in (("bottom", 0.15), ("board", 0.7), ("top", 1.25)):
    world.add(name, Box((0.4, 0.8, 0.03)), (0.75, 0.0, height))
goal = np.array([[0, 0, 1, 0.58], [0, 1, 0, 0], [-1, 0, 0, 0.42], [0, 0, 0, 1.0]])  # from the front

solution = robot.solve(goal, world=world, clearance=0.005)
print("into the shelf:", solution.status.value, f"in {solution.time * 1e3:.1f} ms")
assert solution.success and robot.check(solution.q, world).distance > 0.005

world.add("box", Box((0.1, 0.2, 0.2)), (0.71, 0.0, 0.4))
blocked = robot.solve(goal, world=world)
print(blocked.explain())
assert blocked.status is limbik.Status.GOAL_IN_COLLISION
