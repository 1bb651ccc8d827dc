"""Free of collision: what an arm holds is a part of it, and must not hit anything either."""

import limbik
from limbik.collision import Box, Cylinder, World
from limbik.spatial import pose_from

robot = limbik.load("iiwa14")
rod, place = Cylinder(radius=0.02, length=0.5), pose_from(None, (0, 0, 0.28))
held = robot.attach("rod", rod, pose=place, touch=["link6"])
world = World()
world.add("table", Box((2.0, 2.0, 0.04)), (0.0, 0.0, -0.03), touch=["base"])
world.add("crate", Box((0.3, 0.3, 0.3)), (0.6, 0.3, 0.15))

over_it = robot.pose([0.46, 0.5, 0.0, -1.6, 0.0, 1.04, 0.0])
for model in (robot, held):
    solution = model.solve(over_it, world=world)
    print(f"{'with' if model is held else 'without'} the rod: {solution.explain()}\n")
assert robot.solve(over_it, world=world).success
assert held.solve(over_it, world=world).status is limbik.Status.GOAL_IN_COLLISION
assert held.detach("rod").solve(over_it, world=world).success
