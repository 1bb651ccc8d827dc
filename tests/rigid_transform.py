"""SciPy's RigidTransform; before SciPy 1.16, which has none, something else that says its matrix."""

import numpy as np

try:
    from scipy.spatial.transform import RigidTransform
except ImportError:

    class RigidTransform:  # type: ignore[no-redef]
        """A pose, as far as the tests need it."""

        def __init__(self, matrix: np.ndarray) -> None:
            self._matrix = np.array(matrix, float)

        @classmethod
        def identity(cls) -> "RigidTransform":
            return cls(np.eye(4))

        @classmethod
        def from_matrix(cls, matrix: np.ndarray) -> "RigidTransform":
            return cls(matrix)

        @classmethod
        def from_translation(cls, translation: tuple[float, ...]) -> "RigidTransform":
            pose = np.eye(4)
            pose[:3, 3] = translation
            return cls(pose)

        def as_matrix(self) -> np.ndarray:
            return self._matrix


__all__ = ["RigidTransform"]
