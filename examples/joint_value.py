"""JointValue: a pose, and the value of one joint."""

import limbik

robot = limbik.load("iiwa7")
pose = robot.pose([0.3, 0.6, 0.2, -1.4, 0.1, 0.9, 0.0])
for elbow in (-0.4, 0.0, 0.4):
    # The arm has a joint to spare: the third one may be chosen.
    goals = [limbik.Pose(target=pose), limbik.JointValue(joint="joint_a3", value=elbow, tolerance=0.01)]
    solution = robot.solve(goals, start=[0.3, 0.6, 0.2, -1.4, 0.1, 0.9, 0.0])
    print(f"joint_a3 at {solution.q[2]:+.3f} rad, off by {solution.error:.0e} m: {solution.q.round(2)}")
    assert solution.success
