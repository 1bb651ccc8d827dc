"""CenterOfMass: a humanoid leans over one foot, so that it can lift the other."""

from humanoid import humanoid
from limbik import CenterOfMass, Pose, Posture

robot = humanoid()
feet = [Pose(frame=foot, target=robot.pose(robot.neutral, foot)) for foot in ("left_foot", "right_foot")]
foot = feet[0].target[:3, 3]
over = CenterOfMass(target=foot, weight=(1, 1, 0), tolerance=0.01)  # at any height, to a centimetre
solution = robot.solve([*feet, over, Posture(q=robot.neutral)])

print("the left foot stands at     ", foot.round(3))
print("the centre of mass was over ", robot.center_of_mass(robot.neutral)[:2].round(3))
print("and is over                 ", robot.center_of_mass(solution.q)[:2].round(3))
assert solution.success and abs(robot.center_of_mass(solution.q) - foot)[:2].max() < 0.0101
