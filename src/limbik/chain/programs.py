"""The programs for points on chains of one kind."""

from __future__ import annotations

from typing import Any

from limbik.compiler.kernel import Kernel
from limbik.compiler.program import Program


def on_chain(name: str, solve: Kernel[..., Any], records: Any) -> Program:
    """One goal on a chain, by `chain.solve.answer` as a method binds it; records: of its joints."""
    return Program(name=f"chain-{name}", kernel=solve, types={"joint": records})
