"""Explain a failure: why a goal was not met, in sentences and as data."""

import limbik

arm = limbik.planar_arm(3, 0.3, limits=1.5)
for target in ((1.2, 0.3, 0.0), (-0.6, 0.2, 0.0)):
    solution = arm.solve(target)
    diagnosis = solution.explain()
    print(diagnosis, "\n")
    assert not solution.success and arm.is_within_limits(solution.q)  # q is the nearest legal one found

print("for programs:", diagnosis.status, [excess.joint for excess in diagnosis.excesses])
assert diagnosis.status is limbik.Status.LIMITS_BIND
