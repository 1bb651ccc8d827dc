"""Mimic joints: the fingers of a gripper move together, and a goal for one is met by both."""

import limbik

rule = limbik.Mimic(joint="left_finger", multiplier=-1.0)
robot = (
    limbik.ModelBuilder("lift with a gripper")
    .prismatic("lift", axis="z", limits=(0.0, 1.0))
    .prismatic("left_finger", axis="y", limits=(0.0, 0.04), child="left_pad")
    .prismatic("right_finger", axis="y", mimic=rule, parent="lift", child="right_pad")
    .build(end_effector="left_pad")
)
solution = robot.solve(limbik.Position(frame="right_pad", target=(0.0, -0.03, 0.6)))
print("q has two numbers, lift and left_finger [m]:", solution.q.round(6))
for pad in ("left_pad", "right_pad"):
    print(pad, "at", robot.pose(solution.q, pad)[:3, 3].round(6))
assert solution.success and robot.nq == 2
