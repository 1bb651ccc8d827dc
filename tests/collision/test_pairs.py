"""Which pairs of bodies are checked: the reasons that are told are true."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from collision.oracle import coal_distance, random_pose, random_shape
from limbik import Model
from limbik.collision import Box, LinkShape, Sphere
from limbik.collision.geometry import geometry_of
from limbik.collision.pair_study import study_pairs
from limbik.collision.pairs import ADJACENT, ALWAYS, RIGID, pairs_of
from limbik.collision.programs import collisions
from limbik.compiler import native
from limbik.errors import CollisionError, ModelError
from limbik.model.pair_rules import PairRule
from strategies import SERIAL
from trees import trees

NEVER = "never (proved)"


@pytest.fixture(scope="module", autouse=True)
def _machine_code():
    native.compile_now(collisions())


def arm(links=4, limits=2.0, size=0.2):
    """A planar arm of links of 1 m; on each, and on its base, a box in the middle."""
    plain = limbik.planar_arm(links=links, length=1.0, limits=limits)
    place = np.eye(4)
    place[0, 3] = 0.5
    boxes = [
        LinkShape(link=f"link{k + 1}", shape=Box((0.8, size, size)), pose_link_shape=place)
        for k in range(links)
    ]
    return plain.with_shapes([LinkShape(link=plain.root, shape=Sphere(0.1)), *boxes])


def names_of_checked(model):
    bodies = geometry_of(model).bodies
    return {frozenset((bodies[i].name, bodies[j].name)) for i, j in pairs_of(model).checked}


def reasons(model):
    return {frozenset((pair.first, pair.second)): pair.reason for pair in pairs_of(model).unchecked}


def distance(model, pair, q):
    """Signed [m], by coal, of two links with one shape each."""
    shapes = [next(each for each in model.shapes if each.name == name) for name in pair]
    poses = [model.pose(q, each.link) @ each.pose_link_shape for each in shapes]
    return coal_distance(shapes[0].shape, shapes[1].shape, *poses)


@pytest.mark.slow
@settings(max_examples=12)
@given(trees(SERIAL, max_joints=4), st.integers(0, 2**32 - 1))
def test_what_is_told_of_pairs_is_true(tree: Model, seed):
    rng = np.random.default_rng(seed)
    links = tree.frame_names[: len(tree.joints) + 1]
    model = tree.with_shapes(
        [
            LinkShape(link=link, shape=random_shape(rng, 0.3), pose_link_shape=random_pose(rng, 0.3))
            for link in links
        ]
    )
    study = study_pairs(model, samples=20)
    told = [frozenset((pair.first, pair.second)) for pair in (*study.checked, *study.unchecked)]
    assert sorted(map(sorted, told)) == sorted(map(sorted, itertools.combinations(links, 2)))

    joined = {frozenset((joint.parent, joint.child)) for joint in model.joints}
    around = [*model.random(seed, 30), model.lower, model.upper]
    around = [q for q in around if np.isfinite(q).all()]
    for pair in study.unchecked:
        if pair.reason == RIGID:
            poses = [np.linalg.inv(model.pose(q, pair.first)) @ model.pose(q, pair.second) for q in around]
            np.testing.assert_allclose(poses, np.broadcast_to(poses[0], np.shape(poses)), atol=1e-9)
        elif pair.reason == ADJACENT:
            assert frozenset((pair.first, pair.second)) in joined
        else:
            assert pair.reason == ALWAYS
            assert distance(model, (pair.first, pair.second), model.neutral) < 1e-6
    for pair in study.checked:
        if pair.never:
            assert min(distance(model, (pair.first, pair.second), q) for q in around) > 0.0
        drawn = [distance(model, (pair.first, pair.second), q) for q in model.random(0, 20)]
        assert np.sum(np.less(drawn, -1e-6)) <= pair.touching <= np.sum(np.less(drawn, 1e-6))


def test_links_that_a_joint_joins_are_not_checked_and_all_others_are():
    assert set(reasons(arm()).values()) == {ADJACENT}
    expected = {frozenset(pair) for pair in [
        ("world", "link2"), ("world", "link3"), ("world", "link4"),
        ("link1", "link3"), ("link1", "link4"), ("link2", "link4"),
    ]}  # fmt: skip
    root = arm().root
    assert names_of_checked(arm()) == {
        frozenset(root if name == "world" else name for name in pair) for pair in expected
    }


def test_links_with_nothing_between_but_links_without_shapes_are_adjacent():
    model = arm()
    without = model.with_shapes([each for each in model.shapes if each.link != "link2"])
    assert reasons(without)[frozenset(("link1", "link3"))] == ADJACENT


def test_never_is_told_only_where_it_is_proved():
    stiff = {(pair.first, pair.second): pair for pair in study_pairs(arm(limits=0.3), 50).checked}
    assert stiff["link1", "link3"].never
    free = study_pairs(arm(limits=3.0), 50)
    assert not any(pair.never for pair in free.checked if pair.touching)
    assert any(pair.touching for pair in free.checked)


def test_a_pair_that_hardly_ever_touches_is_not_said_to_never_touch():
    model = arm(links=3, limits=2.35, size=0.1)  # the last link folds onto the first one at the limits only
    (pair,) = [each for each in study_pairs(model, 5).checked if "link3" in (each.first, each.second)][-1:]
    assert {pair.first, pair.second} == {"link1", "link3"}
    assert distance(model, ("link1", "link3"), model.upper) < 0.0
    assert (pair.touching, pair.never) == (0, False)


def test_pairs_that_always_touch_are_not_checked_and_said_so():
    model = arm()
    blob = LinkShape(link="link3", shape=Sphere(2.5))
    model = model.with_shapes([*[each for each in model.shapes if each.link != "link3"], blob])
    assert reasons(model)[frozenset(("link1", "link3"))] == ALWAYS
    assert re.match(r"always \(touching at the neutral and at \d+ random configurations\)", ALWAYS)


def test_a_share_that_no_sample_showed_has_its_bound():
    study = study_pairs(arm(limits=0.3), 60)
    assert study.rarely == 3.0 / 60
    assert study_pairs(arm(), 2).rarely == 1.0
    with_unseen = study.rules(with_unseen=True)
    unseen = [rule for rule in with_unseen if "not seen touching in 60 samples" in rule.reason]
    assert len(unseen) == sum(not pair.touching and not pair.never for pair in study.checked)
    assert len(study.rules()) == len(with_unseen) - len(unseen)
    assert {rule.reason for rule in study.rules()} <= {ADJACENT, NEVER}


def test_rules_hold_before_what_the_structure_says():
    model = arm().with_pairs(enable=[("link1", "link2")], disable=[("link4", "link1")])
    assert frozenset(("link1", "link2")) in names_of_checked(model)
    assert reasons(model)[frozenset(("link1", "link4"))] == "as the user says"
    again = model.with_pairs(enable=[("link1", "link4")])
    assert frozenset(("link1", "link4")) in names_of_checked(again)
    assert frozenset(("link1", "link4")) not in names_of_checked(model)


def test_links_on_fixed_joints_are_rigid_whatever_a_rule_says():
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    model = limbik.load(
        f"""<robot name="r"><link name="a">{ball}</link><link name="b">{ball}</link><link name="c"/>
        <joint name="f" type="fixed"><parent link="a"/><child link="b"/></joint>
        <joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"""
    )
    assert reasons(model.with_pairs(enable=[("a", "b")])) == {frozenset("ab"): RIGID}


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        ([("link1", "lnk3")], ModelError, "unknown link or object 'lnk3'; did you mean 'link3'"),
        ([("link1",)], CollisionError, "needs two names"),
        ([("link1", "link1")], CollisionError, "two different names, found 'link1' twice"),
        (["link1"], CollisionError, "needs"),
        (3, CollisionError, "needs a list of pairs of names"),
    ],
)
def test_bad_pairs_are_refused(pairs, error, words):
    with pytest.raises(error, match=words):
        arm().with_pairs(disable=pairs)
    with pytest.raises(error, match=words):
        arm().with_pairs(enable=pairs)


@pytest.mark.parametrize("samples", [0, -1, 1.5, "many", 10**9, None])
def test_a_number_of_samples_that_is_none_is_refused(samples):
    with pytest.raises(CollisionError, match="`samples` needs a whole number"):
        study_pairs(arm(), samples)


def test_rules_and_shapes_of_other_types_are_refused():
    with pytest.raises(ModelError, match="pair_rules"):
        arm().with_shapes(pair_rules=[("link1", "link2")])
    with pytest.raises(ModelError, match="unknown link"):
        arm().with_shapes(pair_rules=[PairRule(first="link1", second="elsewhere", is_checked=False)])
    with pytest.raises(ModelError, match="did you mean 'link1'"):
        arm().with_shapes([LinkShape(link="lnk1", shape=Sphere(0.1))])
