"""Null space: an arm with a joint to spare moves away from its limits while its hand stays."""

import limbik
from limbik import nullspace

robot = limbik.load("panda")
hold = limbik.Pose(target=robot.pose([0.4, 0.5, -0.3, -1.8, 0.2, 2.0, 0.5]))
q = robot.solve(hold, start=[1.15, 1.6, -1.7, -1.7, 1.4, 1.2, 0.0]).q  # near a limit
print("motions that keep the hand:", robot.nullspace(q).shape[1])
for step in range(31):
    solution = nullspace.slide(robot, q, nullspace.stay_from_limits, step=0.1, keep=hold)
    if step % 10 == 0:
        room = solution.limit_margins.min()
        print(f"step {step:2d}: {room:.2f} rad from the nearest limit, hand off by {solution.error:.0e} m")
    q = solution.q
    assert solution.success
assert room > 1.0
