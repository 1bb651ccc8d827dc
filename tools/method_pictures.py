"""Draw the pictures of docs/ccd.md, docs/fabrik.md, docs/jacobian.md and docs/paths.md from solves by limbik.

    python tools/method_pictures.py [NAME ...]

Without names, all of them, into docs/images/. Everything in them is what limbik computed: configurations come
from `Model.trace`, places from the model's kinematics, single passes and steps from the solvers' own kernels.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from limbik.collision import Cylinder, World
from limbik.solvers.methods import dls, fabrik, newton, pinv, sdls, transpose
from limbik.solvers.methods.ccd import CCD
from svg import Chart, Picture, View

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import hinge_arms  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SCRIPT = "tools/method_pictures.py"
WIDTH = 840
EDGE, GAP, HEAD = 12, 8, 56  # [px] around panels, beside and above each

Array = np.ndarray
POINTS = ("ccd", "fabrik", "jt", "transpose-classic", "pinv", "dls", "sdls", "newton", "lm")


def side_by_side(
    title: str, count: int, world: tuple[float, float, float, float], tallest: float = 230.0
) -> tuple[Picture, list[View]]:
    """A picture of panels that show what is within (left, right, low, high) [m] of the world.

    tallest [px]: of a panel.
    """
    left, right, low, high = world
    width = (WIDTH - 2 * EDGE) / count
    room = width - 2 * GAP
    scale = min(room / (right - left), tallest / (high - low))
    left -= 0.5 * (room / scale - (right - left))
    height = (high - low) * scale
    drawn = Picture(WIDTH, HEAD + height + EDGE, title, SCRIPT)
    return drawn, [
        View(drawn, (EDGE + k * width + GAP, HEAD, room, height), left, low, scale) for k in range(count)
    ]


def seen(points: Any, azimuth: float = -50.0, elevation: float = 22.0) -> Array:
    """Where points of space [..., 3] are [..., 2] for somebody far away at these angles [deg]."""
    turn, lift = math.radians(azimuth), math.radians(elevation)
    right = (-math.sin(turn), math.cos(turn), 0.0)
    up = (-math.sin(lift) * math.cos(turn), -math.sin(lift) * math.sin(turn), math.cos(lift))
    return np.asarray(points, dtype=float) @ np.array((right, up)).T


def joints_of(model: limbik.Model, q: Array, tip: str | None = None) -> Array:
    """Where the joints on the way to a frame (default: the end effector) are, and the frame itself [N, 3]."""
    tip = tip or model.end_effector
    links = [joint.child for joint in model.path(tip)]
    return np.array([model.pose(q, name)[:3, 3] for name in (*links, tip)])


def flat(model: limbik.Model, q: Array, tip: str | None = None) -> Array:
    """The same in the plane [N, 2]."""
    return joints_of(model, q, tip)[:, :2]


def power(value: float) -> str:
    """A power of ten in words."""
    if value >= 0.01:
        return f"{value:g}"
    return "10⁻" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[round(-math.log10(value))]


def angle_of(vector: Array) -> float:
    return math.atan2(vector[1], vector[0])


# ------------------------------------------------------------------------------------------------------- CCD


def ccd_sweep() -> Picture:
    """One sweep, joint by joint: a sweep turns each once, so its configurations mix the old q and the new."""
    arm = limbik.planar_arm(3, [1.0, 0.8, 0.6])
    target = np.array([-0.15, 1.75])
    trace = arm.trace(target, solver="ccd", start=[0.1, 0.35, 0.4])
    before, after = trace.q[0], trace.q[1]
    drawn, views = side_by_side(
        "One sweep of CCD on three joints, from the last joint to the first", 4, (-0.4, 1.95, -0.15, 1.95)
    )
    q = before.copy()
    for k, view in enumerate(views):
        j = 3 - k
        old = flat(arm, q)
        if k == 0:
            view.caption("The start", f"{trace.error[0]:.2f} m from the target")
        else:
            q[j] = after[j]
            new = flat(arm, q)
            turn = math.degrees(after[j] - before[j])
            left = np.linalg.norm(new[-1] - target)
            view.caption(f"Joint {j + 1} turns by {turn:.0f}°", f"{left:.2f} m from the target")
            view.arm(old[j:], "ghost", 4)
            view.line((old[j], old[-1]), "quiet", 1.2, "4 4")
            view.line((old[j], target), "target", 1.2, "4 4")
            first = angle_of(old[-1] - old[j])
            view.arc(old[j], 26, first, first + after[j] - before[j], "mark", 2.5)
            old = new
        view.base(old[0])
        view.arm(old)
        view.target(target)
    assert np.allclose(np.linalg.norm(flat(arm, q)[-1] - target), trace.error[1])
    return drawn


def methods_shapes() -> Picture:
    """What is left of a start when different methods have reached the same target."""
    arm = limbik.planar_arm(10, 0.14)
    start = np.full(10, 0.06)
    target = np.array([0.25, 1.05])
    drawn, views = side_by_side(
        "Ten joints, one target: the answers of CCD, FABRIK, the transpose and DLS",
        4,
        (-0.3, 1.45, -0.12, 1.2),
    )
    names = {"ccd": "CCD", "fabrik": "FABRIK", "jt": "Jacobian transpose", "dls": "Damped least squares"}
    for view, (name, title) in zip(views, names.items(), strict=True):
        trace = arm.trace(target, solver=name, start=start)
        assert trace.solution.success
        largest = np.degrees(np.abs(trace.q[-1] - start).max())
        view.caption(title, f"turns of up to {largest:.0f}°")
        view.arm(flat(arm, start), "ghost", 3, has_joints=False)
        view.base((0.0, 0.0))
        view.arm(flat(arm, trace.q[-1]), name, 4)
        view.target(target)
    return drawn


def ccd_space() -> Picture:
    """One joint in space: a hinge, the same within limits, and a ball joint."""
    arm = np.array([0.85, 0.0, 0.3])
    target = np.array([0.15, 0.55, 0.8])
    hinge = limbik.ModelBuilder("hinge").continuous("joint").frame("tip", pose=arm).build(end_effector="tip")
    limited = (
        limbik.ModelBuilder("limited")
        .revolute("joint", limits=math.radians(40.0))
        .frame("tip", pose=arm)
        .build(end_effector="tip")
    )
    ball = limbik.ModelBuilder("ball").ball("joint").frame("tip", pose=arm).build(end_effector="tip")
    words = ("A hinge", "A hinge that turns by 40° at most", "A ball joint")
    drawn, views = side_by_side(
        "One step of CCD in space: a hinge, a hinge with limits, a ball joint", 3, (-0.95, 0.95, -0.35, 0.98)
    )
    for view, model, title in zip(views, (hinge, limited, ball), words, strict=True):
        trace = model.trace(target, solver=CCD(direction_joints=()), iterations=1, restarts=0)
        old, new = (model.pose(q)[:3, 3] for q in (trace.q[0], trace.q[1]))
        view.caption(title, f"{trace.error[0]:.2f} m off before, {trace.error[1]:.2f} m after")
        origin = np.zeros(3)
        if model is ball:
            view.line(seen([origin, target]), "target", 1.2, "4 4")
            axis = np.cross(old, new) / np.linalg.norm(np.cross(old, new))
            angle = math.acos(old @ new / (old @ old))
            ways = [turned(old, axis, part) for part in np.linspace(0.0, angle, 25)]
            view.line(seen([-0.5 * axis, 0.5 * axis]), "base", 1.5, "8 4")
        else:
            ring = np.linspace(-math.pi, math.pi, 73)
            view.line(seen([hinge_tip(arm, angle) for angle in ring]), "faint", 1.5)
            if model is limited:
                allowed = np.radians(np.linspace(-40.0, 40.0, 31))
                view.line(seen([hinge_tip(arm, angle) for angle in allowed]), "ghost", 4)
            view.line(seen([(0, 0, -0.2), (0, 0, 0.8)]), "base", 1.5, "8 4")
            level = np.array([target[0], target[1], arm[2]])
            view.line(seen([target, level]), "target", 1.2, "3 4")
            view.line(seen([(0.0, 0.0, arm[2]), level]), "target", 1.2, "3 4")
            view.dot(seen(level), 3, "target")
            ways = [hinge_tip(arm, angle) for angle in np.linspace(0.0, trace.q[1][0], 25)]
        view.line(seen(ways), "mark", 2.5)
        view.arm(seen([origin, old]), "ghost")
        view.arm(seen([origin, new]))
        view.target(seen(target))
    return drawn


def hinge_tip(arm: Array, angle: float) -> Array:
    """The tip of the hinge turned about z."""
    return turned(arm, np.array([0.0, 0.0, 1.0]), angle)


def turned(vector: Array, axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    along = (1.0 - math.cos(angle)) * (axis @ vector)
    return math.cos(angle) * vector + math.sin(angle) * np.cross(axis, vector) + along * axis


def ccd_direction() -> Picture:
    """Point and direction on five hinges: with joints for the direction, and all alike."""
    arm = (
        limbik.ModelBuilder("five")
        .continuous("yaw", axis="z")
        .continuous("shoulder", axis="y", origin=(0, 0, 0.3))
        .continuous("elbow", axis="y", origin=(0, 0, 0.5))
        .continuous("wrist1", axis="y", origin=(0, 0, 0.4))
        .continuous("wrist2", axis="x")
        .frame("tool", pose=(0, 0, 0.25))
        .build(end_effector="tool")
    )
    point, down = np.array([0.55, 0.25, 0.45]), np.array([0.0, 0.0, -1.0])
    goals = [limbik.Position(target=point), limbik.Direction(axis=(0, 0, 1), target=down)]
    drawn = Picture(
        WIDTH, 304, "CCD for a point and a direction: by roles, and with all joints alike", SCRIPT
    )
    boxes = (70, 42, 325, 190), (495, 42, 325, 190)
    charts = [Chart(drawn, box, (0, 30), (1e-6, 1e3), is_log=True) for box in boxes]
    for chart, title in zip(
        charts, ("Distance from the point [mm]", "Angle to the direction [degrees]"), strict=True
    ):
        chart.caption(title)
        chart.axes((0, 5, 10, 15, 20, 25, 30), (1e-6, 1e-3, 1, 1e3), power, "sweeps")
    ways = {"by roles": (CCD(), "ccd", ""), "all alike": (CCD(direction_joints=()), "pinv", "7 4")}
    for k, (title, (solver, ink, dash)) in enumerate(ways.items()):
        trace = arm.trace(goals, solver=solver, start=(0.2, 0.3, 0.5, 0.3, 0.1), iterations=30, restarts=0)
        poses = arm.pose(trace.q)
        sines = np.linalg.norm(np.cross(poses[:, :3, 2], down), axis=1)
        angles = np.arctan2(sines, poses[:, :3, 2] @ down)
        off = np.linalg.norm(poses[:, :3, 3] - point, axis=1)
        charts[0].curve(np.arange(len(trace)), 1000.0 * off, ink, 2.5, dash)
        charts[1].curve(np.arange(len(trace)), np.degrees(angles), ink, 2.5, dash)
        x = 70 + 150 * k
        drawn.line(((x, 290), (x + 26, 290)), ink, 2.5, dash)
        drawn.words(x + 33, 294, title, size=12.5)
    return drawn


def ccd_annealing() -> Picture:
    """A descent that is stuck at limits, and the same with annealing."""
    drawn_arm = hinge_arms.wristed(6, (0.4, 0.8), 1)
    arm = drawn_arm.model()
    rng = np.random.default_rng(1)
    goal = limbik.Pose(target=drawn_arm.pose(drawn_arm.random(rng)))
    start = drawn_arm.random(rng)
    stuck = arm.trace(goal, solver="ccd", start=start, restarts=0)
    freed = arm.trace(goal, solver=CCD(anneal=1.0), start=start, iterations=2000)
    assert freed.solution.success and not stuck.solution.success
    drawn = Picture(WIDTH, 300, "CCD stuck at joint limits, and freed by annealing", SCRIPT)
    chart = Chart(drawn, (70, 42, 590, 206), (0, 600), (1e-7, 10.0), is_log=True)
    chart.caption("Error of a pose [m, radians weighted], six hinges with tight limits")
    chart.axes(range(0, 601, 100), (1e-6, 1e-4, 1e-2, 1), power, "sweeps")
    for row in freed.restarted_at:
        chart.curve((row, row), (1e-7, 10.0), "target", 1.2, "3 4")
    chart.curve(np.arange(len(freed)), freed.error, "ccd", 2)
    chart.curve(np.arange(len(stuck)), stuck.error, "pinv", 2.5, "7 4")
    looks = (
        ("ccd", "", "with annealing"),
        ("pinv", "7 4", "one descent"),
        ("target", "3 4", "random offset"),
    )
    for k, (ink, dash, title) in enumerate(looks):
        drawn.line(((680, 70 + 26 * k), (708, 70 + 26 * k)), ink, 2.2, dash)
        drawn.words(716, 74 + 26 * k, title, size=12.5)
    return drawn


# ---------------------------------------------------------------------------------------------------- FABRIK


def fabrik_passes() -> Picture:
    """One iteration by the solver's own passes, and that the trace is where they lead."""
    lengths = [0.9, 0.8, 0.7, 0.6]
    arm = limbik.planar_arm(4, lengths)
    target = np.array([0.1, 0.85])
    start = np.array([0.82, 0.74, -0.78, 0.6])
    trace = arm.trace(target, solver="fabrik", start=start)
    p = joints_of(arm, start)
    stages = [p.copy()]
    for first, way, end in ((4, -1, (*target, 0.0)), (0, 1, (0.0, 0.0, 0.0))):
        fabrik.drag.interpreted(np.array(lengths), p, first, way, *end)
        stages.append(p.copy())
    assert np.allclose(joints_of(arm, trace.q[1]), stages[2])
    stages.append(joints_of(arm, trace.q[2]))
    world = (-0.35, 1.3, -0.15, 2.6)
    drawn, views = side_by_side("One iteration of FABRIK: a backward pass and a forward pass", 4, world)
    words = (
        ("The start", f"tip {trace.error[0]:.2f} m off the target"),
        ("Backward pass", f"base {np.linalg.norm(stages[1][0]):.2f} m off its place"),
        ("Forward pass", f"tip {trace.error[1]:.2f} m off the target"),
        ("After iteration 2", f"tip {trace.error[2]:.2f} m off the target"),
    )
    for k, view in enumerate(views):
        view.caption(*words[k])
        view.base((0.0, 0.0))
        if k:
            view.arm(stages[k - 1][:, :2], "ghost", 3)
        if k == 1:
            for new, old in zip(stages[1][1:, :2], stages[0][:-1, :2], strict=True):
                view.line((new, old), "mark", 1.2, "3 4")
        view.arm(stages[k][:, :2])
        view.target(target)
    return drawn


def wye() -> limbik.Model:
    """Hinges in a plane: a trunk of two links with two branches of two."""
    return (
        limbik.ModelBuilder("wye")
        .continuous("trunk1")
        .continuous("trunk2", origin=(0.5, 0, 0))
        .continuous("left1", origin=(0.45, 0, 0))
        .continuous("left2", origin=(0.4, 0, 0))
        .frame("left", pose=(0.35, 0, 0))
        .continuous("right1", parent="trunk2", origin=(0.45, 0, 0))
        .continuous("right2", origin=(0.4, 0, 0))
        .frame("right", link="right2", pose=(0.35, 0, 0))
        .build(end_effector="left")
    )


WYE_START = (1.3, 0.2, 0.7, 0.3, -0.7, -0.3)
LEFT, RIGHT, TOO_FAR = (-0.75, 1.2, 0.0), (0.35, 1.45, 0.0), (1.6, 1.4, 0.0)


def wye_goals(right: Sequence[float]) -> list[limbik.Position]:
    return [limbik.Position(frame="left", target=LEFT), limbik.Position(frame="right", target=right)]


def draw_wye(view: View, model: limbik.Model, q: Array, ink: str, width: float = 5.0) -> None:
    for tip in ("left", "right"):
        view.arm(flat(model, q, tip), ink, width)


def fabrik_branches() -> Picture:
    """An arm with two tips: the start, one iteration, the answer."""
    model = wye()
    trace = model.trace(wye_goals(RIGHT), solver="fabrik", start=WYE_START)
    assert trace.solution.success
    drawn, views = side_by_side(
        "A branching arm solved by FABRIK for two targets", 3, (-1.05, 1.25, -0.1, 1.75)
    )
    shown = (0, 1, trace.iterations)
    for view, k, before in zip(views, shown, (0, 0, 1), strict=True):
        off = [math.dist(model.pose(trace.q[k], goal.frame)[:3, 3], goal.target) for goal in wye_goals(RIGHT)]
        title = ("The start", "After iteration 1", f"After iteration {k}")[shown.index(k)]
        view.caption(title, "both on their targets" if k > 1 else f"{off[0]:.2f} m and {off[1]:.2f} m off")
        view.base((0.0, 0.0))
        if k:
            draw_wye(view, model, trace.q[before], "ghost", 3)
        draw_wye(view, model, trace.q[k], "arm")
        view.words(flat(model, trace.q[k])[2] + (0.1, -0.12), "sub-base", "quiet", 12)
        view.target(LEFT[:2])
        view.target(RIGHT[:2])
    return drawn


def fabrik_conflict() -> Picture:
    """The same arm where one target is out of reach: FABRIK beside least squares."""
    model = wye()
    drawn, views = side_by_side(
        "One of two targets out of reach: FABRIK meets the other, least squares meets none",
        2,
        (-1.05, 1.85, -0.1, 1.75),
    )
    names = {"fabrik": "FABRIK", "dls": "Damped least squares"}
    for view, (name, title) in zip(views, names.items(), strict=True):
        solution = model.solve(wye_goals(TOO_FAR), solver=name, start=WYE_START, restarts=0)
        off = [miss.position for miss in solution.goal_errors]
        view.caption(title, f"{off[0]:.2f} m and {off[1]:.2f} m off")
        view.base((0.0, 0.0))
        draw_wye(view, model, solution.q, name)
        view.target(LEFT[:2])
        view.target(TOO_FAR[:2])
    return drawn


def fabrik_cones() -> Picture:
    """Ball joints in space, free and within cones."""
    target = np.array([0.5, 0.9, 0.5])
    drawn, views = side_by_side(
        "FABRIK with ball joints: free, and with every link within a cone of 26 degrees",
        2,
        (-0.3, 1.6, -0.75, 0.7),
    )
    for view, swing in zip(views, (None, math.radians(26.0)), strict=True):
        arm = limbik.ball_arm([0.25] * 8, swing=swing)
        trace = arm.trace(target, solver="fabrik")
        assert trace.solution.success
        points = joints_of(arm, trace.q[-1])
        links = np.diff(points, axis=0, prepend=[(-1.0, 0.0, 0.0)])
        links /= np.linalg.norm(links, axis=1, keepdims=True)
        bends = np.degrees(np.arccos(np.clip(np.sum(links[1:] * links[:-1], axis=1), -1.0, 1.0)))
        title = "Without limits" if swing is None else "Every link within 26° of the one before"
        view.caption(title, f"{trace.iterations} iterations, bends of up to {bends.max():.0f}°")
        floor(view, points, target)
        view.arm(seen(points), "fabrik")
        view.target(seen(target))
    return drawn


def floor(view: View, points: Array, target: Array) -> None:
    """A grid under an arm, the arm's shadow on it, and the target's height."""
    low = -0.25
    for k in range(6):
        view.line(seen([(0.3 * k, -0.3, low), (0.3 * k, 0.9, low)]), "faint", 1)
    for k in range(5):
        view.line(seen([(0.0, 0.3 * k - 0.3, low), (1.5, 0.3 * k - 0.3, low)]), "faint", 1)
    view.line(seen([(x, y, low) for x, y, _ in points]), "faint", 4)
    view.line(seen([target, (target[0], target[1], low)]), "target", 1.2, "3 4")


# ------------------------------------------------------------------------------------------------- Jacobians


def jacobian_ellipses() -> Picture:
    """What a tip can do for a given effort, from the model's Jacobian."""
    arm = limbik.planar_arm(2, 1.0)
    drawn, views = side_by_side(
        "The ellipse of velocities that an arm's tip can have, ever thinner as the arm stretches",
        3,
        (-0.2, 2.3, -0.15, 2.35),
    )
    for view, elbow in zip(views, (90.0, 45.0, 10.0), strict=True):
        q = np.radians((50.0 - 0.5 * elbow, elbow))
        J = arm.jacobian(q)[:2]
        U, sizes, _ = np.linalg.svd(J)
        points = flat(arm, q)
        turn = np.linspace(0.0, 2.0 * math.pi, 49)
        ring = points[-1] + 0.35 * np.stack((np.cos(turn), np.sin(turn)), axis=-1) * sizes @ U.T
        view.caption(
            f"Elbow at {elbow:.0f}°", f"σ = {sizes[0]:.2f} and {sizes[1]:.2f} m, w = {sizes.prod():.2f} m²"
        )
        view.base((0.0, 0.0))
        view.arm(points)
        view.line(ring, "mark", 2)
        for k in range(2):
            half = 0.35 * sizes[k] * U[:, k]
            view.line((points[-1] - half, points[-1] + half), "mark", 1.2, "3 3")
    return drawn


def jacobian_singular() -> Picture:
    """The steps that methods propose near a stretched arm, by their own kernels."""
    arm = limbik.planar_arm(2, 1.0)
    away = 0.01  # [m]
    elbows = np.concatenate((np.linspace(0.1, 2.0, 39), np.linspace(2.25, 30.0, 112)))
    kernels = {"newton": newton, "pinv": pinv, "dls": dls, "sdls": sdls, "jt": transpose}
    steps: dict[str, list[float]] = {name: [] for name in kernels}
    for elbow in elbows:
        q = np.radians((-0.5 * elbow, elbow))
        J = arm.jacobian(q)[:2]
        r = np.array([-away, 0.0])
        for name, module in kernels.items():
            dq, work = np.zeros(2), np.zeros((5, 2))
            tuning = limbik.solvers.get(name).tuning(2.0)
            module.step.interpreted(J, r, J.T @ r, tuning, dq, work)
            steps[name].append(math.degrees(np.abs(dq).max()))
    drawn = Picture(
        WIDTH,
        300,
        "Steps that Newton, pseudo-inverse, DLS, SDLS and the transpose propose near a stretched arm",
        SCRIPT,
    )
    chart = Chart(drawn, (70, 40, 570, 208), (0.0, 30.0), (0.001, 1000.0), is_log=True)
    chart.caption("Turn of a joint [degrees] asked for to draw the tip in by 1 cm")
    chart.axes(
        (0, 5, 10, 15, 20, 25, 30),
        (0.001, 0.01, 0.1, 1, 10, 100, 1000),
        power,
        "angle of the elbow [degrees]",
    )
    looks = {"newton": (5.0, ""), "pinv": (2.0, "7 4"), "jt": (2.5, ""), "sdls": (2.5, ""), "dls": (3.0, "")}
    for name, (width, dash) in looks.items():
        chart.curve(elbows, steps[name], name, width, dash)
    legend(drawn, 664, 70, looks)
    return drawn


def legend(drawn: Picture, x: float, y: float, looks: dict[str, tuple[float, str]]) -> None:
    for k, (name, (width, dash)) in enumerate(looks.items()):
        drawn.line(((x, y + 24 * k - 4), (x + 28, y + 24 * k - 4)), name, width, dash)
        drawn.words(x + 36, y + 24 * k, name, size=12.5)


def jacobian_paths() -> Picture:
    """Nine methods from one start to one target: the tip's path, a dot for every iteration."""
    arm = limbik.planar_arm(4, 0.5)
    start = (0.3, 0.6, 0.5, 0.4)
    target = np.array([-0.6, 0.9])
    drawn = Picture(WIDTH, 584, "The tip's way to one target by nine methods", SCRIPT)
    left, right, low, high = -0.95, 1.6, -0.12, 1.65
    room = (WIDTH - 2 * EDGE) / 3
    scale = min((room - 2 * GAP) / (right - left), 150 / (high - low))
    for k, name in enumerate(POINTS):
        trace = arm.trace(target, solver=name, start=start)
        assert trace.solution.success
        box = (EDGE + (k % 3) * room + GAP, 40 + (k // 3) * 188, room - 2 * GAP, (high - low) * scale)
        view = View(drawn, box, left - 0.5 * ((room - 2 * GAP) / scale - (right - left)), low, scale)
        x, y, *_ = box
        drawn.words(x, y - 14, name, name, size=14)
        drawn.words(x + room - 2 * GAP, y - 14, f"{trace.iterations} iterations", "quiet", 12, "end")
        path = arm.pose(trace.q)[:, :2, 3]
        view.line(flat(arm, trace.q[0]), "ghost", 3)
        view.line(flat(arm, trace.q[-1]), "ghost", 3)
        view.base((0.0, 0.0))
        view.target(target)
        view.line(path, name, 2)
        for place in path:
            view.dot(place, 2.6, name)
    return drawn


def jacobian_out_of_reach() -> Picture:
    """The transpose as it is taught beside the one in limbik, and damped least squares, out of reach."""
    arm = limbik.planar_arm(6, 1.0 / 6.0)
    target = 1.3 * np.array((-0.6, 0.8))
    drawn = Picture(
        WIDTH, 318, "Out of reach the classic transpose jerks; damped least squares settles", SCRIPT
    )
    error = Chart(drawn, (66, 42, 330, 210), (0, 120), (1e-8, 1.0), is_log=True)
    turn = Chart(drawn, (492, 42, 330, 210), (20, 120), (0, 5))
    error.caption("Distance beyond the least possible [m]")
    turn.caption("Largest turn of a joint [degrees]")
    error.axes(range(0, 121, 20), (1e-8, 1e-6, 1e-4, 1e-2, 1), power, "iterations")
    turn.axes(range(20, 121, 20), range(6), "{:g}".format, "iterations")
    looks = {"jt": (2.0, ""), "transpose-classic": (2.0, "7 4"), "dls": (2.5, "")}
    for name, (width, dash) in looks.items():
        trace = arm.trace(target, solver=name, start=np.full(6, 0.4), iterations=120, restarts=0)
        error.curve(np.arange(len(trace)), trace.error - 0.3, name, width, dash)
        if name != "jt":  # whose leaps along a valley are long too, and never make the error grow
            turns = np.degrees(np.abs(np.diff(trace.q, axis=0)).max(axis=1))
            turn.curve(np.arange(20, len(trace) - 1), turns[20:], name, width, dash)
    for x, (name, (width, dash)) in zip((70, 160, 350), looks.items(), strict=True):
        drawn.line(((x, 302), (x + 26, 302)), name, width, dash)
        drawn.words(x + 33, 306, name, size=12.5)
    return drawn


def paths_turn() -> Picture:
    arm = limbik.load("ur5e")
    start = np.array((0.3, -1.2, 1.5, -1.8, -1.5, 0.2))
    tool = arm.pose(start)
    poses = limbik.arc(tool, tool[:3, 3], tool[:3, 2], 2.5 * math.pi, 100)
    path = arm.solve_path(poses)
    followed = [start]
    for pose in poses:
        followed.append(arm.solve(pose, start=followed[-1]).q)
    drawn = Picture(WIDTH, 300, "The last joint over a turn of the tool: followed, and planned ahead", SCRIPT)
    chart = Chart(drawn, (70, 42, 590, 206), (0, 99), (-7.0, 7.0))
    chart.caption("Last joint of a UR5e [rad] while the tool turns by 450 degrees")
    chart.axes(range(0, 100, 20), (-6, -3, 0, 3, 6), "{:g}".format, "pose")
    for limit in (arm.lower[5], arm.upper[5]):
        chart.curve((0, 99), (limit, limit), "target", 1.2, "3 4")
    chart.curve(np.arange(100), np.array(followed[1:])[:, 5], "pinv", 2.5, "7 4")
    chart.curve(path.position, path.q[:, 5], "ccd", 2.5)
    looks = (("ccd", "", "solve_path"), ("pinv", "7 4", "followed"), ("target", "3 4", "limits"))
    for k, (ink, dash, title) in enumerate(looks):
        drawn.line(((680, 70 + 26 * k), (708, 70 + 26 * k)), ink, 2.2, dash)
        drawn.words(716, 74 + 26 * k, title, size=12.5)
    return drawn


def collision_free() -> Picture:
    """Where a target is met in collision, and where it is met free of it."""
    arm = limbik.planar_arm(4, 0.25)
    target, start = np.array([0.62, 0.12, 0.0]), np.full(4, 0.2)
    posts = {"a": (0.08, 0.35, 0.28), "b": (0.07, 0.45, -0.12), "c": (0.06, 0.1, 0.5)}  # radius, x, y
    world = World()
    for name, (radius, x, y) in posts.items():
        world.add(name, Cylinder(radius, 1.0), (x, y, 0.0))
    drawn, views = side_by_side("One target, three posts", 3, (-0.25, 0.85, -0.3, 0.62))
    captions = {
        "without a world": arm.solve(target, start=start),
        "world=world": arm.solve(target, start=start, world=world),
        'prefer="clearance"': arm.solve(target, start=start, world=world, prefer="clearance"),
    }
    for view, (caption, solution) in zip(views, captions.items(), strict=True):
        assert solution.success
        distance = 1e3 * arm.check(solution.q, world).distance
        view.caption(caption, f"{distance:.0f} mm to what is nearest" if distance > 0 else "in collision")
        for radius, x, y in posts.values():
            view.dot((x, y), radius * view.scale, "faint")
        way = flat(arm, solution.q)
        view.line(way, "ghost" if distance > 0 else "pinv", 0.1 * view.scale, opacity=0.45)
        view.base((0.0, 0.0))
        view.arm(way)
        view.target(target[:2])
    return drawn


PICTURES: dict[str, Callable[[], Picture]] = {
    "collision-free": collision_free,
    "ccd-sweep": ccd_sweep,
    "ccd-space": ccd_space,
    "ccd-direction": ccd_direction,
    "ccd-annealing": ccd_annealing,
    "fabrik-passes": fabrik_passes,
    "fabrik-cones": fabrik_cones,
    "fabrik-branches": fabrik_branches,
    "fabrik-conflict": fabrik_conflict,
    "jacobian-ellipses": jacobian_ellipses,
    "jacobian-singular": jacobian_singular,
    "jacobian-paths": jacobian_paths,
    "jacobian-out-of-reach": jacobian_out_of_reach,
    "methods-shapes": methods_shapes,
    "paths-turn": paths_turn,
}


def main(names: Sequence[str]) -> None:
    for name in names or PICTURES:
        text = PICTURES[name]().text()
        (IMAGES / f"{name}.svg").write_text(text, encoding="utf-8")
        print(f"{name}.svg", f"{len(text) / 1024:.1f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
