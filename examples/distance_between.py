"""DistanceBetween: the origins of two frames so far apart, as two hands that hold one box."""

import numpy as np

import limbik

torso = limbik.ModelBuilder("two arms")
for side, y in (("left", 0.2), ("right", -0.2)):
    torso.revolute(f"{side}_shoulder", axis="z", parent="base", origin=(0, y, 0), limits=(-2, 2))
    torso.revolute(f"{side}_elbow", axis="z", parent=f"{side}_shoulder", origin=(0.3, 0, 0), limits=(-2, 2))
    torso.frame(f"{side}_hand", link=f"{side}_elbow", pose=(0.3, 0, 0))
robot = torso.build(end_effector="left_hand")

hold = limbik.DistanceBetween(frame="left_hand", other="right_hand", value=0.35)
for x in (0.4, 0.45, 0.5):
    reach = limbik.Position(frame="left_hand", target=(x, 0.25, 0.0))
    solution = robot.solve([reach, hold])
    left, right = (robot.pose(solution.q, hand)[:3, 3] for hand in ("left_hand", "right_hand"))
    print("left hand at", left.round(3), "the right one", np.linalg.norm(left - right).round(6), "m from it")
    assert solution.success
