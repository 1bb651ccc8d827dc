"""Load a table of Denavit-Hartenberg parameters: a SCARA robot from a CSV file."""

from pathlib import Path

import limbik

robot = limbik.load(Path(__file__).with_name("scara.csv"))
print(f"{robot.name}: {', '.join(f'{joint.name} ({joint.kind.value})' for joint in robot.joints)}")
solution = robot.solve((0.3, 0.25, 0.28))
print("shoulder, elbow [rad], quill [m], spin [rad]:", solution.q.round(3))
print("the tip is at [m]:", robot.pose(solution.q)[:3, 3].round(6))
assert solution.success
