"""ModelBuilder: a small humanoid, built joint by joint, which other examples use."""

from limbik import Model, ModelBuilder


def humanoid() -> Model:
    """A floating body with a neck, two arms and two legs: 35 degrees of freedom, 60 kg."""
    robot = ModelBuilder("humanoid", root="world").floating("pelvis", origin=(0, 0, 0.9)).mass("pelvis", 30)
    robot.revolute("neck", axis="y", origin=(0, 0, 0.6), limits=1.0).frame("head", pose=(0, 0, 0.2))
    for side, y in (("left", 0.2), ("right", -0.2)):
        robot.ball(f"{side}_shoulder", parent="pelvis", axis="-z", origin=(0, y, 0.5), swing=2.5, twist=1.5)
        robot.revolute(f"{side}_elbow", axis="-y", origin=(0, 0, -0.3), limits=(0, 2.5))
        robot.ball(f"{side}_wrist", axis="-z", origin=(0, 0, -0.25), swing=1.2, twist=1.5)
        robot.frame(f"{side}_hand", pose=(0, 0, -0.1)).mass(f"{side}_elbow", 3)
        robot.ball(f"{side}_hip", parent="pelvis", axis="-z", origin=(0, y / 2, 0), swing=1.8, twist=0.8)
        robot.revolute(f"{side}_knee", axis="y", origin=(0, 0, -0.4), limits=(0, 2.4))
        robot.ball(f"{side}_ankle", axis="-z", origin=(0, 0, -0.4), swing=0.9, twist=0.5)
        robot.frame(f"{side}_foot", pose=(0, 0, -0.1)).mass(f"{side}_knee", 12)
    return robot.build(end_effector="right_hand")


if __name__ == "__main__":
    print(robot := humanoid(), f"of {robot.mass:g} kg")
    assert robot.nv == 35
