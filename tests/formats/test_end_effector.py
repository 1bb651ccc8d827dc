"""The ends of arms and legs, for which goals are thought of first."""

from limbik import ModelBuilder
from limbik.formats.end_effector import tips


def limb(builder, name, joints, parent):
    """A limb of so many revolute joints; its last link is called by its name and the last number."""
    for k in range(joints):
        builder.revolute(f"{name}{k}", parent=f"{name}{k - 1}" if k else parent, origin=(0, 0, 0.1))
    return builder


def ends(builder):
    model = builder.build()
    return tips(model.joints, model.root)


def test_a_chain_has_one_end():
    assert ends(limb(ModelBuilder("arm"), "arm", 3, "base")) == ("arm2",)


def test_a_figure_has_its_hands_and_feet():
    builder = ModelBuilder("figure").revolute("waist")
    for name, parent in (("left", "waist"), ("right", "waist"), ("leg", "base"), ("stand", "base")):
        limb(builder, name, 4, parent)
    assert set(ends(builder)) == {"left3", "right3", "leg3", "stand3"}


def test_a_hand_with_fingers_is_one_end():
    builder = limb(ModelBuilder("arm"), "arm", 5, "base")
    for finger in ("thumb", "index"):
        limb(builder, finger, 2, "arm4")
    assert ends(builder.fixed("palm", parent="arm4", origin=(0, 0, 0.1))) == ("palm",)


def test_a_hand_alone_has_its_fingers_as_ends():
    builder = ModelBuilder("hand")
    for finger in ("first", "second"):
        limb(builder, finger, 3, "base")
    assert set(ends(builder)) == {"first2", "second2"}


def test_what_does_not_move_has_no_end():
    assert ends(ModelBuilder("stone").fixed("lid")) == ()
