"""Masses and the center of mass, compared with pinocchio and with sums over links."""

import math
import pickle
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik.errors import ConfigurationError, ModelError
from limbik.model import JointKind, Mass, Model, ModelBuilder
from strategies import SEEDS, configuration, models, vectors

MOVING = {
    JointKind.REVOLUTE: lambda axis: pin.JointModelRevoluteUnaligned(*axis),
    JointKind.CONTINUOUS: lambda axis: pin.JointModelRevoluteUnaligned(*axis),
    JointKind.PRISMATIC: lambda axis: pin.JointModelPrismaticUnaligned(*axis),
    JointKind.BALL: lambda _: pin.JointModelSpherical(),
    JointKind.FLOATING: lambda _: pin.JointModelFreeFlyer(),
}


@st.composite
def weighted(draw: st.DrawFn) -> Model:
    """A tree with masses on some links, more than one on some, 0 among them."""
    tree = draw(models())
    links = [tree.root, *(joint.child for joint in tree.joints)]
    picked = draw(st.lists(st.sampled_from(links), min_size=1, max_size=6))
    masses = [Mass(link=link, mass=draw(st.floats(0.0, 5.0)), center=draw(vectors())) for link in picked]
    masses.append(Mass(link=links[-1], mass=1.0, center=draw(vectors())))
    return Model("tree", tree.joints, tree.frames[len(links) :], masses=masses, root=tree.root)


def in_pinocchio(model: Model) -> pin.Model:
    """The same tree and masses; the mass of the root is left out, because pinocchio's world has none."""
    out = pin.Model()
    places = {model.root: (0, pin.SE3.Identity())}
    for joint in model.joints:
        parent, placement = places[joint.parent]
        origin = placement * pin.SE3(np.array(joint.origin))
        if joint.kind is JointKind.FIXED:
            places[joint.child] = (parent, origin)
            continue
        number = out.addJoint(parent, MOVING[joint.kind](joint.axis), origin, joint.name)
        places[joint.child] = (number, pin.SE3.Identity())
    for mass in model.masses:
        number, placement = places[mass.link]
        inertia = pin.Inertia(mass.mass, np.array(mass.center), np.zeros((3, 3)))
        out.appendBodyToJoint(number, inertia, placement)
    return out


@settings(max_examples=50)
@given(weighted(), SEEDS)
def test_the_center_of_mass_equals_pinocchio(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    oracle = in_pinocchio(model)
    still = oracle.inertias[0]  # what does not move
    moving = sum(inertia.mass for inertia in list(oracle.inertias)[1:])
    center, jacobian = still.mass * still.lever, np.zeros((3, model.nv))
    if moving > 0.0:
        data = oracle.createData()
        center = center + moving * pin.centerOfMass(oracle, data, q)
        jacobian = moving * pin.jacobianCenterOfMass(oracle, data, q).reshape(3, model.nv)
    assert model.mass == pytest.approx(still.mass + moving)
    assert_allclose(model.center_of_mass(q), center / model.mass, rtol=0, atol=1e-11)
    assert_allclose(model.center_of_mass_jacobian(q), jacobian / model.mass, rtol=0, atol=1e-11)


@settings(max_examples=50)
@given(weighted(), SEEDS, st.sampled_from([(1,), (3,), (2, 2), (0,)]))
def test_a_batch_gives_what_its_members_give(model: Model, seed: int, lead: tuple[int, ...]) -> None:
    q = configuration(model, seed, math.prod(lead)).reshape(*lead, model.nq)
    centers, jacobians = model.center_of_mass(q), model.center_of_mass_jacobian(q)
    assert centers.shape == (*lead, 3)
    assert jacobians.shape == (*lead, 3, model.nv)
    for place in np.ndindex(*lead):
        assert_allclose(centers[place], model.center_of_mass(q[place]), rtol=0, atol=1e-13)
        assert_allclose(jacobians[place], model.center_of_mass_jacobian(q[place]), rtol=0, atol=1e-13)


def test_the_center_of_two_masses_lies_between_them() -> None:
    model = (
        ModelBuilder("scale")
        .revolute("beam", axis="z")
        .mass("base", 1.0, (0, 0, 1))
        .mass("beam", 2.0, (3, 0, 0))
        .mass("beam", 1.0)
        .build()
    )
    assert model.mass == 4.0
    assert [mass.link for mass in model.masses] == ["base", "beam", "beam"]
    assert_allclose(model.center_of_mass([math.pi / 2]), [0, 1.5, 0.25], atol=1e-15)
    assert_allclose(model.center_of_mass_jacobian([0.0]), [[0], [1.5], [0]], atol=1e-15)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.mass == 4.0
    assert_allclose(copy.center_of_mass([0.3]), model.center_of_mass([0.3]))


def test_a_model_without_masses_has_no_center_of_mass() -> None:
    bare = ModelBuilder("bare").revolute("a")
    for model in (bare.build(), bare.mass("a", 0.0).build()):
        assert model.mass == 0.0
        for call in (model.center_of_mass, model.center_of_mass_jacobian):
            with pytest.raises(ModelError, match="model 'bare' has no masses, so it has no center of mass"):
                call([0.0])


def test_a_wrong_configuration_is_refused() -> None:
    model = ModelBuilder("arm").revolute("a").mass("a", 1.0).build()
    for call in (model.center_of_mass, model.center_of_mass_jacobian):
        with pytest.raises(ConfigurationError, match="q needs 1 numbers"):
            call([0.0, 1.0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"link": ""}, "`link` of a mass needs a text that is not empty, found ''"),
        ({"mass": -1.0}, "the mass of link 'a' needs a finite number from 0 to 1e\\+30 .*, found -1"),
        ({"mass": math.inf}, "the mass of link 'a' needs a finite number from 0 to 1e\\+30 .*, found inf"),
        ({"center": (0, 1e160, 0)}, r"the center of the mass of link 'a' needs numbers up to 1e\+09 \[m\]"),
        ({"mass": "heavy"}, "the mass of link 'a' needs a number, found 'heavy'"),
        ({"center": (0, 1)}, r"the center of the mass of link 'a' needs 3 numbers, found shape \(2,\)"),
    ],
)
def test_a_wrong_mass_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Mass(**{"link": "a", "mass": 1.0, "center": (0, 0, 0), **fields})


def test_a_mass_needs_a_link_that_exists() -> None:
    with pytest.raises(ModelError, match="a mass on the unknown link 'bas'; did you mean 'base'"):
        Model("m", [], masses=[Mass(link="bas", mass=1.0, center=np.zeros(3))])
    with pytest.raises(ModelError, match=r"masses\[0\] needs a Mass, found 1"):
        Model("m", [], masses=[1])  # type: ignore[list-item]
    with pytest.raises(ModelError, match=r"'a mass' .* unknown link 'elbo'; did you mean 'elbow'"):
        ModelBuilder("m").revolute("elbow").mass("elbo", 1.0)
