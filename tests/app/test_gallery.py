"""The list of robots that the gallery shows, and their pictures."""

from collections import Counter

from limbik.app.scene_description import PICTURES, robots
from limbik.formats import registry

ALL = {robot["name"]: robot for robot in robots()}


def test_every_robot_has_a_kind_and_every_kind_has_robots():
    assert set(Counter(robot["kind"] for robot in ALL.values())) == set(registry.KINDS)
    found = {name: ALL[name]["kind"] for name in ("ur5e", "tiago", "g1", "go2", "shadow_hand")}
    assert list(found.values()) == ["arm", "mobile", "humanoid", "quadruped", "hand"]


def test_robots_that_come_along_have_a_picture():
    for robot in registry.robots():
        picture = ALL[robot.name]["picture"]
        assert picture in (None, f"/static/robots/{robot.name}.webp")
        assert picture or not robot.is_built_in, robot.name


def test_pictures_are_small_and_of_robots():
    files = list(PICTURES.iterdir())
    assert {file.name for file in files} <= {f"{name}.webp" for name in ALL}
    for file in files:
        content = file.read_bytes()
        assert content[:4] + content[8:12] == b"RIFFWEBP"
        assert 1500 < len(content) <= 8000, file.name  # an empty one has 600
    assert sum(file.stat().st_size for file in files) < 400_000


def test_a_robot_whose_package_is_missing_says_what_to_install():
    for robot in ALL.values():
        assert (robot["advice"] is None) == robot["installed"]
        assert robot["installed"] or robot["advice"].startswith("pip install ")
