"""The stage by itself: hands on goals and camera, and pictures drawn only when something has changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

PAGE = """<!doctype html><html data-theme="light"><link rel="stylesheet" href="/static/css/tokens.css">
<style>canvas { position: fixed; inset: 0; width: 100%; height: 100%; touch-action: none }</style>
<script type="importmap">{"imports": {"three": "./static/vendor/three/three.module.min.js",
  "three/addons/": "./static/vendor/three/addons/"}}</script>
<canvas id="view" tabindex="0"></canvas></html>"""
START = """async (scene) => {
  const { Stage } = await import('/static/space/stage.js');
  const heard = [];
  const hear = (name) => (...what) => { heard.push([name, ...what.slice(0, 3)]); };
  const names = ['onGoalMove', 'onGoalSelect', 'onPoint', 'onTakeLink', 'onCamera'];
  const wantsLink = ({ shiftKey }) => shiftKey;
  const handlers = { wantsLink, ...Object.fromEntries(names.map((name) => [name, hear(name)])) };
  const stage = new Stage(document.getElementById('view'), handlers);
  const faults = stage.setScene(scene);
  stage.setPose(0, 'lm', scene.arms[0].q);
  stage.home({ softly: false });
  Object.assign(window, { stage, heard, drawn: 0, faults: await faults });
  const frame = (now) => { window.drawn += stage.draw(now); requestAnimationFrame(frame); };
  frame(performance.now());
}"""
BOX = """() => {
  const { geometry } = stage.crew.arms[0].bodies.get('lm').links.find(({ link }) => link === 'l0').mesh;
  geometry.computeBoundingBox();
  return [geometry.boundingBox.min.toArray(), geometry.boundingBox.max.toArray()];
}"""
MARKS = ("axes", "reach", "limits", "ellipsoid", "frames")
GOAL = {"id": "a", "arm": 0, "frame": "tip", "kind": "pose", "position": [0.3, -0.2, 0.5], "selected": True}


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> list[float]:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return list(matrix.ravel())


def joint(k: int, **changes: object) -> dict[str, Any]:
    usual: dict[str, Any] = {"name": f"j{k}", "kind": "revolute", "parent": f"l{k}", "child": f"l{k + 1}"}
    usual |= {"origin": pose(z=0.4 if k else 0.0), "axis": [0, 1, 0], "lower": -1.0, "upper": 1.0}
    return usual | {"swing": None, "euler": None, "q": k, "mimic": None} | changes


ARM: dict[str, Any] = {
    "name": "arm",
    "root": "l0",
    "joints": [joint(0, axis=[0, 0, 1]), joint(1), joint(2)],
    "frames": [{"name": "tip", "link": "l3", "pose": pose(z=0.3)}],
    "end_effector": "tip",
    "tips": ["tip"],
    "neutral": [0, 0, 0],
    "q": [0, 0.5, 0.5],
    "reach": 1.1,
    "visuals": [],
    "segments": [],
}


class Theatre:
    """A page with nothing but the stage."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.faults.append(message.text))

    def do(self, what: str, argument: object = None) -> Any:
        return self.page.evaluate(what, argument)

    def settle(self) -> None:
        """Wait until two frames have passed: the first may have begun before."""
        self.do("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def heard(self, name: str) -> list[list[Any]]:
        """What was heard since the last time, but for other names."""
        return [what[1:] for what in self.do("heard.splice(0)") if what[0] == name]

    def point(self, what: str) -> tuple[float, float]:
        at = self.do(what)
        return at["x"], at["y"]

    def drag(self, start: tuple[float, float], by: tuple[float, float], button: Any = "left") -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down(button=button)
        self.page.mouse.move(start[0] + by[0], start[1] + by[1], steps=4)
        self.page.mouse.up(button=button)
        self.settle()


@pytest.fixture(scope="module")
def module_theatre(browser: Browser, address: str) -> Iterator[Theatre]:
    page = browser.new_page(viewport={"width": 400, "height": 300}, reduced_motion="reduce")
    page.route("**/bare", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    theatre = Theatre(page)
    page.goto(f"{address}/bare")
    theatre.do(START, {"name": "scene", "arms": [ARM]})
    yield theatre
    page.close()
    assert theatre.faults == []


@pytest.fixture
def theatre(module_theatre: Theatre) -> Theatre:
    """The stage at its home view, with one selected goal."""
    module_theatre.do(
        "stage.setGizmo(null); stage.setPlane({mode: 'camera', depth: null}); stage.setRegion(null)"
    )
    module_theatre.do("stage.setProjection('perspective'); stage.home({softly: false})")
    module_theatre.do("(goal) => stage.setGoals([goal])", GOAL)
    module_theatre.settle()
    module_theatre.heard("")
    return module_theatre


@pytest.mark.parametrize("projection", ["perspective", "orthographic"])
def test_a_goal_follows_the_hand_on_the_plane_that_faces_the_camera(
    theatre: Theatre, projection: str
) -> None:
    theatre.do(f"stage.setProjection('{projection}')")
    start = theatre.point("stage.goalPoint('a')")
    theatre.drag(start, (30, -20))
    moves = theatre.heard("onGoalMove")
    assert [phase for _, _, phase in moves] == ["start", "drag", "drag", "drag", "end"]
    np.testing.assert_allclose(theatre.point("stage.goalPoint('a')"), np.add(start, (30, -20)), atol=0.01)
    way = np.subtract(moves[-1][1]["position"], GOAL["position"])
    assert abs(way @ theatre.do("stage.camera.forward.toArray()")) < 1e-9


def test_an_arrow_moves_along_its_axis_only(theatre: Theatre) -> None:
    theatre.do("stage.setGizmo({mode: 'move', space: 'world'})")
    for axis, part in enumerate("xyz"):
        theatre.do("(goal) => stage.setGoals([goal])", GOAL)
        theatre.drag(theatre.point(f"stage.gizmoPoint('{part}')"), (20, -20))
        way = np.subtract(theatre.heard("onGoalMove")[-1][1]["position"], GOAL["position"])
        assert abs(way[axis]) > 0.02
        assert np.abs(np.delete(way, axis)).max() < 1e-9


def test_a_square_moves_in_its_plane_only(theatre: Theatre) -> None:
    theatre.do("stage.setGizmo({mode: 'move', space: 'world'})")
    theatre.drag(theatre.point("stage.gizmoPoint('xy')"), (20, -20))
    way = np.subtract(theatre.heard("onGoalMove")[-1][1]["position"], GOAL["position"])
    assert np.abs(way[:2]).min() > 0.01
    assert abs(way[2]) < 1e-9


def test_a_ring_turns_about_its_axis_only(theatre: Theatre) -> None:
    theatre.do("stage.setGizmo({mode: 'rotate', space: 'world'})")
    for axis, part in enumerate("xyz"):
        theatre.do("(goal) => stage.setGoals([goal])", GOAL | {"quat_xyzw": [0, 0, 0, 1]})
        theatre.drag(theatre.point(f"stage.gizmoPoint('{part}')"), (20, 20))
        moved = theatre.heard("onGoalMove")[-1][1]
        turn = np.array(moved["quat_xyzw"])
        assert moved["position"] == GOAL["position"]
        assert abs(turn[axis]) > 0.02
        assert np.abs(np.delete(turn[:3], axis)).max() < 1e-9


def test_local_arrows_stand_as_the_goal_does(theatre: Theatre) -> None:
    theatre.do("(goal) => stage.setGoals([goal])", GOAL | {"quat_xyzw": [0, 0, np.sqrt(0.5), np.sqrt(0.5)]})
    theatre.do("stage.setGizmo({mode: 'move', space: 'local'})")
    theatre.drag(theatre.point("stage.gizmoPoint('x')"), (-20, -20))
    way = np.subtract(theatre.heard("onGoalMove")[-1][1]["position"], GOAL["position"])
    assert abs(way[1]) > 0.02  # its x axis is the world's y axis
    assert np.abs(np.delete(way, 1)).max() < 1e-9


def test_a_click_places_at_the_depth_of_the_goal_or_on_the_chosen_plane(theatre: Theatre) -> None:
    theatre.page.mouse.click(80, 60)
    (((point,),)) = theatre.heard("onPoint")
    way = np.subtract(point, GOAL["position"])
    assert abs(way @ theatre.do("stage.camera.forward.toArray()")) < 1e-9
    np.testing.assert_allclose(theatre.point(f"stage.screenPoint({point})"), (80, 60), atol=0.01)
    theatre.do("stage.setPlane({mode: 'xy', depth: 0.25})")
    theatre.page.mouse.click(80, 240)
    (((point,),)) = theatre.heard("onPoint")
    assert point[2] == pytest.approx(0.25)


def test_a_click_on_an_arm_finds_link_and_surface(theatre: Theatre) -> None:
    at = theatre.point("stage.screenPoint([0, 0, 0.2])")
    theatre.page.mouse.click(*at)
    (((point,),)) = theatre.heard("onPoint")
    theatre.page.keyboard.down("Shift")
    theatre.page.mouse.click(*at)
    theatre.page.keyboard.up("Shift")
    said = theatre.do("heard.splice(0)")
    assert [what[:3] for what in said if what[0] != "onCamera"] == [["onTakeLink", 0, "l1"]]
    assert 0.0 < np.hypot(point[0], point[1]) < 0.1
    assert point[2] == pytest.approx(0.2, abs=0.05)


def test_hands_and_wheel_move_the_camera_and_no_goal(theatre: Theatre) -> None:
    before = theatre.do("stage.getView()").split(",")
    theatre.drag((60, 60), (50, 20))
    orbited = theatre.do("stage.getView()").split(",")
    assert orbited[:2] != before[:2]
    assert orbited[2:] == before[2:]
    theatre.drag((60, 60), (50, 20), "right")
    panned = theatre.do("stage.getView()").split(",")
    assert panned[:3] == orbited[:3]
    assert panned[3:] != orbited[3:]
    theatre.page.mouse.wheel(0, -200)
    theatre.settle()
    assert float(theatre.do("stage.getView()").split(",")[2]) < float(panned[2])
    assert theatre.heard("onGoalMove") == []


def test_a_view_opens_again_from_its_text(theatre: Theatre) -> None:
    theatre.do("stage.setProjection('orthographic'); stage.orbit(40, 30); stage.pan(20, 10); stage.zoom(0.7)")
    view = theatre.do("stage.getView()")
    theatre.do("stage.home({softly: false})")
    assert theatre.do(f"stage.setView('{view}')") is True
    assert theatre.do("stage.getView()") == view
    for nothing in ("", "1,2,3", "1,2,-3,0,0,0,p", "a,b,c,d,e,f,p"):
        assert theatre.do(f"stage.setView('{nothing}')") is False
    assert theatre.do("stage.getView()") == view


def test_the_middle_of_the_view_is_in_the_middle_of_the_open_region(theatre: Theatre) -> None:
    theatre.do("stage.setRegion({left: 50, top: 20, right: 250, bottom: 220})")
    for projection in ("perspective", "orthographic"):
        theatre.do(f"stage.setProjection('{projection}')")
        middle = theatre.point("stage.screenPoint(stage.camera.state.centre.toArray())")
        np.testing.assert_allclose(middle, (150, 120), atol=0.01)


def test_nothing_is_drawn_while_nothing_changes(theatre: Theatre) -> None:
    theatre.settle()
    before = theatre.do("drawn")
    theatre.do("stage.setPose(0, 'lm', [0, 0.5, 0.5])")  # as it stands
    theatre.page.wait_for_timeout(100)
    assert theatre.do("drawn") == before
    theatre.do("stage.setPose(0, 'lm', [0, 0.4, 0.5])")
    theatre.settle()
    assert theatre.do("drawn") > before


def test_a_body_for_every_solver_and_none_after_null(theatre: Theatre) -> None:
    theatre.do(
        "stage.setPose(0, 'dls', [0.2, 0.1, 0]); stage.setLook(0, 'dls', {color: '#1a63f9', opacity: 0.4})"
    )
    theatre.do("stage.setPose(0, 'ghost', [0.3, 0, 0])")
    theatre.do("stage.setLook(0, 'ghost', {isGhost: true, highlighted: ['j1']})")
    theatre.do("(marks) => stage.setMarks(marks)", dict.fromkeys(MARKS, True))
    theatre.do("stage.setMarks({shadow: false})")
    theatre.do("stage.setEllipsoid(0, [0.3, 0, 0.6], [0.4, 0.1, 0, 0.1, 0.2, 0, 0, 0, 0.1])")
    way = "for (let k = 0; k < 700; k += 1) { stage.setPose(0, 'dls', [0.2 + 0.001 * k, 0.1, 0]);"
    theatre.do(f"{way} stage.leaveTrace(0, 'dls'); }}")
    points = theatre.do("stage.scenery.byKey.get('0 dls tip').path")
    assert len(points) == 3 * 600  # the oldest are forgotten
    theatre.settle()
    bodies = theatre.do("stage.visibleBodies()")
    assert [(body["key"], body["opacity"], body["isGhost"]) for body in bodies] == [
        ("lm", 1, False),
        ("dls", 0.4, False),
        ("ghost", 1, True),
    ]
    theatre.do("stage.setPose(0, 'dls', null); stage.setPose(0, 'ghost', null); stage.clearTraces()")
    theatre.do("(marks) => stage.setMarks(marks)", dict.fromkeys(MARKS, False))
    theatre.do("stage.setMarks({shadow: true})")
    assert [body["key"] for body in theatre.do("stage.visibleBodies()")] == ["lm"]


def test_a_snapshot_is_a_png_as_large_as_the_canvas(theatre: Theatre) -> None:
    head = theatre.do(
        "stage.snapshot().then(async (blob) => [...new Uint8Array(await blob.arrayBuffer(), 0, 24)])"
    )
    assert bytes(head[:8]) == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(bytes(head[16:20]), "big") == 400
    assert int.from_bytes(bytes(head[20:24]), "big") == 300


# Meshes, each a box with edges 0.2, 0.4 and 0.6 around the origin

CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [triangle for a, b, c, d in FACES for triangle in ((a, b, c), (a, c, d))]


def stl() -> bytes:
    facet = np.dtype([("normal", "<3f4"), ("corners", "<(3,3)f4"), ("attribute", "<u2")])
    facets = np.zeros(len(TRIANGLES), facet)
    facets["corners"] = np.array(CORNERS)[np.array(TRIANGLES)]
    return bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes()


def raw() -> bytes:
    counts = np.array([len(CORNERS), len(TRIANGLES)], "<u4")
    return counts.tobytes() + np.array(CORNERS, "<f4").tobytes() + np.array(TRIANGLES, "<u4").tobytes()


def obj() -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += ["f " + " ".join(str(corner + 1) for corner in triangle) for triangle in TRIANGLES]
    return "\n".join(lines).encode()


def dae() -> bytes:
    """In centimetres, with an axis and a picture that count for nothing."""
    positions = " ".join(str(100 * value) for corner in CORNERS for value in corner)
    places = " ".join(str(corner) for triangle in TRIANGLES for corner in triangle)
    return f"""<?xml version="1.0"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
    <library_images><image id="i"><init_from>wood.tga</init_from></image></library_images>
    <library_effects><effect id="e"><profile_COMMON>
      <newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
      <newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
      <technique sid="c"><lambert><diffuse><texture texture="t" texcoord="u"/></diffuse></lambert></technique>
    </profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
    <library_geometries><geometry id="g"><mesh>
      <source id="p"><float_array id="f" count="24">{positions}</float_array><technique_common>
        <accessor source="#f" count="8" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="{len(TRIANGLES)}" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
        <p>{places}</p></triangles></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material>
      <technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material>
      </instance_geometry></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#w"/></scene></COLLADA>""".encode()


@pytest.mark.parametrize("read", [stl, raw, obj, dae])
def test_meshes_of_every_format_are_as_large_as_they_say(theatre: Theatre, read: Any) -> None:
    name = f"**/mesh/{read.__name__}"
    theatre.page.route(
        name, lambda route: route.fulfill(body=read(), content_type="application/octet-stream")
    )
    visual = {"link": "l0", "shape": "mesh", "url": f"/mesh/{read.__name__}", "format": read.__name__}
    arm = ARM | {"visuals": [visual | {"pose": pose(x=1.0), "scale": [1, 1, -2], "color": [1, 0, 0, 1]}]}
    assert theatre.do("(scene) => stage.setScene(scene)", {"name": "mesh", "arms": [arm]}) == []
    theatre.do("stage.setPose(0, 'lm', [0, 0, 0])")
    box = theatre.do(BOX)
    np.testing.assert_allclose(box, [[0.9, -0.2, -0.6], [1.1, 0.2, 0.6]], atol=1e-6)
    assert theatre.do("stage.visibleBodies()[0].hasMeshes") is True


def test_a_mesh_that_is_missing_is_said_and_capsules_stay(module_theatre: Theatre) -> None:
    theatre = module_theatre
    theatre.page.route("**/mesh/none", lambda route: route.fulfill(status=200, body=b"solid"))
    visual = {
        "link": "l0",
        "shape": "mesh",
        "url": "/mesh/none",
        "format": "iges",
        "pose": pose(),
        "color": None,
    }
    said = theatre.do(
        "(scene) => stage.setScene(scene)", {"name": "m", "arms": [ARM | {"visuals": [visual]}]}
    )
    assert len(said) == 1
    assert "l0" in said[0]
    theatre.do("stage.setPose(0, 'lm', [0, 0, 0])")
    assert theatre.do("stage.visibleBodies()[0].hasMeshes") is False
    theatre.do("(scene) => stage.setScene(scene)", {"name": "scene", "arms": [ARM]})
    theatre.do("stage.setPose(0, 'lm', [0, 0.5, 0.5])")
