"""What a type checker says of ordinary programs: nothing."""

import inspect
import subprocess
import sys
import typing

import pytest

import limbik

PROGRAM = """
import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

import limbik
from limbik.collision import Box, Sphere, World

arm = limbik.load("panda")
hand = [0.3, 0.2, 0.5]
goals = [
    limbik.Position(target=hand, tolerance=0.01),
    limbik.Direction(axis="z", target=(0, 0, -1), weight=0.5),
    limbik.Posture(q=arm.neutral, priority=1),
]
arm.solve(hand)
arm.solve((0.3, 0.2, 0.5), start=[0.0] * arm.nq, locked=["panda_joint1"])
arm.solve(np.eye(4), time_limit=0.1)
arm.solve(RigidTransform.identity(), tool=RigidTransform.identity())
arm.solve(limbik.Orientation(target=Rotation.identity()))
arm.solve([limbik.Pose(target=np.eye(4)), limbik.LookAt(axis=(0, 0, 1), target=hand)])
solution = limbik.solve(arm, goals)
print(solution.q.tolist(), str(solution.explain()), solution.error < 1e-6)

world = World()
world.add("table", Box((1.0, 0.6, 0.05)), (0.5, 0.0, 0.2))
world.add("ball", Sphere(0.1), [0.4, 0.0, 0.6])
arm.solve(goals, world=world, clearance=0.02)
arm.solve_all(np.eye(4), start=arm.neutral)
arm.solve_batch(np.zeros((0, 4, 4)))
path = arm.solve_path(limbik.straight_line(np.eye(4), np.eye(4), 5), start=arm.neutral)
tracker = arm.tracker(goals, dt=0.01, velocity_limits=1.0)
tracker.step(goals)
for each in arm.iterate(goals):
    print(each.q)

two = limbik.ModelBuilder("two").revolute("a", axis="z").revolute("b", axis=(0, 0, 1), origin=(1, 0, 0))
two.build().pose([0.1, 0.2])
"""


def test_the_types_of_what_is_public_can_be_looked_up():
    """As documentation and validators do: none is known to type checkers alone."""
    public = [getattr(limbik, name) for name in limbik.__all__]
    classes = [each for each in public if inspect.isclass(each)]
    members = [
        member
        for each in classes
        for name, member in vars(each).items()
        if name == "__init__" or name[0] != "_"
    ]
    functions = [
        getattr(each, "fget", None) or getattr(each, "__func__", each) for each in (*public, *members)
    ]
    functions = [each for each in functions if inspect.isfunction(each)]
    assert len(functions) > 200
    for each in (*classes, *functions):
        typing.get_type_hints(each)


@pytest.mark.slow
def test_ordinary_programs_have_no_type_errors(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    options = "--strict", "--ignore-missing-imports", "--follow-imports=silent"
    command = [sys.executable, "-m", "mypy", *options, "--cache-dir", tmp_path, tmp_path / "program.py"]
    outcome = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stdout
