"""Arms with branches and goals, as the classic arm format holds them: a strategy."""

import math

from hypothesis import strategies as st

from limbik.formats.arm import ArmDescription, ArmPart, ArmSegment

_LENGTHS = st.floats(1e-3, 1e3) | st.sampled_from([1.0, 0.1, 1e9, 1e-300])
_ANGLES = st.floats(0.0, math.pi) | st.sampled_from([0.0, 1.0, math.pi])
_COORDINATES = st.floats(-1e9, 1e9)
_POINTS = st.tuples(_COORDINATES, _COORDINATES, _COORDINATES)


@st.composite
def arms(draw: st.DrawFn, angles=_ANGLES, lengths=_LENGTHS, points=_POINTS) -> ArmDescription:
    """Arms with up to four branches, nested in any way."""
    segments = st.lists(st.builds(ArmSegment, lengths, angles, angles), min_size=1, max_size=3).map(tuple)
    parts = [ArmPart(draw(segments), draw(st.none() | points))]
    within = [0]
    for place in range(1, draw(st.integers(1, 5))):
        del within[draw(st.integers(1, len(within))) :]
        start = draw(st.integers(0, len(parts[within[-1]].segments) - 1))
        parts.append(ArmPart(draw(segments), draw(st.none() | points), within[-1], start))
        within.append(place)
    return ArmDescription(draw(points), tuple(parts))
