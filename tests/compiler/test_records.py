"""Structured arrays with attributes, as NumPy's own record arrays have them."""

from __future__ import annotations

import numpy as np
import pytest

from limbik.compiler.records import as_records

KIND = np.dtype([("level", np.int64), ("weight", np.float64), ("target", np.float64, (3,))])


def test_fields_are_those_of_numpys_record_arrays_and_are_written_through() -> None:
    plain = np.zeros(4, KIND)
    plain["target"], plain["level"] = np.arange(12.0).reshape(4, 3), [3, 1, 4, 1]
    ours, theirs = as_records(plain), plain.view(np.recarray)
    for field in KIND.names:
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))
        np.testing.assert_array_equal(getattr(ours[2], field), getattr(theirs[2], field))
        assert type(getattr(ours[2], field)) is type(getattr(theirs[2], field))
    ours[1].weight, ours[2].target[1], ours[1:3][0].level = 0.5, -1.0, 7
    assert (plain["weight"][1], plain["target"][2, 1], plain["level"][1]) == (0.5, -1.0, 7)
    with pytest.raises(AttributeError, match="height"):
        _ = ours.height
