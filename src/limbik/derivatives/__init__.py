"""Derivatives of functions that a user has written: by differences, and by dual numbers."""

from limbik.derivatives.differences import METHODS, numeric_jacobian
from limbik.derivatives.dual import Dual, automatic_jacobian

__all__ = ["METHODS", "Dual", "automatic_jacobian", "numeric_jacobian"]
