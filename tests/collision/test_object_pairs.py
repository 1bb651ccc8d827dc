"""A world's objects against each other."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limbik.collision import Box, Capsule, Cylinder, Sphere, World
from limbik.errors import CollisionError


def kitchen() -> World:
    world = World()
    world.add("shelf", Box((1.0, 0.4, 0.04)), (0.0, 0.0, 0.5))
    world.add("can", Cylinder(radius=0.03, length=0.12), (0.1, 0.0, 0.57))
    world.add("ball", Sphere(0.1), (0.0, 0.0, 1.0))
    return world


def test_a_can_inside_a_shelf_is_found() -> None:
    found = kitchen().check()
    assert not found.is_free and found.pair == ("shelf", "can")
    assert found.distance == pytest.approx(-0.01) and found.nearest.gradient.shape == (0,)
    np.testing.assert_allclose(np.abs(found.normal), (0, 0, 1), atol=1e-9)
    assert "'shelf' is 10 mm deep in 'can'" in found.explain()


def test_objects_that_may_touch_are_left_out() -> None:
    world = kitchen()
    can = world["can"]
    world.remove("can")
    world.add("can", can.shape, can.pose, touch=["shelf"])
    found = world.check()
    assert found.is_free and found.pair == ("ball", "can")


def test_objects_that_are_nearer_than_a_clearance_are_not_free() -> None:
    world = kitchen()
    world.move("can", (0.1, 0.0, 0.6))
    assert world.check().is_free and world.check().distance == pytest.approx(0.02)
    assert not world.check(clearance=0.03).is_free
    assert "Nearer than the clearance" in world.check(clearance=0.03).explain()


def test_all_pairs_within_a_distance_are_listed_the_nearest_first() -> None:
    world = kitchen()
    assert world.check().contacts(1.0)[0].pair == ("shelf", "can")
    distances = [contact.distance for contact in world.check().contacts(1.0)]
    assert len(distances) == 3 and distances == sorted(distances)


def test_a_check_is_of_where_the_objects_stood() -> None:
    world = kitchen()
    found = world.check()
    world.move("can", (5.0, 0.0, 0.0))
    assert pickle.loads(pickle.dumps(found)).contacts()[0].pair == ("shelf", "can")
    assert found.contacts()[0].pair == ("shelf", "can") and world.check().is_free


def test_few_objects_are_free_of_each_other() -> None:
    world = World()
    assert world.check().is_free and world.check().nearest is None
    world.add("ball", Sphere(0.1))
    assert world.check().is_free and world.check().distance == np.inf


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_distances_of_balls_and_capsules_are_those_of_their_axes(seed: int) -> None:
    rng, world = np.random.default_rng(seed), World()
    places, radii = rng.uniform(-0.5, 0.5, (5, 3)), rng.uniform(0.01, 0.2, 5)
    for k in range(5):
        shape = Sphere(radii[k]) if k % 2 else Capsule(radii[k], 0.0)
        world.add(f"object {k}", shape, places[k])
    gaps = {
        (f"object {i}", f"object {j}"): np.linalg.norm(places[i] - places[j]) - radii[i] - radii[j]
        for i, j in itertools.combinations(range(5), 2)
    }
    found = {contact.pair: contact.distance for contact in world.check().contacts(10.0)}
    assert found.keys() == gaps.keys()
    for pair, gap in gaps.items():
        assert found[pair] == pytest.approx(gap, abs=1e-6)
    assert world.check().is_free == (min(gaps.values()) > 0.0)


@pytest.mark.parametrize("clearance", [np.nan, np.inf, "much", None, [1.0]])
def test_a_clearance_that_is_none_is_refused(clearance: object) -> None:
    with pytest.raises(CollisionError, match="`clearance` needs a"):
        kitchen().check(clearance=clearance)


def test_what_may_touch_a_renamed_object_still_may():
    world = World()
    world.add("shelf", Box((1.0, 1.0, 1.0)))
    world.add("can", Sphere(0.1), (0.0, 0.0, 0.55), touch=["shelf"])
    world.rename("shelf", "rack")
    assert world["can"].touch == ("rack",) and world.check().is_free
