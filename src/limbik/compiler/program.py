"""What a program is, before there is machine code of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from limbik.compiler.emit import Emitted
from limbik.compiler.kernel import Kernel

KERNEL = "kernel"  # its name in bitcode
WATCH = "is_stopped"


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel of addresses and numbers, and what its open names mean.

    kernel:
        Takes an address or a whole number for each of the arguments, and returns a whole number.
    arguments:
        The type of what an address leads to, or None for a number.
    is_watched:
        Whether the kernel takes, last, what `is_stopped` asks. Then Python calls it with the address of an
        array of the arguments, 8 bytes each, and with the watch; otherwise with the arguments themselves.
    as_bytes:
        Which addresses the latter gives as bytes.
    constants, functions:
        What its open names mean.
    source:
        "module:function" and the argument with which another process makes the program of a user's method.
    """

    name: str  # of its bitcode
    kernel: Kernel[..., int]
    arguments: tuple[Any, ...]
    is_watched: bool = True
    as_bytes: tuple[int, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    functions: Mapping[str, Emitted] = field(default_factory=dict)
    stem: str = ""  # of its files: tells those of one name from each other
    source: tuple[str, str] | None = None

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left open in its bitcode."""
        return not self.constants
