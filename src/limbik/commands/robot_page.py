"""The page that `limbik info ROBOT` prints."""

from __future__ import annotations

import math

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from limbik.commands.robot_data import Portrait
from limbik.errors import number_of
from limbik.model import Joint, JointKind, Model
from limbik.model.wrist import WristKind

_MOVING, _STILL = "●", "○"


def show(portrait: Portrait, console: Console | None = None) -> None:
    """Print a robot: a summary, its tree, its joints, and its frames and groups where it has any."""
    out = console or Console(highlight=False)
    out.print(Text(portrait.title, style="bold"))
    out.print(_summary(portrait))
    out.print(_heading("Tree", f"{_MOVING} moving joint, {_STILL} fixed, each with the link that it carries"))
    out.print(_tree(portrait.model), soft_wrap=False)
    if any(joint.kind is not JointKind.FIXED for joint in portrait.model.joints):
        out.print(_heading("Joints", "with their indices in q and their limits"))
        out.print(_joints(portrait.model))
    frames = portrait.model.frames[len(portrait.model.joints) + 1 :]
    if frames:
        out.print(_heading("Frames", "besides the links"))
        out.print(_pairs([(frame.name, f"on {frame.link}") for frame in frames]))
    if portrait.groups:
        out.print(_heading("Groups", "of its SRDF"))
        out.print(
            _pairs([(name, ", ".join(joints) or "no joints") for name, joints in portrait.groups.items()])
        )


# --- summary ------------------------------------------------------------------------------------------------


def _summary(portrait: Portrait) -> Padding:
    model = portrait.model
    rows = [
        ("Source", _source(portrait)),
        ("Freedom", _freedom(model)),
        ("End effector", f"{model.end_effector}, moved by {_count(_movers(model), 'joint')}"),
        ("Reach", _reach(model)),
        ("Wrist", _wrist(portrait)),
        ("All solutions", portrait.all_solutions),
    ]
    if model.mass:
        rows.append(("Mass", f"{model.mass:.4g} kg"))
    return _pairs(rows)


def _source(portrait: Portrait) -> str:
    if portrait.path is None:
        return "limbik brings it along"
    return f"{portrait.source}\n{portrait.path}" if portrait.source else str(portrait.path)


def _freedom(model: Model) -> str:
    degrees = number_of(model.nv, "degree")
    return f"{degrees} of freedom" + ("" if model.nq == model.nv else f" in {model.nq} numbers (q)")


def _movers(model: Model) -> int:
    """How many joints that move on their own, on the path to the end effector or led by there, move it."""
    return len(
        {model.q_slice(joint.name).start for joint in model.path() if joint.kind is not JointKind.FIXED}
    )


def _reach(model: Model) -> str:
    reach = model.reach()
    if math.isinf(reach):
        return "anywhere: a joint before the end effector travels without limits"
    return f"at most {reach:.4g} m from the first joint before the end effector"


def _wrist(portrait: Portrait) -> str:
    wrist = portrait.wrist
    if wrist.kind is WristKind.NONE:
        return "none: it takes three hinges in a row, none parallel to the next"
    joints = ", ".join(wrist.joints)
    if wrist.kind is WristKind.SPHERICAL:
        return f"spherical: the axes of {joints} meet in one point"
    return f"offset: the axes of {joints} miss each other by up to {1000.0 * wrist.miss:.3g} mm"


# --- tree ---------------------------------------------------------------------------------------------------


def _tree(model: Model) -> Padding:
    """Joints that follow one another stand one below the other; branches are indented."""
    carried: dict[str, list[Joint]] = {}
    for joint in model.joints:
        carried.setdefault(joint.parent, []).append(joint)
    tree = Tree(Text(model.root), guide_style="dim")
    waiting = [(tree, model.root)]
    while waiting:
        branch, link = waiting.pop(0)
        for joint in carried.get(link, []):
            run, end = _run(joint, carried)
            waiting.append((branch.add(run), end))
    return Padding(tree, (0, 0, 0, 2), expand=False)


def _run(joint: Joint, carried: dict[str, list[Joint]]) -> tuple[Text, str]:
    """The joints from one to the next branching, a line for each, and the link at the end."""
    lines = [_line(joint)]
    while len(carried.get(joint.child, [])) == 1:
        joint = carried[joint.child][0]
        lines.append(_line(joint))
    return Text("\n").join(lines), joint.child


def _line(joint: Joint) -> Text:
    is_fixed = joint.kind is JointKind.FIXED
    text = Text(_STILL if is_fixed else _MOVING, style="dim" if is_fixed else "green")
    text.append(f" {joint.name}", style="dim" if is_fixed else "default")
    if joint.child != joint.name:
        text.append(f" → {joint.child}", style="dim")
    return text


RATES = {"velocity": "max per s", "acceleration": "per s²"}  # heads of columns

# --- joints -------------------------------------------------------------------------------------------------


def _joints(model: Model) -> Padding:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 0, 0, 1))
    table.add_column("q", justify="right", style="dim", no_wrap=True)
    table.add_column("joint", overflow="fold")
    table.add_column("kind", no_wrap=True)
    table.add_column(Text("limits [rad, m]"), no_wrap=True)
    table.add_column("degrees", justify="right", no_wrap=True, style="dim")
    rates = [rate for rate in ("velocity", "acceleration") if any(map(math.isfinite, _all(model, rate)))]
    for rate in rates:
        table.add_column(Text(RATES[rate]), justify="right", no_wrap=True)
    for joint in model.joints:
        if joint.kind is not JointKind.FIXED:
            known = [_rate(getattr(joint, rate)) for rate in rates]
            table.add_row(
                _location(model, joint), Text(joint.name), joint.kind.value, *_limits(joint), *known
            )
    return Padding(table, (0, 0, 0, 2), expand=False)


def _all(model: Model, rate: str) -> list[float]:
    return [getattr(joint, rate) for joint in model.joints]


def _rate(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ""


def _location(model: Model, joint: Joint) -> str:
    if joint.mimic:
        return ""
    span = model.q_slice(joint.name)
    return str(span.start) if joint.nq == 1 else f"{span.start}-{span.stop - 1}"


def _limits(joint: Joint) -> tuple[Text, str]:
    """Limits in radians or metres, and in degrees; what it follows, for a follower."""
    if joint.mimic:
        rule = joint.mimic
        times = (
            "" if rule.multiplier == 1.0 else "-" if rule.multiplier == -1.0 else f"{rule.multiplier:.5g} × "
        )
        plus = f" {'+' if rule.offset > 0.0 else '-'} {abs(rule.offset):.5g}" if rule.offset else ""
        return Text(f"= {times}{rule.joint}{plus}", style="cyan"), ""
    if joint.euler is not None:
        ranges = [
            f"{axis} {_range(low, high)}"
            for axis, low, high in zip(joint.euler.order, *joint.euler.bounds, strict=True)
        ]
        return Text(", ".join(ranges)), ""
    if joint.kind is JointKind.BALL:
        twist = "" if math.isinf(joint.lower) else f", twist {_range(joint.lower, joint.upper)}"
        return Text(f"swing {joint.swing:.4g}{twist}"), f"swing {math.degrees(joint.swing):.4g}"
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return Text("none", style="dim"), ""
    if joint.kind is JointKind.PRISMATIC:
        return Text(_range(joint.lower, joint.upper)), ""
    return Text(_range(joint.lower, joint.upper)), _range(
        math.degrees(joint.lower), math.degrees(joint.upper), 1
    )


def _range(lower: float, upper: float, digits: int = 4) -> str:
    low, high = (
        f"{round(value, digits) + 0.0:g}" if math.isfinite(value) else "∞" for value in (lower, upper)
    )
    return f"{'-' if low == '∞' else ''}{low} to {high}"


# --- parts --------------------------------------------------------------------------------------------------


def _heading(title: str, note: str) -> Text:
    return Text.assemble("\n", (title, "bold"), ("  " + note, "dim"))


def _pairs(rows: list[tuple[str, str]]) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", overflow="fold", max_width=30)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return Padding(table, (0, 0, 0, 2), expand=False)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
