"""Records whose fields are attributes, for kernels that Python runs, quicker than `numpy.recarray`."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RecordArray(np.ndarray):
    """A structured array whose fields are attributes, as are those of each of its records."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name].view(np.ndarray)
        except (IndexError, ValueError):  # no such field, or no fields at all
            raise AttributeError(name) from None


def as_records(array: NDArray[Any]) -> RecordArray:
    """A view of a structured array."""
    return array.view(_with_attributes(array.dtype), RecordArray)


@functools.cache
def _with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type whose records have attributes."""
    assert dtype.fields is not None, "records have fields"
    fields = {name: _attribute(*field[:2]) for name, field in dtype.fields.items()}
    return np.dtype((type("Record", (np.void,), fields), dtype))


def _attribute(dtype: np.dtype[Any], offset: int) -> property:
    def put(record: np.void, value: Any) -> None:
        record.setfield(value, dtype, offset)

    return property(operator.methodcaller("getfield", dtype, offset), put)
