"""A closed loop: a four-bar linkage, whose loop a Relative goal closes, is turned by its crank."""

import numpy as np

import limbik

four_bar = (
    limbik.ModelBuilder("four-bar", root="ground")
    .continuous("crank")
    .continuous("coupler", origin=(0.1, 0, 0))
    .frame("pin_a", pose=(0.35, 0, 0))
    .continuous("rocker", parent="ground", origin=(0.4, 0, 0))
    .frame("pin_b", link="rocker", pose=(0.25, 0, 0))
    .build(end_effector="pin_a")
)
# The two ends are one point; how they are turned there does not matter.
pin = limbik.Relative(frame="pin_a", reference="pin_b", target=np.eye(4), weights=(1, 1, 1, 0, 0, 0))
q = [0.5, 0.5, 1.8]
for angle in np.linspace(0.5, 0.5 + 2 * np.pi, 7):
    solution = four_bar.solve([pin, limbik.JointValue(joint="crank", value=angle)], start=q)
    q = solution.q
    crank, _, rocker = np.degrees(q)
    print(f"crank {crank:6.1f} deg, rocker {rocker:6.1f} deg, open by {solution.error:.0e} m")
    assert solution.success
