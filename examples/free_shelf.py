"""Free of collision: an arm reaches into a shelf, and says what is in its way."""

import numpy as np

import limbik
from limbik.collision import Box, World

robot = limbik.load("iiwa14")
world = World()
for name, height in (("bottom", 0.25), ("board", 0.6), ("top", 0.95)):
    world.add(name, Box((0.4, 0.8, 0.03)), (0.75, 0.0, height))
inside = np.array([[0, 0, 1, 0.6], [0, 1, 0, 0], [-1, 0, 0, 0.42], [0, 0, 0, 1.0]])  # from the front

solution = robot.solve(inside, world=world, clearance=0.005)
print("into the shelf:", solution.status.value, f"in {solution.time * 1e3:.1f} ms")
assert solution.success and robot.check(solution.q, world).distance > 0.005

world.add("box", Box((0.2, 0.2, 0.2)), (0.6, 0.0, 0.45))
blocked = robot.solve(inside, world=world)
print(blocked.explain())
assert blocked.status is limbik.Status.GOAL_IN_COLLISION
