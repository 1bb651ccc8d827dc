"""Priorities: what matters more is never given up for what matters less."""

import limbik

arm = limbik.planar_arm(links=4, length=0.25)
for priority in (0, 1):
    goals = [
        limbik.Position(frame="tip", target=(0.3, 0.4, 0.0)),
        limbik.Position(frame="link3", target=(-0.3, 0.2, 0.0), priority=priority),
    ]
    solution = arm.solve(goals)
    tip, elbow = (miss.position for miss in solution.goal_errors)
    print(f"elbow of priority {priority}: tip {tip:.3f} m off, elbow {elbow:.3f} m off")
# With equal priority both give way; with a lower one, only the elbow does.
assert solution.success and tip < 1e-6
