"""What the page says a method did in an iteration is what the solver did."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from browser.playground import tip
from limbik.app.protocol.plane import BOUNDS, read_solve
from limbik.app.protocol.reading import Reader
from limbik.app.session import SOLVERS, Session
from page.modules import Modules

STEPS = [name for name in SOLVERS if name not in ("ccd", "fabrik")]
REQUEST: dict[str, Any] = {
    "id": 1,
    "links": 5,
    "length": 70,
    "base": [400, 400],
    "target": [520, 210],
    "settings": {"iterations": 8, "damping": 0.7, "lambda": 0.5, "gamma": 0.5, "limits": False},
    "trace": True,
}
EXPLAIN = """async (iterations) => {
  const { explain } = await import('/static/plane/explanation.js');
  const plain = (value) => (value instanceof Float64Array ? [...value] : value);
  return iterations.map((one) => JSON.parse(JSON.stringify(explain(one), (key, value) => plain(value))));
}"""


def solved(solver: str, **settings: Any) -> tuple[dict[str, Any], np.ndarray]:
    """A request and the configurations of its iterations [k+1, links], in single precision as on the wire."""
    request = {**REQUEST, "solvers": [solver], "settings": {**REQUEST["settings"], **settings}}
    frame = Session().solve(read_solve(Reader(request, BOUNDS), SOLVERS))
    trace = frame.arms[0].trace
    assert trace is not None
    return request, np.asarray(trace, np.float32)


def explained(
    modules: Modules, solver: str, request: dict[str, Any], rows: np.ndarray
) -> list[dict[str, Any]]:
    iterations = [
        {"solver": solver, "from": list(map(float, a)), "to": list(map(float, b)), "request": request}
        for a, b in pairwise(rows)
    ]
    return modules.evaluate(EXPLAIN, iterations)


@pytest.mark.parametrize("solver", STEPS)
def test_the_step_of_a_jacobian_method_is_the_one_that_the_solver_took(modules: Modules, solver: str) -> None:
    request, rows = solved(solver)
    steps = explained(modules, solver, request, rows)
    assert len(steps) > 2
    for step, before in zip(steps, rows[:-1], strict=True):
        assert step["kind"] == "step"
        assert step["taken"] == 1
        assert np.allclose(step["tip"], tip(before, 70, (400, 400)), atol=1e-3)
        assert abs(step["turn"]) <= 1


@pytest.mark.parametrize("solver", STEPS)
def test_limits_and_steps_cut_short_are_accounted_for(modules: Modules, solver: str) -> None:
    request, rows = solved(solver, limits=True, limit_degrees=20)
    steps = [step["taken"] for step in explained(modules, solver, request, rows)]
    own = [taken for taken in steps if taken is not None]  # not one down the gradient where that is in vain
    assert len(own) >= len(steps) - 1
    assert all(math.log2(taken or 1).is_integer() for taken in own)


def test_columns_of_the_jacobian_are_what_a_small_turn_does(modules: Modules) -> None:
    request, rows = solved("dls")
    step = explained(modules, "dls", request, rows)[0]
    q = rows[0].astype(float)
    for joint, column in enumerate(step["columns"]):
        turned = q.copy()
        turned[joint] += 1e-6
        moved = np.subtract(tip(turned, 70, (400, 400)), tip(q, 70, (400, 400)))
        assert np.allclose(moved / 1e-6, column, atol=1e-2)
    # As if the arm were linear, the undamped step ends at the target; the damped one on the way to it.
    assert np.allclose(np.add(step["tip"], step["undamped"]), request["target"], atol=1e-3)
    assert 0 < np.dot(step["proposed"], step["undamped"]) < np.dot(step["undamped"], step["undamped"])


@pytest.mark.parametrize("limits", [False, True])
def test_the_turns_of_a_sweep_lead_from_one_configuration_to_the_next(modules: Modules, limits: bool) -> None:
    request, rows = solved("ccd", limits=limits, limit_degrees=20)
    sweeps = explained(modules, "ccd", request, rows)
    for sweep, before, after in zip(sweeps, rows[:-1], rows[1:], strict=True):
        assert sweep["isPlain"]
        assert [turn["joint"] for turn in sweep["rotations"]] == [4, 3, 2, 1, 0]
        q = before.astype(float)
        for turn in sweep["rotations"]:
            assert np.allclose(turn["tip"], tip(q, 70, (400, 400)), atol=1e-3)
            q[turn["joint"]] += turn["turn"]
            # Turned by all that is wanted, the end effector points at the target.
            aimed = turn["start"] + turn["wanted"]
            x, y = np.subtract(request["target"], turn["pivot"])
            assert np.allclose([math.cos(aimed), math.sin(aimed)], np.array([x, -y]) / np.hypot(x, y))
            if not limits:
                assert turn["turn"] == pytest.approx(0.7 * turn["wanted"], rel=1e-3, abs=1e-5)
        assert np.allclose(q, after, atol=1e-6)


def test_the_passes_of_fabrik_end_where_the_solver_did(modules: Modules) -> None:
    request, rows = solved("fabrik")
    for passes, after in zip(explained(modules, "fabrik", request, rows), rows[1:], strict=True):
        assert passes["isPlain"]
        backward, forward = (np.reshape(passes[name], (-1, 2)) for name in ("backward", "forward"))
        assert np.allclose(backward[-1], request["target"])
        assert np.allclose(forward[0], request["base"])
        for chain in (backward, forward):
            assert np.allclose(np.linalg.norm(np.diff(chain, axis=0), axis=1), 70)
        assert np.allclose(forward[-1], tip(after, 70, (400, 400)), atol=0.1)


def test_what_is_not_the_methods_own_is_told_apart(modules: Modules) -> None:
    far = {**REQUEST, "target": [900, 400]}
    straight = {**far, "solvers": ["fabrik"]}
    frame = Session().solve(read_solve(Reader(straight, BOUNDS), SOLVERS))
    rows = np.asarray(frame.arms[0].trace, np.float32)
    passes = explained(modules, "fabrik", straight, rows)
    assert passes[0]["isPlain"]
    assert not all(each["isPlain"] for each in passes)  # mixed with those before it
    assert np.allclose(np.reshape(passes[-1]["forward"], (-1, 2))[:, 1], 400, atol=0.1)
    resting = {"rest_bias": 0.5, "rest": [1, 0, 0, 0, 0]}
    request, rows = solved("ccd", **resting)
    assert not explained(modules, "ccd", request, rows)[0]["isPlain"]
    request, rows = solved("dls", **resting)
    assert explained(modules, "dls", request, rows)[0]["taken"] is None


def test_an_angle_that_lost_a_whole_turn_is_no_turn(modules: Modules) -> None:
    request, _ = solved("ccd")
    rows = np.array([[math.pi + 0.1, 0.3, 0.3, 0.3, 0.3], [-math.pi + 0.15, 0.3, 0.3, 0.3, 0.3]])
    rotations = explained(modules, "ccd", request, rows)[0]["rotations"]
    assert rotations[-1]["turn"] == pytest.approx(0.05)
