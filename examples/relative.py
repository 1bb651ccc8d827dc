"""Relative: bring a frame to a pose in the axes of another frame, as two hands hold one box."""

from humanoid import humanoid
from limbik import Pose, Posture, Relative
from limbik.spatial import pose_from

robot = humanoid()
facing = pose_from([[1, 0, 0], [0, -1, 0], [0, 0, -1]], (0.0, 0.0, -0.3))  # palm to palm, 30 cm apart
hold = Relative(frame="left_hand", reference="right_hand", target=facing)
feet = [Pose(frame=foot, target=robot.pose(robot.neutral, foot)) for foot in ("left_foot", "right_foot")]
solution = robot.solve([hold, *feet, Posture(q=robot.neutral)])

left, right = (robot.pose(solution.q, f"{side}_hand") for side in ("left", "right"))
print("left hand:", left[:3, 3].round(3), "right hand:", right[:3, 3].round(3))
print("the left in the axes of the right [m]:", (right[:3, :3].T @ (left - right)[:3, 3]).round(6) + 0.0)
assert solution.success
