"""`Program`: a kernel to be compiled, with its argument types, constants and linked functions, and their
hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from limbik.compiler.arrays import described, kinds
from limbik.compiler.emit import Emitted
from limbik.compiler.kernel import Kernel

KERNEL = "kernel"  # its name in bitcode
WATCH = "is_stopped"


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel, and what its open names mean.

    kernel:
        What its annotations say (`compiler.arrays`) is what `compiler.call` calls it with.
    arguments:
        For a kernel that Python calls with single addresses and whole numbers, which is faster, and holds the
        interpreter's lock: the type of what an address leads to, or None for a number. It returns a number.
    as_bytes:
        Indices of the addresses that are given as bytes.
    types:
        Of arrays, where the kernel has a name for it.
    constants, functions:
        What its open names mean.
    source:
        "module:function" and the argument with which another process makes the program of a user's method.
    """

    name: str  # of its bitcode
    kernel: Kernel[..., Any]
    arguments: tuple[Any, ...] | None = None
    as_bytes: tuple[int, ...] = ()
    types: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    functions: Mapping[str, Emitted] = field(default_factory=dict)
    stem: str = ""  # of its files: tells those of one name from each other
    source: tuple[str, str] | None = None

    def __deepcopy__(self, _: object) -> Program:
        """Itself: nothing of it changes, and machine code is known by it."""
        return self

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left open in its bitcode."""
        return not self.constants

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides what its bitcode is."""
        if self.arguments is not None:
            return self.kernel.fingerprint
        taken = [described(kind) for kind in kinds(self.kernel.function).values()]
        digest = hashlib.sha256(repr((taken, sorted(self.types.items()))).encode())
        digest.update(self.kernel.fingerprint.encode())
        return digest.hexdigest()
