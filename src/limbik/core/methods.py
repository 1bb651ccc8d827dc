"""Classical methods bound into the loop of `core.branched`, named so that another process finds them."""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from limbik.core import branched
from limbik.core.compiled import Kernel


@dataclass(frozen=True)
class Method:
    """What the names mean that the loop leaves open: "improve", and "worth" where a method has its own.

    text: pairs such as "improve=limbik.solvers.ccd:sweep", with commas between them.
    """

    text: str

    @classmethod
    def of(cls, kernels: Mapping[str, Kernel[..., Any]]) -> Method:
        """The method of kernels that stand in modules, each under its own name."""
        functions = {name: kernel.function for name, kernel in sorted(kernels.items())}
        pairs = (f"{name}={each.__module__}:{each.__qualname__}" for name, each in functions.items())
        return cls(",".join(pairs))

    @functools.cached_property
    def kernel(self) -> Kernel[..., None]:
        """`core.branched.solve` by this method."""
        return branched.solve.bind(**dict(map(_found, self.text.split(","))))

    @property
    def stem(self) -> str:
        """A short name for files."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def _found(pair: str) -> tuple[str, Kernel[..., Any]]:
    name, _, place = pair.partition("=")
    module, _, function = place.partition(":")
    return name, getattr(importlib.import_module(module), function)
