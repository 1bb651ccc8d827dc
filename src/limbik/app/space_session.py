"""`SpaceSession`: one page's scene in space: moves, explains, solves for all solutions, follows paths and
exports, and remembers where each arm stands with each solver.

A session knows nothing of sockets, and works on one request at a time; `explain`, `solve_all`,
`self_motion`, `follow_path`, `read_world` and `export` touch nothing that moves, so they may run beside a
move: where they look at collisions, each does so in a world of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from limbik import solvers
from limbik.app.arm_moves import WITH_PRIORITIES, move
from limbik.app.goal_io import as_goals, check, goal_errors, legal
from limbik.app.limit_overrides import with_wider_limits
from limbik.app.null_space import curve, slide
from limbik.app.open_scene import Opened, OpenedArm
from limbik.app.page_world import Around, PageWorld
from limbik.app.path_playback import followed_path
from limbik.app.protocol.path import FollowPathReply, FollowPathRequest
from limbik.app.protocol.reading import MessageError
from limbik.app.protocol.solutions import SolutionsReply
from limbik.app.protocol.space import (
    ArmMove,
    ArmMoveReply,
    ArmRefusal,
    ExplainReply,
    ExplainRequest,
    ExportReply,
    ExportRequest,
    FrameGoal,
    LimitOverrides,
    MoveReply,
    MoveRequest,
    NullspaceRequest,
    OpenReply,
    OpenRequest,
    SelfMotionReply,
    SelfMotionRequest,
    SolutionsRequest,
)
from limbik.app.protocol.world import WorldContents, WorldReply, WorldRequest
from limbik.app.reader_warnings import remarks
from limbik.app.remedies import COLLISIONS, culprit, remedies
from limbik.app.scene_description import described
from limbik.app.scene_opener import SceneOpener
from limbik.app.solution_choice import has_closed_form, shown, solutions_of
from limbik.app.upload import Upload
from limbik.app.world_upload import read_objects
from limbik.collision.geometry import geometry_of, keep_geometry
from limbik.collision.world_files import world_text
from limbik.errors import LimbikError, SolverError
from limbik.spatial import Array
from limbik.status import Status

SEARCH_SECONDS = 4.0  # of a whole request, shared by its arms and solvers
MOVE_SECONDS = 10.0  # after which no further solver begins
EXPLAIN_ITERATIONS = 2000
EXPLAIN_SECONDS = 2.0  # of the search for what is free of collision
MAX_POINTS = 400  # of a curve that is sent


class SpaceSession:
    """The arms of one page. `workshop` is shared by all pages."""

    def __init__(self, workshop: SceneOpener) -> None:
        self._workshop = workshop
        self._opened: Opened | None = None
        self._q: dict[tuple[int, str], Array] = {}
        self._directions: dict[int, Array] = {}  # null directions of each arm, as they were told last
        self._wider: dict[
            int, tuple[tuple[LimitOverrides, ...], OpenedArm]
        ] = {}  # arms with the limits requested last
        self._world = PageWorld(workshop.stored_shapes)  # of moves

    def open(self, request: OpenRequest) -> OpenReply:
        """Show another scene. Raises LimbikError for one that cannot be opened; the old one stays then."""
        opened = self._workshop.open(request)
        scene = described(opened, request.id)
        self._opened = opened
        self._q.clear()
        self._directions.clear()
        self._wider.clear()
        self._world = PageWorld(self._workshop.stored_shapes)
        return scene

    def move(self, request: MoveRequest, time_limit: float | None = None) -> MoveReply:
        """Move arms toward their goals, each solve for at most so long [s]. A solver that cannot do it is
        told; the others go on."""
        began = time.perf_counter()
        arms: list[ArmMoveReply | ArmRefusal] = []
        notes: dict[str, None] = {}  # an ordered set
        count = sum(len(requested.solvers) for requested in request.arms)
        if request.measure is not None:
            self._arm(request.measure.arm, "measure.arm").model.frame(request.measure.frame)
        preparing = False
        for requested in request.arms:
            arm = self._arm(requested.arm, "arms", requested.widened)
            check(arm.model, requested.goals)
            around = None
            try:
                around = self._around(self._world, requested.arm, arm, request.world)
                preparing |= request.world is not None and around is None
            except LimbikError as error:
                notes[f"Collisions are left aside: {error}"] = None
            for name in requested.solvers:
                passed = time.perf_counter() - began
                seconds = max(0.0, SEARCH_SECONDS - passed) / max(count - len(arms), 1)
                arms.append(self._move(arm, requested, name, request, seconds, passed, time_limit, around))
                if requested.posture is not None and requested.goals and name not in WITH_PRIORITIES:
                    notes[f"{name} knows no priorities, so it leaves the posture aside."] = None
        return MoveReply(
            id=request.id,
            arms=arms,
            notes=list(notes),
            server_ms=1e3 * (time.perf_counter() - began),
            preparing=preparing,
        )

    def _move(
        self,
        arm: OpenedArm,
        requested: ArmMove,
        name: str,
        request: MoveRequest,
        seconds: float,
        passed: float,
        time_limit: float | None,
        around: Around | None,
    ) -> ArmMoveReply | ArmRefusal:
        try:
            if passed > MOVE_SECONDS:
                raise SolverError(f"not begun: the solvers before it took {passed:.0f} s")
            stance = self._stance(arm, requested, name)
            motion = move(arm, requested, name, stance, request, seconds, time_limit, around)
        except LimbikError as error:
            if isinstance(error, MessageError):
                raise
            return ArmRefusal(arm=requested.arm, solver=name, refused=str(error))
        self._q[requested.arm, name] = motion.q  # type: ignore[assignment]
        return motion

    def _stance(self, arm: OpenedArm, requested: ArmMove, name: str) -> Array:
        """Where the arm is with that solver [nq]."""
        if name in requested.start:
            return _configuration(arm, requested.start[name], f"arms[{requested.arm}].start.{name}")
        return self._q.get((requested.arm, name), arm.start)

    def slide(self, request: NullspaceRequest) -> MoveReply:
        """Move along a null direction of the goals. Raises GoalError where there is none."""
        began = time.perf_counter()
        arm = self._arm(request.arm, "arm", request.widened)
        check(arm.model, request.goals)
        _configuration(arm, request.q, "q")
        q, basis = slide(arm.model, request, self._directions.get(request.arm))
        self._directions[request.arm] = basis
        missed = goal_errors(arm.model, request.goals, q[None])
        seconds = time.perf_counter() - began
        motion = ArmMoveReply(
            arm=request.arm,
            solver="nullspace",
            q=q,
            errors=missed.worst_metres,
            iterations=0,
            iterations_to_tolerance=-1,
            status="still",
            microseconds=1e6 * seconds,
            violations=0,
            goal_errors=[
                part for pair in zip(*missed, strict=True) for row in zip(*pair, strict=True) for part in row
            ],
            out_of_reach=[0.0] * len(request.goals),
            nullity=basis.shape[1],
        )
        return MoveReply(id=request.id, arms=[motion], server_ms=1e3 * seconds)

    def explain(self, request: ExplainRequest) -> ExplainReply:
        """Why the goals are not met, or that they can be."""
        arm = self._arm(request.arm, "arm", request.widened)
        check(arm.model, request.goals)
        settings = request.settings
        start = legal(arm.model, _configuration(arm, request.q, "q"), settings.limits)
        goals = as_goals(request.goals)
        options: dict[str, Any] = {
            "iterations": EXPLAIN_ITERATIONS,
            "tolerance": settings.tolerance,
            "tolerance_rotation": settings.tolerance_rotation,
            "limits": settings.limits,
        }
        around = self._beside(request.arm, arm, request.world)
        model = arm.model if around is None else around.model
        if around is not None:
            options |= {"world": around.world, "clearance": around.clearance, "time_limit": EXPLAIN_SECONDS}
        solution = solvers.solve(model, goals, start=start, locked=request.locked, **options)
        diagnosis = solution.explain()
        return ExplainReply(
            id=request.id,
            arm=request.arm,
            culprit=culprit(diagnosis),
            text=str(diagnosis),
            status=diagnosis.status.name.lower(),
            joints=list(
                dict.fromkeys((*(excess.joint for excess in diagnosis.excesses), *diagnosis.unlocked))
            ),
            nearest=None if diagnosis.status in (Status.SOLVED, *COLLISIONS) else solution.q.tolist(),
            remedies=remedies(diagnosis),
        )

    def solve_all(self, request: SolutionsRequest) -> SolutionsReply:
        """All configurations that meet the goals, with all joints free to move."""
        arm = self._arm(request.arm, "arm", request.widened)
        check(arm.model, request.goals)
        start = legal(arm.model, _configuration(arm, request.q, "q"), request.limits)
        goals = as_goals(request.goals)
        is_quick = has_closed_form(arm.model, goals, request.limits)
        solutions = solutions_of(arm.model, goals, start, request.limits)
        around = self._beside(request.arm, arm, request.world)
        return shown(arm.model, solutions, id=request.id, arm=request.arm, is_quick=is_quick, around=around)

    def self_motion(self, request: SelfMotionRequest) -> SelfMotionReply:
        """How the joints can move together while the goals stay met, with all joints free to move."""
        arm = self._arm(request.arm, "arm", request.widened)
        check(arm.model, request.goals)
        q = legal(arm.model, _configuration(arm, request.q, "q"), request.limits)
        free = curve(arm.model, as_goals(request.goals), q, request.limits)
        if free is None:
            return SelfMotionReply(id=request.id, arm=request.arm)
        rows = np.linspace(0, len(free.q) - 1, min(MAX_POINTS, len(free.q))).round().astype(int)
        points = free.q[rows].tolist()
        return SelfMotionReply(id=request.id, arm=request.arm, q=points, closed=free.closed, ends=free.ends)

    def follow_path(self, request: FollowPathRequest) -> FollowPathReply:
        """The joints along a path, within the limits, with all joints free to move."""
        arm = self._arm(request.arm, "arm", request.widened)
        _configuration(arm, request.q, "q")
        return followed_path(arm.model, request)

    def read_world(self, request: WorldRequest) -> WorldReply:
        """The objects in a file. Raises FormatError for one that cannot be read."""
        if request.text is not None:
            upload = Upload(request.name, {request.name: request.text.encode()})
        else:
            upload = self._workshop.uploaded(request.token or "")
        objects, notes = read_objects(upload, self._workshop.stored_shapes)
        return WorldReply(id=request.id, name=upload.name, objects=objects, notes=notes)

    def export(self, request: ExportRequest) -> ExportReply:
        """The scene as it stands on the page, or the objects around it. Raises ModelError where the format
        cannot say it.
        """
        opened = self._scene()
        if request.format == "world":
            return self._exported_world(request)
        arms = []
        for k in range(len(opened.arms)):
            arm = self._arm(k, "q", request.widened[k] if k < len(request.widened) else ())
            q = arm.start if k >= len(request.q) else _configuration(arm, request.q[k], f"q[{k}]")
            goals: Sequence[FrameGoal] = request.goals[k] if k < len(request.goals) else ()
            check(arm.model, goals)
            arms.append(replace(arm.arm, q=arm.model.clip(q), goals=tuple(as_goals(goals))))
        scene = replace(opened.scene, arms=tuple(arms))
        with remarks() as notes:
            text = scene.to_arm() if request.format == "arm" else scene.to_urdf()
        name = f"{_file_name(scene.name)}.{request.format}"
        return ExportReply(id=request.id, format=request.format, name=name, text=text, notes=notes)

    def _exported_world(self, request: ExportRequest) -> ExportReply:
        around = PageWorld(self._workshop.stored_shapes)
        requested = request.world or WorldContents(things=(), clearance=0.0)
        world = around.around(0, self._scene().arms[0].model, requested).world
        carried = [thing.name for thing in requested.things if thing.held is not None]
        notes = [f"What arms carry is left out: {', '.join(carried)}."] if carried else []
        name = f"{_file_name(self._scene().scene.name)}-objects.json"
        return ExportReply(id=request.id, format="world", name=name, text=world_text(world), notes=notes)

    def _around(
        self, page: PageWorld, number: int, arm: OpenedArm, requested: WorldContents | None
    ) -> Around | None:
        """What an arm is not to collide with; None where nobody asks, and while its shapes are being made.

        Raises LimbikError where the shapes cannot be made.
        """
        own = self._scene().arms[number]
        if requested is None or not self._workshop.shapes.are_ready(own):
            return None
        if arm is not own:
            keep_geometry(arm.model, geometry_of(own.model))
        return page.around(number, arm.model, requested)

    def _beside(self, number: int, arm: OpenedArm, requested: WorldContents | None) -> Around | None:
        """The same for a request that may run beside a move."""
        return self._around(PageWorld(self._workshop.stored_shapes), number, arm, requested)

    def _scene(self) -> Opened:
        if self._opened is None:
            raise MessageError("no scene is open: send `open` first", field="type")
        return self._opened

    def _arm(self, number: int, field: str, widened: tuple[LimitOverrides, ...] = ()) -> OpenedArm:
        arms = self._scene().arms
        if number >= len(arms):
            raise MessageError(f"`arm` needs a number from 0 to {len(arms) - 1}, found {number}", field=field)
        if not widened:
            return arms[number]
        stored = self._wider.get(number)
        if stored is None or stored[0] != widened:
            stored = self._wider[number] = (widened, with_wider_limits(arms[number], widened))
        return stored[1]


def _configuration(arm: OpenedArm, q: Array, field: str) -> Array:
    if q.size != arm.model.nq:
        raise MessageError(
            f"`{field}` needs {arm.model.nq} numbers for {arm.title}, found {q.size}", field=field
        )
    return q


def _file_name(name: str) -> str:
    """A name for a file: letters, digits and what stands between them."""
    safe_name = "".join(character if character.isalnum() or character in "-_." else "_" for character in name)
    return safe_name.strip("._")[:60] or "scene"
