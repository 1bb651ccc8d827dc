"""The messages of the 3-D playground: what is accepted, what is refused and how, what comes back whole."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik import solvers
from limbik.app.protocol import MAX_MESSAGE_BYTES, MAX_OPEN_BYTES, SPACE_BOUNDS, MessageError, Welcome, parse
from limbik.app.protocol.space import (
    LONGEST_TEXT,
    ArmMoveReply,
    ArmRefusal,
    ExplainRequest,
    ExportRequest,
    MoveReply,
    MoveRequest,
    NullspaceRequest,
    OpenReply,
    OpenRequest,
    SelfMotionRequest,
    SolutionsRequest,
    decode_move,
)

KNOWN = solvers.names()
GOAL = {"frame": "tip", "kind": "pose", "position": [0.1, 0, 0.2], "quat_xyzw": [0, 0, 0, 1]}
ARM = {"arm": 0, "solvers": ["lm", "dls"], "goals": [GOAL]}
MOVE = {"type": "move", "id": 4, "arms": [ARM]}
SLIDE = {"type": "nullspace", "id": 4, "arm": 0, "q": [0, 1], "goals": [GOAL], "along": 1, "amount": 0.1}
EXPLAIN = {"type": "explain", "id": 4, "arm": 0, "q": [0, 1], "goals": [GOAL], "locked": ["a"]}
SOLVE_ALL = {"type": "solutions", "id": 4, "arm": 0, "q": [0, 1], "goals": [GOAL], "limits": False}
EXPORT = {"type": "export", "id": 4, "format": "arm", "q": [[0, 1], []], "goals": [[GOAL], []]}
ROBOT = {"type": "open", "id": 4, "source": {"kind": "robot", "names": ["panda"]}}


def read(message, **changes):
    return parse(json.dumps({**message, **changes}), KNOWN)


def refused(message, **changes):
    with pytest.raises(MessageError) as caught:
        read(message, **changes)
    return caught.value


def in_arm(**changes):
    return {**MOVE, "arms": [{**ARM, **changes}]}


def in_goal(**changes):
    return in_arm(goals=[{**GOAL, **changes}])


# What is accepted


def test_every_message_is_read():
    assert isinstance(read(ROBOT), OpenRequest)
    assert isinstance(read(MOVE), MoveRequest)
    assert isinstance(read(SLIDE), NullspaceRequest)
    assert isinstance(read(SOLVE_ALL), SolutionsRequest)
    assert isinstance(read(SOLVE_ALL, type="selfmotion"), SelfMotionRequest)
    assert isinstance(read(EXPLAIN), ExplainRequest)
    assert isinstance(read(EXPORT), ExportRequest)


def test_what_is_left_out_has_its_default():
    opened, moved = read(ROBOT), read(MOVE)
    assert (opened.base, opened.angles, opened.lenient) == ("fixed", None, False)
    assert (moved.search, moved.trace, moved.measure) == (False, False, None)
    assert moved.settings.limits
    assert moved.settings.iterations == SPACE_BOUNDS["iterations"].default
    assert moved.settings.damping is None
    assert moved.arms[0].start == {}
    assert (moved.arms[0].locked, moved.arms[0].posture, moved.arms[0].branches) == ((), None, "independent")


def test_null_stands_for_what_is_left_out():
    nothing = {"start": None, "locked": None, "posture": None, "goals": None}
    assert read(in_arm(**nothing)).arms[0].goals == ()
    assert read(MOVE, settings=None, measure=None).measure is None


def test_a_description_may_be_longer_than_other_messages_but_not_endless():
    source = {"kind": "text", "name": "a.urdf", "text": "x" * LONGEST_TEXT}
    assert len(read(ROBOT, source=source).source.text) == LONGEST_TEXT
    assert refused(ROBOT, source={**source, "text": "x" * (LONGEST_TEXT + 1)}).field == "source.text"
    assert str(MAX_OPEN_BYTES) in str(refused(ROBOT, source={**source, "text": "x" * MAX_OPEN_BYTES}))
    assert str(MAX_MESSAGE_BYTES) in str(refused(MOVE, trace="x" * MAX_MESSAGE_BYTES))


# What is refused

ENTRIES = {
    "no names": (ROBOT | {"source": {"kind": "robot", "names": []}}, "source.names"),
    "too many robots": (ROBOT | {"source": {"kind": "robot", "names": ["a"] * 5}}, "source.names"),
    "a list for a source": (ROBOT | {"source": ["panda"]}, "source"),
    "a path": (ROBOT | {"source": {"kind": "path", "path": "/etc/passwd"}}, "source.kind"),
    "a path beside a text": (
        ROBOT | {"source": {"kind": "text", "name": "a", "text": "b", "path": "c"}},
        "source.path",
    ),
    "half a character": (ROBOT | {"source": {"kind": "text", "name": "a", "text": "\ud83d"}}, "source.text"),
    "another base": (ROBOT | {"base": "planar"}, "base"),
    "other angles": (ROBOT | {"angles": "degrees"}, "angles"),
    "an unknown solver": (in_arm(solvers=["gauss"]), "arms[0].solvers"),
    "no solver": (in_arm(solvers=[]), "arms[0].solvers"),
    "a solver twice": (in_arm(solvers=["lm", "lm"]), "arms[0].solvers"),
    "arms in an object": (MOVE | {"arms": {"0": ARM}}, "arms"),
    "an arm that is a number": (MOVE | {"arms": [0]}, "arms"),
    "an arm twice": (MOVE | {"arms": [ARM, ARM]}, "arms"),
    "too many arms": (MOVE | {"arms": [ARM] * 17}, "arms"),
    "a start for an unknown solver": (in_arm(start={"gauss": [0]}), "arms[0].start.gauss"),
    "a start of words": (in_arm(start={"lm": ["0"]}), "arms[0].start.lm"),
    "an endless start": (in_arm(start={"lm": [0] * 1025}), "arms[0].start.lm"),
    "locked joints as one text": (in_arm(locked="elbow"), "arms[0].locked"),
    "a posture without weight's meaning": (in_arm(posture={"q": [0], "weight": 0}), "arms[0].posture.weight"),
    "another way for branches": (in_arm(branches="both"), "arms[0].branches"),
    "too many goals": (in_arm(goals=[GOAL] * 33), "arms[0].goals"),
    "another kind of goal": (in_goal(kind="line"), "arms[0].goals[0].kind"),
    "a point of two numbers": (in_goal(position=[0, 0]), "arms[0].goals[0].position"),
    "a point far away": (in_goal(position=[0, 0, 1e5]), "arms[0].goals[0].position"),
    "a quaternion of zeros": (in_goal(quat_xyzw=[0, 0, 0, 0]), "arms[0].goals[0].quat_xyzw"),
    "no quaternion": (in_goal(quat_xyzw=None), "arms[0].goals[0].quat_xyzw"),
    "another axis": (in_goal(axis="w"), "arms[0].goals[0].axis"),
    "no frame": (in_goal(frame=""), "arms[0].goals[0].frame"),
    "unknown settings": (MOVE | {"settings": {"speed": 1}}, "settings.speed"),
    "settings out of range": (MOVE | {"settings": {"iterations": 1001}}, "settings.iterations"),
    "a frame to measure without an arm": (MOVE | {"measure": {"frame": "tip"}}, "measure.arm"),
    "a slide without goals": (SLIDE | {"goals": []}, "goals"),
    "a slide too far": (SLIDE | {"amount": 4}, "amount"),
    "an explanation without goals": (EXPLAIN | {"goals": None}, "goals"),
    "another format": (EXPORT | {"format": "obj"}, "format"),
    "q in one list": (EXPORT | {"q": [0, 1]}, "q[0]"),
    "goals in one list": (EXPORT | {"goals": [GOAL]}, "goals[0]"),
    "too many lists": (EXPORT | {"q": [[0]] * 17}, "q"),
}


@pytest.mark.parametrize(("message", "field"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_that_is_wrong_is_named(message, field):
    error = refused(message)
    assert error.field == field
    assert error.id == 4


@pytest.mark.parametrize("message", [ROBOT, MOVE, SLIDE, EXPLAIN, EXPORT], ids=lambda each: each["type"])
def test_every_message_needs_an_id_and_takes_no_other_entries(message):
    assert refused(message, id=None).field == "id"
    assert refused(message, path="/etc/passwd").field == "path"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.data(), st.sampled_from([ROBOT, MOVE, SLIDE, EXPLAIN, EXPORT]))
def test_whatever_stands_in_an_entry_only_message_errors_are_raised(data, message):
    name = data.draw(st.sampled_from([*message, "settings", "measure", "base"]))
    try:
        read(message, **{name: data.draw(VALUES)})
    except MessageError as error:
        assert str(error)


# What the server says


def test_a_motion_comes_back_as_it_was_sent():
    moved = ArmMoveReply(
        arm=1,
        solver="lm",
        q=[0.5, 1.0, 2.0],
        errors=[1.0, 0.5],
        iterations=1,
        iterations_to_tolerance=-1,
        status="budget_spent",
        microseconds=12.5,
        violations=0,
        out_of_reach=[0.25],
        goal_errors=[0.5, 0.25],
        nullity=1,
        trace=[[0, 0, 0], [0.5, 1, 2]],
        ellipsoid=np.eye(3),
        manipulability=1.0,
    )
    sent = MoveReply(
        id=3,
        arms=[moved, ArmRefusal(arm=1, solver="fabrik", refused="no")],
        notes=["careful"],
        server_ms=1.5,
    )
    read_back = decode_move(sent.encode())
    assert (read_back.id, read_back.notes, read_back.server_ms) == (3, ["careful"], 1.5)
    first, second = read_back.arms
    assert second == ArmRefusal(arm=1, solver="fabrik", refused="no")
    for name, value in vars(moved).items():
        np.testing.assert_array_equal(np.ravel(getattr(first, name)), np.ravel(value), err_msg=name)
    assert first.trace.shape == (2, 3)


def test_a_scene_is_strict_json_with_nothing_infinite():
    text = OpenReply(
        id=1, name="a", token=None, angles=None, arms=[{"lower": [float("-inf"), 0.0]}], notes=()
    ).encode()
    assert json.loads(text)["arms"] == [{"lower": [None, 0.0]}]


def test_the_welcome_tells_the_ranges_of_both_views_and_the_robots():
    welcome = json.loads(Welcome(limbik="1", solvers=(), robots=[{"name": "panda"}]).encode())
    assert welcome["bounds"]["iterations"]["maximum"] == 64
    assert welcome["space_bounds"]["iterations"]["maximum"] == 1000
    assert welcome["robots"] == [{"name": "panda"}]


def test_every_solver_accepts_everything_the_protocol_allows_in_space():
    wire_names = {"lambda_": "lambda"}
    for info in solvers.describe():
        for parameter in info.parameters:
            bound = SPACE_BOUNDS[wire_names.get(parameter.name, parameter.name)]
            for value in (bound.minimum, bound.maximum):
                solvers.get(info.name, **{parameter.name: value})
