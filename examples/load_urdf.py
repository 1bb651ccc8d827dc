"""Load a URDF: read a robot from its file, see what it is, and solve for its hand."""

from pathlib import Path

import limbik

robot = limbik.load(Path(__file__).with_name("arm.urdf"))
print(f"{robot.name}: {robot.nq} joints, end effector {robot.end_effector!r}, reach {robot.reach():.2f} m")
for joint in robot.joints:
    print(f"  {joint.name:9s} {joint.kind.value:11s} {joint.lower:5.2f} to {joint.upper:5.2f} rad")
solution = robot.solve((0.3, 0.2, 0.5))
print("joint angles [rad]:", solution.q.round(3))
assert solution.success
