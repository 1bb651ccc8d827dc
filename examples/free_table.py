"""Free of collision: an arm on a table goes around what stands on it."""

import limbik
from limbik.collision import Box, Cylinder, World

robot = limbik.load("iiwa14")
world = World()
world.add("table", Box((1.6, 1.6, 0.04)), (0.4, 0.0, -0.03), touch=["base"])
world.add("bottle", Cylinder(radius=0.05, length=0.4), (0.36, -0.2, 0.2))
goal = robot.pose([-0.4, 1.2, 0.3, -1.2, 0.2, 0.7, 0.0])

anyhow = robot.solve(goal)
free = robot.solve(goal, world=world, clearance=0.01)
for name, solution in (("anyhow", anyhow), ("free", free)):
    print(f"{name}: {robot.check(solution.q, world).distance * 1e3:.1f} mm between what is nearest")
world.move("bottle", (0.2, 0.5, 0.2))  # whatever moves is seen where it is
print(robot.solve(goal, world=world).explain())
assert free.success and robot.check(free.q, world, clearance=0.01).is_free
